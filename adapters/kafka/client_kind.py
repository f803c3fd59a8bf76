"""The versions of requests that a client sends: a client that has KIP-890's second part, and one that has not.

A client follows the cluster's transaction.version. With 2 it leaves adding partitions to the brokers, and its epoch grows with each
transaction; with 0 it adds a partition before it writes there, and keeps its epoch.
"""

from enum import Enum

from .kafka_calls import KafkaCalls
from .offer import KafkaOffer

_EITHER = {"add_partitions_to_txn": (0, 3), "add_offsets_to_txn": (0, 3)}


class ClientKind(Enum):
    """The two kinds, each with the lowest and the highest version that it sends of a request."""

    NEW = {"init_producer_id": (4, 5), "produce": (12, 12), "txn_offset_commit": (5, 5), "end_txn": (5, 5)}  # noqa: RUF012 - members
    OLD = {"init_producer_id": (0, 5), "produce": (3, 11), "txn_offset_commit": (0, 3), "end_txn": (0, 4)}  # noqa: RUF012 - members

    @classmethod
    def fitting(cls, offer: KafkaOffer) -> "ClientKind":
        """The kind of client that a system with this offer has."""
        return cls.OLD if offer.lacking_for_second_part() else cls.NEW

    @property
    def is_old(self) -> bool:
        """Whether it adds partitions itself."""
        return self is ClientKind.OLD

    def version(self, calls: KafkaCalls, api: str) -> int:
        """The newest version of a request that both this client and the system have. Raises NotOffered if there is none."""
        lowest, highest = (_EITHER | self.value)[api]
        return highest if lowest == highest else calls.newest(api, lowest, highest)
