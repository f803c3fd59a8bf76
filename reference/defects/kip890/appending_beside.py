"""Defects of appending that only another producer in the partition shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import TopicPartition


class _VerifiesByPartition(Coordinator):
    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        return super().is_member(transaction, partition) or any(partition in other.partitions for other in self._transactions.values())


VERIFIED_BY_PARTITION = Defect(
    name="verified-by-partition",
    breaks={"KIP890-095": Symptom(what="answer to Produce", seen="success")},
    story="A partition that any transaction has added passes for one that the producer has added.",
    origin="textbook: a cache of verifications whose key lacks the producer",
    parts=Parts(coordinator=_VerifiesByPartition),
)
