"""Acts of the transaction key with faults: crashes in a connect and in a deletion, unreadable records, more coordinators."""

from collections.abc import Iterator

from . import transaction_key_conditions as conditions
from .act import Act, ActLine, given, then
from .transaction_key_lines import aborted, found_after_crash
from .transaction_key_model import PAYMENTS, TASKS, KnownKeys

_KEYED = frozenset({"transaction-keys"})
_POINTS = {"before-abort": True, "after-abort": True, "after-answer": False}
"""Points of a connect, and whether they are reached only where something is to be aborted."""
_RECORDS = ("has an empty record", "has half a record", "has a record of another version")
_FAILS = "the key topic fails at the next write"


def crash_in_connect(model: KnownKeys, task: str, key: str, point: str) -> list[ActLine]:
    """The epoch is durable; the previous owner of the key is fenced."""
    lost = model.connect(task, key)
    model.tasks[task].is_current = model.tasks[task].is_notified = False
    model.done["crash"] += 1
    model.go_down()
    said = (f"the system will crash {point}", f"{task} has tried to connect with {key}", "the system has restarted")
    return [*(given(line, "TXKEY-23") for line in said), *aborted(lost, "TXKEY-23")]


def _crash_in_deletion(model: KnownKeys, key: str) -> list[ActLine]:
    lines = found_after_crash(model, key)
    lost = model.delete(key)
    model.done["crash"] += 1
    model.go_down()
    said = ("the system will crash before-decision-logged", f"an administrator has tried to delete {key}", "the system has restarted")
    return [*lines, *(given(line, "TXKEY-23") for line in said), *aborted(lost, "TXKEY-23")]


def _fail_to_delete(model: KnownKeys, key: str) -> list[ActLine]:
    """Nothing has changed after the failure."""
    now = model.current(key)
    assert now is not None, f"{key} has an owner"
    lines = found_after_crash(model, key)
    lines += [given(text, "TXKEY-27") for text in (_FAILS, f"an administrator has tried to delete {key}")]
    lines += [then(f"the connection of {now.name} is open", "TXKEY-27")] if now.is_connected and not now.has_left else []
    return [*lines, *([then(f"{now.open.name} is OPEN", "TXKEY-27")] if now.open else [])]


def _spoil(model: KnownKeys, trouble: str) -> list[ActLine]:
    model.done["unreadable"] += 1
    return [given(f"the key topic {trouble}", "TXKEY-22")]


def _add_coordinators(model: KnownKeys) -> list[ActLine]:
    """Recorded keys stay at their coordinators."""
    model.done["coordinators"] += 1
    return [given("the system has 15 coordinators", "TXKEY-29")]


def _may_crash(model: KnownKeys, task: str, key: str, point: str) -> bool:
    now = model.current(key)
    is_possible = conditions.may_crash_in_connect(model, task, key)
    return is_possible and (not _POINTS[point] or (now is not None and now.open is not None))


def _may_crash_in_deletion(model: KnownKeys, key: str) -> bool:
    now = model.current(key)
    return now is not None and now.open is not None


def acts() -> Iterator[Act[KnownKeys]]:
    """All acts with faults."""
    crashes, faults = _KEYED | {"crash-points"}, _KEYED | {"key-topic-faults"}
    for x in TASKS:
        for point in _POINTS:
            yield Act(f"{x} connects, and a crash comes {point}", _may_crash, crash_in_connect, (x, PAYMENTS, point), crashes)
    yield Act(f"a crash in the deletion of {PAYMENTS}", _may_crash_in_deletion, _crash_in_deletion, (PAYMENTS,), crashes)
    yield Act(f"a deletion of {PAYMENTS} fails", conditions.is_somebodys, _fail_to_delete, (PAYMENTS,), faults)
    for trouble in _RECORDS:
        yield Act(
            f"the key topic {trouble}", lambda model, _: bool(model.last) and not model.done["unreadable"], _spoil, (trouble,), faults
        )
    more = _KEYED | {"more-coordinators"}
    yield Act("coordinators are added", lambda model: bool(model.last) and not model.done["coordinators"], _add_coordinators, (), more)
