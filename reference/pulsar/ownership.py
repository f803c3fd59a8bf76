"""Which node owns which topic.

A topic is owned by one node, which alone reads and writes it, from its first use there until that node dies or the topic is unloaded.
The next owner finds everything on the disk that all nodes share. A coordinator is owned as the partition of
`transaction_coordinator_assign` that stands for it.
"""

from collections import Counter

COORDINATORS = "persistent://pulsar/system/transaction_coordinator_assign"
"""The partitioned topic whose partitions stand for the coordinators."""


def coordinator_topic(tc_id: int) -> str:
    """What is owned by the node on which that coordinator is."""
    return f"{COORDINATORS}-partition-{tc_id}"


class Ownership:
    """The owners, as all nodes see them."""

    def __init__(self) -> None:
        self._nodes: set[int] = set()
        self._owners: dict[str, int] = {}
        self._owned: Counter[int] = Counter()
        """How many topics each node owns: a scalable topic of thousands of segments is assigned one by one."""
        self._before: dict[str, int] = {}
        """Who had what is nobody's now."""

    def join(self, node: int) -> None:
        """A node is up, and may own topics."""
        self._nodes.add(node)

    def leave(self, node: int) -> None:
        """A node is dead, and owns nothing any more."""
        self._nodes.discard(node)
        self._owners = {topic: owner for topic, owner in self._owners.items() if owner != node}
        del self._owned[node]

    def release(self, topic: str) -> None:
        """A topic is unloaded or deleted, and nobody owns it."""
        if topic in self._owners:
            self._owned[self._owners[topic]] -= 1
            self._before[topic] = self._owners.pop(topic)

    def owner_of(self, topic: str) -> int:
        """The node that owns a topic; where nobody does, the node that may claim it: another one than before, and one that owns few."""
        if topic in self._owners:
            return self._owners[topic]
        return min(self._nodes, key=lambda node: (node == self._before.get(topic), self._owned[node], node))

    def assign(self, topic: str) -> int:
        """The owner of a topic, from now on, where nobody was."""
        if topic not in self._owners:
            self._owners[topic] = owner = self.owner_of(topic)
            self._owned[owner] += 1
        return self._owners[topic]

    def claim(self, topic: str, node: int) -> bool:
        """Whether a topic is that node's, which from now on it is where it may be."""
        return self.owner_of(topic) == node and self.assign(topic) == node
