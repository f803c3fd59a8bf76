"""Compacted topics: records with keys, and passes of the log cleaner.

A cleaner does not touch the segment that is being written, and runs at any time. So a topic of a scenario begins with two records of one
key. A record with a later time begins another segment, and when the first of the two is gone, a pass over all earlier records is complete.
The records for that are left out of what readers are said to see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from fencepost.adapters.kafka.values import NO_PRODUCER, Appended, Isolation, LogView, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.kafka.adding import add_first
from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.kafka.ending import finish
from fencepost.steps.kafka.identities import claimed
from fencepost.steps.kafka.logs import CLEANER_RECORD
from fencepost.steps.kafka.producer import Producer
from fencepost.steps.kafka.requests import put
from fencepost.steps.kafka.values import COMMITS
from fencepost.steps.outcomes import achieved, observed
from fencepost.wire.kafka.batches import Batch, Marker, MarkerType, Record, marker_batch

from .vocabulary import KIP890

_SEGMENT_MS = 300_000
"""A segment.ms that is longer than a scenario: segments end where the kit ends them."""

_RETENTION_MS = {"for a day": 86_400_000, "for no time": 0}


@dataclass
class Passes:
    """The passes over a scenario's compacted partitions."""

    pairs: dict[TopicPartition, int] = field(default_factory=dict)
    """How many pairs of records of one key each partition has had."""

    segments: dict[TopicPartition, int] = field(default_factory=dict)
    """How many segments were begun in each, after the first."""

    seen: dict[TopicPartition, list[LogView]] = field(default_factory=dict)
    """What readers of committed data saw during each pass, look by look."""

    places: dict[TopicPartition, dict[str, int]] = field(default_factory=dict)
    """The offset of each record before the When."""

    def later_ms(self, partition: TopicPartition) -> int:
        """How far ahead of the clock the times of the kit's records are, so that the next one begins a segment."""
        return self.segments.get(partition, 0) * (_SEGMENT_MS + 1_000)


@KIP890.state
def passes() -> Passes:
    """The passes of the scenario."""
    return Passes()


@KIP890.given("a compacted topic {topic} that keeps markers {retention}")
def a_compacted_topic(context: ScenarioContext, passes: Passes, topic: str, retention: str) -> None:
    """A new topic of one partition with cleanup.policy=compact, min.cleanable.dirty.ratio=0 and this delete.retention.ms: how long a marker
    stays at least when all records of its transaction are gone.
    """
    context.topics[topic] = context.session.unique(topic)
    configs = {
        "cleanup.policy": "compact",
        "message.timestamp.type": "CreateTime",
        "segment.ms": str(_SEGMENT_MS),
        "min.cleanable.dirty.ratio": "0.0",
        "delete.retention.ms": str(_RETENTION_MS[retention]),
    }
    achieved(context.observer.create_topic(context.topics[topic], 1, configs), f"creating the compacted topic {topic}")
    partition = TopicPartition(context.topics[topic], 0)
    context.partitions.append(partition)
    _write_pair(context, passes, partition)


WRITE_KEYED = KIP890.act(
    given="{producer} has written {value} under {key}[ and {second:value} under {that:key}] to {partition}",
    when="{producer} writes {value} under {key} to {partition}[ at sequence {sequence:number}][ with {identity}]",
    meaning="Produce of one record with that key, in the producer's transaction where it has a transactional id, with the sequence number"
    " that is next unless one is named. As a Given, an old client adds the partition first; the When is Produce."
    " Two records are in one batch.",
)


@WRITE_KEYED.given
def has_written_keyed(
    context: ScenarioContext, producer: str, value: str, key: str, second: str | None, that: str | None, partition: str
) -> None:
    records = [Record(value.encode(), _key(key))]
    if second is not None and that is not None:
        records.append(Record(second.encode(), _key(that)))
    _write(context, context.producers[producer], context.partition(partition), records)


