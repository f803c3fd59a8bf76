"""The acts of the transaction key: tasks that connect, reconnect, are fenced and go on; their transactions; administrators; faults.

Where the proposal leaves a choice, such as whether a client that reconnects keeps its transaction, the client gives the transaction up.
"""

from collections.abc import Iterator

from fencepost.steps.pulsar.vocabulary import shown

from . import (
    transaction_key_begun,
    transaction_key_cases,
    transaction_key_episodes,
    transaction_key_faults,
    transaction_key_neighbours,
    transaction_key_refusals,
    transaction_key_waiting,
)
from . import transaction_key_conditions as conditions
from .act import Act, ActLine, Phase, Table, always, given, kinds_of, then, when
from .transaction_key_lines import aborted, found_after_crash, others_stay, state_of, transaction_of
from .transaction_key_model import KEYS, PAYMENTS, TASKS, KeyedTransaction, KnownKeys

_TOPIC, _INPUTS, _WORKERS, _INPUT = "orders", "inputs", "workers", ("i1", "i2")
_ENDS = {"commits": "commit", "aborts": "abort"}
_BUSY = "TXKEY-12"
"""The requirement that is violated where a client is refused what it may do, and nothing narrower is known."""
_KEYED = frozenset({"transaction-keys"})


def _opens(used: frozenset[str]) -> list[ActLine]:
    made = [f'the topic "{_TOPIC}"'] if _TOPIC in used else []
    if _INPUTS in used:
        made.append(f'the topic "{_INPUTS}" with {shown(_INPUT)}')
        made.append(f'the consumer of shared subscription "{_WORKERS}" has received {shown(_INPUT)} from {_INPUTS}')
    return [given(text, _BUSY) for text in made]


def _closes(model: KnownKeys) -> list[ActLine]:
    lines = [line for name, one in list(model.tasks.items()) if one.open for line in _end(model, name, "commits")]
    lines += _look(model, _TOPIC) if model.entries else []
    if model.done[_INPUTS]:
        left = [value for value in _INPUT if value not in model.taken]
        lines.append(then(f'subscription "{_WORKERS}" has {shown(left)} left', "TXKEY-09" if model.done["late"] else "TXKEY-05"))
    return lines


def _look(model: KnownKeys, topic: str) -> list[ActLine]:
    values = model.visible()
    order = " in some order" if len(values) > 1 else ""
    why = "TXKEY-34" if model.done["late"] else "TXKEY-10" if model.done["ends late"] else "TXKEY-06"
    return [then(f"readers of {topic} see {shown(values)}{order}", why)]


def _connect(model: KnownKeys, task: str, key: str) -> list[ActLine]:
    before, was_there = model.last.get(key), model.current(key)
    lines = [
        when(f"{task} connects with {key}", "TXKEY-01" if before is None else "TXKEY-04", f"{task} has connected with {key}"),
        then("it is done", "TXKEY-01" if before is None else "TXKEY-04"),
    ]
    is_comparable = before is not None and before != task and model.tasks[before].key == key and model.tasks[before].is_notified
    why = "TXKEY-29" if key in model.deleted else "TXKEY-20" if model.done["crash"] else "TXKEY-02"
    lost = model.connect(task, key)
    if before is None:
        lines.append(then(f"{task} is given epoch 0", "TXKEY-16" if len(model.last) > 1 else "TXKEY-01"))
    elif is_comparable:
        lines.append(then(f"{task} is given a greater epoch than {before}", why))
        lines.append(then(f"{task} is given the coordinator of {before}", "TXKEY-19"))
    if was_there is not None and was_there.is_connected and not was_there.has_left:
        lines.append(then(f"the connection of {before} is closed", "TXKEY-04"))
    return [*lines, *aborted(lost, "TXKEY-21" if model.done["crash"] else "TXKEY-05"), *others_stay(model, key)]


