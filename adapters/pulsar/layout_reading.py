"""Layouts in SCALABLE_TOPIC_UPDATE and in answers of the admin interface, read strictly.

An unsound layout is Malformed, and the message names the wrong segment and the flaw: active segments that overlap or leave hashes out,
parents that the layout does not have, numbers that occur twice, epochs that the layout has not reached. PIP-460, "Keyspace" and "Segment
DAG".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fencepost.contract.errors import Malformed
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.numbers import signed

from .layout_values import LayoutSegment, ReportedLayout

TOPIC, SEGMENT = "topic://", "segment://"
_LAST_HASH = 0xFFFF
_ACTIVE, _SEALED = "ACTIVE", "SEALED"


def layout_of_update(update: pb.CommandScalableTopicUpdate) -> ReportedLayout:
    """The layout in an update of a session. Raises Malformed."""
    return _sound(read_update(update))


def layout_of_answer(topic: str, answer: Any) -> ReportedLayout:
    """The layout in an answer of the admin interface. Raises Malformed, and KeyError or TypeError if something is missing."""
    return _sound(read_answer(topic, answer))


def read_update(update: pb.CommandScalableTopicUpdate) -> ReportedLayout:
    """The layout in an update, with its flaws. Raises Malformed if there is none."""
    if not update.HasField("dag"):
        raise Malformed(f"SCALABLE_TOPIC_UPDATE has neither a layout nor an error: {update}".rstrip())
    topic = update.resolved_topic_name
    if not topic.startswith(TOPIC):
        raise Malformed(f"SCALABLE_TOPIC_UPDATE is about {topic!r}, expected {TOPIC}TENANT/NAMESPACE/NAME")
    dag = update.dag
    brokers = {one.segment_id: one.broker_url for one in dag.segment_brokers}
    segments = [_of_proto(one, topic, brokers.get(one.segment_id)) for one in dag.segments]
    controller = dag.controller_broker_url if dag.HasField("controller_broker_url") else None
    return ReportedLayout(dag.epoch, tuple(sorted(segments, key=_number)), controller, topic)


def read_answer(topic: str, answer: Any) -> ReportedLayout:
    """The layout in an answer of the admin interface, with its flaws. Raises as `layout_of_answer` if it cannot be read at all."""
    segments = [_of_json(one, topic) for one in answer["segments"].values()]
    return ReportedLayout(int(answer["epoch"]), tuple(sorted(segments, key=_number)), None, topic)


def flaws(layout: ReportedLayout) -> Iterator[str]:
    """The flaws of an unsound layout."""
    numbers = [one.number for one in layout.segments]
    yield from (f"segment {number} comes twice" for number in sorted({one for one in numbers if numbers.count(one) > 1}))
    for one in layout.segments:
        yield from _flaws_of_segment(one, layout, numbers)
    yield from _flaws_of_ranges(layout.active)


def _flaws_of_segment(segment: LayoutSegment, layout: ReportedLayout, numbers: Sequence[int]) -> Iterator[str]:
    if not 0 <= segment.first_hash <= segment.last_hash <= _LAST_HASH:
        hashes = f"{segment.first_hash} to {segment.last_hash}"
        yield f"segment {segment.number} has the hashes {hashes}, expected a range within 0 to {_LAST_HASH}"
    for parent in segment.parents:
        if parent not in numbers:
            yield f"segment {segment.number} has the parent {parent}, which the layout does not have"
    if segment.created_at_epoch > layout.epoch:
        yield f"segment {segment.number} is of epoch {segment.created_at_epoch}, and the layout of the past: epoch {layout.epoch}"
    if segment.sealed_at_epoch is not None and not segment.created_at_epoch < segment.sealed_at_epoch <= layout.epoch:
        yield (
            f"segment {segment.number} was made at epoch {segment.created_at_epoch} and sealed at epoch {segment.sealed_at_epoch} "
            f"in a layout of epoch {layout.epoch}"
        )


def _flaws_of_ranges(active: Iterable[LayoutSegment]) -> Iterator[str]:
    due, before = 0, "the first hash"
    for one in active:
        if one.first_hash < due:
            yield f"segments overlap: segment {one.number} begins at {one.first_hash:04x}, and {before} goes up to {due - 1:04x}"
        if one.first_hash > due:
            yield f"segments leave a gap: no segment has the hashes {due:04x} to {one.first_hash - 1:04x} before segment {one.number}"
        due, before = max(due, one.last_hash + 1), f"segment {one.number}"
    if due <= _LAST_HASH:
        yield f"segments leave a gap: no segment has the hashes {due:04x} to {_LAST_HASH:04x}"


def _sound(layout: ReportedLayout) -> ReportedLayout:
    if found := "; ".join(flaws(layout)):
        raise Malformed(f"what the broker sent for {layout.topic} is no layout: {found}")
    return layout


def _number(segment: LayoutSegment) -> int:
    return segment.number


def _of_proto(segment: Any, topic: str, broker: str | None) -> LayoutSegment:
    """A topic that is not scalable is shown as one segment with the topic's own name."""
    is_sealed = segment.state == pb.SEALED
    legacy = segment.legacy_topic_name if segment.HasField("legacy_topic_name") else None
    return LayoutSegment(
        segment.segment_id,
        segment.hash_start,
        segment.hash_end,
        is_sealed,
        tuple(segment.parent_ids),
        tuple(segment.child_ids),
        segment.created_at_epoch,
        signed(segment.sealed_at_epoch) if is_sealed else None,
        legacy or _topic_of(topic, segment.hash_start, segment.hash_end, segment.segment_id),
        broker,
    )


def _of_json(segment: Any, topic: str) -> LayoutSegment:
    number, state = int(segment["segmentId"]), segment["state"]
    if state not in (_ACTIVE, _SEALED):
        raise Malformed(f"segment {number} of {topic} is {state!r}, expected {_ACTIVE} or {_SEALED}")
    first, last = int(segment["hashRange"]["start"]), int(segment["hashRange"]["end"])
    return LayoutSegment(
        number,
        first,
        last,
        state == _SEALED,
        tuple(map(int, segment["parentIds"])),
        tuple(map(int, segment["childIds"])),
        int(segment["createdAtEpoch"]),
        int(segment["sealedAtEpoch"]) if state == _SEALED else None,
        _topic_of(topic, first, last, number),
    )


def _topic_of(topic: str, first: int, last: int, number: int) -> str:
    return f"{SEGMENT}{topic.removeprefix(TOPIC)}/{first:04x}-{last:04x}-{number}"
