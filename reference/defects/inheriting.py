"""What the children of a split or merge begin with where it is wrong: copies of messages, or not all subscriptions."""

from collections.abc import Sequence

from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.ledger import Entry
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, Message
from fencepost.reference.pulsar.topic import PulsarTopic
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.names import parse_segment, segment_topic


class CopiesIntoTheChildren(LayoutChanges):
    """Everything that the parents have."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for child in self.children_noted(parse_segment(parents[0]).topic):
            for message in (message for parent in parents for message in _messages(self._segments, parent)):
                topic_of(self._segments, child).publish(message, deduplicated=False)


class CopiesTheLastMessage(LayoutChanges):
    """The last message of each parent."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for child in self.children_noted(parse_segment(parents[0]).topic):
            for parent in parents:
                for message in _messages(self._segments, parent)[-1:]:
                    topic_of(self._segments, child).publish(message, deduplicated=False)


class TakesSubscriptionsBack(LayoutChanges):
    """Nothing, and the parents are read again."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for parent in parents:
            for subscription in topic_of(self._segments, parent).subscriptions.values():
                subscription.seek(EARLIEST)


class InheritsTheRegistered(LayoutChanges):
    """The subscriptions that are registered for the scalable topic."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        super().subscriptions_for(topic, parents)
        return set(self._layouts.registered(topic))


class InheritsNothing(LayoutChanges):
    """No subscriptions."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        super().subscriptions_for(topic, parents)
        return set()


class InheritsWhoIsAttached(LayoutChanges):
    """The subscriptions that have a consumer attached now."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        super().subscriptions_for(topic, parents)
        there = [topic_of(self._segments, segment_topic(topic, parent)).subscriptions for parent in parents]
        return {name for subscriptions in there for name, one in subscriptions.items() if one.consumers}


class InheritsFromTheFirst(LayoutChanges):
    """The subscriptions of the first parent."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        return super().subscriptions_for(topic, parents[:1])


class InheritsFromTheLast(LayoutChanges):
    """The subscriptions of the last parent."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        return super().subscriptions_for(topic, parents[-1:])


class InheritsLateFromTheFirst(LayoutChanges):
    """The subscriptions that were created on the first parent late."""

    def late_for(self, topic: str, parents: Sequence[Segment], note: ChangeNote) -> set[str]:
        return super().late_for(topic, parents[:1], note)


class InheritsWhatAllHave(LayoutChanges):
    """The subscriptions that all parents have."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        found = [super(InheritsWhatAllHave, self).subscriptions_for(topic, [parent]) for parent in parents]
        return set.intersection(*found)


class GivesTheFirstChildAll(LayoutChanges):
    """All subscriptions go to the first child."""

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        noted = self.children_noted(parse_segment(child).topic)
        super().make_child(child, subscriptions if child == noted[0] else ())


def topic_of(segments: object, name: str) -> PulsarTopic:
    """The topic of a segment, on the broker that owns it."""
    assert isinstance(segments, NodeSegments), "that of a broker"
    return segments._topics_of(name).create(name)


def _messages(segments: object, name: str) -> list[Message]:
    """The messages of a segment, in their order."""
    entries: Sequence[Entry] = topic_of(segments, name).ledger.after(BEFORE_ALL)
    return [entry.content for entry in entries if isinstance(entry.content, Message)]
