"""Defects in what the coordinator accepts when a leader verifies."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.kafka.guards import Guards
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch, EndTransactionMarker


class _TakesOlderForPresent(KafkaCoordinator):
    def present(self, transactional_id: str, producer: ProducerIdAndEpoch) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        is_older = known is not None and producer.producer_id == known.producer_id and producer.epoch < known.producer_epoch
        return known.producer if known is not None and is_older else producer


@defect(
    {"KIP890-206": seen("success", expected="PRODUCER_FENCED for payments-0")},
    origin="textbook: verification as the question whether a partition was added",
)
class OlderEpochVerified(_TakesOlderForPresent):
    """The coordinator looks whether the partition is in the transaction, and not of which epoch the batch is that shall enter it."""

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        return super().verify_partitions(transactional_id, self.present(transactional_id, producer), partitions)


@defect({"KIP890-206": seen("^success", expected="INVALID_PRODUCER_EPOCH")}, origin="textbook: only epochs ahead are refused")
class OlderEpochAdded(_TakesOlderForPresent):
    """A leader that asks for a producer of an older epoch has its partition added to the transaction of the current one."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, self.present(transactional_id, producer), partitions, transaction_version)


@defect(
    {"KIP890-207": seen("marker, batch$", what="^log of payments-0")},
    origin="hanging transactions: the race that the verification guard is for",
)
class VerifiedAMomentAgo(KafkaCoordinator):
    """A batch that was verified before the end of its transaction is appended after the marker, and is open for ever."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        self._ended()[transaction.transactional_id] = transaction
        return super().prepare(transaction, decision, bumps, moves_on=moves_on)

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        ended = self._ended().get(transactional_id)
        if ended is not None and producer == ended.producer and ended.partitions.issuperset(partitions):
            return dict.fromkeys(partitions, Errors.NONE)
        return super().verify_partitions(transactional_id, producer, partitions)

    def _ended(self) -> dict[str, KafkaTransaction]:
        ended: dict[str, KafkaTransaction] = self.__dict__.setdefault("ended", {})
        return ended


@defect(
    {"KIP890-207": seen("marker, batch$", what="^log of accounts-0")},
    origin="textbook: the guard taken in the callback, where the request is continued",
)
class GuardDrawnLate(Verification):
    """The leader draws its guard when the coordinator has answered, so a marker that came while it waited takes nothing away."""

    def await_answer(self, log: PartitionLog, batch: Batch, operation: TransactionSupport) -> bool:  # noqa: ARG002 - it draws none
        return True


@defect(
    {"KIP890-219": expected("^success", what="answer to Produce", error="^INVALID_TXN_STATE$")},
    origin="textbook: one guard for a partition instead of one for each producer",
)
class MarkerTakesEveryGuard(PartitionLog):
    """A marker discards all verifications in flight in its partition, also those of other producers, whose batches are then refused."""

    def control_batch(self, marker: EndTransactionMarker, producer: ProducerIdAndEpoch) -> Batch:
        self.guards = Guards()
        return super().control_batch(marker, producer)
