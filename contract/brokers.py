"""What a system that starts brokers may say of them, besides the members of `System`: in which order to ask, and what a run will start.

A system without these is judged all the same: its scenarios come in the order of the register, and a plan says nothing of brokers.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Started:
    """What is started for some scenarios of a run: `brokers` of one configuration, each of which holds `containers`."""

    configuration: str
    why: str
    scenarios: int
    brokers: int
    containers: int


@dataclass(frozen=True)
class Brokers:
    """All that a run starts, and how many containers are there at most at one time. `image` may have to be pulled."""

    image: str
    started: tuple[Started, ...]
    containers_at_once: int


def turn_of(system: Any, needs: Collection[str]) -> int:
    """The place of a scenario with these needs in the order in which the system is best asked: a lower number first."""
    turn = getattr(system, "turn", None)
    # A pool of old transactional ids gets ready while the others are judged.
    return int(turn(needs)) if callable(turn) else int("aged-ids" in needs)


def brokers_of(system: Any, needs: Sequence[frozenset[str]]) -> Brokers | None:
    """What the system will start for scenarios with these needs, in this order; None where it starts nothing, or does not say."""
    brokers = getattr(system, "brokers", None)
    told = brokers(needs) if callable(brokers) else None
    return told if isinstance(told, Brokers) else None


def offered_ahead(system: Any) -> frozenset[str] | None:
    """The capabilities that the system is known to offer before it is asked; None where that is not known."""
    told = getattr(system, "offered_ahead", None)
    return frozenset(told()) if callable(told) else None
