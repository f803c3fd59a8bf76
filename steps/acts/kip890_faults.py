"""Acts of KIP-890 in which something goes wrong: crashes, clean stops, requests that are lost, doubled or late, and ends that race."""

from collections.abc import Iterator

from .act import Act, ActLine, joined
from .kip890_lines import NEEDS, given, markers, not_grown, then, unchanged, when
from .kip890_model import HERE, PARTITIONS, THERE, Kip890Clients
from .kip890_transactions import DONE, ENDS, after_end, is_idle, is_new, is_open, may_act, move_on

_CRASH, _STOP, _WIRE = NEEDS | {"crash"}, NEEDS | {"clean-stop"}, NEEDS | {"wire-faults"}
_FATES = ("is lost", "is answered, and the answer is lost", "arrives twice")
_MOMENTS = ("before it answers", "right after it answers")


def _crash(model: Kip890Clients) -> list[ActLine]:
    model.go_down()
    return [given("the system has crashed and restarted", "160")]


def _crash_and_compare(model: Kip890Clients, name: str) -> list[ActLine]:
    model.go_down()
    return [when("the system crashes and restarts", "351"), then(f"the producer id and epoch of {name} are unchanged", "351")]


def _stop(model: Kip890Clients) -> list[ActLine]:
    model.go_down()
    return [given("the system has stopped cleanly and restarted", "265")]


def _end_amiss(model: Kip890Clients, name: str, ends: str, trouble: str) -> list[ActLine]:
    """EndTxn that meets a fault; its client retries, and its answer is judged."""
    producer = model.producers[name]
    lines = [given(trouble.format(x=name), "161"), when(f"{name} {ends}", "161"), then(after_end(producer), "161")]
    lines += markers(model, name, ENDS[ends].upper(), "161", bumps=not producer.is_old)
    if not producer.is_old:
        lines.append(given(f"{name} has {DONE[ends]}", "163"))
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    move_on(producer)
    return lines


def _end_into_a_crash(model: Kip890Clients, name: str, ends: str, trouble: str) -> list[ActLine]:
    lines = _end_amiss(model, name, ends, trouble)
    model.go_down()
    return lines


