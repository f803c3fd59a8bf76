"""Defects of the order of messages after a change of the layout."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions


@defect(
    {"PIP460-21": seen('"m[34]".*"m[12]"', expected='^"m1"', what="^reading of ")},
    origin="feared: a controller that knows of active segments only",
)
class ScalableChildrenAtOnce(Sessions):
    """The children of a split are assigned as soon as they are there."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(orphaned(layout), lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))


@defect(
    {"PIP460-45": seen("low and high", expected="^left and right$", what="^segments of ann$")},
    origin="textbook: a flag of the segment where it is one of the subscription",
)
class ScalableDrainedByAny(Sessions):
    """A segment that one subscription has drained is drained for all of them."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        def is_drained(one: Segment) -> bool:
            others = {subscription, *self._topics.subscriptions(topic)}
            return any(self._segments.is_drained(segment_topic(topic, one), name) for name in others)

        return readable(layout, is_drained)


@defect(
    {"PIP460-45": seen("first and second", expected="^left and third and fourth$", what="^segments of ann$")},
    origin="Apache Pulsar 5.0.0-M1",
)
class ScalableParentsAlone(Sessions):
    """A child waits for its parents alone, and an empty one counts as drained at once, whatever is left in its own parent."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription), only_parents=True)


class _PrunesBehindTheLastMessage(Pruning):
    def is_drained(self, segment: str, subscription: str) -> bool:
        return super().is_drained(segment, subscription) or _has_the_last(self._segments, segment, subscription)


@defect(
    {"PIP460-45": seen("first and second", expected="^left and third and fourth$", what="^segments of ann$")},
    origin="feared: a retention that looks at each segment alone",
)
class ScalablePrunedBeforeItsParent(Pruning):
    """A drained sealed segment is removed before its parent, and its children then have no ancestor that is left to be read."""

    def prune(self, topic: str) -> bool:
        before = self._layouts.find(topic)
        if before is not None and (gone := [one for one in before.layout.sealed if self._is_alone(topic, one, before.layout)]):
            for segment in gone:
                self._segments.delete(segment_topic(topic, segment))
            self._layouts.write(topic, self.without(before.layout, gone), before.version)
        return super().prune(topic)

    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        numbers = {one.number for one in gone}
        free = {number: _without_edges(one, numbers) for number, one in layout.segments.items()}
        return super().without(replace(layout, segments=free), gone)

    def _is_alone(self, topic: str, segment: Segment, layout: Layout) -> bool:
        """Whether it can go before its parents, each of which keeps another child."""
        parents = [layout.segments[number] for number in segment.parents]
        return bool(parents) and all(len(one.children) > 1 for one in parents) and self.is_over(topic, segment)


@defect(
    {"PIP460-45": seen("low and high", expected="^left and right$", what="^segments of ann$")},
    origin="feared: a controller that asks what is loaded, and not what is stored",
)
class ScalableNotLoadedIsDrained(Sessions):
    """A sealed segment that is not loaded counts as drained, as every segment does after a restart."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        def is_drained(one: Segment) -> bool:
            name = segment_topic(topic, one)
            return not is_loaded(self._segments, name) or self._segments.is_drained(name, subscription)

        return readable(layout, is_drained)


@defect(
    {"PIP460-45": seen("low and high", expected="^left and third and fourth$", what="^segments of ann$")},
    origin="feared: a backlog of what may be delivered now, and not of what still may be",
)
class ScalableOpenIsDrained(Sessions):
    """A sealed segment that has only messages of an open transaction counts as drained; they are committed after those of the children."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: has_all_that_is_shown(self._segments, segment_topic(topic, one), subscription))


@defect(
    {"PIP460-45": seen("^right$", expected="^low and high and right$", what="^segments of ann$")},
    origin="textbook: a position that is compared with the end, where no reader sees what is there",
)
class ScalableAbortedIsWaitedFor(Sessions):
    """A sealed segment that ends with aborted messages never counts as drained: no consumer receives them, so none acknowledges them."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: _has_passed_every_entry(self._segments, segment_topic(topic, one), subscription))


@defect(
    {"PIP460-45": seen("low and high", expected="^left and right$", what="^segments of ann$")},
    origin="textbook: entries that are counted where messages were meant",
)
class ScalablePartOfABatchIsEnough(Sessions):
    """A batch of which one message is acknowledged counts as consumed, and its others come after those of the children."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: _has_a_part_of_each(self._segments, segment_topic(topic, one), subscription))


