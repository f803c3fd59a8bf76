"""Which scenarios may share their crashes: those on one broker that bring it down in the same way, one kill for all of them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from fencepost.contract.brokers import Where
from fencepost.contract.capabilities import DISTURBING
from fencepost.contract.gherkin import GherkinStep
from fencepost.steps.player import player_of
from fencepost.steps.sentence import takes_minutes, unloads

T = TypeVar("T")

_SHARED = frozenset({"clean-stop", "crash", "more-coordinators", "reload"})
"""The disturbing capabilities that scenarios may share: the system goes down and restarts once for all of them."""


def takes_long(spec: str, steps: Iterable[GherkinStep]) -> bool:
    """Whether minutes pass in one of these steps of a proposal."""
    return any(player_of(spec).is_marked(step, takes_minutes) for step in steps)


def way_down(
    spec: str, steps: Sequence[GherkinStep], falls: tuple[str, ...], needs: Collection[str], broker: Where
) -> tuple[str, ...] | None:
    """What the system goes through in these steps, in words; None if others would notice it and cannot share it. `falls` says how it goes
    down in them, a word for each time.

    Scenarios that let minutes pass share a crash with each other, but not with those whose transactions would time out meanwhile.
    """
    disturbing = DISTURBING.intersection(needs)
    if not disturbing <= _SHARED or (broker.unloads_all and any(player_of(spec).is_marked(step, unloads) for step in steps)):
        return None
    if not disturbing:
        return ()
    return (*(("minutes",) if takes_long(spec, steps) else ()), *falls) if falls else None


def by_way_down(some: Iterable[T], way: Callable[[T], tuple[str, ...] | None]) -> dict[tuple[str, ...] | None, list[T]]:
    """These by their ways down. A way that continues where another ends also serves the other, which is over before the rest begins."""
    found: dict[tuple[str, ...] | None, list[T]] = {}
    for one in some:
        found.setdefault(way(one), []).append(one)
    for shorter in tuple(filter(None, found)):
        if longer := next((other for other in found if other and other != shorter and other[: len(shorter)] == shorter), None):
            found[longer] += found.pop(shorter)
    return found
