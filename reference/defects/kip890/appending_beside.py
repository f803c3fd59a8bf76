"""Defects of appending that only another producer in the partition shows."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import TopicPartition


@defect({"KIP890-095": seen("success", what="answer to Produce")}, origin="textbook: a cache of verifications whose key lacks the producer")
class VerifiedByPartition(Coordinator):
    """A partition that any transaction has added passes for one that the producer has added."""

    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) or any(partition in other.partitions for other in self._transactions.values())
