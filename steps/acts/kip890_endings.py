"""Acts of KIP-890 about transactions that cannot be ended, are ended by the coordinator, or use up the last epoch.

H is a producer whose transactions are blocked between decision and completion, T one with a short timeout, L one at its last usable epoch.
"""

from collections.abc import Iterator

from .act import Act, ActLine, joined
from .kip890_lines import NEEDS, given, markers, not_grown, then, unchanged, when
from .kip890_model import GROUPS, HERE, THERE, Kip890Clients
from .kip890_transactions import DONE, ENDS, after_end, may_act, move_on

_HOLD, _AGED = NEEDS | {"hold-markers"}, NEEDS | {"aged-ids"}
_PREPARED = {"commits": "PrepareCommit", "aborts": "PrepareAbort"}
_WAIT = "CONCURRENT_TRANSACTIONS"
_OTHER = {"commits": "aborts", "aborts": "commits"}


def _write(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    value = model.new_value(name)
    model.write(name, partition, value)
    return [given(f'{name} has written "{value}" to {partition}', "090")]


def _may_write_held(model: Kip890Clients, name: str, *_: str) -> bool:
    return model.held_end is None and may_act(model, name)


def _send_offset(model: Kip890Clients, name: str, group: str, partition: str) -> list[ActLine]:
    current, moment = model.begun(name), model.tick()
    current.groups.add(group)
    current.offsets[group, partition] = (moment, moment)
    return [given(f"{name} has sent offset {moment} of {partition} to group {group}", "047")]


def _block(model: Kip890Clients, name: str, until: str) -> list[ActLine]:
    model.begun(name)
    model.blocked = until or " for good"
    model.shown.add("blocked")
    return [given(f"completion of {name}'s transactions is blocked{until}", "149")]


def _may_block(model: Kip890Clients, name: str, until: str) -> bool:
    return not model.blocked and model.once("blocked") and (not until or model.producers[name].open is None)


def _prepare(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    producer = model.producers[name]
    state = _PREPARED[ends]
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    model.held_end = ends
    asked = given(f"{name} has been asked to {ENDS[ends]}", "080")
    return [asked, then(f"the transaction of {producer.name} is {state}, and waits for the blocked partition only", "149")]


def _prepare_by_initialising(model: Kip890Clients, name: str, asks: str) -> list[ActLine]:
    """InitProducerId over a transaction that is then aborted, which takes time: it is refused CONCURRENT_TRANSACTIONS, and the decision
    stays.
    """
    model.decide(model.producers[name], commit=False)
    model.held_end = "aborts"
    model.producers[name].is_timed_out = True
    lines = [when(f"{name} initialises again" if asks == "again" else f"Z takes over from {name}", "022")]
    lines += [then(f"it is refused with {_WAIT}", "022"), then("the refusal has producer id -1 and epoch -1", "022")]
    return [*lines, then(f"the transaction of {name} is PrepareAbort, and waits for the blocked partition only", "203")]


def _is_blocked(model: Kip890Clients, *_: str) -> bool:
    return bool(model.blocked) and model.held_end is None


def _while_prepared(model: Kip890Clients, name: str, asks: str) -> list[ActLine]:
    """The requests of a producer while its transaction is being completed."""
    held = model.held_end
    assert held is not None, "the transaction is prepared"
    value = model.new_value("stray")
    opposite = f"{_WAIT}, INVALID_TXN_STATE or PRODUCER_FENCED"
    text, errors, why = {
        "a write": (f'{name} writes "{value}" to {HERE}', f" with {_WAIT}", "105"),
        "a write by Produce v10": (f'{name} writes "{value}" to {HERE}', " with NOT_ENOUGH_REPLICAS", "104"),
        "a write by Produce v11": (f'{name} writes "{value}" to {HERE}', " with NOT_ENOUGH_REPLICAS", "104"),
        "an abort": (f"{name} aborts", f" with {_WAIT}", "081"),
        "the same end": (f"{name} {held} with its previous epoch", f" with {_WAIT}", "066"),
        "the opposite end": (f"{name} {_OTHER[held]} with its previous epoch", f" with {opposite}", "202"),
        "InitProducerId": (f"{name} initialises again", f" with {_WAIT}", "025"),
        "a takeover": (f"Z takes over from {name}", f" with {_WAIT}", "025"),
        "partitions": (f"{name} adds {HERE} and {THERE}", f" for {HERE} and {THERE} with {_WAIT}", "035"),
        "a verification": (f"the leader verifies {HERE} for {name}", f" for {HERE} with {_WAIT}", "041"),
        "an offset": (
            f'{name} sends offset 9 of {HERE} to group "shop"',
            f" for {HERE} with {_WAIT} or COORDINATOR_NOT_AVAILABLE",
            "058",
        ),
    }[asks]
    version = asks.rpartition(" by ")[2] if " by " in asks else ""
    lines = [given(f"{name} uses {version}", why)] if version else []
    lines += [when(text, why), then(f"it is refused{errors}", why)]
    lines += [then("the refusal has a message", why)] if version else []
    lines += [then("the refusal has producer id -1 and epoch -1", why)] if "end" in asks else []
    lines += unchanged(model, name, why)
    lines += not_grown(model, HERE, why) if "write" in asks else []
    return [*lines, given(f"{name} uses Produce v12", why)] if version else lines


_ASKED_MEANWHILE = (
    *("a write", "a write by Produce v10", "a write by Produce v11", "an abort", "the same end", "the opposite end", "InitProducerId"),
    *("a takeover", "partitions", "a verification", "an offset"),
)


def _is_prepared(model: Kip890Clients, name: str, *_: str) -> bool:
    return model.held_end is not None and not model.producers[name].is_timed_out


def _time_out(model: Kip890Clients, name: str, *crash: str) -> list[ActLine]:
    lines = [given("the system has crashed and restarted", "160")] if crash else []
    if crash:
        model.go_down()
    return [*lines, given(f"{name} has left its transaction open past its timeout", "156"), *_timed_out(model, name)]


def _time_out_and_compare(model: Kip890Clients, name: str, other: str) -> list[ActLine]:
    """Another transaction has been open all the while, and does not change."""
    asked = when(f"{name} leaves its transaction open past its timeout", "156")
    due = then(f"the start time of {other} is unchanged", "350")
    return [asked, due, then(f"the transaction of {other} is Ongoing", "213"), *_timed_out(model, name)]


def _time_out_with_markers(model: Kip890Clients, name: str) -> list[ActLine]:
    current = model.producers[name].open
    assert current is not None, "what times out is open"
    added = sorted(current.added)
    asked = when(f"{name} leaves its transaction open past its timeout", "156")
    marked = then(f"one ABORT marker was added to {joined(added)}, with the next epoch of {name}", "156")
    return [asked, *_timed_out(model, name), *([marked] if added and not set(added) & model.unread else [])]


def _write_and_time_out(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    value = model.new_value(name)
    model.write(name, partition, value)
    asked = when(f'{name} writes "{value}" to {partition} and leaves its transaction open past its timeout', "213")
    return [asked, then(f"the transaction of {name} was open for at least a short timeout", "213"), *_timed_out(model, name)]


def _timed_out(model: Kip890Clients, name: str) -> list[ActLine]:
    producer = model.producers[name]
    model.decide(producer, commit=False)
    producer.is_timed_out = True
    return [then(f"the transaction of {name} is over", "156")]


def _is_open(model: Kip890Clients, name: str, *_: str) -> bool:
    return model.producers[name].open is not None


def _is_open_and_may_go_down(model: Kip890Clients, name: str, *_: str) -> bool:
    return _is_open(model, name) and model.may_go_down


def _is_open_and_was_not_down(model: Kip890Clients, name: str) -> bool:
    """While the system was down, its timeout may have passed."""
    return _is_open(model, name) and not model.has_crashed


def _may_compare(model: Kip890Clients, name: str, other: str) -> bool:
    return _is_open(model, name) and may_act(model, other) and model.producers[other].open is not None and model.is_quiet


def _is_new_and_short(model: Kip890Clients, name: str, *_: str) -> bool:
    producer = model.producers[name]
    return producer.open is None and not producer.is_timed_out


def _after_its_timeout(model: Kip890Clients, name: str, asks: str) -> list[ActLine]:
    value = model.new_value("late")
    text, errors, why, version = {
        "writes": (f'{name} writes "{value}" to {HERE}', "INVALID_PRODUCER_EPOCH", "157", ""),
        "commits": (f"{name} commits", "INVALID_TXN_STATE or PRODUCER_FENCED", "158", ""),
        "commits by EndTxn v4": (f"{name} commits", "PRODUCER_FENCED", "157", "v4"),
        "aborts by EndTxn v4": (f"{name} aborts", "PRODUCER_FENCED", "157", "v4"),
    }[asks]
    lines = [given(f"{name} uses EndTxn v4", why)] if version else []
    lines += [when(text, why), then(f"it is refused with {errors}", why), *unchanged(model, name, why)]
    lines += not_grown(model, HERE, why) if asks == "writes" else []
    return [*lines, given(f"{name} uses EndTxn v5", why)] if version else lines


def _initialise_after_timeout(model: Kip890Clients, name: str) -> list[ActLine]:
    model.leave(name)
    return [
        when(f"{name} initialises again", "023"),
        then("it is done and answers the same producer id and the next epoch", "023"),
        then(f"the producer id and epoch of {name} are those of the answer", "023"),
    ]


def _exhaust(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """The end that uses up the last epoch, which no client ever sees above 32766."""
    producer = model.producers[name]
    how, commit = after_end(producer), ends == "commits"
    lines = [
        when(f"{name} {ends}", "076"),
        then(how, "076"),
        then("no answer has epoch 32767", "028"),
        given(f"{name} has {DONE[ends]}", "077"),
    ]
    model.end(name, commit=commit, how=ends, waited=True)
    move_on(producer)
    return lines


def _may_exhaust(model: Kip890Clients, name: str, *_: str) -> bool:
    return model.producers[name].is_exhausted and _is_open(model, name)


def _take_over_the_last(model: Kip890Clients, name: str) -> list[ActLine]:
    lines = [when(f"Z takes over from {name}", "028"), then("it is done", "028"), then("no answer has epoch 32767", "028")]
    lines += markers(model, name, "ABORT", "124", bumps=True)
    model.decide(model.producers[name], commit=False)
    model.leave(name)
    return lines


def _after_the_last(model: Kip890Clients, name: str, asks: str) -> list[ActLine]:
    value = model.new_value("late")
    mapping = "INVALID_PRODUCER_ID_MAPPING"
    text, errors = {
        "writes": (f'{name} writes "{value}" to {HERE} with its previous epoch', f"INVALID_PRODUCER_EPOCH or {mapping}"),
        "commits": (f"{name} commits with the epoch before its previous one", mapping),
    }[asks]
    lines = [when(text, "078"), then(f"it is refused with {errors}", "078"), *unchanged(model, name, "078")]
    return [*lines, *(not_grown(model, HERE, "078") if asks == "writes" else [])]


def _has_moved(model: Kip890Clients, name: str, *_: str) -> bool:
    producer = model.producers[name]
    return producer.has_moved and len(producer.past) == 3 and not producer.is_fenced


def _initialise_long_after(model: Kip890Clients, name: str) -> list[ActLine]:
    asked = when(f"{name} initialises again with the epoch before its previous one", "027")
    return [asked, then("it is refused with PRODUCER_FENCED", "027"), *unchanged(model, name, "027")]


def _may_initialise_long_after(model: Kip890Clients, name: str) -> bool:
    return _has_moved(model, name) and model.producers[name].past[-1] == "initialised" and model.producers[name].open is None


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of the three producers."""
    for p in (HERE, THERE):
        yield Act(f"H has written to {p}", _may_write_held, _write, ("H", p), _HOLD)
        yield Act(f"T has written to {p}", _may_write_short, _write, ("T", p), NEEDS)
    yield Act("H has sent an offset", _may_write_held, _send_offset, ("H", GROUPS[0], HERE), _HOLD)
    yield Act("T has sent an offset", _may_write_short, _send_offset, ("T", GROUPS[0], HERE), NEEDS)
    for until in ("", " until the next restart"):
        yield Act(f"H is blocked{until}", _may_block, _block, ("H", until), _HOLD)
    for ends in ENDS:
        yield Act(f"H {ends}, and is not done", _is_blocked, _prepare, ("H", ends), _HOLD)
    for asks in ("again", "anew"):
        yield Act(f"H initialises {asks}, and has to wait", _is_blocked, _prepare_by_initialising, ("H", asks), _HOLD)
    for asks in _ASKED_MEANWHILE:
        yield Act(f"H asks for {asks} meanwhile", _is_prepared, _while_prepared, ("H", asks), _HOLD)
    yield Act("T times out", _is_open, _time_out, ("T",), NEEDS)
    yield Act("T times out after a crash", _is_open_and_may_go_down, _time_out, ("T", "a crash"), NEEDS | {"crash"})
    yield Act("T times out, with markers", _is_open_and_was_not_down, _time_out_with_markers, ("T",), NEEDS)
    for x in ("A", "B"):
        yield Act(f"T times out beside {x}", _may_compare, _time_out_and_compare, ("T", x), NEEDS)
    yield Act("T writes and times out", _is_new_and_short, _write_and_time_out, ("T", HERE), NEEDS)
    for asks in ("writes", "commits", "commits by EndTxn v4", "aborts by EndTxn v4"):
        yield Act(f"T {asks} after its timeout", _has_timed_out_and_is_there, _after_its_timeout, ("T", asks), NEEDS)
    yield Act("T initialises after its timeout", _has_timed_out_and_is_there, _initialise_after_timeout, ("T",), NEEDS)
    for ends in ENDS:
        yield Act(f"L {ends} with its last epoch", _may_exhaust, _exhaust, ("L", ends), _AGED)
    yield Act("L is taken over", lambda model, name: model.producers[name].is_exhausted, _take_over_the_last, ("L",), _AGED)
    for asks in ("writes", "commits"):
        yield Act(f"L {asks} with its last epoch again", _has_moved, _after_the_last, ("L", asks), _AGED)
    yield Act("L initialises long after", _may_initialise_long_after, _initialise_long_after, ("L",), _AGED)


def _may_write_short(model: Kip890Clients, name: str, *_: str) -> bool:
    return not model.producers[name].is_timed_out


def _has_timed_out_and_is_there(model: Kip890Clients, name: str, *_: str) -> bool:
    producer = model.producers[name]
    return producer.is_timed_out and not producer.is_fenced and model.is_quiet
