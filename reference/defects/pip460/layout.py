"""Defects of layouts as a whole: who has which hashes, which numbers and epochs segments have, and their families."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HASHES, HashRange, Layout, Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.topics import ScalableTopics

_NO_LAYOUT = Symptom(what="^answer$", expected="^an answer when looking at the layout", seen="no active segment has|overlap")
"""A broker that has written what is no layout tells nobody about it any more."""

_FEW = 5


class _LeavesTheLastHashesOut(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        width = HASHES // segments
        made = {number: Segment(number, HashRange(number * width, (number + 1) * width - 1)) for number in range(segments)}
        return Layout(0, segments, made)


class _GivesTheLastAllThatIsOver(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        width, last = HASHES // segments, segments - 1
        made = {n: Segment(n, HashRange(n * width, HASHES - 1 if n == last else (n + 1) * width - 1)) for n in range(segments)}
        return Layout(0, segments, made)


class _TellsTheFirstParent(Answers):
    def parents_told(self, segment: Segment) -> Sequence[int]:
        return super().parents_told(segment)[:1]


class _BeginsWithOne(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        made = super().new_layout(segments)
        return replace(made, epoch=1, segments={number: replace(one, created_at_epoch=1) for number, one in made.segments.items()})


class _MakesOneSegment(ScalableTopics):
    def new_layout(self, segments: int) -> Layout:
        return super().new_layout(min(segments, 4))


class _MovesTheEpochOnByTwo(LayoutChanges):
    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        return super().completed(replace(layout, epoch=layout.epoch + 1), note)


class _TellsOneHashTwice(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        first = layout.active[0]
        longer = replace(first, hashes=HashRange(first.hashes.first, first.hashes.last + 1))
        return replace(layout, segments={**layout.segments, first.number: longer})


class _TellsNoParents(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, parents=()) for number, one in layout.segments.items()})


class _TellsOneChild(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, children=one.children[:1]) for number, one in layout.segments.items()})


class _TellsOneParent(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, parents=one.parents[:1]) for number, one in layout.segments.items()})


class _TellsTheNewestFamilies(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        older = {n: replace(one, children=()) for n, one in layout.segments.items() if one.sealed_at_epoch not in (None, layout.epoch)}
        return replace(layout, segments={**layout.segments, **older})


class _TellsThatAllAreFirst(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        return replace(layout, segments={number: replace(one, created_at_epoch=0) for number, one in layout.segments.items()})


class _TellsTheFirstSeal(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        old = {n: replace(one, sealed_at_epoch=1) for n, one in layout.segments.items() if not one.is_active and not one.created_at_epoch}
        return replace(layout, segments={**layout.segments, **old})


class _TellsPlacesInAList(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        return _renumbered(super().layout(topic), lambda numbers: dict(zip(numbers, range(len(numbers)), strict=True)))


class _TellsFreeNumbers(ScalableTopics):
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


LAST_HASHES_LEFT_OUT = Defect(
    name="scalable-last-hashes-left-out",
    breaks={"PIP460-01": _NO_LAYOUT},
    story="The hashes are divided by the number of segments, and what is left over belongs to nobody.",
    origin="textbook: integer division",
    parts=MetadataParts(scalable_topics=_LeavesTheLastHashesOut),
)

LAST_SEGMENT_HAS_THE_REST = Defect(
    name="scalable-last-segment-has-the-rest",
    breaks={"PIP460-02": Symptom(what="^segments of payments$", seen="widths")},
    story="The hashes are divided by the number of segments, and the last one has what is left over.",
    origin="textbook: integer division",
    parts=MetadataParts(scalable_topics=_GivesTheLastAllThatIsOver),
)

FIRST_EPOCH_IS_ONE = Defect(
    name="scalable-first-epoch-is-one",
    breaks={"PIP460-02": Symptom(what="^segments of payments$", seen="^epoch 1")},
    story="Epochs are counted from 1.",
    origin="textbook: off by one",
    parts=MetadataParts(scalable_topics=_BeginsWithOne),
)

AT_MOST_FOUR_SEGMENTS = Defect(
    name="scalable-at-most-four-segments",
    breaks={"PIP460-02": Symptom(what="^segments of payments$", expected="^7 equal", seen="^4 active of 4")},
    story="A new topic has four segments at most, whatever is asked for, and the answer is success.",
    origin="feared: a limit that is kept in silence",
    parts=MetadataParts(scalable_topics=_MakesOneSegment),
)

CHILDREN_WITHOUT_PARENTS = Defect(
    name="scalable-children-without-parents",
    breaks={"PIP460-04": Symptom(what="^edges$", seen=r"has the parents \(\)")},
    story="Who asks for a layout is told the children of a segment, and not its parents.",
    origin="feared: an edge that is written in one direction",
    parts=MetadataParts(scalable_topics=_TellsNoParents),
)

PARENT_WITH_ONE_CHILD = Defect(
    name="scalable-parent-with-one-child",
    breaks={"PIP460-04": Symptom(what="^edges$", seen="left has the children")},
    story="Who asks for a layout is told one child of a segment.",
    origin="feared: a field that was made for merges",
    parts=MetadataParts(scalable_topics=_TellsOneChild),
)

CHILD_OF_THE_FIRST_PARENT = Defect(
    name="scalable-child-of-the-first-parent",
    breaks={
        "PIP460-04": Symptom(what="^edges$", seen="whole has the parents"),
        "PIP460-10": Symptom(what="^edges$", seen="whole has the parents"),
    },
    story="Who asks for a layout is told one parent of a segment.",
    origin="feared: a field that was made for splits",
    parts=MetadataParts(scalable_topics=_TellsOneParent),
)

OLDER_FAMILIES_FORGOTTEN = Defect(
    name="scalable-older-families-forgotten",
    breaks={"PIP460-04": Symptom(what="^edges$", seen=r"left has the children \(\)")},
    story="Who asks for a layout is told the families of the last change, and not of those before.",
    origin="feared: a layout that is made anew from the active segments",
    parts=MetadataParts(scalable_topics=_TellsTheNewestFamilies),
)

TWO_EPOCHS_A_CHANGE = Defect(
    name="scalable-two-epochs-a-change",
    breaks={"PIP460-06": Symptom(what="^epoch of orders$", expected="^epoch 1$", seen="^epoch 2")},
    story="The epoch moves on when a parent is sealed, and again when its children are made.",
    origin="PIP-460, which seals first and then makes children",
    parts=MetadataParts(layout_changes=_MovesTheEpochOnByTwo),
)

CREATED_AT_THE_FIRST_EPOCH = Defect(
    name="scalable-created-at-the-first-epoch",
    breaks={"PIP460-06": Symptom(what="^epoch of orders$", seen="was created at 0")},
    story="All segments say that they were created at epoch 0.",
    origin="feared: a default that nobody overwrites",
    parts=MetadataParts(scalable_topics=_TellsThatAllAreFirst),
)

SEALED_AT_THE_FIRST_CHANGE = Defect(
    name="scalable-sealed-at-the-first-change",
    breaks={"PIP460-06": Symptom(what="^epoch of orders$", seen="right is sealed since 1")},
    story="Sealed segments say that they were sealed at the topic's first change.",
    origin="feared: an epoch that is remembered once",
    parts=MetadataParts(scalable_topics=_TellsTheFirstSeal),
)

PLACES_FOR_NUMBERS = Defect(
    name="scalable-places-for-numbers",
    breaks={"PIP460-07": Symptom(what="^layouts of orders$", seen="has the number of another one")},
    story="A segment is told by its place in a list, which moves up when a sealed one is removed.",
    origin="feared: a number that is worked out, and not stored",
    parts=MetadataParts(scalable_topics=_TellsPlacesInAList),
)

FREE_NUMBERS_AGAIN = Defect(
    name="scalable-free-numbers-again",
    breaks={"PIP460-07": Symptom(what="^layouts of orders$", seen="has the number of another one")},
    story="Numbers of segments that are gone are given again.",
    origin="textbook: ids that are recycled",
    parts=MetadataParts(scalable_topics=_TellsFreeNumbers),
)

ONE_HASH_TOLD_TWICE = Defect(
    name="scalable-one-hash-told-twice",
    breaks={"PIP460-01": Symptom(what="^message of the system$", seen="overlap")},
    story="The ends of ranges are told as if they were not included, and each hash in between has two owners.",
    origin="ranges with both ends included, which are read as if the last one were not",
    parts=MetadataParts(scalable_topics=_TellsOneHashTwice),
)

FIRST_PARENT_TOLD = Defect(
    name="scalable-first-parent-told",
    breaks={"PIP460-04": Symptom(what="^families that A is told$", expected=r" of \[2, 3\]", seen=r" of \[2\]")},
    story="Who watches is told the first parent of a segment that was merged, and reads that one alone before it.",
    origin="textbook: a field that had one parent before there were merges",
    parts=MetadataParts(answers=_TellsTheFirstParent),
)
