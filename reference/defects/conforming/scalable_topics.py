"""Unusual for scalable topics, and conforming: what a suite must not take for a defect."""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, LayoutRefused, Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.news import LayoutWatch, Newsroom, Said
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.segment_pruning import Pruning

_NUMBERS_SKIPPED = 7
_KEPT_LONGER = 3
_ROUNDS = 3


@defect(origin="PIP-460, the buddy constraint, which PIP-468 does not have")
class ScalableBuddiesOnly(ScalableTopics):
    """Only segments of one split are merged; neighbours that come of different ones are refused."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return layouts.merge(layout, numbers, self._now(), "buddy", self._profile.merged_at_once)


@defect(origin="PIP-460, which merges several; PIP-468 merges two")
class ScalableAnyNumberMerged(ScalableTopics):
    """Three neighbours and more are merged at once."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return layouts.merge(layout, numbers, self._now(), self._profile.merge, None)


@defect(origin="a controller that takes several numbers at once")
class ScalableGapsInSegmentNumbers(ScalableTopics):
    """After the first segments 7 numbers are skipped: segment numbers are unique, and the text does not promise that they grow by one."""

    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        return replace(made, next_number=made.next_number + _NUMBERS_SKIPPED)


@defect(origin="two ways to round")
class ScalableFirstSegmentsHaveMore(ScalableTopics):
    """Where the hashes cannot be shared equally, the first segments have one more, and not the last."""

    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        bounds = [-(-number * HASHES // segments) for number in range(segments + 1)]
        ranges = {number: HashRange(bounds[number], bounds[number + 1] - 1) for number in range(segments)}
        return replace(made, segments={number: replace(one, hashes=ranges[number]) for number, one in made.segments.items()})


@defect(origin="every release rewords its messages")
class ScalableChangesRefusedInOtherWords(ScalableTopics):
    """A refused split has the same status and another message."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        try:
            return super().split_of(layout, number)
        except LayoutRefused as refused:
            raise LayoutRefused("computer says no") from refused


@defect(origin="PIP-468, DAG watch: each update is a whole layout")
class ScalableNewestLayoutOnly(Newsroom):
    """A client that watches a layout receives the newest one some time after a change, and those in between are left out."""

    @functools.cached_property
    def rounds(self) -> Counter[object]:
        """By watch, how often there was something to report."""
        return Counter()

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.rounds[watch] += 1
        if self.rounds[watch] % _ROUNDS == 0:
            super().look(topic, watch)


@defect(origin="Apache Pulsar, DagWatchSession, which looks segments up without authority", of=MetadataParts)
class ScalableBrokersWithTheFirstUse(TransactionResponses):
    """A client is sent to the broker where an unused segment would be now. The segment is placed at its first use, which may be on
    another broker by then: the client is refused, and looks the segment up again."""

    def gives_segments_their_brokers(self) -> bool:
        super().gives_segments_their_brokers()
        return False


@defect(origin="a retention that an administrator has set")
class ScalablePrunedLater(Pruning):
    """Sealed segments that no subscription needs are kept 3 times as long: the time is a setting."""

    def is_over(self, topic: str, segment: Segment) -> bool:
        if not super().is_over(topic, segment):
            return False
        return segment.sealed_ms is not None and self._now() >= segment.sealed_ms + _KEPT_LONGER * self._profile.sealed_retention_ms


@defect(origin="PIP-460, which says that they may be removed")
class ScalableNeverPruned(Pruning):
    """Sealed segments stay for as long as their topic."""

    def is_over(self, topic: str, segment: Segment) -> bool:
        super().is_over(topic, segment)
        return False


@defect(origin="two ways to recover")
class ScalableEveryChangeCompleted(LayoutChanges):
    """A controller completes each change that its predecessor has begun, also one that could still be undone."""

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        return True


@defect(origin="PIP-468, merge, step 3, whose order no client sees")
class ScalableLastParentSealedFirst(LayoutChanges):
    """In a merge, the last of the segments is sealed first."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(tuple(reversed(parents)))


@defect(origin="a controller that repeats a request which was not answered in time")
class ScalableChildrenMadeTwice(LayoutChanges):
    """A child is made, and made again; the second time does nothing."""

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        super().make_child(child, subscriptions)
        super().make_child(child, subscriptions)