def _end_and_crash(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """A crash right after the answer, with which a producer continues."""
    lines = [given(f"{name} has been asked to {ENDS[ends]}", "160"), given("the system has crashed and restarted", "160")]
    producer = model.producers[name]
    model.end(name, commit=ends == "commits", how=ends, waited=False)
    model.go_down()
    model.has_early_snapshot = True
    move_on(producer)
    return lines


def _write_amiss(model: Kip890Clients, name: str, partition: str, fate: str) -> list[ActLine]:
    value = model.new_value(name)
    model.write(name, partition, value)
    asked = when(f'{name} writes "{value}" to {partition}', "112")
    return [given(f"the next Produce of {name} {fate}", "112"), asked, then("it is done", "112")]


def _may_write_amiss(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_new(model, name) and "held up" not in model.shown


def _end_at_second_attempt(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    model.shown.add("held up")
    model.held_up = name
    producer = model.producers[name]
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    move_on(producer)
    return [given(f"{name} has {DONE[ends]} at its second attempt, and the first is held up", "200")]


def _may_hold_up(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_open(model, name) and is_new(model, name) and model.once("held up")


def _hold_up_a_write(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    model.shown.add("held up")
    model.held_up, model.late_in = name, partition
    model.held_epoch = len(model.producers[name].past)
    late = model.new_value("late")
    return [
        given(f"the next Produce of {name} is held up", "091"),
        given(f'{name} has tried to write "{late}" to {partition}', "091"),
    ]


def _arrive(model: Kip890Clients) -> list[ActLine]:
    name, partition = model.held_up, model.late_in
    assert name is not None, "something was held up"
    model.held_up = None
    why = "091" if partition else "200"
    lines = [when("the held-up request arrives", why), *unchanged(model, name, why)]
    return [*lines, *not_grown(model, partition, why)] if partition else lines


def _may_arrive(model: Kip890Clients) -> bool:
    """A write may arrive late where its epoch is over."""
    if model.held_up is None or not model.is_quiet:
        return False
    producer = model.producers[model.held_up]
    return not model.late_in or producer.is_fenced or len(producer.past) > model.held_epoch


def _race(model: Kip890Clients, name: str, first: str, second: str) -> list[ActLine]:
    """Two opposite ends at once; only the answers show how the transaction ended, so no later act uses its producer."""
    producer = model.producers[name]
    current = producer.open
    assert current is not None, "what is ended is open"
    added = sorted(current.added)
    lines = [when(f"{name} {first} and {second} at the same time", "079")]
    if model.is_quiet:
        lines.append(then(f"only one of the two ends has succeeded, and only its markers are in {joined(added)}", "079"))
    model.leave(name)
    model.unread.update(added)
    model.unclear_groups.update(current.groups)
    return lines


def _may_race(model: Kip890Clients, name: str, *_: str) -> bool:
    if not is_open(model, name) or not is_new(model, name):
        return False
    current = model.producers[name].open
    return current is not None and bool(current.added)


def _race_with_a_batch(model: Kip890Clients, name: str, ends: str, partition: str) -> list[ActLine]:
    asked = when(f"{name} {ends} and writes a first batch to {partition} at the same time, 3 times", "207")
    model.leave(name)
    model.unread.update(PARTITIONS)
    return [
        asked,
        then(f"each batch in {partition} that was accepted is followed by its marker, and no other is there", "207"),
        then(f"{partition} has no open transaction of {name}", "207"),
    ]


def _may_race_with_a_batch(model: Kip890Clients, name: str, _: str, partition: str) -> bool:
    is_untouched = model.is_quiet and not model.logs[partition] and partition not in model.unread
    return is_idle(model, name) and is_untouched and not model.producers[name].is_exhausted and model.producers[name].past == ["begun"]


def _take_over_at_once(model: Kip890Clients, name: str) -> list[ActLine]:
    model.decide(model.producers[name], commit=False)
    model.under_way.add(name)
    model.leave(name)
    asked = when(f"4 instances take over from {name} at the same time", "204")
    return [asked, then("no two instances were given the same epoch, and the largest is in force", "204")]


def _may_take_over_at_once(model: Kip890Clients, name: str) -> bool:
    return is_new(model, name) and not model.producers[name].is_exhausted


def _poll_and_end(model: Kip890Clients, name: str, ends: str, watch: str) -> list[ActLine]:
    """An end that is polled all the time. A later end of the producer would be polled too, so there is none."""
    model.shown.add(watch)
    producer = model.producers[name]
    how, commit = after_end(producer), ends == "commits"
    lines = [given(watch.format(x=name), "148"), when(f"{name} {ends}", "148"), then(how, "148")]
    if watch.startswith("the"):
        states = "PrepareCommit, then CompleteCommit" if commit else "PrepareAbort, then CompleteAbort"
        lines.append(then(f"the transaction of {name} was only seen as Ongoing, then {states}", "148"))
    else:
        lines.append(then("no poll has lost a record, or seen the last stable offset go back", "144"))
    model.end(name, commit=commit, how=ends, waited=False)
    model.leave(name)
    return lines


_WATCHES = ("the transaction of {x} is polled", "every partition is polled")


def _may_poll(model: Kip890Clients, name: str, _: str, watch: str) -> bool:
    return is_open(model, name) and is_new(model, name) and model.once(watch) and model.is_quiet and not model.cut


def _old_instance(model: Kip890Clients, name: str, asks: str, predecessor: str) -> list[ActLine]:
    """The old instance next to its successor: it is refused, and changes nothing."""
    taken = [] if name in model.producers else [given(f"{name} has taken over from {predecessor}", "015")]
    if taken:
        model.take_over(predecessor, name)
    successor = model.producers[name]
    value = model.new_value("late")
    asked, errors, why = {
        "writes": (f'A writes "{value}" to {HERE}', "INVALID_PRODUCER_EPOCH", "024"),
        "commits": ("A commits", "PRODUCER_FENCED or INVALID_TXN_STATE", "201"),
        "aborts": ("A aborts", "PRODUCER_FENCED or INVALID_TXN_STATE", "201"),
        "initialises": ("A initialises again", "PRODUCER_FENCED", "272" if successor.open else "021"),
        "adds": (f"A adds {THERE}", "PRODUCER_FENCED", "032"),
        "sends": (f'A sends offset 9 of {HERE} to group "shop"', "INVALID_PRODUCER_EPOCH", "051"),
    }[asks]
    where = f" for {THERE}" if asks == "adds" else f" for {HERE}" if asks == "sends" else ""
    lines = [*taken, when(asked, why), then(f"it is refused{where} with {errors}", why), *unchanged(model, name, why)]
    return [*lines, *(not_grown(model, HERE, why) if asks == "writes" else [])]


def _may_be_fenced(model: Kip890Clients, name: str, *_: str) -> bool:
    predecessor = model.producers["A"]
    if name not in model.producers:
        return is_new(model, "A") and not predecessor.is_exhausted
    return may_act(model, name) and not predecessor.is_old


def _may_go_down(model: Kip890Clients) -> bool:
    return model.may_go_down


def _is_open_and_may_go_down(model: Kip890Clients, name: str, *_: str) -> bool:
    return is_open(model, name) and model.may_go_down


def _is_there_and_may_go_down(model: Kip890Clients, name: str) -> bool:
    return may_act(model, name) and model.may_go_down and model.is_quiet


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts of faults and races."""
    yield Act("a crash", _may_go_down, _crash, (), _CRASH)
    yield Act("a clean stop", _may_go_down, _stop, (), _STOP)
    for x in ("A",):
        yield Act(f"a crash, and a look at {x}", _is_there_and_may_go_down, _crash_and_compare, (x,), _CRASH)
        for ends in ENDS:
            for fate in _FATES:
                trouble = f"the next EndTxn of {{x}} {fate}"
                yield Act(f"{x} {ends}, and its EndTxn {fate}", is_open, _end_amiss, (x, ends, trouble), _WIRE)
            for moment in _MOMENTS:
                trouble = f"the system crashes {moment} the next EndTxn of {{x}}"
                yield Act(
                    f"{x} {ends}, and the system crashes {moment}", _is_open_and_may_go_down, _end_into_a_crash, (x, ends, trouble), _CRASH
                )
            yield Act(f"{x} {ends}, and then the system crashes", _is_open_and_may_go_down, _end_and_crash, (x, ends), _CRASH)
            yield Act(f"{x} {ends} at its second attempt", _may_hold_up, _end_at_second_attempt, (x, ends), _WIRE)
            for watch in _WATCHES:
                yield Act(f"{x} {ends}, while {watch.format(x='it')}", _may_poll, _poll_and_end, (x, ends, watch), NEEDS)
        for p in (HERE, THERE):
            yield Act(f"a write of {x} to {p} is held up", _may_hold_up, _hold_up_a_write, (x, p), _WIRE)
        for fate in _FATES:
            yield Act(f"{x} writes to {HERE}, and its Produce {fate}", _may_write_amiss, _write_amiss, (x, HERE, fate), _WIRE)
        yield Act(f"{x} commits and aborts at once", _may_race, _race, (x, "commits", "aborts"), NEEDS, races=True)
        yield Act(f"{x} aborts and commits at once", _may_race, _race, (x, "aborts", "commits"), NEEDS, races=True)
        for ends in ENDS:
            yield Act(
                f"{x} {ends} and writes to {THERE} at once",
                _may_race_with_a_batch,
                _race_with_a_batch,
                (x, ends, THERE),
                NEEDS,
                races=True,
            )
    yield Act("several take over from A at once", _may_take_over_at_once, _take_over_at_once, ("A",), NEEDS, races=True)
    yield Act("what was held up arrives", _may_arrive, _arrive, (), _WIRE)
    for asks in ("writes", "commits", "aborts", "initialises", "adds", "sends"):
        yield Act(f"the old instance beside C {asks}", _may_be_fenced, _old_instance, ("C", asks, "A"), NEEDS)
