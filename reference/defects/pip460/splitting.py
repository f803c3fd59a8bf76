"""Defects of splits."""

from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HashRange, Layout, LayoutRefused, State, halves, replaced
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.topics import ScalableTopics

_DONE = Symptom(what="^answer to a split of ", expected="^a refusal with 4xx$", seen="^success$")
_UNREADABLE = Symptom(what="^answer$", expected="^an answer when looking at the layout", seen="no active segment has|overlap")
"""A broker that has written what is no layout tells nobody about it any more."""


class _LeavesAGapAtTheBorder(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        planned = super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        if high.first == high.last:
            return planned
        return replaced(layout, [layout.segments[number]], (low, HashRange(high.first + 1, high.last)), self._now())


class _BothHaveTheBorder(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        return replaced(layout, [layout.segments[number]], (low, HashRange(low.last, high.last)), self._now())


class _MakesThreeChildren(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        third = (last - first + 1) // 3
        if not third:
            return super().split_of(layout, number)
        bounds = (HashRange(first, first + third - 1), HashRange(first + third, first + 2 * third - 1), HashRange(first + 2 * third, last))
        return replaced(layout, [layout.segments[number]], bounds, self._now())


class _TellsThatTheParentIsActive(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        active = {n: replace(one, state=State.ACTIVE, sealed_at_epoch=None) for n, one in layout.segments.items() if not one.is_active}
        return replace(layout, segments={**layout.segments, **active})


class _SplitsAtTheFirstHash(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        return replaced(layout, [layout.segments[number]], (HashRange(first, first), HashRange(first + 1, last)), self._now())


class _SwapsTheChildren(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        return replaced(layout, [layout.segments[number]], (high, low), self._now())


class _RoundsUp(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        middle = (first + last + 1) // 2 - (last - first == 1)
        return replaced(layout, [layout.segments[number]], (HashRange(first, middle), HashRange(middle + 1, last)), self._now())


class _BeginsBeforeItLooks(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        parent = layout.named(number)
        return super().split_of(layout, number) if parent.is_active else replaced(layout, [parent], halves(parent), self._now())


class _SplitsAChildInstead(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        parent = layout.named(number)
        return super().split_of(layout, number if parent.is_active else parent.children[0])


class _SplitsAnyForAnUnknown(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        return super().split_of(layout, number if number in layout.segments else layout.active[-1].number)


class _SealsWhatItRefuses(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        try:
            return super().split_of(layout, number)
        except LayoutRefused:
            self._segments.terminate(segment_topic(_topic_of(self, layout), layout.active[0]))
            raise


def _topic_of(topics: ScalableTopics, layout: Layout) -> str:
    """Whose layout that is."""
    return next(name for name in topics._layouts.all_topics() if topics.find(name) == layout)


class _RenamesASingleHash(ScalableTopics):
    def split_of(self, layout: Layout, number: int) -> Layout:
        first, last = layout.named(number).hashes
        if first < last:
            return super().split_of(layout, number)
        return replaced(layout, [layout.segments[number]], (HashRange(first, first),), self._now())


class _WritesOverWhatItRemembers(LayoutChanges):
    @cached_property
    def remembered(self) -> dict[int, Layout]:
        """The first layout that this controller saw of each topic, by when it was made."""
        return {}

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        made = min(one.created_ms for one in layout.segments.values())
        first = self.remembered.setdefault(made, layout)
        old = layout if any(number not in first.segments for number in note.parents) else replace(first, next_number=note.children[0])
        return super().completed(old, note)


THREE_CHILDREN = Defect(
    name="scalable-three-children",
    breaks={"PIP460-03": Symptom(what="^hashes of low and high$", seen="^0 ")},
    story="A split makes three children.",
    origin="feared: a split that is asked how many it should make",
    parts=MetadataParts(scalable_topics=_MakesThreeChildren),
)

PARENT_STAYS_ACTIVE = Defect(
    name="scalable-parent-stays-active",
    breaks={"PIP460-03": Symptom(what="^message of the system$", seen="overlap")},
    story="A parent is sealed, and whoever asks is told that it is active.",
    origin="feared: a state that is told as it was",
    parts=MetadataParts(scalable_topics=_TellsThatTheParentIsActive),
)

SPLIT_AT_THE_FIRST_HASH = Defect(
    name="scalable-split-at-the-first-hash",
    breaks={"PIP460-05": Symptom(what="^hashes of low and high$", seen="ends elsewhere")},
    story="The first child of a split has the first hash, and the second one all others.",
    origin="feared: a split point from a load that was not measured",
    parts=MetadataParts(scalable_topics=_SplitsAtTheFirstHash),
)

CHILDREN_SWAPPED = Defect(
    name="scalable-children-swapped",
    breaks={"PIP460-05": Symptom(what="^hashes of low and high$", seen="has the lower number")},
    story="The first child has the upper half.",
    origin="feared: who works out the name of a child without asking finds the other one",
    parts=MetadataParts(scalable_topics=_SwapsTheChildren),
)

MIDDLE_ROUNDED_UP = Defect(
    name="scalable-middle-rounded-up",
    breaks={"PIP460-05": Symptom(what="^hashes of low and high$", seen="ends elsewhere")},
    story="Where a segment has an odd sum of ends, the middle is rounded up.",
    origin="textbook: off by one",
    parts=MetadataParts(scalable_topics=_RoundsUp),
)

CHILD_IS_SPLIT_INSTEAD = Defect(
    name="scalable-child-is-split-instead",
    breaks={"PIP460-08": _DONE, "PIP460-20": Symptom(what="^layout of orders$", seen="a split of left was done 2 times")},
    story="A split of a sealed segment splits its first child.",
    origin="feared: an administrator's request that is repeated, and taken for the next one",
    parts=MetadataParts(scalable_topics=_SplitsAChildInstead),
)

BEGUN_BEFORE_A_LOOK = Defect(
    name="scalable-begun-before-a-look",
    breaks={"PIP460-08": Symptom(what="^answer to registration$", expected="^success$", seen="^UnknownError")},
    story="A split of a sealed segment is noted before anybody looks whether it can be: nobody can complete it, nor do anything else.",
    origin="feared: a plan that is checked when it is carried out",
    parts=MetadataParts(scalable_topics=_BeginsBeforeItLooks),
)

ANY_IS_SPLIT_FOR_AN_UNKNOWN = Defect(
    name="scalable-any-is-split-for-an-unknown",
    breaks={"PIP460-08": _DONE},
    story="A split of a segment that there is not splits the last one.",
    origin="feared: a number that is taken for an index, and cut off at the end",
    parts=MetadataParts(scalable_topics=_SplitsAnyForAnUnknown),
)

REFUSED_SPLIT_SEALS = Defect(
    name="scalable-refused-split-seals",
    breaks={"PIP460-08": Symptom(what="^answer to SEND$", expected="^success$", seen="^TopicTerminatedError")},
    story="A segment is sealed before the layout is looked at, and a wrong one, and it stays so when the split is refused.",
    origin="PIP-468, split: nothing may be terminated before the change is known to be possible",
    parts=MetadataParts(scalable_topics=_SealsWhatItRefuses),
)

ONE_HASH_RENAMED = Defect(
    name="scalable-one-hash-renamed",
    breaks={"PIP460-09": _DONE},
    story="A segment of one hash is split into one child, which has it.",
    origin="textbook: the middle of one",
    parts=MetadataParts(scalable_topics=_RenamesASingleHash),
)

LAYOUT_WRITTEN_OVER = Defect(
    name="scalable-layout-written-over",
    breaks={"PIP460-20": Symptom(what="^layout of orders$", seen="a split of left was done, and is not there")},
    story="A controller goes on from the first layout that it saw, and what was changed since is lost.",
    origin="PIP-468, split, step 4: the compare-and-set is of what was read at the beginning",
    parts=MetadataParts(layout_changes=_WritesOverWhatItRemembers),
)

GAP_AT_THE_BORDER = Defect(
    name="scalable-gap-at-the-border",
    breaks={"PIP460-24": _UNREADABLE},
    story="The second child of a split begins one hash too late.",
    origin="textbook: off by one",
    parts=MetadataParts(scalable_topics=_LeavesAGapAtTheBorder),
)

BORDER_OF_BOTH = Defect(
    name="scalable-border-of-both",
    breaks={"PIP460-24": _UNREADABLE},
    story="Both children of a split have the hash in the middle.",
    origin="ranges with both ends included, which are written as if the last one were not",
    parts=MetadataParts(scalable_topics=_BothHaveTheBorder),
)