@defect(
    {"PIP460-45": seen("low and high", expected="^left and right$", what="^segments of ann$")},
    origin="feared: a look at the last message shows that it is acknowledged, and not by which transaction",
    of=MetadataParts,
)
class ScalablePendingIsDrained(Subscription):
    """What an open transaction has acknowledged cumulatively counts as consumed, and an abort redelivers it after the
    children's messages.
    """

    def has_more(self) -> bool:
        return super().has_more() and any(not self.pending.covers(one.place) for one in self._buffer.after(self.cursor.mark_delete))


def is_loaded(segments: object, name: str) -> bool:
    """Whether the broker that owns a segment has it in memory."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    return any(topic.name == name for topic in segments._topics_of(name).loaded())


def _without_edges(segment: Segment, numbers: set[int]) -> Segment:
    """A segment that is related to none of these, and nor is any of them to another."""
    if segment.number in numbers:
        return replace(segment, parents=(), children=())
    parents = tuple(number for number in segment.parents if number not in numbers)
    return replace(segment, parents=parents, children=tuple(number for number in segment.children if number not in numbers))


def _has_the_last(segments: object, name: str, subscription: str) -> bool:
    """Whether a subscription has acknowledged the last message of a segment, whatever is left before it."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    found = segments._found(name)
    if found is None or subscription not in found.subscriptions:
        return True
    one = found.subscriptions[subscription]
    last = one.last_message()
    return not found.buffer.ongoing() and (last is None or bool(one.cursor.acknowledged(last.place, frozenset({0}))))


def has_all_that_is_shown(segments: object, name: str, subscription: str) -> bool:
    """Whether a subscription has acknowledged every message of a segment that readers can receive now."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    found = segments._found(name)
    return found is None or subscription not in found.subscriptions or not found.subscriptions[subscription].has_more()


def has_what_is_not_pending(segments: object, name: str, subscription: str) -> bool:
    """Whether a subscription has acknowledged everything in a segment that is decided, be it in an open transaction."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    found = segments._found(name)
    if found is None or subscription not in found.subscriptions:
        return True
    one = found.subscriptions[subscription]
    return not found.buffer.ongoing() and all(one.pending.covers(left.place) for left in found.buffer.after(one.cursor.mark_delete))


def _has_passed_every_entry(segments: object, name: str, subscription: str) -> bool:
    """Whether the cursor of a subscription has passed everything that a segment has stored, whatever became of it."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    found = segments._found(name)
    if found is None or subscription not in found.subscriptions:
        return True
    last = [entry.position for entry in found.ledger.after(BEFORE_ALL)][-1:]
    return all(found.subscriptions[subscription].cursor.mark_delete.position >= position for position in last)


def _has_a_part_of_each(segments: object, name: str, subscription: str) -> bool:
    """Whether a subscription has acknowledged some message of each entry that is left in a segment."""
    assert isinstance(segments, NodeSegments), "those of a broker"
    found = segments._found(name)
    if found is None or subscription not in found.subscriptions:
        return True
    cursor = found.subscriptions[subscription].cursor
    left = found.buffer.after(cursor.mark_delete)
    return not found.buffer.ongoing() and all(cursor.acknowledged(one.place, frozenset(range(one.message.units))) for one in left)


def orphaned(layout: Layout, at_least: int = 1) -> Layout:
    """The layout without the parents of each segment that has at least so many."""
    return replace(
        layout,
        segments={number: replace(one, parents=()) if len(one.parents) >= at_least else one for number, one in layout.segments.items()},
    )


@defect(
    {
        "PIP460-14": seen("TopicNotFound|nothing", what="^answer$|^left for workers$"),
        "PIP460-45": seen("low and high", expected="^left and right$", what="^segments of ann$"),
    },
    origin="textbook: a position that is compared with the end, where there are holes before it",
    also=[_PrunesBehindTheLastMessage],
)
class ScalableDrainedByTheLast(Sessions):
    """A subscription that has acknowledged the last message of a segment is taken to have acknowledged all of them."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        return readable(layout, lambda one: _has_the_last(self._segments, segment_topic(topic, one), subscription))


@defect(
    {"PIP460-22": seen('^"[em][34]".*"[em]1"', expected='^"[em]1"', what="^reading of ")},
    origin="feared: a merge that was thought of as a split",
)
class ScalableMergedAtOnce(Sessions):
    """The child of a merge is assigned as soon as it is there."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        merged = orphaned(layout, at_least=2)
        return readable(merged, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))


@defect(
    {"PIP460-45": seen("^low and whole and third and fourth$", expected="^low and third and fourth$", what="^segments of ann$")},
    origin="red team: a loop over the parents that keeps the answer for the last one",
)
class ScalableLastParentAlone(Sessions):
    """The child of a merge waits for the last of its parents, and for none before."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        last = {number: replace(one, parents=one.parents[-1:]) for number, one in layout.segments.items()}
        waiting_for_it = replace(layout, segments=last)
        return readable(waiting_for_it, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))
