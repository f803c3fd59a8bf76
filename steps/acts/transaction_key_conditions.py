"""When the acts of the transaction key are possible: what their clients know, and what follows from it."""

from collections.abc import Sequence

from .transaction_key_model import KeyedTransaction, KnownKeys


def may_connect(model: KnownKeys, task: str, _: str) -> bool:
    """A process that has no key, or has lost it."""
    one = model.tasks.get(task)
    return one is None or not one.is_current


def has_key(model: KnownKeys, task: str, *_: str) -> bool:
    one = model.tasks.get(task)
    return one is not None and one.is_current


def is_served(model: KnownKeys, task: str, *_: str) -> bool:
    """Whether its connection is the one of its key."""
    return has_key(model, task) and model.tasks[task].is_connected and not model.tasks[task].has_left and model.has_letters


def is_open(model: KnownKeys, task: str, *_: str) -> bool:
    return has_key(model, task) and model.tasks[task].open is not None


def is_fenced(model: KnownKeys, task: str) -> bool:
    """Whether it was given an epoch, and another task has been given one since, or its key is deleted."""
    one = model.tasks.get(task)
    return one is not None and one.is_notified and not one.is_current and (model.last.get(one.key) != task or one.key in model.deleted)


def may_begin_fenced(model: KnownKeys, task: str) -> bool:
    one = model.tasks.get(task)
    return one is not None and is_fenced(model, task) and one.is_connected and not one.has_left


def has_lost_it(model: KnownKeys, task: str, *_: str) -> bool:
    one = model.tasks.get(task)
    return one is not None and not one.is_current and one.transaction is not None and one.transaction.is_late


def may_write_late(model: KnownKeys, task: str, topic: str) -> bool:
    one = model.tasks.get(task)
    return one is not None and has_lost_it(model, task) and any(owner is one.transaction for _, owner in model.entries) and bool(topic)


def may_acknowledge(model: KnownKeys, task: str, value: str, *_: str) -> bool:
    return is_open(model, task) and value not in model.taken and model.holder(value) is None


def may_acknowledge_late(model: KnownKeys, task: str, value: str, *_: str) -> bool:
    one = model.tasks.get(task)
    has_part = one is not None and one.transaction is not None and one.transaction.has_acknowledged
    return has_part and has_lost_it(model, task) and value not in model.taken and model.holder(value) is None


def is_somebodys(model: KnownKeys, key: str) -> bool:
    return model.current(key) is not None


def has_keys(model: KnownKeys) -> bool:
    """Whether there are keys, and none that another act knows alone."""
    return not model.done["waits"] and any(key not in model.deleted for key in model.last)


def may_be_at_once(model: KnownKeys, one: str, other: str, key: str) -> bool:
    return key in model.last and is_all_loaded(model) and may_connect(model, one, key) and may_connect(model, other, key)


def may_time_out(model: KnownKeys, task: str, _: str) -> bool:
    return is_served(model, task) and model.done["timed out"] < 2 and not model.done["crash"]


def may_crash_in_connect(model: KnownKeys, task: str, key: str) -> bool:
    return may_connect(model, task, key) and key in model.last


def may_be_fenced_by(model: KnownKeys, task: str, other: str, _topic: str, _inputs: str, value: str, *_: str) -> bool:
    is_free = value not in model.taken and model.holder(value) in (None, model.tasks[task].open if task in model.tasks else None)
    return is_served(model, task) and is_free and may_connect(model, other, model.tasks[task].key)


def may_fail(model: KnownKeys, task: str, key: str) -> bool:
    return may_connect(model, task, key) and model.current(key) is not None


def is_plain(model: KnownKeys) -> bool:
    """Whether none of the messages that readers receive may be withheld after an open transaction."""
    owners: Sequence[KeyedTransaction | None] = [owner for _, owner in model.entries]
    return not any(owner is not None and owner.is_open for owner in owners)


def is_all_loaded(model: KnownKeys) -> bool:
    """Whether no coordinator may still be loading: a request that is not retried would be refused by a missing coordinator."""
    return not model.done["crash"] and not model.done["coordinators"]


def has_metrics(model: KnownKeys) -> bool:
    return has_keys(model) and is_all_loaded(model)
