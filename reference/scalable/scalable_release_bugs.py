"""Bugs of scalable topics in Apache Pulsar's releases, as variants of their parts. A profile names what its release does.

What stays a branch in the parts themselves is what the texts leave open, and what brokers answer at their edge.
"""

from collections.abc import Iterator, Sequence

from .assigning import readable
from .changes import LayoutChanges
from .layout import Layout, Segment
from .names import segment_topic
from .news import Newsroom
from .scalable_profile import ScalableProfile
from .segment_pruning import Pruning
from .sessions import Sessions


class InheritsOnlyRegistered(LayoutChanges):
    """Children get the subscriptions of the scalable topic, and not those that a parent alone has."""

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:  # noqa: ARG002
        return set(self._layouts.registered(topic))


class StoresRepeatedMessages(LayoutChanges):
    """A child stores again what its parents have stored of their producers."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        pass


class KeepsOnlyForRegistered(Pruning):
    """A sealed segment is deleted although an open transaction, or a subscription that is not registered, needs it."""

    def keeps_what_is_needed(self) -> bool:
        return False


class SendsTheFirstTwice(Newsroom):
    """A watch is sent the first layout twice."""

    def times_first(self) -> int:
        return 2


class WaitsForParentsAlone(Sessions):
    """A stream consumer gets a child when its parents are drained, of which an empty one is drained at once."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription), only_parents=True)


class NotifiesNoNamesWithSlash(Sessions):
    """Consumers of a subscription whose name has a slash are not notified of changes."""

    def is_notified_of_changes(self, subscription: str) -> bool:
        return "/" not in subscription


def of(profile: ScalableProfile) -> Iterator[tuple[str, type]]:
    """The bugs of this release, each with the part in which it is."""
    if profile.inherited_subscriptions == "registered":
        yield "layout_changes", InheritsOnlyRegistered
    if profile.repeated_messages == "stored-again":
        yield "layout_changes", StoresRepeatedMessages
    if profile.sealed_segments == "kept-while-registered":
        yield "pruning", KeepsOnlyForRegistered
    if profile.pushed_epochs == "repeated":
        yield "newsroom", SendsTheFirstTwice
    if profile.children_wait_for == "parents":
        yield "sessions", WaitsForParentsAlone
    if profile.subscriptions_reported == "without-slash":
        yield "sessions", NotifiesNoNamesWithSlash
