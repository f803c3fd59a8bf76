"""Defects of appending that only another producer in the partition shows."""

from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState


@defect({"KIP890-095": seen("success", what="answer to Produce")}, origin="textbook: a cache of verifications whose key lacks the producer")
class VerifiedByPartition(KafkaCoordinator):
    """A partition that any transaction has added passes for one that the producer has added."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) or any(partition in other.partitions for other in self._transactions.values())


@defect(
    {
        "KIP890-095": seen("success", what="answer to Produce"),
        "KIP890-096": seen("success", what="answer to Produce"),
    },
    origin="textbook: a cache of verifications that no marker clears",
)
class VerifiedForEver(KafkaCoordinator):
    """A partition that was verified for a producer once is verified for all transactions with that epoch."""

    def __init__(self, *parts: Any) -> None:
        self._verified: set[tuple[ProducerIdAndEpoch, PartitionName]] = set()
        super().__init__(*parts)

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        if super().is_member(transaction, partition):
            self._verified.add((transaction.producer, partition))
            return True
        return transaction.state is KafkaTransactionState.ONGOING and (transaction.producer, partition) in self._verified
