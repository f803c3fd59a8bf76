"""Defects of the Kafka reference that refuse valid requests."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransactionState


@defect({"CORE-42": seen("INVALID_TXN_STATE")}, origin="textbook: a table of states that lacks the first one")
class CoreKafkaFirstTransactionRefused(KafkaCoordinator):
    """A transactional id without a transaction is in no state from which one may begin, so it never has its first."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).state is KafkaTransactionState.EMPTY:
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
