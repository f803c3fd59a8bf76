"""Defects of appending that only another producer in the partition shows."""

from collections.abc import Iterable
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.transaction import State, Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-095": seen("success", what="answer to Produce")}, origin="textbook: a cache of verifications whose key lacks the producer")
class VerifiedByPartition(Coordinator):
    """A partition that any transaction has added passes for one that the producer has added."""

    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) or any(partition in other.partitions for other in self._transactions.values())


class VerifiedFirst(Verification):
    """A leader that has only so many partitions of one request verified."""

    _most = 1
    _verified = 0

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Error | None:
        self._verified = 0
        return super().refusal_of_request(transactional_id, batches)

    def asks_for(self, operation: Operation) -> bool:
        self._verified += 1
        return super().asks_for(operation) and (operation is Operation.ADD or self._verified <= self._most)


@defect({"KIP890-098": seen("success", what="answer to Produce")}, origin="textbook: a pair is taken apart, and the rest is left over")
class ThirdPartitionNotVerified(VerifiedFirst):
    """Of one Produce the first two partitions are verified, and what is written to the others is in no transaction."""

    _most = 2


@defect({"KIP890-211": seen("^Ongoing in", what="transaction of A")}, origin="textbook: a pair is taken apart, and the rest is left over")
class ThirdPartitionNotAdded(VerifiedFirst):
    """Of one Produce v12 the first two partitions are added, and the records in the others stay undecided for ever."""

    def asks_for(self, operation: Operation) -> bool:
        self._verified += 1
        return operation is not Operation.ADD or self._verified <= 2


@defect(
    {
        "KIP890-095": seen("success", what="answer to Produce"),
        "KIP890-096": seen("success", what="answer to Produce"),
    },
    origin="textbook: a cache of verifications that no marker clears",
)
class VerifiedForEver(Coordinator):
    """A partition that was verified for a producer once is verified for all transactions with that epoch."""

    def __init__(self, *parts: Any) -> None:
        self._verified: set[tuple[ProducerIdAndEpoch, TopicPartition]] = set()
        super().__init__(*parts)

    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        if super().is_member(transaction, partition):
            self._verified.add((transaction.producer, partition))
            return True
        return transaction.state is State.ONGOING and (transaction.producer, partition) in self._verified
