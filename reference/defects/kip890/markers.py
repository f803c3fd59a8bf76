"""Defects in sending markers to the partitions."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction
from fencepost.reference.kernel.network import Network


@defect({"KIP890-126": seen("payments-1: none")}, origin="Kafka 4.3.1, where a coordinator that loads may take a partition for deleted")
class MarkerMissingOnOnePartition(MarkerSender):
    """The last one of several partitions never learns how the transaction ended, and its data stays undecided."""

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        partitions = super().partitions_to_mark(transaction)
        return partitions[:-1] if len(partitions) > 1 else partitions


@defect({"KIP890-126": seen("accounts-1: none")}, origin="hanging transactions, the reason for KIP-890")
class MarkerNotSentAgain(Network):
    """A marker for a leader that does not take it at once is thrown away, so the transaction stays prepared when the leader is back."""

    def deliver(self) -> None:
        super().deliver()
        self._in_flight.clear()


@defect(
    {"KIP890-126": seen("^PrepareCommit", expected="over", what="^transaction of A")},
    origin="red team: the epoch of a marker compared with that of the partition like a sequence number",
)
class MarkersWithoutAGap(ProducerStates):
    """A partition refuses a marker that is more than one epoch above the epoch it knows, as after transactions in other partitions."""

    def check_marker(self, marker: TransactionMarker) -> None:
        state = self.get(marker.producer.producer_id)
        if state is not None and marker.producer.epoch > state.producer.epoch + 1:
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
        super().check_marker(marker)