def _come_back(model: KnownKeys, task: str) -> list[ActLine]:
    why = "TXKEY-20" if model.done["crash"] else "TXKEY-02"
    one = model.tasks[task]
    one.is_connected, one.has_left = True, False
    lines = [when(f"{task} connects again", why, f"{task} has connected again"), then("it is done", why)]
    given_up = model.abort(task)
    return [*lines, given(f"{given_up.name} has tried to abort", "TXKEY-26")] if given_up else lines


def _come_back_late(model: KnownKeys, task: str) -> list[ActLine]:
    one = model.tasks[task]
    why = "TXKEY-29" if one.key in model.deleted else "TXKEY-03"
    lines = [when(f"{task} connects again", why), then("it is refused with NotAllowedError", why)]
    now = model.current(one.key)
    if now is None:
        return lines
    lines += [then(f"the connection of {now.name} is open", "TXKEY-03")] if now.is_connected and not now.has_left else []
    return [*lines, *([then(f"{now.open.name} is OPEN", "TXKEY-03")] if now.open else [])]


def _begin(model: KnownKeys, task: str) -> list[ActLine]:
    before = model.tasks[task].open
    one = model.begin(task)
    lines = [when(f"{task} begins transaction {one.name}", _BUSY, f"{task} has begun transaction {one.name}")]
    return [*lines, then("it is done", _BUSY), *aborted(before, "TXKEY-14")]


_begin_fenced = always(when("{0} asks for a new transaction on its old connection", "TXKEY-12"), then("{0} is not served", "TXKEY-12"))


