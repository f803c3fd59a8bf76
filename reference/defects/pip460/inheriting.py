"""Defects of the subscriptions that the children of a split or a merge inherit."""

from collections.abc import Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.inheriting import (
    GivesTheFirstChildAll,
    InheritsFromTheFirst,
    InheritsFromTheLast,
    InheritsLateFromTheFirst,
    InheritsNothing,
    InheritsTheRegistered,
    InheritsWhatAllHave,
    InheritsWhoIsAttached,
    topic_of,
)
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.pulsar_types import SubscriptionType
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Segment
from fencepost.reference.scalable.layout_store import ChangeNote


@defect(
    {
        "PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$"),
        "PIP460-18": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$"),
    },
    origin="Apache Pulsar 5.0.0-M1",
)
class ScalableRegisteredOnly(InheritsTheRegistered):
    """Children have the subscriptions that are registered for the topic, and not those that consumers made on the parents."""


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for ")}, origin="PIP-468, split, steps 1 and 2, which are left out"
)
class ScalableNothingInherited(InheritsNothing):
    """Children begin without subscriptions, and a consumer that subscribes later begins after what is there."""


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for workers$")},
    origin="feared: consumers are asked, and not the topic",
)
class ScalableOnlyWhoIsAttached(InheritsWhoIsAttached):
    """Children have the subscriptions that have a consumer at that moment."""


@defect({"PIP460-17": seen("^nothing$", expected='^"p2"$', what="^waiting for ")}, origin="textbook: off by one")
class ScalableOnlyOneChildHasThem(GivesTheFirstChildAll):
    """The first child has the subscriptions of the parent, and the second one none."""


@defect({"PIP460-18": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")}, origin="feared: the union that is forgotten")
class ScalableSubscriptionsOfTheFirst(InheritsFromTheFirst):
    """The child of a merge has the subscriptions of its first parent."""


@defect({"PIP460-18": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")}, origin="feared: a list that is written over")
class ScalableSubscriptionsOfTheLast(InheritsFromTheLast):
    """The child of a merge has the subscriptions of its last parent."""


@defect(
    {"PIP460-18": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")},
    origin="feared: a second look that was made for splits",
)
class ScalableLateSubscriptionsOfTheFirst(InheritsLateFromTheFirst):
    """If consumers subscribe during a merge, the child gets only the subscriptions that were made on its first parent."""


@defect(
    {"PIP460-18": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")},
    origin="textbook: an intersection, where the union was meant",
)
class ScalableSubscriptionsOfAll(InheritsWhatAllHave):
    """The child of a merge has the subscriptions that all of its parents have."""


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")},
    origin="feared: a split that is local, and is treated as done at once",
)
class ScalableLateForASplit(LayoutChanges):
    """A subscription made during a split is missing on the children; one made during a merge is there."""

    def late_for(self, topic: str, parents: Sequence[Segment], note: ChangeNote) -> set[str]:
        late = super().late_for(topic, parents, note)
        return late if len(parents) > 1 else set()


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for workers$")},
    origin="feared: a cursor that is created with its first acknowledgement",
)
class ScalableSubscribedInMemory(LayoutChanges):
    """A child's subscriptions are in memory until a consumer attaches; after a crash they start after the messages that were written
    until then."""

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        super().make_child(child, ())
        for name in subscriptions:
            topic_of(self._segments, child).subscribe(name, SubscriptionType.SHARED, EARLIEST, durable=False, compacted=False)


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for auditors$")},
    origin="red team: a list that is made once, when the topic is created",
)
class ScalableSubscriptionsOfTheFirstGeneration(LayoutChanges):
    """A split gives the children the subscriptions of the segment that the topic began with; those that consumers made on a child are
    missing on the children of that child."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        segments = self._layouts.named(topic).layout.segments
        while len(parents) == 1 and parents[0].parents and segments.keys() >= set(parents[0].parents):
            parents = [segments[number] for number in parents[0].parents]
        return super().subscriptions_for(topic, parents)


@defect(
    {"PIP460-17": seen("^nothing$", expected='^"p1"$', what="^waiting for readers$")},
    origin="textbook: a loop that ends with the first",
)
class ScalableOneUnregisteredInherited(LayoutChanges):
    """Children have the subscriptions that are registered for the topic, and one of those that consumers made on the parents."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        registered = set(self._layouts.registered(topic))
        return registered | set(sorted(super().subscriptions_for(topic, parents) - registered)[:1])