@WRITE_KEYED.when
def writes_keyed(
    context: ScenarioContext, producer: str, value: str, key: str, partition: str, sequence: int | None, identity: str | None
) -> None:
    one, where = context.turn_of(producer), context.partition(partition)
    record = Record(value.encode(), _key(key))
    put(context, one, "produce", lambda retry: _send(context, one, where, [record], sequence=sequence, identity=identity, retry=retry))


@KIP890.given("{producer} has {ended} {value} under {key} to {partition}")
def has_ended_keyed(context: ScenarioContext, producer: str, ended: str, value: str, key: str, partition: str) -> None:
    """One more record in the producer's transaction, which begins with it where none is open, and its end, with all markers."""
    one = context.producers[producer]
    _write(context, one, context.partition(partition), [Record(value.encode(), _key(key))])
    finish(context, one, commit=COMMITS[ended])


COMPACT = KIP890.act(
    given="{partition} has been compacted[ {pass_count}]",
    when="{partition} is compacted[ {pass_count}]",
    meaning="A new segment is begun, and the log cleaner passes over all that is decided before it, so often: of two records that were"
    " written under one key earlier, the first is gone. Readers of committed data look on.",
)


@COMPACT.given
def has_been_compacted(context: ScenarioContext, passes: Passes, partition: str, pass_count: int | None) -> None:
    where = context.partition(partition)
    context.await_markers()
    for _ in range(pass_count or 1):
        _compact(context, passes, where)


@COMPACT.when
def is_compacted(context: ScenarioContext, passes: Passes, partition: str, pass_count: int | None) -> None:
    context.begin()
    where = context.partition(partition)
    passes.places[where] = _places(context, where)
    has_been_compacted(context, passes, partition, pass_count)


@KIP890.given("a new segment of {partition} has begun")
def has_begun_a_segment(context: ScenarioContext, passes: Passes, partition: str) -> None:
    """A record with a time that is later by more than segment.ms is the first of a new segment.

    A cleaner may skip a segment that has an undecided record. So a transaction that is open during a pass begins in a new one.
    """
    _begin_segment(context, passes, context.partition(partition))


@KIP890.then("each record that is left in {partition} has its offset from before")
def offsets_are_kept(context: ScenarioContext, passes: Passes, partition: str) -> None:
    """Each record that was in the log before the When, and still is, has the same offset."""
    where = context.partition(partition)
    before, now = passes.places[where], _places(context, where)
    moved = [f'"{value}" from {before[value]} to {offset}' for value, offset in now.items() if before.get(value, offset) != offset]
    what = f"offsets of {len(before.keys() & now.keys())} records in {partition}"
    context.evidence.expect(not moved, "as before", f"moved: {', '.join(moved)}" if moved else "as before", what=what)


@KIP890.then("the last stable offset of compacted {partition} has never gone back")
def never_went_back(context: ScenarioContext, passes: Passes, partition: str) -> None:
    """In the looks of readers of committed data during the passes, and in one now, it is never smaller than in the look before."""
    where = context.partition(partition)
    looks = [*passes.seen.get(where, ()), context.read(where, Isolation.READ_COMMITTED)]
    offsets = [look.last_stable_offset for look in looks]
    back = [f"from {before} to {after}" for before, after in pairwise(offsets) if after < before]
    what = f"last stable offset of {partition} in {len(offsets)} looks"
    context.evidence.expect(not back, "never smaller than before", f"it went {', '.join(back)}" if back else "never smaller", what=what)


@KIP890.then("{partition} still holds the {marker_kind} marker of {producer}")
def still_holds(context: ScenarioContext, partition: str, marker_kind: str, producer: str) -> None:
    """A Fetch of the whole log returns a marker of that type with the producer's id."""
    producer_id = context.producers[producer].current.producer_id
    markers = context.read(context.partition(partition), Isolation.READ_UNCOMMITTED).markers()
    kinds = [kind.name for identity, kind in markers if identity.producer_id == producer_id]
    found = ", ".join(kinds) or "none"
    context.evidence.expect(marker_kind in kinds, f"one for {marker_kind}", found, what=f"markers of {producer} in {partition}")


