"""Unusual for scalable topics, and lawful: what a suite must not take for a defect."""

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, LayoutRefused, Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.news import LayoutWatch, Newsroom, Said
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.topics import ScalableTopics

_NUMBERS_SKIPPED = 7
_KEPT_LONGER = 3
_ROUNDS = 3


class _MergesBuddies(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return layouts.merge(layout, numbers, self._now(), "buddy", self._profile.merged_at_once)


class _MergesAnyNumber(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return layouts.merge(layout, numbers, self._now(), self._profile.merge, None)


class _SkipsNumbers(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        return replace(made, next_number=made.next_number + _NUMBERS_SKIPPED)


class _GivesTheFirstOnesMore(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        bounds = [-(-number * HASHES // segments) for number in range(segments + 1)]
        ranges = {number: HashRange(bounds[number], bounds[number + 1] - 1) for number in range(segments)}
        return replace(made, segments={number: replace(one, hashes=ranges[number]) for number, one in made.segments.items()})


class _RefusesInOtherWords(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        try:
            return super().split_of(layout, number)
        except LayoutRefused as refused:
            raise LayoutRefused("computer says no") from refused


class _TellsTheNewestOnly(Newsroom):
    @functools.cached_property
    def rounds(self) -> Counter[str]:
        """How often there was something to tell."""
        return Counter()

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.rounds[topic] += 1
        if self.rounds[topic] % _ROUNDS == 0:
            super().look(topic, watch)


class _TellsWhereTheyWouldBe(Answers):
    def gives_segments_their_brokers(self) -> bool:
        super().gives_segments_their_brokers()
        return False


class _PrunesLater(Pruning):
    def is_over(self, topic: str, segment: Segment) -> bool:
        if not super().is_over(topic, segment):
            return False
        return segment.sealed_ms is not None and self._now() >= segment.sealed_ms + _KEPT_LONGER * self._profile.sealed_retention_ms


class _PrunesNothing(Pruning):
    def is_over(self, topic: str, segment: Segment) -> bool:
        super().is_over(topic, segment)
        return False


class _CompletesWhatItCan(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        return True


class _SealsTheLastFirst(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(tuple(reversed(parents)))


class _MakesTheChildTwice(LayoutChanges):
    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        super().make_child(child, subscriptions)
        super().make_child(child, subscriptions)


BUDDIES_ONLY = Defect(
    name="scalable-buddies-only",
    story="Only segments of one split are merged; neighbours that come of different ones are refused.",
    origin="PIP-460, the buddy constraint, which PIP-468 does not have",
    parts=MetadataParts(scalable_topics=_MergesBuddies),
)

ANY_NUMBER_MERGED = Defect(
    name="scalable-any-number-merged",
    story="Three neighbours and more are merged at once.",
    origin="PIP-460, which merges several; PIP-468 merges two",
    parts=MetadataParts(scalable_topics=_MergesAnyNumber),
)

GAPS_IN_SEGMENT_NUMBERS = Defect(
    name="scalable-gaps-in-segment-numbers",
    story=f"Behind the first segments {_NUMBERS_SKIPPED} numbers are left out; they are unique, and nobody promised that they grow by one.",
    origin="a controller that takes several numbers at once",
    parts=MetadataParts(scalable_topics=_SkipsNumbers),
)

FIRST_SEGMENTS_HAVE_MORE = Defect(
    name="scalable-first-segments-have-more",
    story="Where the hashes cannot be shared equally, the first segments have one more, and not the last.",
    origin="two ways to round",
    parts=MetadataParts(scalable_topics=_GivesTheFirstOnesMore),
)

CHANGES_REFUSED_IN_OTHER_WORDS = Defect(
    name="scalable-changes-refused-in-other-words",
    story="A refused split has other words beside its status.",
    origin="every release words its messages anew",
    parts=MetadataParts(scalable_topics=_RefusesInOtherWords),
)

NEWEST_LAYOUT_ONLY = Defect(
    name="scalable-newest-layout-only",
    story="Who watches is told the newest layout some time after a change, and those in between are left out.",
    origin="PIP-468, DAG watch: each update is a whole layout",
    parts=MetadataParts(newsroom=_TellsTheNewestOnly),
)

BROKERS_WITH_THE_FIRST_USE = Defect(
    name="scalable-brokers-with-the-first-use",
    story="A client is told where a segment that nobody has used would be now. It has its broker with its first use, which may be another "
    "one by then: the client is refused, and looks again.",
    origin="Apache Pulsar, DagWatchSession, which looks segments up without authority",
    parts=MetadataParts(answers=_TellsWhereTheyWouldBe),
)

PRUNED_LATER = Defect(
    name="scalable-pruned-later",
    story=f"Sealed segments that nobody needs are kept {_KEPT_LONGER} times as long: how long is a setting.",
    origin="a retention that somebody has set",
    parts=MetadataParts(pruning=_PrunesLater),
)

NEVER_PRUNED = Defect(
    name="scalable-never-pruned",
    story="Sealed segments stay for as long as their topic.",
    origin="PIP-460, which says that they may be removed",
    parts=MetadataParts(pruning=_PrunesNothing),
)

EVERY_CHANGE_COMPLETED = Defect(
    name="scalable-every-change-completed",
    story="What a controller has begun the next one completes, also where it might still be undone.",
    origin="two ways to recover",
    parts=MetadataParts(layout_changes=_CompletesWhatItCan),
)

LAST_PARENT_SEALED_FIRST = Defect(
    name="scalable-last-parent-sealed-first",
    story="Of the segments that are merged the last one is sealed first.",
    origin="PIP-468, merge, step 3, which has an order that nobody sees",
    parts=MetadataParts(layout_changes=_SealsTheLastFirst),
)

CHILDREN_MADE_TWICE = Defect(
    name="scalable-children-made-twice",
    story="A child is made, and made again; the second time does nothing.",
    origin="a controller that repeats a request which was not answered in time",
    parts=MetadataParts(layout_changes=_MakesTheChildTwice),
)
