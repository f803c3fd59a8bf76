"""Lawful variants in what a leader takes and refuses."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


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
        # Where the other one's transaction is open, the coordinator is not asked, and nobody else would say whose batch it is.
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
