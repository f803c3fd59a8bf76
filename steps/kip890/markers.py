"""Markers that somebody else than the coordinator sends, what becomes of them, and what a marker in a log looks like.

A coordinator's markers cannot be told from those of an administrator's tool, so a late or outdated coordinator is played by
sending its request.
"""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import Isolation, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered
from fencepost.wire.kafka.batches import Batch, MarkerType

from .world import Producer, World

_EPOCHS = {"its own": 0, "its previous": -1, "the next": 1}
_EPOCH = "|".join(_EPOCHS)
_NO_SUCH_PARTITION = 99
_BUMPED = 2
"""The transaction version of markers whose epoch was bumped; only WriteTxnMarkers v2 and later can say so."""


@given(parsers.parse('{name:w}, an old client, has written "{value}" to {partition}'))
def an_old_client_has_written(world: World, name: str, value: str, partition: str) -> None:
    """AddPartitionsToTxn v3 and then Produce v11, as clients did before partitions were added by the server."""
    producer, where = world.producer(name), world.partition(partition)
    achieved(producer.probe.add_partitions(producer.transactional_id, producer.pair, [where]), f"announcing {partition}")
    achieved(producer.write(where, value, version=11), f"writing {value} to {partition}")


@given(parsers.re(rf"a marker for (?P<name>\w+) with (?P<epoch>{_EPOCH}) epoch has reached (?P<partition>\S+)"))
def a_marker_has_reached(world: World, name: str, epoch: str, partition: str) -> None:
    """An ABORT marker in WriteTxnMarkers v1 was taken by the leader of that partition."""
    where, producer = world.partition(partition), world.producer(name)
    marker = world.observer.write_marker(where, _pair(producer, epoch), commit=False, coordinator_epoch=_seen(world, where, producer))
    achieved(marker, f"a marker for {partition}")


@given(parsers.re(r"a marker for (?P<name>\w+) from coordinator epoch (?P<coordinator_epoch>\d+) has reached (?P<partition>\S+)"))
def a_marker_of_a_coordinator_has_reached(world: World, name: str, coordinator_epoch: str, partition: str) -> None:
    """An ABORT marker with the producer's own epoch and that coordinator epoch, in WriteTxnMarkers v1, was taken by the leader."""
    marker = world.observer.write_marker(
        world.partition(partition), world.producer(name).pair, commit=False, coordinator_epoch=int(coordinator_epoch)
    )
    achieved(marker, f"a marker for {partition}")


@when(
    parsers.re(
        rf"an? (?P<kind>COMMIT|ABORT) marker (?P<bumped>of the new protocol )?for (?P<name>\w+) with (?P<epoch>{_EPOCH}) epoch"
        r" reaches (?P<partition>\S+)"
    )
)
def a_marker_reaches(world: World, kind: str, bumped: str | None, name: str, epoch: str, partition: str) -> None:
    """WriteTxnMarkers v1 with the coordinator epoch that the partition saw last; of the new protocol: v2 with transaction version 2."""
    producer, where = world.turn_of(name), world.partition(partition)
    answer = world.observer.write_marker(
        where,
        _pair(producer, epoch),
        commit=kind == "COMMIT",
        coordinator_epoch=_seen(world, where, producer),
        version=2 if bumped else 1,
        transaction_version=_BUMPED if bumped else 0,
    )
    world.ask(producer, answer)


@when(parsers.re(r"an ABORT marker for (?P<name>\w+) from coordinator epoch (?P<coordinator_epoch>\d+) reaches (?P<partition>\S+)"))
def a_marker_of_a_coordinator_reaches(world: World, name: str, coordinator_epoch: str, partition: str) -> None:
    """WriteTxnMarkers v1 with the producer's own epoch and that coordinator epoch."""
    producer = world.turn_of(name)
    answer = world.observer.write_marker(world.partition(partition), producer.pair, commit=False, coordinator_epoch=int(coordinator_epoch))
    world.ask(producer, answer)


@when(parsers.re(r"an ABORT marker for (?P<name>\w+) is sent to (?P<partition>\S+) and to a partition that does not exist"))
def a_marker_for_two(world: World, name: str, partition: str) -> None:
    """One WriteTxnMarkers v1, with one marker of the producer's own epoch, for that partition and for one that its topic has not."""
    producer, where = world.turn_of(name), world.partition(partition)
    missing = TopicPartition(where.topic, _NO_SUCH_PARTITION)
    epoch = _seen(world, where, producer)
    world.ask(producer, world.observer.write_markers([where, missing], producer.pair, commit=False, coordinator_epoch=epoch))


@when(parsers.re(r'(?P<name>\w+) begins in (?P<partition>\S+) with "(?P<value>[^"]*)" at sequence (?P<sequence>\d+)'))
def begins_at(world: World, name: str, partition: str, value: str, sequence: str) -> None:
    """Produce v12: one transactional record with that sequence number."""
    producer = world.turn_of(name)
    answer = producer.probe.produce(
        world.partition(partition),
        [value],
        producer=producer.pair,
        transactional_id=producer.transactional_id,
        sequence=int(sequence),
    )
    if isinstance(answer, Done):
        producer.written.add(world.partition(partition))
    world.ask(producer, answer)


