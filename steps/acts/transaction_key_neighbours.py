"""Acts of the transaction key about keys that resemble each other, and coordinators that do not have a client's key."""

from collections.abc import Iterator

from . import transaction_key_conditions as conditions
from .act import Act, ActLine, then, when
from .transaction_key_lines import others_stay
from .transaction_key_model import PAYMENTS, TASKS, KnownKeys

_KEYED = frozenset({"transaction-keys"})
_NEAR = (
    'key "pay"',
    'key "PAYMENTS"',
    'key "payments "',
    'key "payments/eu"',
    'key "a/b"',
    'key "%2F?owner=x#y"',
    "a key of 1 byte",
    "a key of 1024 bytes",
    "a key in other letters",
)
_OWNED = (
    'key "c" of "a&b"',
    'key "c" of "a&"',
    'key "c" of "a"',
    'key "c" of "b"',
    'key "refunds" of "alice"',
    'key "payments" of "alice "',
    'key "payments" of "Alice"',
    'key "payments" of "alic"',
)
_INVALID = (
    "a key of 1025 bytes",
    "a key of 64 KB",
    "an empty key",
    "a key that is not UTF-8",
    'key "&"',
    'key "a&b"',
    'key "payments&more"',
    'key "b&c" of "a"',
)


def _resemble(model: KnownKeys, key: str) -> list[ActLine]:
    """Two processes connect with it, one after the other, and it is deleted: all other keys stay as they are."""
    model.done[key] += 1
    why = "TXKEY-16" if " of " in key and key.startswith("key") else "TXKEY-15"
    stays = others_stay(model, key)
    return [
        when(f"task near connects with {key}", why),
        then("it is done", why),
        then("task near is given epoch 0", why),
        *stays,
        when(f"task next connects with {key}", why),
        then("task next is given a greater epoch than task near", "TXKEY-02"),
        then("task next is given the coordinator of task near", "TXKEY-19"),
        then("the connection of task near is closed", "TXKEY-04"),
        then(f"{key} is at the epoch of task next, with nothing open", "TXKEY-18"),
        when(f"{key} is deleted", "TXKEY-27"),
        then("it is done", "TXKEY-27"),
        then(f"administrators do not find {key}", "TXKEY-28"),
        *stays,
    ]


def _connect_invalidly(model: KnownKeys, key: str) -> list[ActLine]:
    asked = when(f"task odd connects with {key}", "TXKEY-17")
    return [asked, then("it is refused with NotAllowedError", "TXKEY-17"), *others_stay(model, key)]


def _connect_elsewhere(model: KnownKeys, key: str) -> list[ActLine]:
    asked = when(f"task odd connects with {key} at another coordinator than its own", "TXKEY-19")
    return [asked, then("it is refused", "TXKEY-19"), *others_stay(model, "")]


def _begin_elsewhere(model: KnownKeys, task: str) -> list[ActLine]:
    asked = when(f"{task} asks for a new transaction at another coordinator than its own on its old connection", "TXKEY-19")
    return [asked, then("it is refused", "TXKEY-19"), *others_stay(model, "")]


def _may_resemble(model: KnownKeys, key: str) -> bool:
    return bool(model.last) and not model.done[key]


def _may_connect_elsewhere(model: KnownKeys, key: str) -> bool:
    return bool(model.done["coordinators"]) and model.current(key) is not None


def _may_begin_elsewhere(model: KnownKeys, task: str) -> bool:
    return bool(model.done["coordinators"]) and conditions.is_served(model, task)


def acts() -> Iterator[Act[KnownKeys]]:
    """All acts about other keys and other coordinators."""
    for key in (*_NEAR, *_OWNED):
        needs = _KEYED | ({"principals"} if key in _OWNED else set())
        yield Act(f"two connect with {key}, and it is deleted", _may_resemble, _resemble, (key,), needs)
    for key in _INVALID:
        needs = _KEYED | ({"principals"} if key.startswith("key") and " of " in key else set())
        yield Act(f"a task connects with {key}", lambda model, _: bool(model.last), _connect_invalidly, (key,), needs)
    more = _KEYED | {"more-coordinators"}
    yield Act(f"a task connects with {PAYMENTS} elsewhere", _may_connect_elsewhere, _connect_elsewhere, (PAYMENTS,), more)
    for x in TASKS:
        yield Act(f"{x} begins elsewhere", _may_begin_elsewhere, _begin_elsewhere, (x,), more)
