"""Defects of merges."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.scalable.layout import HashRange, Layout, Segment, SegmentState, replaced
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics

_DONE = Symptom(what="^answer to a merge of ", expected="^a refusal with 4xx$", seen="^success$")


@defect({"PIP460-10": seen("overlap", what="^message of the system$")}, origin="feared: a field that was made for splits")
class ScalableSecondParentStaysActive(ScalableTopics):
    """After a merge the layout shows only the first parent as sealed."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        second = {n for one in layout.segments.values() for n in one.parents[1:]}
        active = {n: replace(layout.segments[n], state=SegmentState.ACTIVE, sealed_at_epoch=None) for n in second if n in layout.segments}
        return replace(layout, segments={**layout.segments, **active})


@defect({"PIP460-10": seen("gap", what="^message of the system$")}, origin="feared: the union that is forgotten")
class ScalableMergeTakesTheFirstRange(ScalableTopics):
    """The child of a merge has the hashes of the segment that was named first."""

    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        cut = {
            n: replace(one, hashes=layout.segments[one.parents[0]].hashes) for n, one in layout.segments.items() if _is_merged(layout, one)
        }
        return replace(layout, segments={**layout.segments, **cut})


def _is_merged(layout: Layout, segment: Segment) -> bool:
    return len(segment.parents) > 1 and segment.parents[0] in layout.segments


@defect(
    {"PIP460-11": seen("overlap", expected="looking at the layout of orders$", what="^answer$")},
    origin="feared: neighbours are not checked",
)
class ScalableMergeOfWhatLiesApart(ScalableTopics):
    """Segments that do not lie side by side are merged, with all hashes between them, which others have too."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        parents = sorted((layout.named(number) for number in numbers), key=lambda one: one.hashes)
        if any(not one.is_active for one in parents) or len(set(numbers)) < len(numbers):
            return super().merge_of(layout, numbers)
        return replaced(layout, parents, (HashRange(parents[0].hashes.first, parents[-1].hashes.last),), self._now())


@defect({"PIP460-11": _DONE}, origin="feared: an administrator's request that came too late, and is guessed at")
class ScalableChildOfTheSealedMerged(ScalableTopics):
    """Where a segment that is sealed is to be merged, its last child is."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        named = (layout.named(number) for number in numbers)
        return super().merge_of(layout, [one.number if one.is_active else one.children[-1] for one in named])


@defect({"PIP460-11": _DONE}, origin="feared: a set of two numbers that has one")
class ScalableMergeWithItself(ScalableTopics):
    """A segment is merged with itself: it is sealed, and has a child with its hashes."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        if len(set(numbers)) > 1:
            return super().merge_of(layout, numbers)
        parent = layout.named(numbers[0])
        return replaced(layout, [parent], (parent.hashes,), self._now())


@defect(
    {"PIP460-11": seen("^TopicTerminatedError", expected="^success$", what="^answer to SEND$")},
    origin="PIP-468, merge, step 3: one parent after the other",
)
class ScalableFirstSealedBeforeTheLook(ScalableTopics):
    """The first segment is sealed before the second one is looked at."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        self._segments.terminate(segment_topic(_topic_of(self, layout), layout.named(numbers[0])))
        return super().merge_of(layout, numbers)


@defect(
    {"PIP460-11": seen("^TopicTerminatedError", expected="^success$", what="^answer to SEND$")},
    origin="PIP-468, merge, step 3: one parent after the other",
)
class ScalableSecondSealedBeforeTheLook(ScalableTopics):
    """The second segment is sealed before both are looked at together."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        self._segments.terminate(segment_topic(_topic_of(self, layout), layout.named(numbers[-1])))
        return super().merge_of(layout, numbers)


def _topic_of(topics: ScalableTopics, layout: Layout) -> str:
    """Whose layout that is."""
    return next(name for name in topics._layouts.all_topics() if topics.find(name) == layout)


@defect(
    {"PIP460-12": seen("first and second and high was done, and is not there", what="^layout of orders$")},
    origin="PIP-460 merges several at once, PIP-468 two",
)
class ScalableThreeMergedAsTwo(ScalableTopics):
    """A merge of three segments merges the first two, and is answered with success."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return super().merge_of(layout, numbers[:2])


@defect(
    {"PIP460-12": seen("was done, and is not there", what="^layout of orders$")},
    origin="PIP-460, merging: the buddy constraint, looked at too late",
)
class ScalableHalfAMerge(ScalableTopics):
    """A merge of segments that were never one seals the first of them, gives it a child, and says that it is done."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        parents = [layout.named(number) for number in numbers]
        if len({one.parents for one in parents}) == 1 and all(one.parents for one in parents):
            return super().merge_of(layout, numbers)
        sealed = replace(parents[0], state=SegmentState.SEALED, sealed_at_epoch=layout.epoch + 1, sealed_ms=self._now())
        parts = (HashRange(sealed.hashes.first, sealed.hashes.last),)
        return replaced(layout, [parents[0]], parts, self._now())


@defect({"PIP460-11": _DONE}, origin="textbook: of two segments the first is checked")
class ScalableChildOfTheSecondMerged(ScalableTopics):
    """If the second segment of a merge is sealed, its first child is merged in its place."""

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        others = (layout.named(number) for number in numbers[1:])
        return super().merge_of(layout, [numbers[0], *(one.number if one.is_active else one.children[0] for one in others)])
