"""Cases of keys: what a transaction has when its key has the next owner or is deleted, and what its client asks for late.

Each has a separate key, separate tasks and a separate topic.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from . import episodes
from .act import Act, ActLine, LinesOf
from .episodes import Episode
from .transaction_key_model import KnownKeys

_LINES = LinesOf("TXKEY")
_KEYED, _CRASH, _FAULTS = frozenset({"transaction-keys"}), frozenset({"crash"}), frozenset({"key-topic-faults"})
_KEY, _EARLY, _LATER = 'key "cases"', "task early", "task later"
_CRASHED, _COMPACTED = "the system has crashed and restarted", "the key topic has been compacted"
_UNLOADED, _LEFT = "desk has been unloaded", f"{_EARLY} has left"
_UP_TO, _SINGLE, _WRITES = 'X has acknowledged everything up to "d1" for "clerks"', 'X has acknowledged "d1" for "clerks"', "x1"
_WROTE = f'X has written "{_WRITES}" to desk'
_OPEN = ((), (_WROTE,), (_UP_TO,), (_SINGLE,), (_WROTE, _SINGLE))
_REFUSED = ("it is refused with InvalidTxnStatus", 'the refusal begins with "ExpiredTransaction"')
_MOST = 2


class _Fence(NamedTuple):
    """What ends the transaction for its task: as a When, as a Given, what is due, the requirement, and what cannot be before it."""

    asks: str
    given: str
    due: tuple[str, ...]
    why: str
    not_after: tuple[str, ...] = ()
    is_fencing: bool = True


_FENCES = (
    _Fence(
        f"{_LATER} connects with {_KEY}",
        f"{_LATER} has connected with {_KEY}",
        (f"{_LATER} is given a greater epoch than {_EARLY}", f"{_KEY} is at the epoch of {_LATER}, with nothing open"),
        "05",
    ),
    _Fence(
        f"{_EARLY} begins transaction Y",
        f"{_EARLY} has begun transaction Y",
        (f"{_KEY} is at the epoch of {_EARLY}, with transaction Y open", "Y is OPEN"),
        "14",
        (_CRASHED, _LEFT),
    ),
    _Fence(f"{_KEY} is deleted", f"{_KEY} has been deleted", (f"administrators do not find {_KEY}",), "27", is_fencing=False),
)
_LATE = {
    'X writes "late" to desk': "07",
    'X acknowledges everything up to "d2" for "clerks"': "08",
    'X acknowledges "d2" for "clerks"': "09",
    "X commits": "10",
    "X aborts": "11",
    "X adds desk": "12",
}
_BEFORE = ((), (_CRASHED,), (_UNLOADED,), (_LEFT,), (_COMPACTED,), (_COMPACTED, _CRASHED), (_LEFT, _CRASHED))
_AFTER = ((), (_CRASHED,), (_COMPACTED,), (_COMPACTED, _CRASHED), (_UNLOADED,))


def _cases() -> Iterator[tuple[str, Episode]]:
    for number, (has, before, fence, after, late) in enumerate(product(_OPEN, _BEFORE, _FENCES, _AFTER, ("", *_LATE))):
        if not set(before).isdisjoint(fence.not_after) or (not late and after) or (late and number % 3 and before and after):
            continue
        if not _has_part(has, late):
            continue
        kind = "failover" if _UP_TO in has or "up to" in late else "shared"
        said = ['the topic "desk" with "d1", "d2"', f'the consumer of {kind} subscription "clerks" has received "d1", "d2" from desk']
        said += [f"{_EARLY} has connected with {_KEY}", f"{_EARLY} has begun transaction X", *has, *before]
        asks, due, why = fence.asks, ("X is ABORTED", *fence.due), "21" if _CRASHED in before else fence.why
        if late:
            said += [fence.given, *after]
            asks, why = late, _LATE[late]
            due = (*(_REFUSED if fence.is_fencing else ("it is refused",)), *(("Y is OPEN",) if "Y" in fence.given else ()))
        due = (*due, 'readers of desk see "d1", "d2"', 'subscription "clerks" has "d1", "d2" left')
        needs = _KEYED | (_CRASH if _CRASHED in said else frozenset()) | (_FAULTS if _COMPACTED in said else frozenset())
        yield "late" if late else "fenced", Episode(tuple(said), asks, due, why, needs)


def _has_part(has: tuple[str, ...], late: str) -> bool:
    """Whether the transaction has the topic or the subscription about which its client asks."""
    if "writes" in late:
        return _WROTE in has
    if "acknowledges" in late:
        return (_UP_TO if "up to" in late else _SINGLE) in has
    return True


def _numbered(one: Episode, number: int) -> Episode:
    """The episode with names that no other one of the sequence has."""
    if not number:
        return one
    texts = ["\n".join(one.givens), one.asks, "\n".join(one.due)]
    for name, other in (("desk", "bench"), ("clerks", "porters"), ("cases", "boxes"), (_EARLY, "task former"), (_LATER, "task newer")):
        texts = [text.replace(name, other) for text in texts]
    given, asks, due = (text.translate(str.maketrans("XY", "UV")) for text in texts)
    return Episode(tuple(given.split("\n")), asks, tuple(due.split("\n")), one.why, one.needs)


def _says(model: KnownKeys, one: Episode) -> list[ActLine]:
    model.done["waits"] += 1
    model.done["cases"] += 1
    if one.needs & _CRASH:
        model.done["crash"] += 1
        model.go_down()
    return _numbered(one, model.done["cases"] - 1).lines(_LINES)


def _may_come(model: KnownKeys, _: Episode) -> bool:
    """Not where participants are notified late."""
    return model.done["cases"] < _MOST and model.done["waits"] == model.done["cases"] and not model.done["coordinators"]


def acts() -> Iterator[Act[KnownKeys]]:
    """One kind for what is fenced, and one for what comes late."""
    for part in episodes.by_kind(_cases()):
        yield from episodes.acts_of(part, _may_come, _says, are_cases=True)