def _key(key: str) -> bytes:
    if key.startswith('key "'):
        return key[len('key "') : -1].encode()
    kind = MarkerType.COMMIT if "COMMIT" in key else MarkerType.ABORT
    return marker_batch(Marker(kind, 0), 0, 0, 0).records[0].key or b""


def _write(context: ScenarioContext, producer: Producer, where: TopicPartition, records: Sequence[Record]) -> None:
    if producer.transactional_id:
        achieved(add_first(context, producer, where), f"adding {where}")
    achieved(_send(context, producer, where, records), f"writing to {where}")


def _send(
    context: ScenarioContext,
    producer: Producer,
    where: TopicPartition,
    records: Sequence[Record],
    *,
    sequence: int | None = None,
    identity: str | None = None,
    retry: bool = True,
) -> Outcome[Appended]:
    _, current = claimed(context, producer, identity)
    due = producer.next_sequence(where) if sequence is None else sequence
    producer.ended_in = set()
    outcome = producer.probe.produce_one_batch(
        where,
        _batch(context, records, 0, producer=current, sequence=due, transactional=bool(producer.transactional_id)),
        transactional_id=producer.transactional_id or None,
        version=context.version(producer, "produce"),
        retry=retry,
    )
    if isinstance(outcome, Done) and sequence is None and identity is None:
        producer.has_appended(where, len(records))
    return outcome


def _write_pair(context: ScenarioContext, passes: Passes, where: TopicPartition) -> None:
    """Two records of one key, in the segment that is being written: the first one remains until a pass is complete."""
    number = passes.pairs[where] = passes.pairs.get(where, 0) + 1
    for value in (_first_of(number), f"{CLEANER_RECORD}second of pair {number}"):
        _write_of_the_kit(context, where, f"pair {number}", value, passes.later_ms(where))


def _begin_segment(context: ScenarioContext, passes: Passes, where: TopicPartition) -> None:
    passes.segments[where] = passes.segments.get(where, 0) + 1
    value = f"{CLEANER_RECORD}segment {passes.segments[where]}"
    _write_of_the_kit(context, where, value, value, passes.later_ms(where))


def _compact(context: ScenarioContext, passes: Passes, where: TopicPartition) -> None:
    number = passes.pairs[where]
    _begin_segment(context, passes, where)
    first = _first_of(number)
    for _ in context.time.attempts():
        look = observed(context.observer.read(where, Isolation.READ_COMMITTED), f"reading {where}")
        passes.seen.setdefault(where, []).append(look)
        if look.offset_of(first) is None:
            break
    else:
        raise NoAnswer(f"{where} was to be compacted, and after a while it still holds {first!r}, which a newer record has replaced")
    _write_pair(context, passes, where)


def _write_of_the_kit(context: ScenarioContext, where: TopicPartition, key: str, value: str, later_ms: int) -> None:
    version = context.observer.newest("produce", 3, 12)
    batch = _batch(context, [Record(value.encode(), f"{CLEANER_RECORD}{key}".encode())], later_ms)
    achieved(context.observer.produce_one_batch(where, batch, transactional_id=None, version=version), f"writing to {where}")


def _batch(
    context: ScenarioContext,
    records: Sequence[Record],
    later_ms: int,
    *,
    producer: ProducerIdAndEpoch = NO_PRODUCER,
    sequence: int = -1,
    transactional: bool = False,
) -> Batch:
    batch = context.observer.batch_of(["" for _ in records], producer=producer, sequence=sequence, transactional=transactional)
    times = [record.timestamp + later_ms for record in batch.records]
    return replace(batch, records=tuple(replace(record, timestamp=time) for record, time in zip(records, times, strict=True)))


def _first_of(number: int) -> str:
    return f"{CLEANER_RECORD}first of pair {number}"


def _places(context: ScenarioContext, where: TopicPartition) -> dict[str, int]:
    """The offset of each record that readers of uncommitted data get, by its value."""
    return {value: offset for offset, value in context.read(where, Isolation.READ_UNCOMMITTED).handed_over()}


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values) or "nothing"
