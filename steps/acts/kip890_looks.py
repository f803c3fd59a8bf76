"""Acts of KIP-890 that only look: readers of both kinds, look-ups of offsets, and what the coordinator and the leaders describe."""

from collections.abc import Iterator

from .act import Act, ActLine, always, joined
from .kip890_episodes import UNUSED
from .kip890_lines import NEEDS, everything, listed_as_aborted, quoted, readers, then, when
from .kip890_model import HERE, PARTITIONS, THERE, Kip890Clients
from .kip890_transactions import is_new, is_quiet, may_act


def _is_readable(model: Kip890Clients, partition: str) -> bool:
    return partition not in model.unread and bool(model.logs[partition])


def _read_by_version(model: Kip890Clients, partition: str, version: str) -> list[ActLine]:
    model.under_way.clear()
    return [then(f"readers of {partition} see {quoted(model.visible(partition))} with Fetch {version}", "252")]


def _read_both(model: Kip890Clients, one: str, other: str, version: str) -> list[ActLine]:
    model.under_way.clear()
    seen = f"{quoted(model.visible(one))} and {quoted(model.visible(other))} by one Fetch{version}"
    return [then(f"readers of {one} and {other} see {seen}", "140")]


def _may_read_both(model: Kip890Clients, one: str, other: str, *_: str) -> bool:
    return _is_readable(model, one) and other not in model.unread


def _look_up_ends(model: Kip890Clients, partition: str) -> list[ActLine]:
    model.under_way.clear()
    return [
        then(f"ListOffsets of {partition} for read_committed answers its last stable offset", "138"),
        then(f"ListOffsets of {partition} for read_uncommitted answers its high watermark", "138"),
    ]


def _look_up_time(model: Kip890Clients, partition: str, isolation: str) -> list[ActLine]:
    """The time of the first undecided record, or of the only record."""
    first = model.first_undecided(partition)
    value = first or model.stored(partition)[0]
    found = "nothing" if first is not None and isolation == "read_committed" else quoted([value])
    asked = when(f'the first record from the time of "{value}" of {partition} is looked up for {isolation}', "143")
    return [asked, then(f"the look-up finds {found}", "143")]


def _may_look_up_time(model: Kip890Clients, partition: str, *_: str) -> bool:
    """Records may have the same time, so there is one before which there is none."""
    stored = model.stored(partition)
    first = model.first_undecided(partition)
    return partition not in model.unread and model.is_quiet and bool(stored) and first in (None, stored[0]) and "sentinel" not in stored


def _look_up_newest(model: Kip890Clients, partition: str, isolation: str) -> list[ActLine]:
    stored = model.stored(partition)
    hidden = not stored or (model.first_undecided(partition) is not None and isolation == "read_committed")
    found = "nothing" if hidden else quoted(stored[-1:])
    return [when(f"the newest record of {partition} is looked up for {isolation}", "364"), then(f"the look-up finds {found}", "364")]


def _may_look_up_newest(model: Kip890Clients, partition: str, isolation: str) -> bool:
    """A read_committed look-up finds nothing where the newest record is undecided; the proposal defines nothing for earlier ones. A marker
    has a time as well.
    """
    if partition in model.unread or not model.is_quiet or partition in model.marked or "sentinel" in model.stored(partition):
        return False
    stored, first = model.stored(partition), model.first_undecided(partition)
    return isolation == "read_uncommitted" or first is None or first == stored[0]


_look_up_start = always(
    when("the {1} of {0} is looked up for read_committed", "364"), then("the look-up finds offset 0 and no time", "364")
)


def _may_look_up_start(model: Kip890Clients, partition: str, *_: str) -> bool:
    return partition not in model.cut


_look_up_what_is_not = always(when("the {1} of {0} is looked up for read_uncommitted", "364"), then("the look-up finds nothing", "364"))


def _read_from(_: Kip890Clients, partition: str, point: str) -> list[ActLine]:
    asked = when(f"{partition} is read from {point} for read_committed", "363")
    return [asked, then("it is done and answers no records" if point == "its end" else "it is refused with OFFSET_OUT_OF_RANGE", "363")]


