"""Defects of layouts as a whole: who has which hashes, which numbers and epochs segments have, and their families."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics

_NO_LAYOUT = Symptom(what="^answer$", expected="^an answer when looking at the layout", seen="no active segment has|overlap")
"""A broker that has written an invalid layout notifies no client of it any more."""

_FEW = 5


@defect({"PIP460-01": _NO_LAYOUT}, origin="textbook: integer division")
class ScalableLastHashesLeftOut(ScalableTopics):
    """The hashes are divided by the number of segments, and the remainder belongs to no segment."""

    def new_layout(self, segments: int) -> Layout:
        width = HASHES // segments
        made = {number: Segment(number, HashRange(number * width, (number + 1) * width - 1)) for number in range(segments)}
        return Layout(0, segments, made)


@defect({"PIP460-02": seen("widths", what="^segments of payments$")}, origin="textbook: integer division")
class ScalableLastSegmentHasTheRest(ScalableTopics):
    """The hashes are divided by the number of segments, and the last segment has the remainder."""

    def new_layout(self, segments: int) -> Layout:
        width, last = HASHES // segments, segments - 1
        made = {n: Segment(n, HashRange(n * width, HASHES - 1 if n == last else (n + 1) * width - 1)) for n in range(segments)}
        return Layout(0, segments, made)


@defect(
    {"PIP460-04": seen(r" of \[2\]", expected=r" of \[2, 3\]", what="^families that A receives$")},
    origin="textbook: a field that had one parent before there were merges",
    of=MetadataParts,
)
class ScalableFirstParentTold(TransactionResponses):
    """The layout names only the first parent of a merged segment, so a client reads only that one before the child."""

    def parents_reported(self, segment: Segment) -> Sequence[int]:
        return super().parents_reported(segment)[:1]


@defect({"PIP460-02": seen("^epoch 1", what="^segments of payments$")}, origin="textbook: off by one")
class ScalableFirstEpochIsOne(ScalableTopics):
    """Epochs are counted from 1."""

    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        return replace(made, epoch=1, segments={number: replace(one, created_at_epoch=1) for number, one in made.segments.items()})


@defect(
    {"PIP460-02": seen("^4 active of 4", expected="^7 equal", what="^segments of payments$")},
    origin="feared: a limit that is kept in silence",
)
class ScalableAtMostFourSegments(ScalableTopics):
    """A new topic has at most four segments, whatever number was requested, and the answer is success."""

    def new_layout(self, segments: int) -> Layout:
        return super().new_layout(min(segments, 4))


@defect(
    {"PIP460-06": seen("^epoch 2", expected="^epoch 1$", what="^epoch of orders$")},
    origin="PIP-460, which seals first and then makes children",
)
class ScalableTwoEpochsAChange(LayoutChanges):
    """The epoch moves on when a parent is sealed, and again when its children are made."""

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        return super().completed(replace(layout, epoch=layout.epoch + 1), note)


@defect(
    {"PIP460-01": seen("overlap", what="^message of the system$")},
    origin="ranges with both ends included, which are read as if the last one were not",
)
class ScalableOneHashToldTwice(ScalableTopics):
    """The layout gives the first segment one hash too many, so that hash belongs to two segments."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        first = layout.active[0]
        longer = replace(first, hashes=HashRange(first.hashes.first, first.hashes.last + 1))
        return replace(layout, segments={**layout.segments, first.number: longer})


@defect({"PIP460-04": seen(r"has the parents \(\)", what="^edges$")}, origin="feared: an edge that is written in one direction")
class ScalableChildrenWithoutParents(ScalableTopics):
    """The layout names the children of a segment, and not its parents."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, parents=()) for number, one in layout.segments.items()})


@defect({"PIP460-04": seen("left has the children", what="^edges$")}, origin="feared: a field that was made for merges")
class ScalableParentWithOneChild(ScalableTopics):
    """The layout names one child of each segment."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, children=one.children[:1]) for number, one in layout.segments.items()})


@defect(
    {"PIP460-04": seen("whole has the parents", what="^edges$"), "PIP460-10": seen("whole has the parents", what="^edges$")},
    origin="feared: a field that was made for splits",
)
class ScalableChildOfTheFirstParent(ScalableTopics):
    """The layout names one parent of each segment."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, parents=one.parents[:1]) for number, one in layout.segments.items()})


@defect(
    {"PIP460-04": seen(r"left has the children \(\)", what="^edges$")}, origin="feared: a layout that is remade from the active segments"
)
class ScalableOlderFamiliesForgotten(ScalableTopics):
    """The layout names the children of the segments sealed by the last change, and not of those sealed before."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        older = {n: replace(one, children=()) for n, one in layout.segments.items() if one.sealed_at_epoch not in (None, layout.epoch)}
        return replace(layout, segments={**layout.segments, **older})


@defect({"PIP460-06": seen("was created at 0", what="^epoch of orders$")}, origin="feared: a default that is never overwritten")
class ScalableCreatedAtTheFirstEpoch(ScalableTopics):
    """All segments say that they were created at epoch 0."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, created_at_epoch=0) for number, one in layout.segments.items()})


@defect({"PIP460-06": seen("right is sealed since 1", what="^epoch of orders$")}, origin="feared: an epoch that is remembered once")
class ScalableSealedAtTheFirstChange(ScalableTopics):
    """Sealed segments say that they were sealed at the topic's first change."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        old = {n: replace(one, sealed_at_epoch=1) for n, one in layout.segments.items() if not one.is_active and not one.created_at_epoch}
        return replace(layout, segments={**layout.segments, **old})


@defect(
    {"PIP460-07": seen("has the number of another one", what="^layouts of orders$")},
    origin="feared: a number that is worked out, and not stored",
)
class ScalablePlacesForNumbers(ScalableTopics):
    """The layout numbers segments by their place in a list, so numbers change when a sealed segment is removed."""

    def layout(self, topic: str) -> Layout:
        return _renumbered(super().layout(topic), lambda numbers: dict(zip(numbers, range(len(numbers)), strict=True)))


@defect({"PIP460-07": seen("has the number of another one", what="^layouts of orders$")}, origin="textbook: ids that are recycled")
class ScalableFreeNumbersAgain(ScalableTopics):
    """Numbers of segments that are gone are given again."""

    def layout(self, topic: str) -> Layout:
        def free(numbers: list[int]) -> dict[int, int]:
            old = [number for number in numbers if number < _FEW]
            left = (number for number in count() if number not in old)
            return {number: number if number in old else next(left) for number in numbers}

        return _renumbered(super().layout(topic), free)


def _renumbered(layout: Layout, rename: Callable[[list[int]], dict[int, int]]) -> Layout:
    """The same segments by other numbers."""
    names = rename(sorted(layout.segments))
    renamed = [
        replace(one, number=names[number], parents=_in(names, one.parents), children=_in(names, one.children))
        for number, one in layout.segments.items()
    ]
    return replace(layout, segments={one.number: one for one in renamed})


def _in(names: dict[int, int], numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(names[number] for number in numbers if number in names)
