"""A coordinator that knows which transactions are open in the same partitions, for defects by which one transaction affects another."""

from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState


class KnowsNeighbours(KafkaCoordinator):
    """Knows which other transactions are open in the same partitions."""

    def neighbours(self, transaction: KafkaTransaction) -> list[KafkaTransaction]:
        return [
            other
            for other in self._transactions.values()
            if other.state is KafkaTransactionState.ONGOING
            and other.transactional_id != transaction.transactional_id
            and other.partitions & transaction.partitions
        ]
