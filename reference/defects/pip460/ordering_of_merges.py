"""Defects of the order behind a merge."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.sessions import Sessions

from .ordering import orphaned


class _ChildrenOfMergesAtOnce(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        merged = orphaned(layout, at_least=2)
        return readable(merged, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))


MERGED_AT_ONCE = Defect(
    name="scalable-merged-at-once",
    breaks={"PIP460-22": Symptom(what="^reading of ", expected='^"[em]1"', seen='^"[em][34]".*"[em]1"')},
    story="The child of a merge is assigned as soon as it is there.",
    origin="feared: a merge that was thought of as a split",
    parts=MetadataParts(sessions=_ChildrenOfMergesAtOnce),
)
