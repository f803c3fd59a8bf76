"""The acts of the core: writers, one of them with a short timeout, logs, a group with input, followers, crashes and reloads.

The model has what clients were answered, and a healthy system leaves no choice in it: an answer that differs from the model's ends the
sequence with a finding. So the lines of a sequence follow from its acts alone.
"""

import re
from collections.abc import Iterator

from fencepost.contract.evidence import Violation
from fencepost.steps.core.core_crashes import POINTS
from fencepost.steps.core.vocabulary import CONTENT

from . import core_conditions as conditions
from .act import Act, ActLine, Table, always, given, then, when
from .core_conditions import MANY
from .core_model import INPUT, INPUTS, Core

_WRITERS, _LOGS, _SHORT, _RESULTS = ("A", "B"), ("orders", "payments"), "C", "results"
_GROUPS, _DEDUPLICATING = ('"workers"', '"others"'), "payments"
_CRASH = "a crash"
_SEVERAL = 3
_ENDS = ("commits", "aborts")
_VERB = {"commits": "commit", "aborts": "abort"}
_PAST = {"commits": "committed", "aborts": "aborted"}
_MOMENTS = tuple(POINTS)
_AFTER_ITS_ANSWER, _UNDECIDED, _, *_ON_ITS_WAY = _MOMENTS


def _opens(used: frozenset[str]) -> list[ActLine]:
    made = [f'the{" deduplicating" if log == _DEDUPLICATING else ""} log "{log}"' for log in _LOGS if log in used]
    made += [f'the log "{_RESULTS}"'] if _RESULTS in used else []
    made += [f'the log "{INPUTS}" with {CONTENT.render(INPUT)}'] if INPUTS in used else []
    made += [f"a writer {name}" for name in _WRITERS if name in used]
    made += [f"a writer {_SHORT} with a short timeout"] if _SHORT in used else []
    return [given(text, "CORE-42") for text in made]


def _closes(model: Core) -> list[ActLine]:
    ends = [
        (name, "commits" if conditions.may_end(model, name, "commits") else "aborts")
        for name in model.writers
        if conditions.is_open(model, name)
    ]
    lines = [line for name, how in ends for line in _end(model, name, how)]
    logs = [log for log in _LOGS if log not in model.unclear]
    lines += [then(f"readers of {log} see {_content(model, log)}", model.of_log(log)) for log in logs if model.used(log)]
    followed = (log for log in logs if log in model.followed)
    lines += [then(f"the follower of {log} has been given {_content(model, log)}", "CORE-29") for log in followed]
    for (group, log), place in model.places.items():
        if group in model.unclear:
            continue
        left = CONTENT.render(tuple(sorted(model.left(group, log))))
        lines.append(then(f"group {group} has {left} of {log} left", place.why))
    over = (name for name, writer in model.writers.items() if writer.last is not None and writer.knows_its_end)
    return [*lines, *(then(f"the transaction of {name} is over", "CORE-10") for name in over)]


def _content(model: Core, log: str) -> str:
    return _in_its_order(model, log, model.visible(log))


def _in_its_order(model: Core, log: str, values: tuple[str, ...]) -> str:
    return CONTENT.render(values) + ("" if model.is_in_order(log) else " in some order")


def _write(model: Core, name: str, log: str) -> list[ActLine]:
    value, why = model.new_value(name), model.why(model.writers[name].open)
    model.write(name, log, value)
    asked = when(f'{name} writes "{value}" to {log}', why, f'{name} has written "{value}" to {log}')
    return [asked, then("it is done", why)]


def _write_many(model: Core, name: str, log: str) -> list[ActLine]:
    why = model.why(model.writers[name].open)
    for number in range(MANY):
        model.write(name, log, str(number + 1))
    said = f'"1" up to "{MANY}" to {log}'
    return [when(f"{name} writes {said}", why, f"{name} has written {said}"), then("it is done", why)]


