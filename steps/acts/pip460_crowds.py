"""Acts of PIP-460 about three stream consumers of one subscription: in which order they join and return, how many segments there are, which
of them leave, and what changes meanwhile.

Each needs a separate topic, and comes once in a sequence.
"""

from collections.abc import Iterator
from itertools import combinations, permutations

from .act import joined
from .episodes import Episode
from .pip460_lines import named

_ALL, _SEGMENTS = ("gil", "hal", "kim"), ("a", "b", "c", "d")
_CRASHED, _PASSES = "the system has crashed and restarted", "the grace period passes"
_GONE = 'subscription "clerks" has been unregistered from payments'
_TIME, _CRASH = frozenset({"virtual-time"}), frozenset({"crash"})
_CHANGES = ("a is split into one and two", "a and b are merged into whole")


def _made(count: int) -> str:
    return f'the scalable topic "payments" of {named(_SEGMENTS[:count])}'


def _joins(name: str) -> str:
    return f'{name} joins "clerks" of payments'


def _have_joined(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f'{name} has joined "clerks" of payments' for name in names)


def _cut_off(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name} has been cut off" for name in names)


def _shared(names: tuple[str, ...]) -> tuple[str, ...]:
    """Each segment has one owner."""
    return (f"each active segment of payments is assigned once to {joined(names)}",)


def episodes() -> Iterator[Episode]:
    """All of them."""
    for count in range(1, len(_SEGMENTS) + 1):
        for order in permutations(_ALL):
            given = (_made(count), *_have_joined(order[:-1]))
            yield Episode(given, _joins(order[-1]), _shared(_ALL), "36")
            yield Episode(given, _joins(order[-1]), (f"each active segment of payments is assigned in turn to {joined(_ALL)}",), "35")
        for change in _CHANGES[: min(count, 2)]:
            yield Episode((_made(count), *_have_joined(_ALL)), change, _shared(_ALL), "36")
        for most in (1, 2, 3):
            gone = (*_have_joined(_ALL[:most]), *_cut_off(_ALL[:most]), _GONE)
            for later in ("gil", "lou"):
                yield Episode((_made(count), *gone), _joins(later), _shared((later,)), "34")
        for left in (*combinations(_ALL, 1), *combinations(_ALL, 2)):
            stay = tuple(name for name in _ALL if name not in left)
            yield Episode((_made(count), *_have_joined(_ALL), *_cut_off(left)), _PASSES, _shared(stay), "38", _TIME)
        for order in permutations(_ALL):
            given = (_made(count), *_have_joined(_ALL), _CRASHED, *_have_joined(order[:-1]))
            yield Episode(given, _joins(order[-1]), _shared(_ALL), "39", _CRASH)
