"""Histories that something was done to: for tests that ask two checkers for one answer, whatever a history may be.

A change is made of the events of a history, in place. Most make a history that a system might have shown; some make one that only a broken
recorder tells (an event twice, or not at all, or one of an unknown version). One seed makes the same changes for ever.
"""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[random.Random, list[Event]], None]


def changed(reported: Mapping[str, Sequence[Event]], count: int, seed: int) -> dict[str, list[Event]]:
    """So many histories, each one of these with one to three changes; their runs are called by what was changed."""
    chance = random.Random(seed)
    names = sorted(reported)
    made = {}
    for number in range(count):
        name = chance.choice(names)
        events = copy.deepcopy(list(reported[name]))
        changes = chance.choices(CHANGES, k=chance.choice([1, 1, 2, 3]))
        for change in changes:
            change(chance, events)
        run = f"{number}-{'-'.join(change.__name__ for change in changes)}-{name}"
        made[run] = [event | {"run_id": run} for event in events]
    return made


def dropped(chance: random.Random, events: list[Event]) -> None:
    """An event that was not recorded."""
    if len(events) > 1:
        del events[chance.randrange(len(events))]


def doubled(chance: random.Random, events: list[Event]) -> None:
    """An event that stands there twice."""
    if events:
        events.insert(chance.randrange(len(events) + 1), copy.deepcopy(chance.choice(events)))


def unknown_version(chance: random.Random, events: list[Event]) -> None:
    """An event that cannot be read."""
    for event in _some(chance, events):
        event["schema_version"] = 9


def other_outcome(chance: random.Random, events: list[Event]) -> None:
    """An operation that ended in another way."""
    for event in _some(chance, [event for event in events if event["type"] != "invoke"]):
        event["type"] = chance.choice(["ok", "fail", "info"])


def other_function(chance: random.Random, events: list[Event]) -> None:
    """A commit that was an abort, a send that was a whole transaction, and so on."""
    for event in _some(chance, events):
        f = chance.choice(["commit", "abort", "send", "txn", "poll", "final_read", "begin", "init_txn", "assign", "seek"])
        for one in events:
            if one["op_id"] == event["op_id"]:
                one["f"] = f


def other_process(chance: random.Random, events: list[Event]) -> None:
    """An operation of another process."""
    for event in _some(chance, events):
        other = chance.choice(events)
        for one in events:
            if one["op_id"] == event["op_id"]:
                one |= {name: other[name] for name in ("process", "client") if name in other}


def other_order(chance: random.Random, events: list[Event]) -> None:
    """Two events in each other's place; an operation is named by the new place of its invocation."""
    if len(events) > 1:
        one, other = chance.sample(events, 2)
        for name in ("idx", "t_ns"):
            one[name], other[name] = other[name], one[name]
        places = {event["op_id"]: event["idx"] for event in (one, other) if event["type"] == "invoke"}
        for event in events:
            event["op_id"] = places.get(event["op_id"], event["op_id"])


def other_transaction(chance: random.Random, events: list[Event]) -> None:
    """An operation in the transaction of another one, or in none."""
    for event in _some(chance, [event for event in events if event.get("txn_id")]):
        other = chance.choice([*events, {}])
        for one in events:
            if one["op_id"] == event["op_id"]:
                one |= {"txn_id": other.get("txn_id"), "tx": copy.deepcopy(other.get("tx"))}


def other_epoch(chance: random.Random, events: list[Event]) -> None:
    """A producer of an older or a later epoch."""
    for event in _some(chance, [event for event in events if (event.get("tx") or {}).get("epoch") is not None]):
        event["tx"]["epoch"] += chance.choice([-1, 1])


def other_generation(chance: random.Random, events: list[Event]) -> None:
    """A member of an older or a later generation, or of another group."""
    for event in _some(chance, [event for event in events if event.get("grp")]):
        event["grp"] |= {"gen": chance.randint(0, 3)} if chance.random() < 0.5 else {"id": chance.choice(["g", "h"])}


def careless(chance: random.Random, events: list[Event]) -> None:
    """A reader of uncommitted data."""
    for event in _some(chance, events):
        event["iso"] = "ru" if event.get("iso") != "ru" else None


def other_control(chance: random.Random, events: list[Event]) -> None:
    """A control action without one of its words, or with another number."""
    for event in _some(chance, [event for event in events if event.get("ctl")]):
        name = chance.choice(sorted(event["ctl"]))
        said = event["ctl"].pop(name)
        if str(said).isdecimal():
            event["ctl"][name] = str(int(said) + chance.choice([-1, 1]))


def other_value(chance: random.Random, events: list[Event]) -> None:
    """A record with the value of another one, or a new one, or none."""
    for mop in _some(chance, moved(events)):
        mop["v"] = chance.choice([other.get("v") for other in moved(events)] + ["new", None])


def other_offset(chance: random.Random, events: list[Event]) -> None:
    """A record at another offset, or at none."""
    for mop in _some(chance, moved(events)):
        mop["o"] = chance.choice([None, *(mop["o"] + step for step in (-2, -1, 1, 2) if mop["o"] + step >= 0)] if mop.get("o") else [0, 5])


def offsets_swapped(chance: random.Random, events: list[Event]) -> None:
    """Two records, each at the other's offset."""
    reported = [mop for mop in moved(events) if mop.get("o") is not None]
    if len(reported) > 1:
        one, other = chance.sample(reported, 2)
        one["o"], other["o"] = other["o"], one["o"]


def other_log(chance: random.Random, events: list[Event]) -> None:
    """A record of another log."""
    for mop in _some(chance, moved(events)):
        mop["log"] = chance.choice([other["log"] for other in moved(events)] + ["new"])


def other_key(chance: random.Random, events: list[Event]) -> None:
    """A record with another key, number and hash."""
    for mop in _some(chance, moved(events)):
        mop |= {
            "mkey": chance.choice(["k", "l", None]),
            "seq": chance.choice([0, 1, None]),
            "hash": chance.choice([0, 0x7FFF, 0x8000, None]),
        }


def record_dropped(chance: random.Random, events: list[Event]) -> None:
    """An operation that moved one record less."""
    for event in _some(chance, [event for event in events if event.get("mops")]):
        del event["mops"][chance.randrange(len(event["mops"]))]


def record_doubled(chance: random.Random, events: list[Event]) -> None:
    """An operation that moved a record twice."""
    for event in _some(chance, [event for event in events if event.get("mops")]):
        event["mops"].append(copy.deepcopy(chance.choice(event["mops"])))


def record_moved(chance: random.Random, events: list[Event]) -> None:
    """A record that another operation moved."""
    reported = [event for event in events if event.get("mops")]
    if len(reported) > 1:
        one, other = chance.sample(reported, 2)
        other["mops"].append(one["mops"].pop(chance.randrange(len(one["mops"]))))


def moved(events: Sequence[Event]) -> list[Event]:
    """All records of these events."""
    return [mop for event in events for mop in event.get("mops") or ()]


def _some(chance: random.Random, items: list[Event]) -> list[Event]:
    """One of these, where there are any."""
    return [chance.choice(items)] if items else []


CHANGES: tuple[Change, ...] = (
    dropped,
    doubled,
    unknown_version,
    other_outcome,
    other_function,
    other_process,
    other_order,
    other_transaction,
    other_epoch,
    other_generation,
    careless,
    other_control,
    other_value,
    other_offset,
    offsets_swapped,
    other_log,
    other_key,
    record_dropped,
    record_doubled,
    record_moved,
)
