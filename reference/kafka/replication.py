"""Replicas of partitions on further nodes: how far all of them have the log.

A follower has at once what its leader has, except while its node is paused. It counts as a replica all the same, as if min.insync.replicas
were always their number: what it lacks is not written yet, and not below the high watermark. The positions of followers survive a crash.
"""

from collections.abc import Callable

from fencepost.reference.kernel.rules import rule

from .kafka_types import PartitionName
from .producer_state import ProducerState


class Replication:
    """How far the replicas of one partition have its log."""

    def __init__(self) -> None:
        self._held: dict[int, int] = {}
        self._ended: list[int] = []

    def hold(self, node: int, end_offset: int) -> None:
        """The follower on this node fetches nothing from now on; it has all that is before this offset."""
        self._held[node] = end_offset

    def let_go(self, node: int) -> None:
        """The follower has the whole log again."""
        self._held.pop(node, None)
        if not self._held:
            self._ended.clear()

    def ending(self, state: ProducerState | None) -> None:
        """A marker ends the open transaction of a producer, which is known so far by this state."""
        if self._held and state is not None and state.has_open_transaction:
            self._ended.append(state.transaction_start)

    def high_watermark(self, end_offset: int) -> int:
        """Decision: how far readers may come in a log that ends there: as far as all replicas have it."""
        if not self._held:
            return end_offset
        rule("KIP890-225")
        return min(end_offset, *self._held.values())

    def undecided(self) -> list[int]:
        """Decision: where the transactions begin whose marker is not in all replicas yet."""
        rule("KIP890-226")
        return list(self._ended)

    def is_written(self, offset: int) -> bool:
        """Decision: whether a leader may answer that all before this offset is written: when all replicas have it."""
        if not self._held:
            return True
        rule("KIP890-227")
        return offset <= min(self._held.values())


class Replicas:
    """The replication of every partition, of the kind that a broker is made of."""

    def __init__(self, kind: Callable[[], Replication]) -> None:
        self._kind = kind
        self._by_partition: dict[PartitionName, Replication] = {}

    def of(self, partition: PartitionName) -> Replication:
        """The replication of one partition."""
        return self._by_partition.setdefault(partition, self._kind())

    def let_go(self, node: int) -> None:
        """All followers on this node continue."""
        for replication in self._by_partition.values():
            replication.let_go(node)
