"""The beginning and end of a log, its newest record, and what a reader outside of it gets."""

from fencepost.adapters.kafka.values import Isolation, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.outcomes import observed
from fencepost.wire.kafka.batches import encode

from .vocabulary import KIP890

_SPECIAL = {"start": -2, "start on the broker's own disk": -4, "newest record": -3, "end of what is stored elsewhere": -5}
_LONG_FROM_NOW = 2**42
"""In ms since 1970, in the year 2109."""

_LEVELS = {"read_committed": Isolation.READ_COMMITTED, "read_uncommitted": Isolation.READ_UNCOMMITTED}


@KIP890.when("the {landmark} of {partition} is looked up for {isolation}")
def a_landmark_is_looked_up(context: ScenarioContext, landmark: str, partition: str, isolation: str) -> None:
    """ListOffsets at that isolation level, with the timestamp that stands for this: -2, -4, -3 or -5; or with one in the next century."""
    context.begin()
    where = context.asked_partition = context.partition(partition)
    context.asked_time = _SPECIAL.get(landmark, _LONG_FROM_NOW)
    context.keep(None, context.observer.record_at(where, _LEVELS[isolation], context.asked_time), "ListOffsets")


@KIP890.when("the records of {partition} are deleted up to {point}")
def are_deleted_up_to(context: ScenarioContext, partition: str, point: str) -> None:
    """DeleteRecords with that offset, sent once after the beginning and the end of the log are known."""
    context.begin()
    where = context.partition(partition)
    context.keep(None, context.observer.delete_records(where, offset_of(context, where, point)), "DeleteRecords")


@KIP890.when("{partition} is read from {point} for {isolation}")
def is_read_from(context: ScenarioContext, partition: str, point: str, isolation: str) -> None:
    """One Fetch at that isolation level, from the offset where the log ends, from one below its start, or from one behind its end."""
    context.begin()
    where = context.partition(partition)
    context.keep(None, context.observer.page(where, _LEVELS[isolation], offset_of(context, where, point)), "Fetch")


@KIP890.then("a Fetch with room for {count:number} batches of {partition} gets {values}, or the first of them")
def with_room_for(context: ScenarioContext, count: int, partition: str, values: tuple[str, ...]) -> None:
    """A read_uncommitted Fetch from the start of the log, with room for as many bytes as its first batches have, gets these values or only
    the first of them: a broker may return less than there is room for, but not more and not nothing.
    """
    where = context.partition(partition)
    batches = context.read(where, Isolation.READ_UNCOMMITTED).batches
    if len(batches) <= count:
        raise SetUpFailed(f"{partition} holds {len(batches)} batches, and was to hold more than {count}")
    room = sum(len(encode(batch)) for batch in batches[:count])
    start = observed(context.observer.start_offset(where), f"asking where {partition} starts")
    page = observed(context.observer.page(where, Isolation.READ_UNCOMMITTED, start, max_bytes=room), f"reading {partition}")
    seen = tuple(page.values())
    holds = bool(seen) and seen == values[: len(seen)]
    context.evidence.expect(holds, f"{values} or the first of them", str(seen), what=f"{room} bytes of {partition}")


@KIP890.then("{partition} begins with {beginning}")
def begins_with(context: ScenarioContext, partition: str, beginning: str) -> None:
    """ListOffsets for the earliest answers the offset of this record, which is in the log, or the offset of the next record."""
    where = context.partition(partition)
    view = context.read(where, Isolation.READ_UNCOMMITTED)
    due = view.high_watermark if beginning == "what comes next" else view.offset_of(beginning.strip('"'))
    start = observed(context.observer.start_offset(where), f"asking where {partition} starts")
    reported = "nothing of that" if due is None else f"offset {due}"
    context.evidence.expect(
        start == due, f"{beginning} at its start", f"start offset {start}, {reported}", what=f"beginning of {partition}"
    )


def offset_of(context: ScenarioContext, where: TopicPartition, point: str) -> int:
    """The offset of a point of a log."""
    start = observed(context.observer.start_offset(where), f"asking where {where} starts")
    end = context.end_of(where)
    return {"a negative offset": -2, "before its start": start - 1, "its start": start, "its end": end, "behind its end": end + 1}[point]