def _write(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    one, value, why = transaction_of(model, task), model.new_value(), "TXKEY-21" if model.done["crash"] else _BUSY
    model.entries.append((value, one))
    said = f'"{value}" to {topic}'
    return [when(f"{one.name} writes {said}", why, f"{one.name} has written {said}"), then("it is done", why)]


def _write_plain(model: KnownKeys, topic: str) -> list[ActLine]:
    value = model.new_value()
    model.entries.append((value, None))
    return [given(f'"{value}" has been written to {topic}', "TXKEY-30")]


def _write_without_a_key(model: KnownKeys, topic: str) -> list[ActLine]:
    model.done["W"] += 1
    one, value = KeyedTransaction("W", "", committed=True), model.new_value()
    model.entries.append((value, one))
    said = ("transaction W", f'W has written "{value}" to {topic}', "W has committed")
    return [given(line, "TXKEY-30") for line in said]


def _acknowledge(model: KnownKeys, task: str, value: str, *_: str) -> list[ActLine]:
    model.done[_INPUTS] += 1
    one, why = transaction_of(model, task), "TXKEY-06"
    one.holds.add(value)
    one.has_acknowledged = True
    said = f'"{value}" for "{_WORKERS}"'
    return [when(f"{one.name} acknowledges {said}", why, f"{one.name} has acknowledged {said}"), then("it is done", why)]


def _end(model: KnownKeys, task: str, how: str) -> list[ActLine]:
    one, why = transaction_of(model, task), "TXKEY-21" if model.done["crash"] else _BUSY
    if how == "commits":
        model.commit(one)
    else:
        model.abort(task)
        one.is_late = False
    asked = when(f"{one.name} {how}", why, f"{one.name} has {'committed' if how == 'commits' else 'aborted'}")
    settled = then(f"{one.name} is {'COMMITTED' if how == 'commits' else 'ABORTED'}", why)
    return [asked, then("it is done", why), settled]


def _end_late(model: KnownKeys, task: str, how: str) -> list[ActLine]:
    one, why = transaction_of(model, task), "TXKEY-10" if how == "commits" else "TXKEY-11"
    model.done["ends late"] += 1
    tried = f"{one.name} has tried to {_ENDS[how]}"
    return [when(f"{one.name} {how}", why, tried), then(_refusal(one), why)]


def _refusal(one: KeyedTransaction) -> str:
    return "it is refused with InvalidTxnStatus" if one.is_fenced else "it is refused"


def _write_late(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    return _written_late(model, transaction_of(model, task), topic)


def _written_late(model: KnownKeys, one: KeyedTransaction, topic: str) -> list[ActLine]:
    said = f'"late" to {topic}'
    model.done["late"] += 1
    asked = when(f"{one.name} writes {said}", "TXKEY-07", f"{one.name} has tried to write {said}")
    return [asked, then(_refusal(one), "TXKEY-07")]


def _acknowledge_late(model: KnownKeys, task: str, value: str, *_: str) -> list[ActLine]:
    model.done[_INPUTS] += 1
    model.done["late"] += 1
    one, said = transaction_of(model, task), f'"{value}" for "{_WORKERS}"'
    asked = when(f"{one.name} acknowledges {said}", "TXKEY-09", f"{one.name} has tried to acknowledge {said}")
    return [asked, then(_refusal(one), "TXKEY-09")]


def _go_on_late(model: KnownKeys, task: str, other: str, topic: str, inputs: str, value: str, how: str) -> list[ActLine]:
    """A transaction that is fenced after it wrote and acknowledged: its client goes on, and ends it while its successor has one open."""
    key = model.tasks[task].key
    lines = [*_begin(model, task), *_write(model, task, topic), *_acknowledge(model, task, value, inputs), *_connect(model, other, key)]
    lines += [*_begin(model, other), *_write(model, other, topic)]
    late = [*_write_late(model, task, topic), *_acknowledge_late(model, task, value, inputs), *_end_late(model, task, how)]
    stays = then(f"{transaction_of(model, other).name} is OPEN", "TXKEY-10" if how == "commits" else "TXKEY-11")
    return [*lines, *late, stays, *_end(model, other, "commits")]


def _go_on_with_an_earlier(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    """The first of three transactions, which was fenced when the second was begun, and the second, which was fenced by the third."""
    lines, earlier = list[ActLine](), list[KeyedTransaction]()
    for _ in range(2):
        lines += [*_begin(model, task), *_write(model, task, topic)]
        earlier.append(transaction_of(model, task))
    lines += _begin(model, task)
    lines += [line for one in earlier for line in _written_late(model, one, topic)]
    return [*lines, *_write(model, task, topic), *_end(model, task, "commits")]


def _leave(model: KnownKeys, task: str) -> list[ActLine]:
    model.tasks[task].has_left = True
    return [given(f"{task} has left", _BUSY)]


def _time_out(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    model.done["timed out"] += 1
    before, value = model.tasks[task].open, model.new_value()
    one = model.begin(task)
    model.entries.append((value, one))
    model.abort(task)
    return [
        given(f"{task} has begun transaction {one.name} with a short timeout", "TXKEY-35"),
        *aborted(before, "TXKEY-14"),
        given(f'{one.name} has written "{value}" to {topic}', "TXKEY-35"),
        when(f"{one.name} is left open past its timeout", "TXKEY-35", f"{one.name} has been left open past its timeout"),
        *aborted(one, "TXKEY-35"),
    ]


def _delete(model: KnownKeys, key: str) -> list[ActLine]:
    lines = found_after_crash(model, key)
    lost = model.delete(key)
    lines += [when(f"{key} is deleted", "TXKEY-27", f"{key} has been deleted"), then("it is done", "TXKEY-27")]
    lines += [*aborted(lost, "TXKEY-27"), then(f"administrators do not find {key}", "TXKEY-28"), *others_stay(model, key)]
    return [*lines, *(_look_at_keys(model) if conditions.has_keys(model) else [])]


def _look_at_keys(model: KnownKeys) -> list[ActLine]:
    there = [key for key in KEYS if key in model.last and key not in model.deleted]
    return [then(f"administrators are shown {' and '.join(there)} and no other", "TXKEY-27")]


def _look_at_metrics(model: KnownKeys) -> list[ActLine]:
    there = [key for key in KEYS if key in model.last and key not in model.deleted]
    return [then(f"the metrics agree with what administrators are shown of {' and '.join(there)}", "TXKEY-31")]


def _connect_at_once(model: KnownKeys, one: str, other: str, key: str) -> list[ActLine]:
    """It is not known which of them has the key then; a task that connects after both has it."""
    before = model.current(key)
    lost = model.abort(before.name) if before is not None else None
    for task in (one, other):
        model.connect(task, key)
        model.tasks[task].is_current = model.tasks[task].is_notified = False
    asked = when(f"{one} and {other} connect with {key} at the same time", "TXKEY-24")
    return [asked, then(f"exactly one of {one} and {other} stays connected", "TXKEY-24"), *aborted(lost, "TXKEY-05")]


_connect_without_a_key = always(
    when("task plain connects with no key", "TXKEY-33"),
    then("it is done", "TXKEY-33"),
    then("task plain is given no epoch", "TXKEY-33"),
)


def _crash(model: KnownKeys) -> list[ActLine]:
    model.done["crash"] += 1
    model.go_down()
    return [given("the system has crashed and restarted", "TXKEY-20")]


_unload = always(given("{0} has been unloaded", "TXKEY-34"))


def _crash_in_connect(model: KnownKeys, task: str, key: str) -> list[ActLine]:
    return transaction_key_faults.crash_in_connect(model, task, key, "after-epoch-persisted")


_compact = always(given("the key topic has been compacted", "TXKEY-20"))


def _fail_to_connect(model: KnownKeys, task: str, key: str) -> list[ActLine]:
    now = model.current(key)
    if task in model.tasks:
        model.tasks[task].is_notified = False
    lines = [
        given("the key topic fails at the next write", "TXKEY-22"),
        when(f"{task} connects with {key}", "TXKEY-22", f"{task} has tried to connect with {key}"),
        then("it is refused", "TXKEY-22"),
    ]
    if now is not None and now.is_connected and not now.has_left:
        lines.append(then(f"the connection of {now.name} is open", "TXKEY-22"))
    return [*lines, *([then(f"{now.open.name} is OPEN", "TXKEY-22")] if now is not None and now.open else [])]


def _acts() -> Iterator[Act[KnownKeys]]:
    for x in TASKS:
        for key in KEYS:
            yield Act(f"{x} connects with {key}", conditions.may_connect, _connect, (x, key), _KEYED)
        yield Act(f"{x} comes back", conditions.has_key, _come_back, (x,), _KEYED)
        yield Act(f"{x} comes back late", conditions.is_fenced, _come_back_late, (x,), _KEYED)
        yield Act(f"{x} begins", conditions.is_served, _begin, (x,), _KEYED)
        yield Act(f"{x} begins though it is fenced", conditions.may_begin_fenced, _begin_fenced, (x,), _KEYED)
        yield Act(f"{x} writes", conditions.is_open, _write, (x, _TOPIC), _KEYED)
        yield Act(f"{x} writes late", conditions.may_write_late, _write_late, (x, _TOPIC), _KEYED)
        yield Act(f"{x} leaves", conditions.is_served, _leave, (x,), _KEYED)
        yield Act(f"{x} leaves a transaction open", conditions.may_time_out, _time_out, (x, _TOPIC), _KEYED)
        for value in _INPUT:
            yield Act(f"{x} acknowledges {value}", conditions.may_acknowledge, _acknowledge, (x, value, _INPUTS), _KEYED)
            yield Act(f"{x} acknowledges {value} late", conditions.may_acknowledge_late, _acknowledge_late, (x, value, _INPUTS), _KEYED)
        for other in TASKS:
            if other == x:
                continue
            for how in _ENDS:
                arguments = (x, other, _TOPIC, _INPUTS, _INPUT[0], how)
                yield Act(f"{x} is fenced by {other}, goes on and {how}", conditions.may_be_fenced_by, _go_on_late, arguments, _KEYED)
        yield Act(f"{x} goes on with earlier ones", conditions.is_served, _go_on_with_an_earlier, (x, _TOPIC), _KEYED)
        for how in _ENDS:
            yield Act(f"{x} {how}", conditions.is_open, _end, (x, how), _KEYED)
            yield Act(f"{x} {how} late", conditions.has_lost_it, _end_late, (x, how), _KEYED)
        yield Act(
            f"{x} connects, and a crash comes", conditions.may_crash_in_connect, _crash_in_connect, (x, PAYMENTS), _KEYED | {"crash-points"}
        )
        yield Act(f"{x} fails to connect", conditions.may_fail, _fail_to_connect, (x, PAYMENTS), _KEYED | {"key-topic-faults"})
    for key in KEYS:
        yield Act(f"{key} is deleted", conditions.is_somebodys, _delete, (key,), _KEYED)
        yield Act(f"a look at {key}", conditions.is_somebodys, state_of, (key,), _KEYED)
    yield Act("a look at all keys", conditions.has_keys, _look_at_keys, (), _KEYED)
    yield Act("a look at the metrics", conditions.has_metrics, _look_at_metrics, (), _KEYED)
    yield Act("the key topic is compacted", conditions.has_keys, _compact, (), _KEYED | {"key-topic-faults"})
    yield Act("two connect at once", conditions.may_be_at_once, _connect_at_once, (*TASKS[1:], PAYMENTS), _KEYED, races=True)
    yield Act("somebody connects without a key", lambda model: bool(model.last), _connect_without_a_key, (), _KEYED)
    yield Act("a plain write", lambda *_: True, _write_plain, (_TOPIC,))
    yield Act("a transaction without a key", lambda model, _: not model.done["W"], _write_without_a_key, (_TOPIC,))
    yield Act("a look", lambda model, _: bool(model.entries) and conditions.is_plain(model), _look, (_TOPIC,))
    yield Act("orders is unloaded", lambda model, _: bool(model.entries), _unload, (_TOPIC,))
    for part in (
        transaction_key_refusals,
        transaction_key_faults,
        transaction_key_waiting,
        transaction_key_neighbours,
        transaction_key_begun,
        transaction_key_cases,
        transaction_key_episodes,
    ):
        yield from part.acts()
    yield Act("a crash", lambda model: bool(model.last), _crash, (), frozenset({"crash"}))


_FEW = frozenset(KEYS[1:])
_PLACES: tuple[frozenset[str], ...] = (
    frozenset(),
    frozenset(KEYS[:2]),
    _FEW,
    _FEW | {_INPUTS},
    _FEW | {_TOPIC},
    _FEW | {TASKS[2]},
    frozenset(KEYS[2:]),
)

_ACTS = tuple(_acts())
_CONNECTS = (_connect, _connect, _connect, _come_back)
_USES = {"task one begins": 2, "task one writes": 2, "task one acknowledges i1": 1}
_UPSETS = {
    "a crash": 3,
    "orders is unloaded": 1,
    "the key topic is compacted": 1,
    "coordinators are added": 1,
    "task one leaves": 1,
    "task one connects, and a crash comes": 1,
}
_ENDS_OF_KEYS = {
    "task one commits": 2,
    f"{PAYMENTS} is deleted": 1,
    "task one writes late": 1,
    "task one commits late": 1,
    "task one begins though it is fenced": 1,
}


def _phases() -> Iterator[Phase]:
    """What tasks have open when others connect, before and after something happens."""
    upsets = Phase(kinds_of(_ACTS, _UPSETS), 0, 1)
    yield from (Phase(_CONNECTS, 1, 2), Phase(kinds_of(_ACTS, _USES), 0, 3), upsets)
    cases = tuple(dict.fromkeys(act.says for act in _ACTS if act.is_case))
    ends = (*kinds_of(_ACTS, _ENDS_OF_KEYS), _come_back_late)
    yield from (Phase((), 0, 1), Phase(ends, 0, 2), upsets, Phase(cases, 0, 1))


TABLE = Table("transaction_key", KnownKeys, _ACTS, _opens, _closes, places=_PLACES, alike=(TASKS,), phases=tuple(_phases()))
"""A sequence may keep to one key, and to one topic."""
