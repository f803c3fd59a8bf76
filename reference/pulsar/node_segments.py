"""What a change of a layout needs of the segments of a scalable topic, done on the nodes that own them."""

from collections.abc import Callable, Collection
from typing import Protocol

from fencepost.reference.kernel.rules import rule

from .cursor import EARLIEST
from .ownership import TopicOwnership
from .pulsar_topics import PulsarTopics
from .pulsar_types import SubscriptionType
from .topic import PulsarTopic


class Clients(Protocol):
    """The clients that are connected to any of the nodes."""

    def close_producers(self, topic: str, *, is_sealed: bool = False) -> None:
        """Notify the producers of a topic that they are closed."""
        ...

    def close(self, topic: str) -> None:
        """Notify the producers and the consumers of a topic that they are closed."""
        ...


class NodeSegments:
    """The segments of a broker, by the names of their topics: `reference.scalable.segment_owners.Segments`.

    `topics_of` finds the topics of the node that owns a segment, or may.
    """

    def __init__(self, topics_of: Callable[[str], PulsarTopics[PulsarTopic]], ownership: TopicOwnership, clients: Clients) -> None:
        self._topics_of = topics_of
        self._ownership = ownership
        self._clients = clients

    def subscriptions_of(self, segment: str) -> Collection[str]:
        found = self._found(segment)
        return found.durable() if found else ()

    def create(self, segment: str, subscriptions: Collection[str]) -> None:
        topic = self._topics_of(segment).create(segment)
        for name in subscriptions:
            topic.subscribe(name, SubscriptionType.SHARED, EARLIEST, durable=True, compacted=False)

    def terminate(self, segment: str) -> None:
        """Its producers are notified after it has stopped accepting their messages, so that nothing is accepted after the end."""
        self._topics_of(segment).create(segment).seal()
        self._clients.close_producers(segment, is_sealed=True)

    def inherit(self, parents: Collection[str], child: str) -> None:
        """What the parents know of producers: for each, the sequence ids up to which all parents have stored what they were sent.

        Above that, what one parent has stored does not show what was sent to another one.
        """
        known = [found.deduplication.known() if (found := self._found(parent)) else {} for parent in parents]
        of_all = set.intersection(*(set(one) for one in known))
        self._topics_of(child).create(child).take_over({scope: min(one[scope] for one in known) for scope in of_all})

    def delete(self, segment: str) -> None:
        if self._found(segment):
            self._topics_of(segment).delete(segment)
            self._clients.close(segment)
        self._ownership.release(segment)

    def is_drained(self, segment: str, subscription: str) -> bool:
        """What is acknowledged in an open transaction, or written in one, is not drained."""
        rule("CORE-45")
        if (found := self._found(segment)) is None or subscription not in found.subscriptions:
            return True
        return not found.buffer.ongoing() and not found.subscriptions[subscription].has_more()

    def has_open_transactions(self, segment: str) -> bool:
        if (found := self._found(segment)) is None:
            return False
        return bool(found.buffer.ongoing()) or any(one.pending.transactions() for one in found.subscriptions.values())

    def _found(self, segment: str) -> PulsarTopic | None:
        topics = self._topics_of(segment)
        return topics.named(segment) if segment in topics.names else None
