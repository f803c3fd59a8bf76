"""Sealed segments that are not needed are deleted with their data. PIP-460, "Sealed segments"; PIP-468.

A sealed segment is needed by a subscription that has not acknowledged everything there, and by an open transaction that has messages or
pending acknowledgements there: its outcome decides what there is to read.
"""

from collections.abc import Callable, Sequence

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import VersionConflict

from .layout import Layout, Segment, pruned
from .layout_store import LayoutStore
from .names import segment_topic
from .scalable_profile import ScalableProfile
from .segment_owners import Segments


class Pruning:
    """What the controller prunes of its topics. `now` is the time, in ms."""

    def __init__(self, layouts: LayoutStore, segments: Segments, profile: ScalableProfile, now: Callable[[], int]) -> None:
        self._layouts = layouts
        self._segments = segments
        self._profile = profile
        self._now = now

    def prune(self, topic: str) -> bool:
        """Decision: prune all that is over, ancestors first, in one layout; returns whether anything was.

        If another controller writes the layout meanwhile, these segments are looked at again the next time. Raises CommandRefused:
        SERVICE_NOT_READY.
        """
        if (stored := self._layouts.find(topic)) is None or not (gone := self._over(topic, stored.layout)):
            return False
        for segment in gone:
            self._segments.delete(segment_topic(topic, segment))
        try:
            self._layouts.write(topic, self.without(stored.layout, gone), stored.version)
        except VersionConflict:
            return False
        return True

    def is_over(self, topic: str, segment: Segment) -> bool:
        """Decision: whether a sealed segment can be pruned: its retention is over, and it is not needed."""
        assert not segment.is_active, "only sealed segments are looked at"
        since = segment.sealed_ms or 0  # an older version did not store the time
        if self._now() < since + self._profile.sealed_retention_ms:
            return False
        rule("PIP460-14")
        name = segment_topic(topic, segment)
        needing = set(self._layouts.registered(topic))
        if self.keeps_what_is_needed():
            if self._segments.has_open_transactions(name):
                return False
            needing |= set(self._segments.subscriptions_of(name))
        return all(self.is_drained(name, subscription) for subscription in needing)

    def keeps_what_is_needed(self) -> bool:
        """Decision: whether also an open transaction, and a subscription that is not registered, needs a segment."""
        return True

    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        """Decision: the layout without what is over: of the next epoch, as after every other change, so that watches are notified of it."""
        rule("PIP460-28")
        return pruned(layout, *(segment.number for segment in gone))

    def is_drained(self, segment: str, subscription: str) -> bool:
        """Decision: whether a subscription needs nothing more of a segment."""
        return self._segments.is_drained(segment, subscription)

    def _over(self, topic: str, layout: Layout) -> list[Segment]:
        """In the order of their numbers, in which a parent comes before its children."""
        staying = set(layout.segments)
        gone = []
        for segment in layout.sealed:
            if staying.isdisjoint(segment.parents) and self.is_over(topic, segment):
                staying.remove(segment.number)
                gone.append(segment)
        return gone
