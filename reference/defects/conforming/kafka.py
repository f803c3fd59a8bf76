"""Unusual, and conforming: what a suite must not take for a defect."""

from collections.abc import Iterable
from typing import Any, ClassVar

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.markers import WriteMarker
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import Decision
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.reference.kernel.network import Network
from fencepost.wire.kafka.batches import Batch

_AT_MOST_MS = 50
_GAP = 7


class SlowNetwork(Network):
    """Messages arrive when they have waited for some requests to be answered, or for some time."""

    every: ClassVar[int] = 4
    """A request takes two of these rounds: whether it has to wait, and its answer."""

    _rounds = 0

    def deliver(self) -> None:
        if not self._in_flight:
            self._rounds = 0
            return
        self._rounds += 1
        has_waited_ms = self._clock.now - min(message.sent_at for message in self._in_flight)
        if self._rounds >= self.every or has_waited_ms >= _AT_MOST_MS:
            self._rounds = 0
            super().deliver()


@defect(origin="compacted topics, and brokers that write their own records")
class GapsInOffsets(PartitionLog):
    """Offsets are skipped after each marker: they grow, and Kafka does not promise that they grow by one."""

    def offset_after(self, batch: Batch) -> int:
        return super().offset_after(batch) + (_GAP if batch.marker else 0)


@defect(origin="every cluster, when coordinator and leaders are different nodes")
class LateCompletion(SlowNetwork):
    """Markers arrive late, so clients get CONCURRENT_TRANSACTIONS for a while and have to retry."""


@defect(origin="a failover of the coordinator while markers are on their way, KAFKA-19999")
class DuplicateMarkerAfterRestart(KafkaCoordinator):
    """After a restart the coordinator sends each marker of a decided transaction twice, and each partition writes it twice."""

    def resend_markers_of_prepared(self) -> None:
        super().resend_markers_of_prepared()
        self._machine.network.duplicate(lambda content: isinstance(content, WriteMarker))


@defect(origin="brokers that judge each partition of a request by itself")
class ForeignBatchesRefusedAlone(Verification):
    """In a request with batches of several producers, the broker appends those of the request's own producer and refuses only the
    others."""

    _is_mixed = False

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        refusal = super().refusal_of_request(transactional_id, batches)
        self._is_mixed = refusal is Errors.INVALID_PRODUCER_ID_MAPPING
        return None if self._is_mixed else refusal

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        # Where the other producer has an open transaction, the coordinator is not asked, and nothing else would say whose batch it is.
        if self._is_mixed and batch.producer_id != self._coordinator.describe(transactional_id).producer.producer_id:
            raise RequestRefused(Errors.INVALID_PRODUCER_ID_MAPPING)
        return super().before_produce(log, transactional_id, batch, operation)


@defect(origin="brokers that keep more than five batches for each producer")
class OlderDuplicatesKnown(ProducerStates):
    """A partition remembers all batches of a producer's epoch, so a duplicate older than five gets its first offset."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is None and batch.producer_id >= 0:
            state = self.get(batch.producer_id)
            if state is not None and state.batches:
                known = self.__dict__.setdefault("_known", {}).setdefault((batch.producer_id, batch.producer_epoch), {})
                known[state.batches[-1].first_sequence, state.batches[-1].last_sequence] = state.batches[-1]
        return before

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state = self.get(batch.producer_id)
        if state is None or batch.producer_epoch != state.producer.epoch:
            return None
        known = self.__dict__.get("_known", {}).get((batch.producer_id, batch.producer_epoch), {})
        found: AppendedBatch | None = known.get((batch.base_sequence, batch.base_sequence + len(batch.records) - 1))
        return found or super().duplicate_of(batch)


@defect(origin="brokers that build a refusal without asking the log")
class LogStartNotTold(PartitionLog):
    """Produce answers -1 as the log start offset, which is all that Kafka promises."""

    def start_reported_to_producers(self) -> int:
        return -1


class _TakesTheSecondBatch(Verification):
    """Refuses the first transactional batch of each transactional id, before anything is looked at or changed."""

    to_new_clients = Errors.CONCURRENT_TRANSACTIONS

    def __init__(self, *parts: Any) -> None:
        self._refused: set[str] = set()
        super().__init__(*parts)

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if transactional_id and transactional_id not in self._refused:
            self._refused.add(transactional_id)
            if operation is TransactionSupport.ADD:
                raise RequestRefused(self.to_new_clients)
            raise self._for_later(self.to_new_clients)
        return super().before_produce(log, transactional_id, batch, operation)


class _TakesItWhenMoved(_TakesTheSecondBatch):
    to_new_clients = Errors.NOT_COORDINATOR


@defect(origin="brokers that load what they know of a transactional id when it is first asked about", also=[_TakesTheSecondBatch])
class BusyAtFirst(KafkaCoordinator):
    """The first EndTxn and the first Produce of each transactional id are refused CONCURRENT_TRANSACTIONS, and do nothing."""

    refusal = Errors.CONCURRENT_TRANSACTIONS

    def __init__(self, *parts: Any) -> None:
        self._refused: set[str] = set()
        super().__init__(*parts)

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        if transactional_id and transactional_id not in self._refused:
            self._refused.add(transactional_id)
            raise RequestRefused(self.refusal)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect(origin="every cluster in which the coordinator's partition moves between two requests of a producer", also=[_TakesItWhenMoved])
class CoordinatorAwayAtFirst(BusyAtFirst):
    """The first EndTxn of each id is refused COORDINATOR_LOAD_IN_PROGRESS, and the first Produce of a new client NOT_COORDINATOR."""

    refusal = Errors.COORDINATOR_LOAD_IN_PROGRESS
