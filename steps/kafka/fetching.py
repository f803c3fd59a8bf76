"""What readers of committed data receive in answers, in addition to the records; and the look-up of offsets by time."""

from operator import attrgetter

from fencepost.adapters.kafka.kafka_values import AbortedTransaction, IsolationLevel, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.step_outcomes import achieved, observed

from .judging import answer_of, judge_answer, reported
from .kafka_context import KafkaContext
from .kafka_sentence_types import AbortedFrom
from .leaders import let_one_node_lead
from .phrases import Found, FoundOffset, FoundRecord
from .vocabulary import KAFKA

_NOWHERE = (-1, -1)
_FIRST_OFFSET = attrgetter("first_offset")
_NEWEST = -3
"""The timestamp that asks for the newest record."""


@KAFKA.then("the look-up finds {found}")
def the_look_up_finds(context: KafkaContext, found: Found) -> None:
    """ListOffsets answers offset and timestamp of this record; no error, and -1 for both; or that offset, and -1 for the timestamp.

    Records may have the same time, when the log assigns it. Then the first of them is expected, or, where the newest one was asked for, any
    of them.
    """
    assert context.asked_partition is not None, "a sentence about a look-up stands after one"
    answer = answer_of(context)
    match found:
        case FoundOffset(offset):
            due = [(offset, -1)]
        case FoundRecord(values):
            due = _allowed(context, context.asked_partition, values[0]) if values else [_NOWHERE]
    match answer:
        case Done((int() as offset, int() as timestamp)):
            seen = f"offset {offset} and timestamp {timestamp}"
        case other:
            seen = reported(other)
    expected = " or ".join(f"offset {offset} and timestamp {timestamp}" for offset, timestamp in due)
    judge_answer(context, answer in [Done(place) for place in due], expected, answer, seen)


@KAFKA.then("a read_committed Fetch of {partition}[ from {start:value}] lists {aborted}")
def fetch_lists(context: KafkaContext, partition: str, start: str | None, aborted: AbortedFrom | None) -> None:
    """A read_committed Fetch from the start of the log, or from this record on, lists no aborted transaction, or exactly these, in any
    order."""
    where = context.partition(partition)
    context.await_markers()
    due: tuple[AbortedTransaction, ...] = ()
    if aborted is not None:
        producer_id = context.producers[aborted.producer].current.producer_id
        due = tuple(AbortedTransaction(producer_id, record_in(context, where, first)[0]) for first in aborted.firsts)
    if start is None:  # last, so that the answer that is judged is the one that is shown
        listed = context.read(where, IsolationLevel.READ_COMMITTED).aborted
    else:
        offset, _ = record_in(context, where, start)
        listed = observed(context.observer.page(where, IsolationLevel.READ_COMMITTED, offset), f"reading {where}").aborted
    holds = sorted(listed, key=_FIRST_OFFSET) == sorted(due, key=_FIRST_OFFSET)
    context.evidence.expect(holds, _listed(due), _listed(listed), what=f"aborted transactions of {partition}")


@KAFKA.then("a read_committed Fetch of any batch of {producer} in {partition} lists its aborted transaction")
def each_batch_is_listed(context: KafkaContext, producer: str, partition: str) -> None:
    """For each data batch of the producer: a read_committed Fetch from its offset, with room for no more, lists the producer's id with
    the offset of its first batch, unless the broker has left out the batch itself."""
    where, producer_id = context.partition(partition), context.producers[producer].current.producer_id
    batches = [batch for batch in context.read(where, IsolationLevel.READ_UNCOMMITTED).batches if batch.producer_id == producer_id]
    offsets = [batch.base_offset for batch in batches if not batch.control]
    if not offsets:
        raise SetUpFailed(f"{partition} holds no batch of {producer}")
    due = AbortedTransaction(producer_id, offsets[0])
    for offset in offsets:
        page = observed(
            context.observer.page(where, IsolationLevel.READ_COMMITTED, offset, max_bytes=1), f"reading {partition} from {offset}"
        )
        fetched = [batch.base_offset for batch in page.batches]
        context.evidence.expect(
            due in page.aborted or offset not in fetched,
            f"{_listed((due,))}, next to the batch at {offset}",
            f"{_listed(page.aborted)}, next to batches at {fetched}",
            what=f"aborted transactions of {partition}",
        )


@KAFKA.then("readers of {here:partition} and {there:partition} see {values} and {others:values} by one Fetch[ of version {version:number}]")
def one_fetch_shows(
    context: KafkaContext, here: str, there: str, values: tuple[str, ...], others: tuple[str, ...], version: int | None
) -> None:
    """A consumer of committed data that asks for both partitions in each of its Fetches, in this order and from the start, returns exactly
    these values of each. One node has to lead both.
    """
    where = context.where((here, there))
    context.await_markers()
    let_one_node_lead(context, *where)
    outcome = context.observer.read_together(where, IsolationLevel.READ_COMMITTED, version=version)
    if isinstance(outcome, Refused) and outcome.error == "NOT_LEADER_OR_FOLLOWER":
        raise SetUpFailed(f"{here} and {there} have different leaders, so no Fetch can ask for both")
    views = observed(outcome, f"reading {here} and {there}")
    for name, partition, due in zip((here, there), where, (values, others), strict=True):
        seen = tuple(views[partition].values())
        context.evidence.expect(
            seen == due,
            _quoted(due),
            f"{_quoted(seen)}; aborted transactions: {_listed(views[partition].aborted)}",
            what=f"records that readers of {name} see by a Fetch of two partitions",
        )


def record_in(context: KafkaContext, where: TopicPartition, value: str) -> tuple[int, int]:
    """Offset and timestamp of a record in the log."""
    view = achieved(context.observer.read(where, IsolationLevel.READ_UNCOMMITTED), f"reading {where}")
    offset = view.offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{where} does not hold {value}")
    batch = next(batch for batch in view.batches if batch.base_offset <= offset <= batch.last_offset)
    return offset, batch.records[batch.offsets.index(offset)].timestamp


def _allowed(context: KafkaContext, where: TopicPartition, value: str) -> list[tuple[int, int]]:
    """Offset and timestamp of each record that a look-up for this one may answer."""
    _, time = record_in(context, where, value)
    view = achieved(context.observer.read(where, IsolationLevel.READ_UNCOMMITTED), f"reading {where}")
    batches = view.batches
    places = [(offset, record.timestamp) for batch in batches for offset, record in zip(batch.offsets, batch.records, strict=True)]
    if context.asked_time == _NEWEST:
        return [place for place in places if place[1] == time]
    return [place for place in places if place[1] >= time][:1]


def _quoted(values: tuple[str, ...]) -> str:
    return ", ".join(f'"{value}"' for value in values) or "nothing"


def _listed(entries: tuple[AbortedTransaction, ...]) -> str:
    return ", ".join(f"producer id {entry.producer_id} from offset {entry.first_offset}" for entry in entries) or "none"
