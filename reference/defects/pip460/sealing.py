"""Defects of segments that are sealed."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.inheriting import (
    CopiesIntoTheChildren,
    CopiesTheLastMessage,
    TakesSubscriptionsBack,
    topic_of,
)
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pulsar_topics import PulsarTopics
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Segment
from fencepost.reference.scalable.names import parse_segment, segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.segment_pruning import Pruning


@defect(
    {
        "PIP460-13": seen("^success$", expected="^a refusal with TopicTerminatedError$", what="^answer to SEND$"),
        "PIP460-19": seen("0000-7fff-0", what="^messages to a parent, too late$"),
    },
    origin="PIP-468, split, step 3, which is left out",
)
class ScalableNothingSealed(LayoutChanges):
    """The layout says that the parent is sealed, and its owner continues to accept messages."""

    def seal(self, parents: Sequence[str]) -> None:
        """The layout says enough."""


@defect(
    {"PIP460-19": seen("4000-7fff", what="^messages to a parent, too late$")}, origin="PIP-468, merge, step 3: one parent after the other"
)
class ScalableFirstParentSealed(LayoutChanges):
    """A merge seals only its first parent."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents[:1])


@defect(
    {"PIP460-19": seen("0000-3fff", what="^messages to a parent, too late$")}, origin="PIP-468, merge, step 3: one parent after the other"
)
class ScalableLastParentSealed(LayoutChanges):
    """A merge seals only its last parent."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents[-1:])


@defect(
    {"PIP460-13": seen("^success$", expected="^a refusal$", what="^answer to PRODUCER$")},
    origin="feared: a topic that is created when a client uses it, as others are",
)
class ScalableMadeAnewWhenGone(ScalableTopics):
    """A sealed segment that was removed is created again for the next producer, whose messages no reader looks for."""

    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        layout = self._layouts.named(meant.topic).layout
        is_gone = meant.number not in layout.segments and meant.number < layout.next_number
        return Segment(meant.number, meant.hashes) if is_gone else super().segment(name)


@defect(
    {"PIP460-19": seen("^success$", expected="^a refusal$", what="^answer to PRODUCER$")},
    origin="PIP-468, split, steps 3 and 4 in the other order, at the broker that has the child",
)
class ScalableChildrenToCome(ScalableTopics):
    """A producer that names a child of an unfinished change may write to it, while other producers write to its parent."""

    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        is_to_come = name in self._changes.children_noted(meant.topic) and meant.number not in self.layout(meant.topic).segments
        return Segment(meant.number, meant.hashes) if is_to_come else super().segment(name)


@defect(
    {"PIP460-13": seen("^none to SEND$", expected="^answers to all$", what="^answers$")}, origin="Apache Pulsar 5.0.0-M1", of=MetadataParts
)
class ScalableSilentAboutTheSeal(TransactionResponses):
    """A message of a producer that does not know of the seal is ignored."""

    def answers_a_message_to_what_is_sealed(self, sealed_writes: str) -> bool:
        super().answers_a_message_to_what_is_sealed(sealed_writes)
        return False


@defect(
    {"PIP460-14": seen("^reported$", expected="^not reported yet$", what="^end of left$")},
    origin="feared: two places that announce the end, of which one looks at what is visible",
    of=MetadataParts,
)
class ScalableEndBeforeTheOpen(TransactionResponses):
    """A consumer that subscribes to a sealed segment is notified of its end while a transaction is open there."""

    def reports_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:
        super().reports_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=has_more)
        return is_sealed and not has_more


@defect(
    {
        "PIP460-14": seen("^nothing$", expected='^"p1"$', what="^readers of left$"),
        "PIP460-15": seen("is lost", what="^messages of orders$"),
    },
    origin="feared: a segment that is closed as an old topic is deleted",
)
class ScalableSealedAndEmptied(LayoutChanges):
    """The messages of a segment go with its last writer."""

    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents:
            subscriptions = self._segments.subscriptions_of(parent)
            self._segments.delete(parent)
            self._segments.create(parent, subscriptions)
        super().seal(parents)


@defect(
    {
        "PIP460-14": seen("^nothing$", expected='^"p2"$', what="^waiting for workers$"),
        "PIP460-15": seen("is lost", what="^messages of orders$"),
    },
    origin="feared: the child takes its place",
)
class ScalableSecondParentEmptied(LayoutChanges):
    """A merge deletes the messages of its second parent."""

    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents[1:]:
            subscriptions = self._segments.subscriptions_of(parent)
            self._segments.delete(parent)
            self._segments.create(parent, subscriptions)
        super().seal(parents)


@defect(
    {"PIP460-14": Symptom(what="^answer$|^waiting for workers$")},
    origin="Apache Pulsar 5.0.0-M1 does so where no subscription is registered",
)
class ScalableRetentionIsATime(Pruning):
    """A sealed segment is removed when its retention is over, even if a subscription still needs it."""

    def is_over(self, topic: str, segment: Segment) -> bool:
        super().is_over(topic, segment)
        return segment.sealed_ms is not None and self._now() >= segment.sealed_ms + self._profile.sealed_retention_ms


class PrunesSooner(Pruning):
    """After its retention a segment is also removed where the defect considers it consumed."""

    def has_enough(self, topic: str, name: str) -> bool:
        """Whether so much of the segment of that name is consumed that the defect lets it go."""
        raise NotImplementedError

    def is_over(self, topic: str, segment: Segment) -> bool:
        if super().is_over(topic, segment):
            return True
        if segment.sealed_ms is None or self._now() < segment.sealed_ms + self._profile.sealed_retention_ms:
            return False
        return self.has_enough(topic, segment_topic(topic, segment))


@defect({"PIP460-14": Symptom(what="^answer$|^waiting for workers$")}, origin="textbook: any, where all was meant")
class ScalableOneSubscriptionIsEnough(PrunesSooner):
    """A sealed segment is removed when the first of its subscriptions has consumed it."""

    def has_enough(self, topic: str, name: str) -> bool:
        return any(self._segments.is_drained(name, subscription) for subscription in self._layouts.registered(topic))


@defect(
    {"PIP460-14": seen("names the child", expected="^success$", what="^answer to layout$")},
    origin="textbook: a list that is emptied where one entry was meant",
)
class ScalableOtherParentForgotten(Pruning):
    """When one parent of a merged segment is removed, the child forgets the other one as well, so the layout cannot be read."""

    def prune(self, topic: str) -> bool:
        before = self._layouts.named(topic).layout.segments
        if not super().prune(topic):
            return False
        stored = self._layouts.named(topic)
        left = stored.layout.segments.items()
        made = {number: one if one.parents == before[number].parents else replace(one, parents=()) for number, one in left}
        self._layouts.write(topic, replace(stored.layout, segments=made), stored.version)
        return True


@defect(
    {"PIP460-15": seen("^nothing$", expected='^"p1"$', what="^readers of whole$")},
    origin="textbook: a prefix of names without its end",
    of=MetadataParts,
)
class ScalableNumbersThatBeginAlike(PulsarTopics[Any]):
    """Deleting the data of segment 1 also deletes that of segment 10, whose name begins with its name."""

    def erase(self, name: str) -> None:
        super().erase(name)
        self._disk.erase(lambda journal: journal.partition(" ")[2].startswith(name))


class _GivesBackBeforeTheSealOnly(Subscription):
    is_sealed = False

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        if not self.is_sealed:
            super().redeliver(consumer, places)


@defect({"PIP460-14": Symptom(what="^answer$|^left for auditors$")}, origin="feared: consumers that register nowhere, and are forgotten")
class ScalableTheRegisteredAreEnough(Pruning):
    """A sealed segment is removed when the registered subscriptions of the topic have consumed it, whatever other ones the segment has."""

    def is_over(self, topic: str, segment: Segment) -> bool:
        if super().is_over(topic, segment):
            return True
        if segment.sealed_ms is None or self._now() < segment.sealed_ms + self._profile.sealed_retention_ms:
            return False
        name, registered = segment_topic(topic, segment), self._layouts.registered(topic)
        return bool(registered) and all(self._segments.is_drained(name, subscription) for subscription in registered)


@defect(
    {"PIP460-14": seen("^nothing$", expected='^"p1"$', what="^received by workers$")},
    origin="feared: a segment that is closed with its last message delivered",
    also=[_GivesBackBeforeTheSealOnly],
)
class ScalableNothingGivenBack(LayoutChanges):
    """A message of a sealed segment that a consumer returns is not redelivered while that consumer is connected."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for subscription in (one for parent in parents for one in topic_of(self._segments, parent).subscriptions.values()):
            assert isinstance(subscription, _GivesBackBeforeTheSealOnly), "its own"
            subscription.is_sealed = True


@defect({"PIP460-16": seen('^"p1"', what="^waiting for workers$")}, origin="feared: a re-partitioning of data, as other systems have it")
class ScalableChildrenHaveCopies(CopiesIntoTheChildren):
    """The messages of a parent are written to its children again."""


@defect(
    {"PIP460-16": seen('^"p1"|there 2|there 3', what="^waiting for workers$|^messages of orders$")},
    origin="feared: a broker that sends on what it has just refused",
)
class ScalableLastMessageInBoth(CopiesTheLastMessage):
    """The message that is in flight at the seal is stored in the parent, and handed on to the children as well."""


@defect(
    {"PIP460-16": seen('^"p1"$', expected="^nothing$", what="^left for workers$")},
    origin="feared: a cursor that is opened again, read-only",
)
class ScalableSealTakesAcknowledgementsBack(TakesSubscriptionsBack):
    """The subscriptions of a segment that is sealed begin again with its first message."""
