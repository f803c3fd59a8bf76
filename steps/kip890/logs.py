"""Then: what the partitions hold, and who may read it."""

from pytest_bdd import parsers, then

from fencepost.adapters.kafka.values import Isolation, LogView, ProducerIdAndEpoch
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved, observed
from fencepost.wire.kafka.batches import MarkerType

from .world import World

_LEVELS = {"committed": Isolation.READ_COMMITTED, "uncommitted": Isolation.READ_UNCOMMITTED}
_PARTITIONS = r"\S+-\d+(?: and \S+-\d+)*"


@then(parsers.parse("the log of {partition} has not grown"))
def has_not_grown(world: World, partition: str) -> None:
    """A plain record written now gets the very offset at which the log ended before the When: nothing came in between."""
    where = world.partition(partition)
    ended = world.noted().ends[where]
    sentinel = achieved(world.write_plain(where, "sentinel"), f"writing a sentinel to {partition}").base_offset
    world.evidence.expect(sentinel == ended, f"{partition} to end at {ended}, as before", f"the next record got offset {sentinel}")


@then(parsers.re(r"readers of (?P<level>committed|uncommitted) data see (?P<values>.+) in (?P<partition>\S+)"))
def readers_see(world: World, level: str, values: str, partition: str) -> None:
    """A consumer of that isolation level, reading from the start, hands over exactly these values in this order."""
    due = [] if values == "nothing" else [value.strip().strip('"') for value in values.split(",")]
    view = world.read(world.partition(partition), _LEVELS[level])
    world.evidence.expect(
        view.values() == due,
        f"readers of {level} data to see {_list(due)} in {partition}",
        f"{_list(view.values())}; {_ends(view)}; {_states(world)}",
    )


@then(parsers.parse('the last stable offset of {partition} is the offset of "{value}"'))
def last_stable_offset_is_at(world: World, partition: str, value: str) -> None:
    """A read_committed Fetch says that its last stable offset is where this record stands."""
    where = world.partition(partition)
    offset = world.read(where, Isolation.READ_UNCOMMITTED).offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{partition} does not hold {value}")
    view = world.read(where, Isolation.READ_COMMITTED)
    world.evidence.expect(view.last_stable_offset == offset, f"the last stable offset of {partition} at {offset}", _ends(view))


@then(parsers.re(rf"the last stable offset of (?P<partitions>{_PARTITIONS}) is the end of the log"))
def last_stable_offset_is_the_end(world: World, partitions: str) -> None:
    """In each of these, a read_committed Fetch says that its last stable offset is its high watermark."""
    for partition in partitions.split(" and "):
        view = world.read(world.partition(partition), Isolation.READ_COMMITTED)
        world.evidence.expect(
            view.last_stable_offset == view.high_watermark,
            f"the last stable offset of {partition} at {view.high_watermark}",
            f"{_ends(view)}; {_states(world)}",
        )


@then(
    parsers.re(
        r"the end of (?P<partition>\S+) for (?P<level>committed|uncommitted) data is its (?P<mark>last stable offset|high watermark)"
    )
)
def the_end_is(world: World, partition: str, level: str, mark: str) -> None:
    """ListOffsets for the latest offset, at that isolation level, answers what Fetch calls by this name."""
    where = world.partition(partition)
    view = world.read(where, Isolation.READ_COMMITTED)
    due = view.last_stable_offset if mark == "last stable offset" else view.high_watermark
    end = observed(world.observer.end_offset(where, _LEVELS[level]), f"asking where {partition} ends")
    world.evidence.expect(end == due, f"the end of {partition} for {level} data at its {mark} {due}", f"{end}; {_ends(view)}")


@then(parsers.re(rf"(?P<partitions>{_PARTITIONS}) each hold one (?P<kind>COMMIT|ABORT) marker, of one epoch"))
def one_marker_each(world: World, partitions: str, kind: str) -> None:
    """Since the When, every one of these logs got exactly one marker, of this type, and all carry the same pair."""
    found = {name: _new_markers(world, name) for name in partitions.split(" and ")}
    markers = [marker for new in found.values() for marker in new]
    world.evidence.expect(
        all(len(new) == 1 for new in found.values()) and len(set(markers)) == 1 and markers[0][1].name == kind,
        f"one {kind} marker each in {partitions}, of one epoch",
        "; ".join(f"{name}: {', '.join(f'{type_.name} {pair}' for pair, type_ in new) or 'none'}" for name, new in found.items()),
    )


@then(parsers.parse("{partition} holds one {kind:w} marker, with the epoch after that of {name:w}"))
def one_marker_with_the_next_epoch(world: World, partition: str, kind: str, name: str) -> None:
    """Since the When, the log got exactly one marker, of this type, with the producer's id and its epoch plus one."""
    producer = world.producer(name)
    new = _new_markers(world, partition)
    told = ", ".join(
        f"{type_.name} with epoch {pair.epoch}, {pair.epoch - producer.pair.epoch:+d} from the producer's own" for pair, type_ in new
    )
    due = (producer.next_epoch(), MarkerType[kind])
    world.evidence.expect(new == [due], f"one {kind} marker with epoch {due[0].epoch} in {partition}", told or "none")


@then(parsers.parse('the open transaction of {name:w} in {partition} starts at "{value}"'))
def open_transaction_starts_at(world: World, name: str, partition: str, value: str) -> None:
    """DescribeProducers says that the producer's transaction in this partition started at the offset of this record."""
    where = world.partition(partition)
    offset = world.read(where, Isolation.READ_UNCOMMITTED).offset_of(value)
    active = observed(world.observer.describe_producers(where), f"describing the producers of {partition}")
    starts = [entry.transaction_start for entry in active if entry.producer == world.producer(name).pair]
    world.evidence.expect(
        offset is not None and starts == [offset], f"an open transaction that starts at offset {offset}", f"{starts or 'no such producer'}"
    )


def _new_markers(world: World, partition: str) -> list[tuple[ProducerIdAndEpoch, MarkerType]]:
    where = world.partition(partition)
    ended = world.noted().ends[where]
    view = world.read(where, Isolation.READ_UNCOMMITTED)
    return view.markers(since=ended)


def _list(values: list[str]) -> str:
    return ", ".join(f'"{value}"' for value in values) or "nothing"


def _ends(view: LogView) -> str:
    return f"last stable offset {view.last_stable_offset}, high watermark {view.high_watermark}"


def _states(world: World) -> str:
    return ", ".join(f"transaction of {producer.name}: {world.states[producer.transactional_id]}" for producer in world.producers.values())
