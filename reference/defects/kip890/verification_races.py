"""Defects in what the coordinator lets pass when a leader asks."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.guards import Guards
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch, Marker


class _TakesOlderForPresent(Coordinator):
    def present(self, transactional_id: str, producer: ProducerIdAndEpoch) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        is_older = known is not None and producer.producer_id == known.producer_id and producer.epoch < known.producer_epoch
        return known.producer if known is not None and is_older else producer


class _LooksForThePartition(_TakesOlderForPresent):
    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, Error]:
        return super().verify_partitions(transactional_id, self.present(transactional_id, producer), partitions)


class _AddsForWhomItKnew(_TakesOlderForPresent):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, self.present(transactional_id, producer), partitions, transaction_version)


class _AnswersFromAMomentAgo(Coordinator):
    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:
        self._ended()[transaction.transactional_id] = transaction
        return super().prepare(transaction, decision, bumps, moves_on=moves_on)

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, Error]:
        ended = self._ended().get(transactional_id)
        if ended is not None and producer == ended.producer and ended.partitions.issuperset(partitions):
            return dict.fromkeys(partitions, Error.NONE)
        return super().verify_partitions(transactional_id, producer, partitions)

    def _ended(self) -> dict[str, Transaction]:
        ended: dict[str, Transaction] = self.__dict__.setdefault("ended", {})
        return ended


class _DrawsItsGuardLate(Verification):
    def await_answer(self, log: PartitionLog, batch: Batch, operation: Operation) -> bool:  # noqa: ARG002 - it draws none
        return True


class _TakesEveryGuard(PartitionLog):
    def control_batch(self, marker: Marker, producer: ProducerIdAndEpoch) -> Batch:
        self.guards = Guards()
        return super().control_batch(marker, producer)


OLDER_EPOCH_VERIFIED = Defect(
    name="older-epoch-verified",
    breaks={"KIP890-206": Symptom(expected="PRODUCER_FENCED for payments-0", seen="success")},
    story="The coordinator looks whether the partition is in the transaction, and not of which epoch the batch is that shall enter it.",
    origin="textbook: verification as the question whether a partition was added",
    parts=Parts(coordinator=_LooksForThePartition),
)

OLDER_EPOCH_ADDED = Defect(
    name="older-epoch-added",
    breaks={"KIP890-206": Symptom(expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="A leader that asks for a producer of an older epoch has its partition added to the transaction of the present one.",
    origin="textbook: only epochs ahead are refused",
    parts=Parts(coordinator=_AddsForWhomItKnew),
)

VERIFIED_A_MOMENT_AGO = Defect(
    name="verified-a-moment-ago",
    breaks={"KIP890-207": Symptom(what="^log of payments-0", seen="marker, batch$")},
    story="A batch that was verified before the end of its transaction is appended behind the marker, and is open for ever.",
    origin="hanging transactions: the race that the verification guard is for",
    parts=Parts(coordinator=_AnswersFromAMomentAgo),
)

GUARD_DRAWN_LATE = Defect(
    name="guard-drawn-late",
    breaks={"KIP890-207": Symptom(what="^log of accounts-0", seen="marker, batch$")},
    story="The leader draws its guard when the coordinator has answered, so a marker that came while it waited takes nothing away.",
    origin="textbook: the guard taken in the callback, where the request is continued",
    parts=Parts(verification=_DrawsItsGuardLate),
)

MARKER_TAKES_EVERY_GUARD = Defect(
    name="marker-takes-every-guard",
    breaks={"KIP890-219": Symptom(what="answer to Produce", expected="^success", error="^INVALID_TXN_STATE$")},
    story="A marker takes away all verifications under way in its partition, those of other producers too, whose batches are refused.",
    origin="textbook: one guard for a partition instead of one for each producer",
    parts=Parts(partition_log=_TakesEveryGuard),
)
