"""Acts of the transaction key that are refused: epochs that are not the latest, missing keys, requests of a fenced task."""

from collections.abc import Iterator

from . import transaction_key_conditions as conditions
from .act import Act, ActLine, given, when
from .transaction_key_lines import aborted, others_stay, seen, transaction_of
from .transaction_key_model import ALICES, BOBS, KEYS, TASKS, KnownKeys

_KEYED = frozenset({"transaction-keys"})
_TOPIC, _INPUTS, _WORKERS = "orders", "inputs", "workers"
_STALE, _BEFORE, _NONE = "it is refused with NotAllowedError", "the epoch before its own", "no epoch"
_EPOCHS = ("an epoch that was never assigned", "epoch -2", "the largest epoch", _BEFORE)
_REASON = 'the refusal begins with "ExpiredTransaction"'
_EXPIRED = "it is refused with InvalidTxnStatus"


def _come_with(model: KnownKeys, task: str, epoch: str) -> list[ActLine]:
    """The present state does not change."""
    one = model.tasks[task]
    lines = [when(f"{task} connects again with {epoch}", "TXKEY-03"), *seen("TXKEY-03", _STALE)]
    return lines + _untouched(model, one.key, "TXKEY-03")


def _untouched(model: KnownKeys, key: str, why: str) -> list[ActLine]:
    """The owner of the key keeps it, with its epoch and its transaction."""
    now = model.current(key)
    if now is None or not now.is_notified:
        return []
    is_open = f"transaction {now.open.name}" if now.open else "nothing"
    lines = seen(why, f"{key} is at the epoch of {now.name}, with {is_open} open")
    lines += seen(why, f"{now.open.name} is OPEN") if now.open else []
    return lines + (seen(why, f"the connection of {now.name} is open") if now.is_connected and not now.has_left else [])


def _come_as_new(model: KnownKeys, task: str) -> list[ActLine]:
    """A process that names no epoch has the key from now on."""
    key = model.tasks[task].key
    before = model.current(key)
    is_other = before is not None and before.name != task and before.is_notified
    lines = [when(f"{task} connects again with {_NONE}", "TXKEY-02"), *seen("TXKEY-02", "it is done")]
    lines += seen("TXKEY-02", f"{task} is given a greater epoch than {before.name}") if is_other and before is not None else []
    if is_other and before is not None and before.is_connected and not before.has_left:
        lines += seen("TXKEY-04", f"the connection of {before.name} is closed")
    return [*lines, *aborted(model.connect(task, key), "TXKEY-05"), *others_stay(model, key)]


def _delete_nothing(model: KnownKeys, key: str) -> list[ActLine]:
    """A missing key, or one of another owner."""
    lines = [when(f"{key} is deleted", "TXKEY-28"), *seen("TXKEY-28", "it is refused")]
    lines += seen("TXKEY-28", f"administrators do not find {key}")
    return [*lines, *(line for other in KEYS for line in _untouched(model, other, "TXKEY-28"))]


def _ask_on_the_old_connection(model: KnownKeys, task: str, what: str) -> list[ActLine]:
    """A task that has connected with the key again is answered that the transaction expired; another one is not served."""
    one = transaction_of(model, task)
    key = model.tasks[task].key
    why = {"the commit": "TXKEY-10", "the abort": "TXKEY-11"}.get(what, "TXKEY-12")
    asked = f"{what} of {one.name}" if what.startswith("the") else f"{what} to be added to {one.name}"
    lines = [when(f"{task} asks for {asked} on its old connection", why), *seen(why, f"{task} is not served")]
    return lines + _untouched(model, key, why)


def _add_late(model: KnownKeys, task: str, topic: str) -> list[ActLine]:
    one = transaction_of(model, task)
    return [when(f"{one.name} adds {topic}", "TXKEY-12"), *seen("TXKEY-12", _EXPIRED, _REASON)]


def _end_late_with_reason(model: KnownKeys, task: str) -> list[ActLine]:
    one = transaction_of(model, task)
    model.done["ends late"] += 1
    lines = [when(f"{one.name} commits", "TXKEY-10"), *seen("TXKEY-10", _EXPIRED, _REASON)]
    return lines + _untouched(model, model.tasks[task].key, "TXKEY-10")


def _acknowledge_late_silently(model: KnownKeys, task: str, value: str, *_: str) -> list[ActLine]:
    """No client is notified of the refusal."""
    model.done[_INPUTS] += 1
    model.done["late"] += 1
    one = transaction_of(model, task)
    said = f'{one.name} has acknowledged "{value}" for "{_WORKERS}" without asking for an answer'
    return [given(said, "TXKEY-09")]


def _may_come_with(model: KnownKeys, task: str, epoch: str) -> bool:
    """The previous epoch must exist and must not be that of a new process."""
    one = model.tasks.get(task)
    is_known = one is not None and one.is_notified and one.is_current
    return is_known and one is not None and (epoch != _BEFORE or model.counts[one.key] > 1)


def _may_come_as_new(model: KnownKeys, task: str) -> bool:
    one = model.tasks.get(task)
    return one is not None and one.is_notified and (one.is_current or conditions.is_fenced(model, task)) and one.key not in model.deleted


def _is_not_there(model: KnownKeys, key: str) -> bool:
    """Whether it has no owner, and another key has one."""
    return (
        model.current(key) is None
        and (key not in model.last or key in model.deleted)
        and bool(model.last)
        and conditions.is_all_loaded(model)
    )


def _is_fenced(model: KnownKeys, task: str, *_: str) -> bool:
    """Whether its transaction was fenced by a connect or by a new one."""
    one = model.tasks.get(task)
    return one is not None and conditions.has_lost_it(model, task) and one.transaction is not None and one.transaction.is_fenced


def _may_ask_on_it(model: KnownKeys, task: str, *_: str) -> bool:
    one = model.tasks.get(task)
    return _is_fenced(model, task) and one is not None and one.is_connected and not one.has_left and one.key not in model.deleted


def acts() -> Iterator[Act[KnownKeys]]:
    """All acts that are refused."""
    for x in TASKS:
        for epoch in _EPOCHS:
            yield Act(f"{x} comes back with {epoch}", _may_come_with, _come_with, (x, epoch), _KEYED)
        yield Act(f"{x} comes back with no epoch", _may_come_as_new, _come_as_new, (x,), _KEYED)
        for what in ("the commit", "the abort", _TOPIC):
            said = f"{x} asks for {what} on its old connection"
            yield Act(said, _may_ask_on_it, _ask_on_the_old_connection, (x, what), _KEYED)
        yield Act(f"{x} adds {_TOPIC} late", _is_fenced, _add_late, (x, _TOPIC), _KEYED)
        yield Act(f"{x} commits late, and is told why", _is_fenced, _end_late_with_reason, (x,), _KEYED)
        for value in ("i1", "i2"):
            said = f"{x} acknowledges {value} late, and asks for no answer"
            yield Act(said, conditions.may_acknowledge_late, _acknowledge_late_silently, (x, value, _INPUTS), _KEYED)
    for key in KEYS:
        needs = _KEYED | ({"principals"} if key in (ALICES, BOBS) else set())
        yield Act(f"{key}, which is not there, is deleted", _is_not_there, _delete_nothing, (key,), needs)
