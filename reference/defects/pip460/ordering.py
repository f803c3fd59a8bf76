"""Defects of the order behind a change of the layout."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.sessions import Sessions


class _ChildrenAtOnce(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(_orphaned(layout), lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))


class _ChildrenOfMergesAtOnce(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        merged = _orphaned(layout, at_least=2)
        return readable(merged, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))


class _OneHasDrainedIt(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        def is_drained(one: Segment) -> bool:
            others = {subscription, *self._topics.subscriptions(topic)}
            return any(self._segments.is_drained(segment_topic(topic, one), name) for name in others)

        return readable(layout, is_drained)


class _ParentsAlone(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription), only_parents=True)


def _orphaned(layout: Layout, at_least: int = 1) -> Layout:
    """The layout, in which nobody knows of their parents where there are so many."""
    return replace(
        layout,
        segments={number: replace(one, parents=()) if len(one.parents) >= at_least else one for number, one in layout.segments.items()},
    )


CHILDREN_AT_ONCE = Defect(
    name="scalable-children-at-once",
    breaks={"PIP460-21": Symptom(what="^reading of ", expected='^"m1"', seen='"m[34]".*"m[12]"')},
    story="The children of a split are assigned as soon as they are there.",
    origin="feared: a controller that knows of active segments only",
    parts=MetadataParts(sessions=_ChildrenAtOnce),
)

MERGED_AT_ONCE = Defect(
    name="scalable-merged-at-once",
    breaks={"PIP460-22": Symptom(what="^reading of ", expected='^"z1"', seen='"z4".*"z1"')},
    story="The child of a merge is assigned as soon as it is there.",
    origin="feared: a merge that was thought of as a split",
    parts=MetadataParts(sessions=_ChildrenOfMergesAtOnce),
)

DRAINED_BY_ANY = Defect(
    name="scalable-drained-by-any",
    breaks={"PIP460-45": Symptom(what="^segments of ann$", expected="^left and right$", seen="low and high")},
    story="A segment that one subscription has drained is drained for all of them.",
    origin="textbook: a flag of the segment where it is one of the subscription",
    parts=MetadataParts(sessions=_OneHasDrainedIt),
)

PARENTS_ALONE = Defect(
    name="scalable-parents-alone",
    breaks={"PIP460-45": Symptom(what="^segments of ann$", expected="^left and third and fourth$", seen="first and second")},
    story="A child waits for its parents alone, and an empty one is drained at once, whatever is left in its own parent.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(sessions=_ParentsAlone),
)
