"""Defects of merges."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.scalable.layout import HashRange, Layout, Segment, State, replaced
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.topics import ScalableTopics

_DONE = Symptom(what="^answer to a merge of ", expected="^a refusal with 4xx$", seen="^success$")


class _TellsThatOneParentIsActive(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        second = {n for one in layout.segments.values() for n in one.parents[1:]}
        active = {n: replace(layout.segments[n], state=State.ACTIVE, sealed_at_epoch=None) for n in second if n in layout.segments}
        return replace(layout, segments={**layout.segments, **active})


class _TellsTheFirstRange(ScalableTopics):
    def layout(self, topic: str) -> Layout:
        layout = super().layout(topic)
        cut = {
            n: replace(one, hashes=layout.segments[one.parents[0]].hashes) for n, one in layout.segments.items() if _is_merged(layout, one)
        }
        return replace(layout, segments={**layout.segments, **cut})


def _first_of(layout: Layout, segment: Segment) -> HashRange:
    return layout.segments[segment.parents[0]].hashes


def _is_merged(layout: Layout, segment: Segment) -> bool:
    return len(segment.parents) > 1 and segment.parents[0] in layout.segments


class _MergesWhatLiesApart(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        parents = sorted((layout.named(number) for number in numbers), key=lambda one: one.hashes)
        if any(not one.is_active for one in parents) or len(set(numbers)) < len(numbers):
            return super().merge_of(layout, numbers)
        return replaced(layout, parents, (HashRange(parents[0].hashes.first, parents[-1].hashes.last),), self._now())


class _MergesTheChildOfTheSealed(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        named = (layout.named(number) for number in numbers)
        return super().merge_of(layout, [one.number if one.is_active else one.children[-1] for one in named])


class _MergesOneWithItself(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        if len(set(numbers)) > 1:
            return super().merge_of(layout, numbers)
        parent = layout.named(numbers[0])
        return replaced(layout, [parent], (parent.hashes,), self._now())


class _SealsTheFirstBeforeItLooks(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        self._segments.terminate(segment_topic(_topic_of(self, layout), layout.named(numbers[0])))
        return super().merge_of(layout, numbers)


class _SealsTheSecondBeforeItLooks(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        self._segments.terminate(segment_topic(_topic_of(self, layout), layout.named(numbers[-1])))
        return super().merge_of(layout, numbers)


def _topic_of(topics: ScalableTopics, layout: Layout) -> str:
    """Whose layout that is."""
    return next(name for name in topics._layouts.all_topics() if topics.find(name) == layout)


class _MergesTheFirstTwo(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        return super().merge_of(layout, numbers[:2])


class _SealsStrangersBeforeItRefuses(ScalableTopics):
    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        parents = [layout.named(number) for number in numbers]
        if len({one.parents for one in parents}) == 1 and all(one.parents for one in parents):
            return super().merge_of(layout, numbers)
        sealed = replace(parents[0], state=State.SEALED, sealed_at_epoch=layout.epoch + 1, sealed_ms=self._now())
        parts = (HashRange(sealed.hashes.first, sealed.hashes.last),)
        return replaced(layout, [parents[0]], parts, self._now())


MERGE_TAKES_THE_FIRST_RANGE = Defect(
    name="scalable-merge-takes-the-first-range",
    breaks={"PIP460-10": Symptom(what="^message of the system$", seen="gap")},
    story="The child of a merge has the hashes of the segment that was named first.",
    origin="feared: the union that is forgotten",
    parts=MetadataParts(scalable_topics=_TellsTheFirstRange),
)

SECOND_PARENT_STAYS_ACTIVE = Defect(
    name="scalable-second-parent-stays-active",
    breaks={"PIP460-10": Symptom(what="^message of the system$", seen="overlap")},
    story="Of the segments that are merged only the first one is told to be sealed.",
    origin="feared: a field that was made for splits",
    parts=MetadataParts(scalable_topics=_TellsThatOneParentIsActive),
)

MERGE_OF_WHAT_LIES_APART = Defect(
    name="scalable-merge-of-what-lies-apart",
    breaks={"PIP460-11": Symptom(what="^answer$", expected="looking at the layout of orders$", seen="overlap")},
    story="Segments that do not lie side by side are merged, with all hashes between them, which others have too.",
    origin="feared: neighbours are not looked at",
    parts=MetadataParts(scalable_topics=_MergesWhatLiesApart),
)

CHILD_OF_THE_SEALED_MERGED = Defect(
    name="scalable-child-of-the-sealed-merged",
    breaks={"PIP460-11": _DONE},
    story="Where a segment that is sealed is to be merged, its last child is.",
    origin="feared: an administrator's request that came too late, and is guessed at",
    parts=MetadataParts(scalable_topics=_MergesTheChildOfTheSealed),
)

MERGE_WITH_ITSELF = Defect(
    name="scalable-merge-with-itself",
    breaks={"PIP460-11": _DONE},
    story="A segment is merged with itself: it is sealed, and has a child with its hashes.",
    origin="feared: a set of two numbers that has one",
    parts=MetadataParts(scalable_topics=_MergesOneWithItself),
)

FIRST_SEALED_BEFORE_THE_LOOK = Defect(
    name="scalable-first-sealed-before-the-look",
    breaks={"PIP460-11": Symptom(what="^answer to SEND$", expected="^success$", seen="^TopicTerminatedError")},
    story="The first segment is sealed before the second one is looked at.",
    origin="PIP-468, merge, step 3: one parent after the other",
    parts=MetadataParts(scalable_topics=_SealsTheFirstBeforeItLooks),
)

SECOND_SEALED_BEFORE_THE_LOOK = Defect(
    name="scalable-second-sealed-before-the-look",
    breaks={"PIP460-11": Symptom(what="^answer to SEND$", expected="^success$", seen="^TopicTerminatedError")},
    story="The second segment is sealed before both are looked at together.",
    origin="PIP-468, merge, step 3: one parent after the other",
    parts=MetadataParts(scalable_topics=_SealsTheSecondBeforeItLooks),
)

THREE_MERGED_AS_TWO = Defect(
    name="scalable-three-merged-as-two",
    breaks={"PIP460-12": Symptom(what="^layout of orders$", seen="first and second and high was done, and is not there")},
    story="Of three segments that are to be merged the first two are, and the answer is success.",
    origin="PIP-460 merges several at once, PIP-468 two",
    parts=MetadataParts(scalable_topics=_MergesTheFirstTwo),
)

HALF_A_MERGE = Defect(
    name="scalable-half-a-merge",
    breaks={"PIP460-12": Symptom(what="^layout of orders$", seen="was done, and is not there")},
    story="A merge of segments that were never one seals the first of them, gives it a child, and says that it is done.",
    origin="PIP-460, merging: the buddy constraint, looked at too late",
    parts=MetadataParts(scalable_topics=_SealsStrangersBeforeItRefuses),
)
