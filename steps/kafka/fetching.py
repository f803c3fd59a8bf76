"""What readers of committed data are told and handed, beyond what they show; and the look-up of offsets by time."""

from fencepost.adapters.kafka.values import AbortedTransaction, Isolation, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.steps.outcomes import achieved, observed

from .context import ScenarioContext
from .judging import answer_of, judge_answer, reported
from .vocabulary import KAFKA

_LEVELS = {"read_committed": Isolation.READ_COMMITTED, "read_uncommitted": Isolation.READ_UNCOMMITTED}
_NOWHERE = (-1, -1)


@KAFKA.when("the offset for the time of {value} in {partition} is looked up for {isolation}")
def the_time_is_looked_up(context: ScenarioContext, value: str, partition: str, isolation: str) -> None:
    """ListOffsets at that isolation level, for the timestamp that this record has in the log."""
    context.begin()
    where = context.partition(partition)
    context.asked_partition = where
    _, timestamp = _record(context, where, value)
    context.keep(None, context.observer.record_at(where, _LEVELS[isolation], timestamp), "ListOffsets")


@KAFKA.then("the look-up finds {values}")
def the_look_up_finds(context: ScenarioContext, values: tuple[str, ...]) -> None:
    """ListOffsets answers offset and timestamp of this record; or no error, and -1 for both."""
    assert context.asked_partition is not None, "a sentence about a look-up stands after one"
    due = _record(context, context.asked_partition, values[0]) if values else _NOWHERE
    answer = answer_of(context)
    match answer:
        case Done((int() as offset, int() as timestamp)):
            seen = f"offset {offset} and timestamp {timestamp}"
        case other:
            seen = reported(other)
    judge_answer(context, answer == Done(due), f"offset {due[0]} and timestamp {due[1]}", answer, seen)


@KAFKA.then("a read_committed Fetch of {partition}[ from {start:value}] lists {aborted}")
def fetch_lists(context: ScenarioContext, partition: str, start: str | None, aborted: str) -> None:
    """A read_committed Fetch from the start of the log, or from this record on, lists no aborted transaction, or exactly this one."""
    where = context.partition(partition)
    if start is None:
        listed = context.read(where, Isolation.READ_COMMITTED).aborted
    else:
        context.await_markers()
        offset, _ = _record(context, where, start)
        listed = observed(context.observer.page(where, Isolation.READ_COMMITTED, offset), f"reading {where}").aborted
    due: tuple[AbortedTransaction, ...] = ()
    if aborted != "no aborted transaction":
        producer, first = aborted.removeprefix("the aborted transaction of ").split(" from ")
        offset, _ = _record(context, where, first.strip('"'))
        due = (AbortedTransaction(context.producers[producer].current.producer_id, offset),)
    context.evidence.expect(listed == due, _listed(due), _listed(listed), what=f"aborted transactions of {partition}")


@KAFKA.then("a read_committed Fetch of {partition} returns {values} and {marker_count}")
def fetch_returns(context: ScenarioContext, partition: str, values: tuple[str, ...], marker_count: int) -> None:
    """The batches of a read_committed Fetch hold these records, in this order, decided how ever, and that many control batches."""
    batches = context.read(context.partition(partition), Isolation.READ_COMMITTED).batches
    records = tuple((record.value or b"").decode() for batch in batches if not batch.control for record in batch.records)
    markers = [batch for batch in batches if batch.control]
    context.evidence.expect(
        records == values and len(markers) == marker_count,
        f"{', '.join(values)} and {marker_count} markers",
        f"{', '.join(records) or 'no records'} and {len(markers)} markers",
        what=f"batches of {partition}",
    )


@KAFKA.then("a read_committed Fetch of any batch of {producer} in {partition} lists its aborted transaction")
def each_batch_is_listed(context: ScenarioContext, producer: str, partition: str) -> None:
    """For each data batch of the producer: a read_committed Fetch from its offset, with room for no more, lists the producer's id with
    the offset of its first batch."""
    where, producer_id = context.partition(partition), context.producers[producer].current.producer_id
    batches = [batch for batch in context.read(where, Isolation.READ_UNCOMMITTED).batches if batch.producer_id == producer_id]
    offsets = [batch.base_offset for batch in batches if not batch.control]
    if not offsets:
        raise SetUpFailed(f"{partition} holds no batch of {producer}")
    due = AbortedTransaction(producer_id, offsets[0])
    for offset in offsets:
        page = observed(context.observer.page(where, Isolation.READ_COMMITTED, offset, max_bytes=1), f"reading {partition} from {offset}")
        fetched = [batch.base_offset for batch in page.batches]
        context.evidence.expect(
            due in page.aborted and fetched[:1] == [offset],
            f"{_listed((due,))}, beside the batch at {offset}",
            f"{_listed(page.aborted)}, beside batches at {fetched}",
            what=f"aborted transactions of {partition}",
        )


def _record(context: ScenarioContext, where: TopicPartition, value: str) -> tuple[int, int]:
    """Offset and timestamp of a record in the log."""
    view = achieved(context.observer.read(where, Isolation.READ_UNCOMMITTED), f"reading {where}")
    offset = view.offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{where} does not hold {value}")
    batch = next(batch for batch in view.batches if batch.base_offset <= offset <= batch.last_offset)
    return offset, batch.records[offset - batch.base_offset].timestamp


def _listed(entries: tuple[AbortedTransaction, ...]) -> str:
    return ", ".join(f"producer id {entry.producer_id} from offset {entry.first_offset}" for entry in entries) or "none"
