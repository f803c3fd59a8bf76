"""Defects of splits."""

from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HashRange, Layout, LayoutRefused, SegmentState, halves, replaced
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics

_DONE = Symptom(what="^answer to a split of ", expected="^a refusal with 4xx$", seen="^success$")
_UNREADABLE = Symptom(what="^answer$", expected="^an answer when looking at the layout", seen="no active segment has|overlap")
"""A broker that has written an invalid layout notifies no client of it any more."""


@defect({"PIP460-24": _UNREADABLE}, origin="textbook: off by one")
class ScalableGapAtTheBorder(ScalableTopics):
    """The second child of a split begins one hash too late."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        planned = super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        if high.first == high.last:
            return planned
        return replaced(layout, [layout.segments[number]], (low, HashRange(high.first + 1, high.last)), self._now())


@defect({"PIP460-24": _UNREADABLE}, origin="ranges with both ends included, which are written as if the last one were not")
class ScalableBorderOfBoth(ScalableTopics):
    """Both children of a split have the hash in the middle."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        return replaced(layout, [layout.segments[number]], (low, HashRange(low.last, high.last)), self._now())


@defect({"PIP460-03": seen("^0 ", what="^hashes of low and high$")}, origin="feared: a split with the number of children as an argument")
class ScalableThreeChildren(ScalableTopics):
    """A split makes three children."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        third = (last - first + 1) // 3
        if not third:
            return super().split_of(layout, number)
        bounds = (HashRange(first, first + third - 1), HashRange(first + third, first + 2 * third - 1), HashRange(first + 2 * third, last))
        return replaced(layout, [layout.segments[number]], bounds, self._now())


@defect({"PIP460-03": seen("overlap", what="^message of the system$")}, origin="feared: a state that is sent as it was")
class ScalableParentStaysActive(ScalableTopics):
    """A parent is sealed, and the layout shows it as active."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        active = {
            n: replace(one, state=SegmentState.ACTIVE, sealed_at_epoch=None) for n, one in layout.segments.items() if not one.is_active
        }
        return replace(layout, segments={**layout.segments, **active})


@defect(
    {"PIP460-05": seen("ends elsewhere", what="^hashes of low and high$")}, origin="feared: a split point from a load that was not measured"
)
class ScalableSplitAtTheFirstHash(ScalableTopics):
    """The first child of a split has the first hash, and the second one all others."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        return replaced(layout, [layout.segments[number]], (HashRange(first, first), HashRange(first + 1, last)), self._now())


@defect(
    {"PIP460-05": seen("has the lower number", what="^hashes of low and high$")},
    origin="feared: a name of a child that is computed without asking leads to the other child",
)
class ScalableChildrenSwapped(ScalableTopics):
    """The first child has the upper half."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        low, high = halves(layout.segments[number])
        return replaced(layout, [layout.segments[number]], (high, low), self._now())


@defect({"PIP460-05": seen("ends elsewhere", what="^hashes of low and high$")}, origin="textbook: off by one")
class ScalableMiddleRoundedUp(ScalableTopics):
    """Where a segment has an odd sum of ends, the middle is rounded up."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        super().split_of(layout, number)
        first, last = layout.segments[number].hashes
        middle = (first + last + 1) // 2 - (last - first == 1)
        return replaced(layout, [layout.segments[number]], (HashRange(first, middle), HashRange(middle + 1, last)), self._now())


@defect(
    {"PIP460-08": seen("^UnknownError", expected="^success$", what="^answer to registration$")},
    origin="feared: a plan that is checked when it is carried out",
)
class ScalableBegunBeforeALook(ScalableTopics):
    """The controller notes the split of a sealed segment before it checks whether it is possible: it can neither be completed nor
    replaced by another change."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        parent = layout.named(number)
        return super().split_of(layout, number) if parent.is_active else replaced(layout, [parent], halves(parent), self._now())


@defect(
    {"PIP460-08": _DONE, "PIP460-20": seen("a split of left was done 2 times", what="^layout of orders$")},
    origin="feared: an administrator's request that is repeated, and treated as the next one",
)
class ScalableChildIsSplitInstead(ScalableTopics):
    """A split of a sealed segment splits its first child."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        parent = layout.named(number)
        return super().split_of(layout, number if parent.is_active else parent.children[0])


@defect({"PIP460-08": _DONE}, origin="feared: a number that is treated as an index, and cut off at the end")
class ScalableAnyIsSplitForAnUnknown(ScalableTopics):
    """A split of a segment that there is not splits the last one."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        return super().split_of(layout, number if number in layout.segments else layout.active[-1].number)


@defect(
    {"PIP460-08": seen("^TopicTerminatedError", expected="^success$", what="^answer to SEND$")},
    origin="PIP-468, split: nothing may be terminated before the change is known to be possible",
)
class ScalableRefusedSplitSeals(ScalableTopics):
    """A segment is sealed before the layout is looked at, and a wrong one, and it stays so when the split is refused."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        try:
            return super().split_of(layout, number)
        except LayoutRefused:
            self._segments.terminate(segment_topic(_topic_of(self, layout), layout.active[0]))
            raise


def _topic_of(topics: ScalableTopics, layout: Layout) -> str:
    """Whose layout that is."""
    return next(name for name in topics._layouts.all_topics() if topics.find(name) == layout)


@defect({"PIP460-09": _DONE}, origin="textbook: the middle of one")
class ScalableOneHashRenamed(ScalableTopics):
    """A segment of one hash is split into one child, which has it."""

    def split_of(self, layout: Layout, number: int) -> Layout:
        first, last = layout.named(number).hashes
        if first < last:
            return super().split_of(layout, number)
        return replaced(layout, [layout.segments[number]], (HashRange(first, first),), self._now())


@defect(
    {"PIP460-20": seen("a split of left was done, and is not there", what="^layout of orders$")},
    origin="PIP-468, split, step 4: the compare-and-set is of what was read at the beginning",
)
class ScalableLayoutWrittenOver(LayoutChanges):
    """A controller continues from the first layout that it read, and later changes are lost."""

    @cached_property
    def remembered(self) -> dict[int, Layout]:
        """The first layout that this controller saw of each topic, by when it was made."""
        return {}

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        made = min(one.created_ms for one in layout.segments.values())
        first = self.remembered.setdefault(made, layout)
        old = layout if any(number not in first.segments for number in note.parents) else replace(first, next_number=note.children[0])
        return super().completed(old, note)