def _write_to_sealed(model: Core, name: str, log: str) -> list[ActLine]:
    said = f'"{model.late_value(log)}" to {log}'
    return [when(f"{name} writes {said}", "CORE-44", f"{name} has tried to write {said}"), then("it is refused", "CORE-44")]


def _seal(model: Core, log: str) -> list[ActLine]:
    model.sealed.add(log)
    return [given(f"{log} has been sealed", "CORE-43")]


def _race_to_the_end(model: Core, name: str, log: str, which_first: str) -> list[ActLine]:
    before, value = CONTENT.render(tuple(entry.value for entry in model.logs[log])), model.new_value(name)
    model.lose_sight(name)
    model.unclear.add(log)
    said = {
        "the write": f'{name} sends "{value}" to {log} and commits at the same time, the write first',
        "the commit": f'{name} sends "{value}" to {log} and commits at the same time, the end first',
    }
    seen = f'readers of {log} see {before} if the commit is done, and nothing otherwise, and "{value}" after it if that was acknowledged'
    return [when(said[which_first], "CORE-36"), then(seen, "CORE-36")]


def _process(model: Core, one: str, other: str, group: str, *_: str) -> list[ActLine]:
    left = CONTENT.render(model.left(group, INPUTS))
    for name in (one, other):
        model.lose_sight(name)
    model.unclear.add(group)
    asked = when(f"{one} and {other} process {INPUTS} into {_RESULTS} for group {group} at the same time", "CORE-34")
    return [asked, then(f"each of {left} is seen in {_RESULTS} or left of {INPUTS} for group {group}, and not both", "CORE-34")]


def _end(model: Core, name: str, ends: str) -> list[ActLine]:
    why = model.why(model.writers[name].open)
    model.end(name, commit=ends == "commits")
    return [when(f"{name} {ends}", why, f"{name} has {_PAST[ends]}"), then("it is done", why)]


def _end_everywhere(model: Core, name: str, ends: str) -> list[ActLine]:
    why = model.why(model.writers[name].open)
    model.end(name, commit=ends == "commits", everywhere=True)
    return [given(f"{name} has {_PAST[ends]}", why)]


def _end_again(model: Core, name: str, ends: str) -> list[ActLine]:
    last, tried = model.writers[name].last, f"{name} has tried to {_VERB[ends]} the same transaction again"
    if last is not None and last.committed is (ends == "commits"):
        return [given(tried, "CORE-11" if last.committed else "CORE-12")]
    why = "CORE-14" if ends == "commits" else "CORE-13"
    return [when(f"{name} {ends} the same transaction again", why, tried), then("it is refused", why)]


def _write_late(model: Core, name: str, log: str) -> list[ActLine]:
    tried = f'{name} has tried to write "{model.late_value(log)}" to {log} in the transaction that it ended'
    return [given(tried, "CORE-31")]


def _lose(model: Core, name: str) -> list[ActLine]:
    model.lose(name)
    return [given(f"{name} has lost its transaction to another client", "CORE-18")]


def _time_out(model: Core, name: str, log: str, *crashes: str) -> list[ActLine]:
    lines, value = _anew(model, name), model.new_value(name)
    model.write(name, log, value)
    lines.append(given(f'{name} has written "{value}" to {log}', "CORE-42"))
    lines += _crash(model) if crashes else []
    return [*lines, *_left_open(model, name)]


def _time_out_with_input(model: Core, name: str, group: str, log: str) -> list[ActLine]:
    lines = _anew(model, name)
    return [*lines, *_take(model, name, group, log), *_left_open(model, name)]


def _anew(model: Core, name: str) -> list[ActLine]:
    """The lines by which a new instance replaces a writer that has lost its transaction, with a short timeout."""
    if not model.writers[name].lost:
        return []
    model.renew(name)
    return [given(f"a writer {name} with a short timeout", "CORE-42")]


def _left_open(model: Core, name: str) -> list[ActLine]:
    model.lose(name)
    left = given(f"{name} has left its transaction open past its timeout", "CORE-15")
    return [left, then(f"the transaction of {name} is over", "CORE-15")]


