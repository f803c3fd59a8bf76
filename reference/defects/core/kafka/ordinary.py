"""Defects of the Kafka reference that refuse valid requests."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.transaction import State
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


@defect({"CORE-42": seen("INVALID_TXN_STATE")}, origin="textbook: a table of states that lacks the first one")
class CoreKafkaFirstTransactionRefused(Coordinator):
    """A transactional id without a transaction is in no state from which one may begin, so it never has its first."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if self.describe(transactional_id).state is State.EMPTY:
            raise Refused(Error.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
