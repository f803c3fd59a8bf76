"""A coordinator that knows whose transactions are open in the same partitions, for defects in which one gets to feel the other."""

from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.transaction import State, Transaction


class Neighbours(Coordinator):
    """Knows whose transactions are open in the same partitions."""

    def beside(self, transaction: Transaction) -> list[Transaction]:
        return [
            other
            for other in self._transactions.values()
            if other.state is State.ONGOING
            and other.transactional_id != transaction.transactional_id
            and other.partitions & transaction.partitions
        ]
