"""What readers of committed data are told and handed, beyond what they show."""

from itertools import pairwise

from pytest_bdd import parsers, then, when

from fencepost.adapters.kafka.values import AbortedTransaction, Isolation, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.steps.outcomes import achieved, observed

from .world import World

_LEVELS = {"committed": Isolation.READ_COMMITTED, "uncommitted": Isolation.READ_UNCOMMITTED}
_NOWHERE = (-1, -1)


@when(parsers.re(r'the time of "(?P<value>[^"]*)" is looked up in (?P<partition>\S+) for (?P<level>committed|uncommitted) data'))
def the_time_is_looked_up(world: World, value: str, partition: str, level: str) -> None:
    """ListOffsets at that isolation level, for the timestamp that this record has in the log."""
    world.note()
    where = world.partition(partition)
    _, timestamp = _record(world, where, value)
    world.answer = world.observer.record_at(where, _LEVELS[level], timestamp)


@then(parsers.parse('the look-up finds "{value}" in {partition}'))
def the_look_up_finds(world: World, value: str, partition: str) -> None:
    """ListOffsets answers offset and timestamp of this record."""
    due = _record(world, world.partition(partition), value)
    world.evidence.expect(world.answer == Done(due), f"offset {due[0]} and timestamp {due[1]}", _told(world.answer))


@then("the look-up finds nothing")
def the_look_up_finds_nothing(world: World) -> None:
    """ListOffsets answers no error, and -1 for offset and timestamp."""
    world.evidence.expect(world.answer == Done(_NOWHERE), "offset -1 and timestamp -1", _told(world.answer))


@then(parsers.parse("readers of committed data are told of no aborted transaction in {partition}"))
def told_of_nothing(world: World, partition: str) -> None:
    """A read_committed Fetch from the start of the log lists no aborted transaction."""
    view = world.read(world.partition(partition), Isolation.READ_COMMITTED)
    world.evidence.expect(not view.aborted, f"no aborted transaction in {partition}", _listed(view.aborted))


@then(
    parsers.re(
        r'readers of committed data are told of the aborted transaction of (?P<name>\w+) from "(?P<first>[^"]*)" in (?P<partition>\S+)'
    )
)
def told_of_one(world: World, name: str, first: str, partition: str) -> None:
    """A read_committed Fetch from the start of the log lists exactly this producer's id, with the offset of this record."""
    where = world.partition(partition)
    view = world.read(where, Isolation.READ_COMMITTED)
    _judge_listed(world, view.aborted, _aborted(world, name, where, first))


@then(
    parsers.re(
        r'a reader of committed data that begins at "(?P<start>[^"]*)" is told of the aborted transaction of (?P<name>\w+)'
        r' from "(?P<first>[^"]*)" in (?P<partition>\S+)'
    )
)
def told_from_there(world: World, start: str, name: str, first: str, partition: str) -> None:
    """A read_committed Fetch from the offset of the one record lists exactly this producer's id, with the offset of the other."""
    where = world.partition(partition)
    page = _page(world, where, start)
    _judge_listed(world, page, _aborted(world, name, where, first))


@then(parsers.re(r'a reader of committed data that begins at "(?P<start>[^"]*)" is told of no aborted transaction in (?P<partition>\S+)'))
def told_of_nothing_from_there(world: World, start: str, partition: str) -> None:
    """A read_committed Fetch from the offset of this record lists no aborted transaction."""
    listed = _page(world, world.partition(partition), start)
    world.evidence.expect(not listed, f'no aborted transaction from "{start}" on', _listed(listed))


@then(parsers.re(r"readers of committed data are handed (?P<values>.+) from (?P<partition>\S+), and (?P<count>\d+) markers"))
def are_handed(world: World, values: str, partition: str, count: str) -> None:
    """The batches of a read_committed Fetch hold these records, in this order, decided how ever, and that many control batches."""
    due = [value.strip().strip('"') for value in values.split(",")]
    batches = world.read(world.partition(partition), Isolation.READ_COMMITTED).batches
    records = [(record.value or b"").decode() for batch in batches if not batch.control for record in batch.records]
    markers = [batch for batch in batches if batch.control]
    world.evidence.expect(
        records == due and len(markers) == int(count),
        f"{', '.join(due)} and {count} markers",
        f"{', '.join(records) or 'no records'} and {len(markers)} markers",
    )


@when(
    parsers.re(
        r"(?P<one>\w+) (?P<first>commits|aborts)(?: and (?P<other>\w+) (?P<second>commits|aborts))?, watched by readers of committed data"
    )
)
def ends_watched(world: World, one: str, first: str, other: str | None, second: str | None) -> None:
    """EndTxn v5 of the one, then of the other; before, between and after, every partition is read until all markers are written."""
    world.note()
    world.watched = {partition: [] for partition in world.partitions}
    _look(world)
    for name, verb in ((one, first), (other, second)):
        if name is None:
            continue
        producer = world.producer(name)
        world.ask(producer, producer.end(verb == "commits"))
        for _ in world.time.attempts():
            _look(world)
            if world.describe(producer).is_settled:
                break
        _look(world)


@then("no reader has lost sight of a record, nor seen the last stable offset go back")
def nothing_was_lost(world: World) -> None:
    """In each partition, what one look showed is how the next one begins, and the last stable offset never becomes smaller."""
    for partition, looks in world.watched.items():
        for before, after in pairwise(looks):
            shown, shown_later = before.values(), after.values()
            world.evidence.expect(
                shown_later[: len(shown)] == shown and after.last_stable_offset >= before.last_stable_offset,
                f"{partition} to go on from {shown}, last stable offset {before.last_stable_offset}",
                f"{shown_later}, last stable offset {after.last_stable_offset}",
            )


def _look(world: World) -> None:
    for partition, looks in world.watched.items():
        looks.append(observed(world.observer.read(partition, Isolation.READ_COMMITTED), f"reading {partition}"))


def _record(world: World, where: TopicPartition, value: str) -> tuple[int, int]:
    """Offset and timestamp of a record in the log."""
    view = achieved(world.observer.read(where, Isolation.READ_UNCOMMITTED), f"reading {where}")
    offset = view.offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{where} does not hold {value}")
    batch = next(batch for batch in view.batches if batch.base_offset <= offset <= batch.last_offset)
    return offset, batch.records[offset - batch.base_offset].timestamp


def _page(world: World, where: TopicPartition, start: str) -> tuple[AbortedTransaction, ...]:
    """What one Fetch from a record on lists."""
    world.await_markers()
    offset, _ = _record(world, where, start)
    return observed(world.observer.page(where, Isolation.READ_COMMITTED, offset), f"reading {where}").aborted


def _aborted(world: World, name: str, where: TopicPartition, first: str) -> AbortedTransaction:
    return AbortedTransaction(world.producer(name).pair.producer_id, _record(world, where, first)[0])


def _judge_listed(world: World, listed: tuple[AbortedTransaction, ...], due: AbortedTransaction) -> None:
    world.evidence.expect(listed == (due,), f"the aborted transaction {_listed((due,))}", _listed(listed))


def _listed(entries: tuple[AbortedTransaction, ...]) -> str:
    return ", ".join(f"of producer id {entry.producer_id} from offset {entry.first_offset}" for entry in entries) or "none"


def _told(answer: object) -> str:
    match answer:
        case Done((int() as offset, int() as timestamp)):
            return f"offset {offset} and timestamp {timestamp}"
        case other:
            return str(other)
