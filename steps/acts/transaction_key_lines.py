"""The lines that several acts of the transaction key share."""

from .act import ActLine, then
from .transaction_key_model import KEYS, KeyedTransaction, KnownKeys


def seen(why: str, *texts: str) -> list[ActLine]:
    """What is expected after one request."""
    return [then(text, why) for text in texts]


def aborted(one: KeyedTransaction | None, why: str) -> list[ActLine]:
    """A transaction, if there is one, was aborted for its task."""
    return [then(f"{one.name} is ABORTED", why)] if one is not None else []


def others_stay(model: KnownKeys, key: str) -> list[ActLine]:
    """The owner of another key keeps it, and its transaction."""
    others = [one for one in (model.current(other) for other in KEYS if other != key) if one is not None]
    lines = [then(f"the connection of {one.name} is open", "TXKEY-15") for one in others if one.is_connected and not one.has_left]
    return [*lines, *(then(f"{one.open.name} is OPEN", "TXKEY-15") for one in others if one.open)]


def state_of(model: KnownKeys, key: str) -> list[ActLine]:
    """What administrators see of a key that has an owner."""
    one = model.current(key)
    assert one is not None, f"{key} has an owner"
    is_open = f"transaction {one.open.name}" if one.open else "nothing"
    return [then(f"{key} is at the epoch of {one.name}, with {is_open} open", "TXKEY-27")]


def found_after_crash(model: KnownKeys, key: str) -> list[ActLine]:
    """A look before a deletion where a coordinator may be loading: the look is retried until it is loaded, and a deletion is not."""
    return state_of(model, key) if model.done["crash"] else []


def transaction_of(model: KnownKeys, task: str) -> KeyedTransaction:
    """The transaction that a task has begun last."""
    one = model.tasks[task].transaction
    assert one is not None, f"{task} has begun a transaction"
    return one
