"""Compacted topics: records with keys, and passes of the log cleaner.

The records that show when a pass is complete (`adapters/kafka/cleaned_partition.py`) are left out of what readers are said to see.
"""

from dataclasses import dataclass, field
from itertools import pairwise

from fencepost.adapters.kafka.cleaned_partition import CleanedPartition
from fencepost.adapters.kafka.kafka_values import IsolationLevel, LogView, TopicPartition
from fencepost.contract.evidence import NoAnswer
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.step_outcomes import achieved, observed

from .vocabulary import KIP890

_RETENTION_MS = {"for a day": 86_400_000, "for no time": 0}


@dataclass
class Passes:
    """The passes over a scenario's compacted partitions."""

    partitions: dict[TopicPartition, CleanedPartition] = field(default_factory=dict)

    seen: dict[TopicPartition, list[LogView]] = field(default_factory=dict)
    """What readers of committed data saw during each pass, look by look."""

    places: dict[TopicPartition, dict[str, int]] = field(default_factory=dict)
    """The offset of each record before the When."""


@KIP890.state
def passes() -> Passes:
    """The passes of the scenario."""
    return Passes()


@KIP890.given("a compacted topic {topic} that keeps markers {retention}")
def a_compacted_topic(context: KafkaContext, passes: Passes, topic: str, retention: str) -> None:
    """A new topic of one partition with cleanup.policy=compact, min.cleanable.dirty.ratio=0 and this delete.retention.ms: how long a marker
    stays at least when all records of its transaction are gone.
    """
    context.topics[topic] = context.session.unique(topic)
    configs = CleanedPartition.configs(_RETENTION_MS[retention])
    achieved(context.observer.create_topic(context.topics[topic], 1, configs), f"creating the compacted topic {topic}")
    partition = TopicPartition(context.topics[topic], 0)
    context.partitions.append(partition)
    passes.partitions[partition] = CleanedPartition(context.observer, context.time, partition)
    _write_pair(passes, partition)


COMPACT = KIP890.act(
    given="{partition} has been compacted[ {pass_count}]",
    when="{partition} is compacted[ {pass_count}]",
    meaning="A new segment is begun, and the log cleaner passes over all that is decided before it, so often: of two records that were"
    " written under one key earlier, the first is gone. Readers of committed data look on.",
)


@COMPACT.given
def has_been_compacted(context: KafkaContext, passes: Passes, partition: str, pass_count: int | None) -> None:
    where = context.partition(partition)
    context.await_markers()
    for _ in range(pass_count or 1):
        _compact(context, passes, where)


@COMPACT.when
def is_compacted(context: KafkaContext, passes: Passes, partition: str, pass_count: int | None) -> None:
    context.begin()
    where = context.partition(partition)
    passes.places[where] = _places(context, where)
    has_been_compacted(context, passes, partition, pass_count)


@KIP890.given("a new segment of {partition} has begun")
def has_begun_a_segment(context: KafkaContext, passes: Passes, partition: str) -> None:
    """A record with a time that is later by more than segment.ms is the first of a new segment.

    A cleaner may skip a segment that has an undecided record. So a transaction that is open during a pass begins in a new one.
    """
    where = context.partition(partition)
    achieved(passes.partitions[where].begin_segment(), f"writing to {where}")


@KIP890.then("each record that is left in {partition} has its offset from before")
def offsets_are_kept(context: KafkaContext, passes: Passes, partition: str) -> None:
    """Each record that was in the log before the When, and still is, has the same offset."""
    where = context.partition(partition)
    before, now = passes.places[where], _places(context, where)
    moved = [f'"{value}" from {before[value]} to {offset}' for value, offset in now.items() if before.get(value, offset) != offset]
    what = f"offsets of {len(before.keys() & now.keys())} records in {partition}"
    context.evidence.expect(not moved, "as before", f"moved: {', '.join(moved)}" if moved else "as before", what=what)


@KIP890.then("the last stable offset of compacted {partition} has never gone back")
def never_went_back(context: KafkaContext, passes: Passes, partition: str) -> None:
    """In the looks of readers of committed data during the passes, and in one now, it is never smaller than in the look before."""
    where = context.partition(partition)
    looks = [*passes.seen.get(where, ()), context.read(where, IsolationLevel.READ_COMMITTED)]
    offsets = [look.last_stable_offset for look in looks]
    back = [f"from {before} to {after}" for before, after in pairwise(offsets) if after < before]
    what = f"last stable offset of {partition} in {len(offsets)} looks"
    context.evidence.expect(not back, "never smaller than before", f"it went {', '.join(back)}" if back else "never smaller", what=what)


@KIP890.then("{partition} still holds the {marker_kind} marker of {producer}")
def still_holds(context: KafkaContext, partition: str, marker_kind: str, producer: str) -> None:
    """A Fetch of the whole log returns a marker of that type with the producer's id."""
    producer_id = context.producers[producer].current.producer_id
    markers = context.read(context.partition(partition), IsolationLevel.READ_UNCOMMITTED).markers()
    kinds = [kind.name for identity, kind in markers if identity.producer_id == producer_id]
    found = ", ".join(kinds) or "none"
    context.evidence.expect(marker_kind in kinds, f"one for {marker_kind}", found, what=f"markers of {producer} in {partition}")


def _write_pair(passes: Passes, where: TopicPartition) -> None:
    for written in passes.partitions[where].write_pair():
        achieved(written, f"writing to {where}")


def _compact(context: KafkaContext, passes: Passes, where: TopicPartition) -> None:
    partition = passes.partitions[where]
    if partition.may_be_passed and _is_decided(context, where):  # a transaction that is open began after the pair, and a pass ends there
        _write_pair(passes, where)
    achieved(partition.begin_segment(), f"writing to {where}")
    for outcome in partition.looks():
        look = observed(outcome, f"reading {where}")
        passes.seen.setdefault(where, []).append(look)
    if look.offset_of(partition.first) is not None:
        raise NoAnswer(
            f"{where} was to be compacted, and after a while it still holds {partition.first!r}, which a newer record has replaced"
        )
    _write_pair(passes, where)


def _is_decided(context: KafkaContext, where: TopicPartition) -> bool:
    look = context.read(where, IsolationLevel.READ_COMMITTED)
    return look.last_stable_offset == look.high_watermark


def _places(context: KafkaContext, where: TopicPartition) -> dict[str, int]:
    """The offset of each record that readers of uncommitted data get, by its value."""
    return {value: offset for offset, value in context.read(where, IsolationLevel.READ_UNCOMMITTED).handed_over()}