def _several_aborts(model: Core, name: str, log: str) -> list[ActLine]:
    lines = []
    for _ in range(_SEVERAL):
        lines += [line for line in _write(model, name, log) if line.kind == "When"]
        lines += _end_everywhere(model, name, "aborts")
    return lines


def _write_lost(model: Core, name: str, log: str) -> list[ActLine]:
    return [given(f'{name} has tried to write "{model.late_value(log)}" to {log}', "CORE-17")]


def _commit_lost(model: Core, name: str) -> list[ActLine]:
    why = "CORE-16" if name == _SHORT else "CORE-18"
    model.writers[name].has_tried = True
    return [when(f"{name} commits", why, f"{name} has tried to commit"), then("it is refused", why)]


def _renew(model: Core, name: str) -> list[ActLine]:
    model.renew(name)
    return [given(f"a new instance of {name}", "CORE-42")]


def _write_plain(model: Core, log: str) -> list[ActLine]:
    value = model.new_value("plain")
    model.write_plain(log, value)
    return [given(f'"{value}" has been written to {log}', "CORE-42")]


def _crash(model: Core) -> list[ActLine]:
    model.go_down()
    return [given("the system has crashed and restarted", "CORE-24")]


def _reload(model: Core, log: str) -> list[ActLine]:
    model.reload()
    return [given(f"{log} has been reloaded", "CORE-40")]


def _crash_in(model: Core, name: str, ends: str, moment: str) -> list[ActLine]:
    why = "CORE-27" if moment == _UNDECIDED else "CORE-28"
    if moment == _UNDECIDED:
        model.writers[name].last = None  # the transaction that it last asked to end is open
    else:
        model.end(name, commit=ends == "commits", answered=moment == _AFTER_ITS_ANSWER)
    model.go_down(why)
    armed = given(f"the system crashes {moment} the next {_VERB[ends]} of {name}", why)
    return [armed, given(f"{name} has tried to {_VERB[ends]}", why)]


def _begin(model: Core, name: str) -> list[ActLine]:
    model.begin(name)
    return [given(f"{name} has begun a transaction", "CORE-10")]


def _take(model: Core, name: str, group: str, log: str) -> list[ActLine]:
    values = model.take(name, group, log)
    return [given(f"{name} has taken {CONTENT.render(values)} from {log} for group {group}", "CORE-21")]


def _look_for_place(model: Core, group: str, log: str) -> list[ActLine]:
    model.looks += 1
    return [then(f"group {group} is done with {CONTENT.render(model.places[group, log].done)} of {log}", "CORE-39")]


def _follow(model: Core, log: str) -> list[ActLine]:
    model.followed.add(log)
    return [given(f"a follower of {log}", "CORE-29")]


_read_on = always(given("the follower of {0} has read on", "CORE-29"))
_send_again = always(given("{0} has sent its last write to {1} again", "CORE-38"))


def _look(model: Core, log: str) -> list[ActLine]:
    model.looks += 1
    lines = [then(f"readers of {log} do not see {CONTENT.render(model.hidden(log))}", "CORE-02")]
    seen = model.visible_while_open(log)
    return lines if seen is None else [*lines, then(f"readers of {log} see {_in_its_order(model, log, seen)}", "CORE-05")]


