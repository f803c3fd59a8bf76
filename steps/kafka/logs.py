"""Then: what the logs of partitions hold, and how far committed data goes."""

from collections.abc import Iterable

from fencepost.adapters.kafka.cleaned_partition import CLEANER_RECORD
from fencepost.adapters.kafka.kafka_values import IsolationLevel, LogView, ProducerIdentity
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.sentence import compares
from fencepost.steps.step_outcomes import achieved, observed
from fencepost.wire.kafka.batches import MarkerType

from .kafka_context import LOG, KafkaContext
from .kafka_sentence_types import OffsetOf
from .leaders import let_one_node_lead
from .phrases import EpochOf, NextEpoch
from .vocabulary import KAFKA

_LEVELS = {
    "readers": IsolationLevel.READ_COMMITTED,
    "read_committed": IsolationLevel.READ_COMMITTED,
    "read_uncommitted readers": IsolationLevel.READ_UNCOMMITTED,
    "read_uncommitted": IsolationLevel.READ_UNCOMMITTED,
}


@KAFKA.then("the log of {partition} has not grown")
@compares(LOG, of="partition")
def has_not_grown(context: KafkaContext, partition: str) -> None:
    """A plain record written now gets the very offset at which the log ended before the When: nothing came in between."""
    where = context.partition(partition)
    ended = context.before.ends[where]
    sentinel = achieved(context.write_plain(where, "sentinel"), f"writing a sentinel to {partition}").base_offset
    context.evidence.expect(
        sentinel == ended, f"offset {ended}, as before", f"the next record got offset {sentinel}", what=f"end of the log of {partition}"
    )


@KAFKA.then("{readers} of[ {compacted}] {partition} see {values}[ with Fetch v{version:number}]")
def readers_see(
    context: KafkaContext, readers: str, compacted: str | None, partition: str, values: tuple[str, ...], version: int | None
) -> None:
    """A consumer of that isolation level, reading from the start, returns exactly these values in this order; of a compacted topic, also
    the records that show that a pass is complete.

    From version 13 on Fetch names the topic by its id; where no version is given, it is the newest that names it by its name.
    """
    view = context.read(context.partition(partition), _LEVELS[readers], version=version)
    seen = tuple(value for value in view.values() if not (compacted and value.startswith(CLEANER_RECORD)))
    context.evidence.expect(
        seen == values,
        _list(values),
        f"{_list(seen)}; {_ends(view)}; {_states(context)}",
        what=f"records that {readers} of {partition} see",
    )


@KAFKA.then("the last stable offset of {partitions} is {last_stable}")
def last_stable_offset_is(context: KafkaContext, partitions: tuple[str, ...], last_stable: OffsetOf | None) -> None:
    """In each of these, a read_committed Fetch answers a last stable offset equal to its high watermark, or the offset of this record."""
    for partition in partitions:
        where = context.partition(partition)
        due = None if last_stable is None else _offset(context, partition, last_stable.value)
        view = context.read(where, IsolationLevel.READ_COMMITTED)
        context.evidence.expect(
            view.last_stable_offset == (view.high_watermark if due is None else due),
            f"{last_stable or 'the high watermark'}, {view.high_watermark if due is None else due}",
            f"{_ends(view)}; {_states(context)}",
            what=f"last stable offset of {partition}",
        )


@KAFKA.then("ListOffsets of {partition} for {isolation} answers its {mark}")
def list_offsets_answers(context: KafkaContext, partition: str, isolation: str, mark: str) -> None:
    """ListOffsets for the latest offset, at that isolation level, answers what Fetch reports under this name."""
    where = context.partition(partition)
    view = context.read(where, IsolationLevel.READ_COMMITTED)
    due = view.last_stable_offset if mark == "last stable offset" else view.high_watermark
    end = observed(context.observer.end_offset(where, _LEVELS[isolation]), f"asking where {partition} ends")
    context.evidence.expect(end == due, f"its {mark} {due}", f"{end}; {_ends(view)}", what=f"latest offset of {partition} for {isolation}")


