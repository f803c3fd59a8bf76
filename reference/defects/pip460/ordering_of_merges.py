"""Defects of the order behind a merge."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.sessions import Sessions

from .ordering import orphaned


@defect(
    {"PIP460-22": seen('^"[em][34]".*"[em]1"', expected='^"[em]1"', what="^reading of ")},
    origin="feared: a merge that was thought of as a split",
)
class ScalableMergedAtOnce(Sessions):
    """The child of a merge is assigned as soon as it is there."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        merged = orphaned(layout, at_least=2)
        return readable(merged, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))