def _acts() -> Iterator[Act[Core]]:
    for x in _WRITERS:
        for log in _LOGS:
            yield Act(f"{x} writes to {log}", conditions.may_write, _write, (x, log))
            yield Act(f"{x} writes many values to {log}", conditions.may_write_many, _write_many, (x, log))
            yield Act(
                f"{x} writes to {log}, which is sealed", conditions.may_write_to_sealed, _write_to_sealed, (x, log), frozenset({"sealing"})
            )
            for first in ("the write", "the commit"):
                yield Act(
                    f"{x} writes to {log} and commits, {first} first", conditions.may_race, _race_to_the_end, (x, log, first), races=True
                )
            yield Act(f"{x} writes to {log} late", conditions.has_ended_everywhere, _write_late, (x, log))
            yield Act(f"{x} writes to {log} what it lost", conditions.has_lost_it, _write_lost, (x, log))
        for ends in _ENDS:
            yield Act(f"{x} {ends}", conditions.may_end, _end, (x, ends))
            yield Act(f"{x} has {_PAST[ends]}", conditions.may_end, _end_everywhere, (x, ends))
            yield Act(f"{x} {ends} again", conditions.has_ended, _end_again, (x, ends))
            for moment in _MOMENTS:
                needs = frozenset({"crash"} if moment == _AFTER_ITS_ANSWER else {"crash", "crash-points"})
                may_come = conditions.has_several if moment in _ON_ITS_WAY else conditions.has_written
                yield Act(f"{x} {ends}, and a crash comes {moment} it", may_come, _crash_in, (x, ends, moment), needs)
        yield Act(f"{x} loses its transaction", conditions.has_written, _lose, (x,))
        yield Act(
            f"{x} begins a transaction",
            lambda model, name: conditions.has_it(model, name) and not conditions.is_open(model, name),
            _begin,
            (x,),
        )
        for group, log in (*((group, INPUTS) for group in _GROUPS), (_GROUPS[0], _LOGS[0])):
            yield Act(f"{x} takes input from {log} for {group}", conditions.may_take, _take, (x, group, log))
        yield Act(f"{x} sends its write again", Core.has_written_to, _send_again, (x, _DEDUPLICATING))
    for x in (*_WRITERS, _SHORT):
        yield Act(f"{x} commits what it lost", conditions.may_commit_lost, _commit_lost, (x,))
        yield Act(f"a new instance of {x}", conditions.may_renew, _renew, (x,))
    for log in _LOGS:
        yield Act(f"{_SHORT} times out in {log}", conditions.may_time_out, _time_out, (_SHORT, log))
        yield Act(
            f"{_SHORT} times out in {log} after a crash", conditions.may_time_out, _time_out, (_SHORT, log, _CRASH), frozenset({"crash"})
        )
        yield Act(f"a plain write to {log}", lambda model, log: log not in model.sealed, _write_plain, (log,))
        yield Act(f"the seal of {log}", lambda model, log: log not in model.sealed, _seal, (log,), frozenset({"sealing"}))
        yield Act(f"a follower of {log}", lambda model, log: log not in model.followed, _follow, (log,))
        yield Act(f"the follower of {log} reads on", lambda model, log: log in model.followed, _read_on, (log,))
        yield Act(f"a look at {log}", conditions.may_look, _look, (log,))
        yield Act(f"a reload of {log}", Core.used, _reload, (log,), frozenset({"reload"}))
    for x in _WRITERS:
        for log in _LOGS:
            yield Act(f"{x} aborts several transactions in {log}", conditions.may_abort_several, _several_aborts, (x, log))
    for group in _GROUPS:
        yield Act(
            f"{_SHORT} takes input for {group} and times out",
            conditions.may_time_out_with_input,
            _time_out_with_input,
            (_SHORT, group, INPUTS),
        )
        yield Act(f"A and B process input for {group}", conditions.may_process, _process, (*_WRITERS, group, INPUTS, _RESULTS), races=True)
        yield Act(f"a look for the place of {group}", conditions.may_look_for_place, _look_for_place, (group, INPUTS))
    yield Act("a crash", lambda model: model.has_begun, _crash, (), frozenset({"crash"}))


def _means(model: Core, line: ActLine, violation: Violation) -> str:
    if (
        not line.text.startswith("readers of ")
        or line.requirement == "CORE-05"
        or " do not see " in line.text
        or not re.fullmatch(CONTENT.pattern, violation.mismatch.seen)
    ):
        return line.requirement
    return model.meaning_of(line.text.split()[2], CONTENT.parse(violation.mismatch.seen))


TABLE = Table(
    "core", Core, tuple(_acts()), _opens, _closes, _means, (frozenset(), *(frozenset({log}) for log in _LOGS)), (_WRITERS, _GROUPS)
)