@then("the marker is accepted")
def the_marker_is_accepted(world: World) -> None:
    """WriteTxnMarkers answers no error for the partition."""
    world.evidence.expect(world.answer == Done(None), "an accepted marker", _told(world.answer))


@then(parsers.parse("only the partition that does not exist is refused, with {error:w}"))
def only_the_missing_one_is_refused(world: World, error: str) -> None:
    """The answer has this error for the missing partition, and no error for the other one."""
    match world.answer:
        case Done(dict() as verdicts):
            told = {partition.partition: verdict.error if isinstance(verdict, Refused) else None for partition, verdict in verdicts.items()}
            holds = told.pop(_NO_SUCH_PARTITION) == error and set(told.values()) == {None}
            seen = ", ".join(f"{partition}: {_told(verdict)}" for partition, verdict in verdicts.items())
            world.evidence.expect(holds, f"{error} for the partition that does not exist, and for no other", seen)
        case Unknown() as unknown:
            unanswered(unknown, "the marker was sent")
        case other:
            raise Violation("a verdict for each partition", _told(other))


@then(parsers.parse("{partition} holds one {kind:w} marker, with the epoch of {name:w}"))
def one_marker_with_the_same_epoch(world: World, partition: str, kind: str, name: str) -> None:
    """Since the When, the log got exactly one marker, of this type, with the producer's id and the epoch of its data."""
    due = (world.producer(name).pair, MarkerType[kind])
    found = world.read(world.partition(partition), Isolation.READ_UNCOMMITTED).markers(since=world.noted().ends[world.partition(partition)])
    told = ", ".join(f"{type_.name} with epoch {pair.epoch}" for pair, type_ in found)
    world.evidence.expect(found == [due], f"one {kind} marker with epoch {due[0].epoch} in {partition}", told or "none")


@then(parsers.parse("the marker in {partition} is a transactional control batch with one record and no sequence"))
def the_marker_is_a_control_batch(world: World, partition: str) -> None:
    """The batch since the When has both attributes, base sequence -1, and one record with a decision and a coordinator epoch in it."""
    batch = _new_batch(world, partition)
    holds = batch.transactional and batch.control and len(batch.records) == 1 and batch.base_sequence == -1
    epoch = batch.marker.coordinator_epoch if batch.marker else -1
    world.evidence.expect(
        holds and epoch >= 0,
        "a transactional control batch of one record, with sequence -1 and the epoch of a coordinator",
        f"transactional: {batch.transactional}, control: {batch.control}, records: {len(batch.records)}, "
        f"sequence: {batch.base_sequence}, coordinator epoch: {epoch}",
    )


@then(parsers.parse("the marker in {partition} begins and ends at one offset"))
def the_marker_takes_one_offset(world: World, partition: str) -> None:
    """The header of the batch since the When says that its last offset is its first one; what offset comes next, it does not say."""
    batch = _new_batch(world, partition)
    last = batch.base_offset + (batch.last_offset_delta or 0)
    world.evidence.expect(
        batch.last_offset_delta == 0, f"a marker at offset {batch.base_offset} and nowhere else", f"one from there to offset {last}"
    )


@then(parsers.parse("the new markers in {partition} carry a larger coordinator epoch than those before"))
def a_larger_coordinator_epoch(world: World, partition: str) -> None:
    """There is a marker since the When, and each has a larger coordinator epoch than every earlier one of this log."""
    where = world.partition(partition)
    ended = world.noted().ends[where]
    batches = [batch for batch in world.read(where, Isolation.READ_UNCOMMITTED).batches if batch.marker]
    epochs = {
        since: [batch.marker.coordinator_epoch for batch in batches if batch.marker and (batch.base_offset >= ended) is since]
        for since in (False, True)
    }
    holds = bool(epochs[False]) and bool(epochs[True]) and min(epochs[True]) > max(epochs[False])
    world.evidence.expect(holds, f"markers in {partition} of a coordinator epoch above {epochs[False]}", f"{epochs[True] or 'none'}")


def _new_batch(world: World, partition: str) -> Batch:
    """The one batch that the log got from the producer, or about it, since the When."""
    assert world.asked is not None, "a sentence about a marker stands before the When"
    where, producer_id = world.partition(partition), world.asked.pair.producer_id
    ended = world.noted().ends[where]
    batches = world.read(where, Isolation.READ_UNCOMMITTED).batches
    new = [batch for batch in batches if batch.base_offset >= ended and batch.producer_id == producer_id]
    if len(new) != 1:
        raise Violation(f"one new batch in {partition}, the marker", f"{len(new)}")
    return new[0]


def _seen(world: World, where: TopicPartition, producer: Producer) -> int:
    """The coordinator epoch of the producer's last marker in a partition, 0 where there was none: one that is not outdated."""
    active = observed(world.observer.describe_producers(where), f"describing the producers of {where}")
    return max([entry.coordinator_epoch for entry in active if entry.producer.producer_id == producer.pair.producer_id] + [0])


def _pair(producer: Producer, epoch: str) -> ProducerIdAndEpoch:
    if epoch == "its previous":
        return producer.pairs[-2]
    return producer.pair.with_epoch(producer.pair.epoch + _EPOCHS[epoch])


def _told(answer: object) -> str:
    match answer:
        case Done(None):
            return "success"
        case Unknown() as unknown:
            return unanswered(unknown, "the marker was sent")
        case other:
            return str(other)
