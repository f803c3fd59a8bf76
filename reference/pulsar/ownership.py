"""Which node owns which topic.

A topic is owned by one node, which alone reads and writes it, from its first use there until that node crashes or the topic is unloaded.
The next owner finds everything on the disk that all nodes share. A coordinator is owned as the partition of
`transaction_coordinator_assign` that represents it.
"""

from collections import Counter

COORDINATORS = "persistent://pulsar/system/transaction_coordinator_assign"
"""The partitioned topic whose partitions represent the coordinators."""


def coordinator_topic(tc_id: int) -> str:
    """The topic whose owner has that coordinator."""
    return f"{COORDINATORS}-partition-{tc_id}"


class TopicOwnership:
    """The owners, as all nodes see them."""

    def __init__(self) -> None:
        self._nodes: set[int] = set()
        self._owners: dict[str, int] = {}
        self._owned: Counter[int] = Counter()
        """How many topics each node owns: a scalable topic of thousands of segments is assigned one by one."""
        self._before: dict[str, int] = {}
        """The previous owners of topics without an owner."""

    def join(self, node: int) -> None:
        """A node is up, and may own topics."""
        self._nodes.add(node)

    def leave(self, node: int) -> None:
        """A node has crashed, and owns nothing any more."""
        self._nodes.discard(node)
        self._owners = {topic: owner for topic, owner in self._owners.items() if owner != node}
        del self._owned[node]

    def release(self, topic: str) -> None:
        """A topic is unloaded or deleted, and has no owner."""
        if topic in self._owners:
            self._owned[self._owners[topic]] -= 1
            self._before[topic] = self._owners.pop(topic)

    def owner_of(self, topic: str) -> int:
        """The node that owns a topic; without an owner, the node that may claim it: not the previous one, and one that owns few."""
        if topic in self._owners:
            return self._owners[topic]
        return min(self._nodes, key=lambda node: (node == self._before.get(topic), self._owned[node], node))

    def assign(self, topic: str) -> int:
        """The owner of a topic; a topic without one gets it now."""
        if topic not in self._owners:
            self._owners[topic] = owner = self.owner_of(topic)
            self._owned[owner] += 1
        return self._owners[topic]

    def claim(self, topic: str, node: int) -> bool:
        """Whether a topic is that node's; a topic that the node may own is so from now on."""
        return self.owner_of(topic) == node and self.assign(topic) == node
