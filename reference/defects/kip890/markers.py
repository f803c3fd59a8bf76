"""Defects in telling the partitions."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kernel.network import Network


class _ForgetsTheLast(MarkerSender):
    def partitions_to_mark(self, transaction: Transaction) -> list[TopicPartition]:
        partitions = super().partitions_to_mark(transaction)
        return partitions[:-1] if len(partitions) > 1 else partitions


MARKER_MISSING_ON_ONE_PARTITION = Defect(
    name="marker-missing-on-one-partition",
    breaks={"KIP890-126": Symptom(seen="payments-1: none")},
    story="Of several partitions the last one is never told how the transaction ended, and its data stays undecided.",
    origin="Kafka 4.3.1, where a coordinator that loads may take a partition for deleted",
    parts=Parts(marker_sender=_ForgetsTheLast),
)


class _DeliversAtOnceOrNever(Network):
    def deliver(self) -> None:
        super().deliver()
        self._in_flight.clear()


MARKER_NOT_SENT_AGAIN = Defect(
    name="marker-not-sent-again",
    breaks={"KIP890-126": Symptom(seen="accounts-1: none")},
    story="A marker for a leader that does not take it at once is thrown away, so the transaction stays prepared when the leader is back.",
    origin="hanging transactions, the reason for KIP-890",
    parts=Parts(network=_DeliversAtOnceOrNever),
)