def _read_one_byte(model: Kip890Clients, partition: str) -> list[ActLine]:
    model.under_way.clear()
    first = model.first_undecided(partition)
    fetch = f"a read_committed Fetch of {partition} for at most one byte from"
    lines = [then(f'{fetch} "{first}" gets nothing', "137")] if first is not None else []
    plain = [one.value for one in model.logs[partition] if one.transaction is None and one.value != "sentinel"]
    visible = [value for value in plain if value in model.visible(partition)]
    return [then(f'{fetch} "{visible[0]}" gets "{visible[0]}"', "137"), *lines] if visible else lines


def _is_open_there(model: Kip890Clients, partition: str) -> bool:
    return _is_readable(model, partition) and model.is_open_in(partition)


def _describe(model: Kip890Clients, name: str) -> list[ActLine]:
    """The state of a transaction; with exact partitions where no offsets are in it, since groups share partitions."""
    current = model.producers[name].open
    if current is None:
        model.under_way.clear()
        return [then(f"the transaction of {name} is over", "148")]
    if current.groups or not current.added:
        return [then(f"the transaction of {name} is Ongoing", "148")]
    return [then(f"the transaction of {name} is Ongoing in {joined(sorted(current.added))}", "030")]


def _has_records(model: Kip890Clients, name: str, partition: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return may_act(model, name) and current is not None and bool(current.values_in(partition)) and partition not in model.unread


def _look_at_its_start(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    current = model.producers[name].open
    assert current is not None, "a transaction with records is open"
    return [then(f'the open transaction of {name} in {partition} starts at "{current.values_in(partition)[0]}"', "092")]


def _look_for_none(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    model.under_way.clear()
    return [then(f"{partition} has no open transaction of {name}", "093")]


def _has_none(model: Kip890Clients, name: str, partition: str) -> bool:
    producer = model.producers.get(name)
    if producer is None or partition in model.unread or producer.has_moved:
        return False
    same_id = [one for one in model.producers.values() if one.transactional_id == producer.transactional_id]
    return not any(one.open and one.open.values_in(partition) for one in same_id)


def _look_at_sequences(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    producer = model.producers[name]
    shown = f"last sequence {producer.written[partition] - 1} and no coordinator epoch"
    return [then(f"DescribeProducers of {partition} shows {name} with {shown}", "153")]


def _may_look_at_sequences(model: Kip890Clients, name: str, partition: str) -> bool:
    return _has_records(model, name, partition) and model.producers[name].past == ["begun"]


_look_for_records = always(then("{0} has records in every partition of its transaction", "047"))


def _may_look_for_records(model: Kip890Clients, name: str) -> bool:
    current = model.producers[name].open if name in model.producers else None
    return (
        may_act(model, name)
        and current is not None
        and bool(current.writes)
        and all(map(current.values_in, current.added))
        and not current.groups
    )


def _list(model: Kip890Clients, name: str, states: str) -> list[ActLine]:
    is_listed = model.producers[name].open is not None
    asked = when(f'ListTransactions is sent for states "{states}", "Gone"', "150")
    listed = "is listed" if (is_listed if states == "Ongoing" else False) else "is not listed"
    unknown = '"Gone"' if states == "Ongoing" else '"ongoing", "Gone"'
    return [asked, then(f"{name} {listed}", "150"), then(f"the unknown state filters are {unknown}", "150")]


_list_old = always(when("ListTransactions is sent for what was begun long ago", "151"), then("{0} is not listed", "151"))


def _list_by_pattern(_: Kip890Clients, name: str) -> list[ActLine]:
    pattern, listed = ("tr[a-e]nsf.*", "is listed") if name == "A" else ("tr[e-z]nsf.*", "is not listed")
    return [when(f'ListTransactions is sent for the pattern "{pattern}"', "152"), then(f"{name} {listed}", "152")]


_list_by_producer_id = always(when("ListTransactions is sent for the producer id of {0}", "150"), then("{0} is listed", "150"))


def _is_open_and_quiet(model: Kip890Clients, name: str) -> bool:
    return is_quiet(model, name) and model.producers[name].open is not None


_describe_a_new_one = always(
    when("DescribeTransactions is sent for {0}", "147"),
    then("the answer describes an Empty transaction of {0}, with no partition and no start time", "147"),
)


def _may_describe_a_new_one(model: Kip890Clients, name: str) -> bool:
    return is_new(model, name) and model.producers[name].past == ["begun"] and model.producers[name].open is None


_find_coordinator = always(
    when("FindCoordinator for {0} is sent by three clients in several versions", "154"),
    then("every client is sent to one node, and so is the next one to ask for {0}", "154"),
)


def _describe_unknown(model: Kip890Clients) -> list[ActLine]:
    """No later act uses the id: a prelude would give it an earlier life."""
    model.shown.add(UNUSED)
    return [when(f"DescribeTransactions is sent for {UNUSED}", "147"), then("it is refused with TRANSACTIONAL_ID_NOT_FOUND", "147")]


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts that look."""
    for p in PARTITIONS:
        yield Act(f"readers look at {p}", _is_readable, readers, (p,), NEEDS)
        yield Act(f"read_uncommitted readers look at {p}", _is_readable, everything, (p,), NEEDS)
        yield Act(f"a look at what was aborted in {p}", _is_readable, listed_as_aborted, (p,), NEEDS)
    for version in ("v12", "v13"):
        yield Act(
            f"readers look at {HERE} with Fetch {version}",
            lambda model, p, _: _is_readable(model, p),
            _read_by_version,
            (HERE, version),
            NEEDS,
        )
    for version in ("", " of version 13"):
        for one, other in ((HERE, THERE), (THERE, HERE)):
            yield Act(f"readers look at {one} and {other}{version}", _may_read_both, _read_both, (one, other, version), NEEDS)
    yield Act(f"the ends of {HERE} are looked up", _is_readable, _look_up_ends, (HERE,), NEEDS)
    yield Act(f"one byte of {HERE} is read", _is_open_there, _read_one_byte, (HERE,), NEEDS)
    for isolation in ("read_committed", "read_uncommitted"):
        yield Act(f"a time in {HERE} is looked up for {isolation}", _may_look_up_time, _look_up_time, (HERE, isolation), NEEDS)
        yield Act(
            f"the newest record of {HERE} is looked up for {isolation}", _may_look_up_newest, _look_up_newest, (HERE, isolation), NEEDS
        )
    for landmark in ("start", "start on the broker's own disk"):
        yield Act(f"the {landmark} of {HERE} is looked up", _may_look_up_start, _look_up_start, (HERE, landmark), NEEDS)
    for landmark in ("first record from the next century", "end of what is stored elsewhere"):
        yield Act(f"the {landmark} of {HERE} is looked up", lambda *_: True, _look_up_what_is_not, (HERE, landmark), NEEDS)
    for point in ("its end", "past its end"):
        yield Act(f"{HERE} is read from {point}", lambda model, *_: model.is_quiet, _read_from, (HERE, point), NEEDS)
    for x in ("A", "B", "C"):
        yield Act(f"a look at the transaction of {x}", may_act, _describe, (x,), NEEDS)
        for p in (HERE, THERE):
            yield Act(f"a look at where the transaction of {x} in {p} starts", _has_records, _look_at_its_start, (x, p), NEEDS)
            yield Act(f"a look for a transaction of {x} in {p}", _has_none, _look_for_none, (x, p), NEEDS)
    for x in ("A", "B"):
        yield Act(f"a look at the sequence of {x} in {HERE}", _may_look_at_sequences, _look_at_sequences, (x, HERE), NEEDS)
    for x in ("A", "B", "C"):
        yield Act(f"a look for the records of {x}", _may_look_for_records, _look_for_records, (x,), NEEDS)
        for states in ("Ongoing", "ongoing"):
            yield Act(f"transactions that are {states} are listed, {x} among them or not", is_quiet, _list, (x, states), NEEDS)
        yield Act(f"old transactions are listed, without {x}", _is_open_and_quiet, _list_old, (x,), NEEDS)
        yield Act(f"the transactions of the producer id of {x} are listed", is_quiet, _list_by_producer_id, (x,), NEEDS)
    for x in ("A", "B"):
        yield Act(f"transactions are listed by a pattern, {x} among them or not", is_quiet, _list_by_pattern, (x,), NEEDS)
    yield Act("A, which is new, is described", _may_describe_a_new_one, _describe_a_new_one, ("A",), NEEDS)
    yield Act("an unused transactional id is described", lambda model: UNUSED not in model.shown, _describe_unknown, (), NEEDS)
    yield Act("the coordinator of A is looked for", is_quiet, _find_coordinator, ("A",), NEEDS)
