"""The beginning and end of a log, its newest record, and what a reader outside of it gets."""

from collections.abc import Iterator

from fencepost.adapters.kafka.kafka_values import IsolationLevel, LogView, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.kafka.deleting import offset_of
from fencepost.steps.kafka.fetching import record_in
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.step_outcomes import observed
from fencepost.wire.kafka.batches import encode

from .vocabulary import KIP890, Landmark, Limit, OneByteFrom, SpecialTime, TimeOf, WithoutWaiting

_SPECIAL = {"start": -2, "start on the broker's own disk": -4, "newest record": -3, "end of what is stored elsewhere": -5}
_LONG_FROM_NOW = 2**42
"""In ms since 1970, in the year 2109."""

_LEVELS = {"read_committed": IsolationLevel.READ_COMMITTED, "read_uncommitted": IsolationLevel.READ_UNCOMMITTED}


@KIP890.when("the {landmark} of {partition} is looked up for {isolation}")
def a_landmark_is_looked_up(context: KafkaContext, landmark: Landmark, partition: str, isolation: str) -> None:
    """ListOffsets at that isolation level, with the timestamp that stands for this: -2, -4, -3 or -5; with one in the next century; or with
    the one that this record has in the log.
    """
    context.begin()
    where = context.asked_partition = context.partition(partition)
    match landmark:
        case TimeOf(value):
            _, context.asked_time = record_in(context, where, value)
        case SpecialTime(name):
            context.asked_time = _SPECIAL.get(name, _LONG_FROM_NOW)
    context.keep(None, context.observer.record_at(where, _LEVELS[isolation], context.asked_time), "ListOffsets")


@KIP890.when("{partition} is read from {point} for {isolation}")
def is_read_from(context: KafkaContext, partition: str, point: str, isolation: str) -> None:
    """One Fetch at that isolation level, from the offset where the log ends, from one below its start, or from one past its end."""
    context.begin()
    where = context.partition(partition)
    context.keep(None, context.observer.page(where, _LEVELS[isolation], offset_of(context, where, point)), "Fetch")


@KIP890.then("a read_committed Fetch of {partition} {limit} gets {values}")
def a_fetch_gets(context: KafkaContext, partition: str, limit: Limit, values: tuple[str, ...]) -> None:
    """A read_committed Fetch, sent when no marker is in flight, gets exactly these values: from the start of the log with a max wait of 0,
    and once more from where it ended, since a leader may answer with fewer batches than there are, until one gets none; or a single one
    from that record on with room for one byte, which is answered with the batch at that offset, if it may be.
    """
    where = context.partition(partition)
    context.await_markers()
    match limit:
        case WithoutWaiting():
            start = observed(context.observer.start_offset(where), f"asking where {partition} starts")
            pages = _without_waiting(context, where, start)
            what = f"records of {partition} by a Fetch with a max wait of 0"
        case OneByteFrom(value):
            start, _ = record_in(context, where, value)
            page = context.observer.page(where, IsolationLevel.READ_COMMITTED, start, max_bytes=1)
            pages = iter([observed(page, f"reading {partition} from {start}")])
            what = f"one byte of {partition} from {value}"
    seen = tuple(value for page in pages for value in page.values())
    context.evidence.expect(seen == values, _quoted(values), _quoted(seen), what=what)


@KIP890.then("a Fetch with room for {count:number} batches of {partition} gets {values}, or the first of them")
def with_room_for(context: KafkaContext, count: int, partition: str, values: tuple[str, ...]) -> None:
    """A read_uncommitted Fetch from the start of the log, with room for as many bytes as its first batches have, gets these values or only
    the first of them: a broker may return less than there is room for, but not more and not nothing.
    """
    where = context.partition(partition)
    batches = context.read(where, IsolationLevel.READ_UNCOMMITTED).batches
    if len(batches) <= count:
        raise SetUpFailed(f"{partition} holds {len(batches)} batches, and was to hold more than {count}")
    room = sum(len(encode(batch)) for batch in batches[:count])
    start = observed(context.observer.start_offset(where), f"asking where {partition} starts")
    page = observed(context.observer.page(where, IsolationLevel.READ_UNCOMMITTED, start, max_bytes=room), f"reading {partition}")
    seen = tuple(page.values())
    holds = bool(seen) and seen == values[: len(seen)]
    context.evidence.expect(holds, f"{values} or the first of them", str(seen), what=f"{room} bytes of {partition}")


@KIP890.then("{partition} begins with {beginning}")
def begins_with(context: KafkaContext, partition: str, beginning: str) -> None:
    """ListOffsets for the earliest answers the offset of this record, which is in the log, or the offset of the next record."""
    where = context.partition(partition)
    view = context.read(where, IsolationLevel.READ_UNCOMMITTED)
    due = view.high_watermark if beginning == "what comes next" else view.offset_of(beginning.strip('"'))
    start = observed(context.observer.start_offset(where), f"asking where {partition} starts")
    reported = "nothing of that" if due is None else f"offset {due}"
    context.evidence.expect(
        start == due, f"{beginning} at its start", f"start offset {start}, {reported}", what=f"beginning of {partition}"
    )


def _without_waiting(context: KafkaContext, where: TopicPartition, start: int) -> Iterator[LogView]:
    """Fetches with a max wait of 0, each from where the last one ended, until one gets no further."""
    end = start - 1
    while end < start:
        page = observed(context.observer.page(where, IsolationLevel.READ_COMMITTED, start, max_wait_ms=0), f"reading {where} from {start}")
        yield page
        end, start = start, page.batches[-1].last_offset + 1 if page.batches else start


def _quoted(values: tuple[str, ...]) -> str:
    return ", ".join(f'"{value}"' for value in values) or "nothing"