@KAFKA.then("ListOffsets of {here:partition} and {there:partition} for {isolation} answers the {mark} of each")
def list_offsets_answers_both(context: KafkaContext, here: str, there: str, isolation: str, mark: str) -> None:
    """One ListOffsets for the latest offsets of both, at that isolation level, answers what Fetch reports under this name. One node has to
    lead both.
    """
    where = context.where((here, there))
    let_one_node_lead(context, *where)
    views = [context.read(one, IsolationLevel.READ_COMMITTED) for one in where]
    due = [view.last_stable_offset if mark == "last stable offset" else view.high_watermark for view in views]
    ends = observed(context.observer.end_offsets(where, _LEVELS[isolation]), f"asking where {here} and {there} end")
    for name, view, expected, end in zip((here, there), views, due, ends, strict=True):
        context.evidence.expect(
            end == expected, f"its {mark} {expected}", f"{end}; {_ends(view)}", what=f"latest offset of {name} for {isolation}"
        )


@KAFKA.then("one {marker_kind} marker was added to {partitions}[, with {epoch_of}]")
@compares(LOG, of="partitions")
def one_marker_was_added(context: KafkaContext, marker_kind: str, partitions: tuple[str, ...], epoch_of: EpochOf | None) -> None:
    """Since the When, each of these logs got exactly one marker, of this type, and all carry the same producer id and epoch."""
    found = {name: new_markers(context, name) for name in partitions}
    markers = [marker for new in found.values() for marker in new]
    holds = all(len(new) == 1 for new in found.values()) and len(set(markers)) == 1 and markers[0][1].name == marker_kind
    expected = f"one {marker_kind} marker in each"
    if epoch_of is not None:
        due = _epoch_of(context, epoch_of)
        holds, expected = holds and markers[0][0] == due, f"{expected}, with epoch {due.epoch}"
    own = _epoch_of(context, epoch_of).epoch - isinstance(epoch_of, NextEpoch) if epoch_of else None
    context.evidence.expect(holds, expected, _reported(found, own), what=f"markers added to {' and '.join(partitions)}")


@KAFKA.then("only {marker_kind} markers were added to {partitions}, with {epoch_of}")
@compares(LOG, of="partitions")
def only_these_markers_were_added(context: KafkaContext, marker_kind: str, partitions: tuple[str, ...], epoch_of: EpochOf) -> None:
    """Since the When, each of these logs got at least one marker, and all are of this type and carry that epoch."""
    due = (_epoch_of(context, epoch_of), MarkerType[marker_kind])
    found = {name: new_markers(context, name) for name in partitions}
    context.evidence.expect(
        all(set(new) == {due} for new in found.values()),
        f"{marker_kind} markers with {due[0]} in each, and no others",
        _reported(found),
        what=f"markers added to {' and '.join(partitions)}",
    )


def new_markers(context: KafkaContext, partition: str) -> list[tuple[ProducerIdentity, MarkerType]]:
    """The markers that a log got since the When."""
    where = context.partition(partition)
    ended = context.before.ends[where]
    return context.read(where, IsolationLevel.READ_UNCOMMITTED).markers(since=ended)


def _offset(context: KafkaContext, partition: str, value: str) -> int:
    offset = context.read(context.partition(partition), IsolationLevel.READ_UNCOMMITTED).offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{partition} does not hold {value}")
    return offset


def _epoch_of(context: KafkaContext, epoch_of: EpochOf) -> ProducerIdentity:
    producer = context.producers[epoch_of.producer]
    return producer.next_epoch() if isinstance(epoch_of, NextEpoch) else producer.current


def _reported(found: dict[str, list[tuple[ProducerIdentity, MarkerType]]], own: int | None = None) -> str:
    """What was found, and how far its epochs are from the producer's own where that is known."""

    def one(identity: ProducerIdentity, kind: MarkerType) -> str:
        return f"{kind.name} {identity}" + ("" if own is None else f", {identity.epoch - own:+d} from the producer's own")

    return "; ".join(f"{name}: {', '.join(one(*marker) for marker in new) or 'none'}" for name, new in found.items())


def _list(values: Iterable[str]) -> str:
    return ", ".join(f'"{value}"' for value in values) or "nothing"


def _ends(view: LogView) -> str:
    return f"last stable offset {view.last_stable_offset}, high watermark {view.high_watermark}"


def _states(context: KafkaContext) -> str:
    transactional = [producer for producer in context.producers.values() if producer.transactional_id]
    return ", ".join(f"transaction of {producer.name}: {context.states[producer.transactional_id]}" for producer in transactional)
