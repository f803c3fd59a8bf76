"""What a system may declare about its brokers before it starts any: the order of scenarios, what it may offer, what a run will start.

A system without these is judged all the same: its scenarios run in the order of the register, and a plan has less about it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from .ports import System

MOST_AT_ONCE = 8
"""How many scenarios run at once, unless the user sets another number: they mostly wait for answers."""

BROKERS_AT_ONCE = 3
"""How many brokers run scenarios at the same time."""


@dataclass(frozen=True)
class ScheduledScenario:
    """A scenario, as far as it decides which broker it gets and how long it takes; `feature` is such as `kip890/ending.feature`.

    Scenarios with the same `wave` share their crashes: the system goes down `falls` times for all of them. A fresh broker plays one wave. A
    scenario without a wave runs concurrently with others, or by itself if scenarios run one after the other.
    """

    feature: str
    needs: frozenset[str]
    wave: int | None = None
    falls: int = 0


def seconds_together(scenarios: Iterable[ScheduledScenario], takes: Callable[[ScheduledScenario], float], at_once: int) -> float:
    """The seconds of these scenarios of a broker, of which each takes so many if the system goes down in it once. Those of a wave wait for
    each other, so it takes as long as the longest of them; of the others, `at_once` run concurrently.
    """
    waves: dict[int | None, float] = {}
    for one in scenarios:
        before = waves.get(one.wave, 0.0)
        waves[one.wave] = before + takes(one) / at_once if one.wave is None else max(before, takes(one) * max(1, one.falls))
    return sum(waves.values())


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
    """All that a run starts, and how much of it there is at most at one time.

    `seconds` are for the run; each process runs one scenario after the other. A node is a container, or what `unit` names.
    """

    image: str
    started: tuple[Started, ...]
    containers_at_once: int
    memory_mb: int
    seconds: float
    unit: str = "container"


@dataclass(frozen=True)
class Where:
    """The broker on which a scenario runs, by the name of its configuration. A fresh one serves that scenario alone, or those that share
    its crash. If it `unloads_all`, no log is unloaded by itself.
    """

    configuration: str = ""
    fresh: bool = False
    unloads_all: bool = False


def where_of(system: Any, needs: Collection[str]) -> Where:
    """The broker of a scenario with these needs; one for all if the system does not say."""
    where = getattr(system, "where", None)
    reported = where(needs) if callable(where) else None
    return reported if isinstance(reported, Where) else Where()


def share_broker(system: Any, titles: Collection[str], needs: Collection[str]) -> AbstractContextManager[None]:
    """In the block, sessions with these titles, of scenarios with these needs, share a broker. The block begins when the broker serves."""
    share = getattr(system, "share", None)
    shared: AbstractContextManager[None] = share(titles, needs) if titles and callable(share) else nullcontext()
    return shared


def has_broker_each(system: Any) -> bool:
    """Whether each scenario has its own broker, as on the reference in process: no other one brings that down."""
    return bool(getattr(system, "has_broker_each", False))


def most_at_once(system: Any) -> int:
    """How many scenarios are best in flight at once; one if the system does not say."""
    return int(getattr(system, "most_at_once", 1))


def set_most_at_once(system: Any, most: int) -> None:
    """Let so many scenarios run at once, whatever the system declares."""
    system.most_at_once = most


def turn_of(system: Any, needs: Collection[str]) -> int:
    """The place of a scenario with these needs in the best order for the system: a lower number first."""
    turn = getattr(system, "turn", None)
    # A pool of old transactional ids gets ready while the others are judged.
    return int(turn(needs)) if callable(turn) else int("aged-ids" in needs)


def brokers_of(system: Any, scenarios: Sequence[ScheduledScenario]) -> Brokers | None:
    """What the system will start for these scenarios, in this order; None if it starts nothing, or does not say."""
    brokers = getattr(system, "brokers", None)
    reported = brokers(scenarios) if callable(brokers) else None
    return reported if isinstance(reported, Brokers) else None


def share_machine(system: Any, workers: int) -> None:
    """Notify the system that one of so many processes uses it, each with a separate system."""
    reported = getattr(system, "share_machine", None)
    if callable(reported) and workers > 1:
        reported(workers)


def cares_who_asks(system: Any) -> bool:
    """Whether the system prefers which of several processes runs which scenario."""
    return callable(getattr(system, "deal", None))


def deal(system: Any, scenarios: Sequence[ScheduledScenario], workers: int) -> list[int] | None:
    """Which of so many processes, from 0 on, best runs each scenario; None if the system has no preference."""
    return list(system.deal(scenarios, workers)) if cares_who_asks(system) else None


def may_offer(system: Any) -> frozenset[str] | None:
    """The capabilities that the system may turn out to offer, as far as known before its handshake; None if nothing is known."""
    reported = getattr(system, "may_offer", None)
    return frozenset(reported()) if callable(reported) else None


class StandIn(System, Protocol):
    """The reference in place of a system after its handshake, with the requests that this system offers."""

    @property
    def lacks_nothing(self) -> bool:
        """Whether every request that a scenario may need is there, once it is open."""
        ...

    @property
    def missed(self) -> Mapping[str, str]:
        """The requests that were needed since `begin` and that the system lacks, with what it has instead."""
        ...

    def begin(self) -> None:
        """Another scenario will be played, with what the system offers."""
        ...

    def lift(self) -> bool:
        """Offer more, since the scenario could not be played to its end; returns False if there is no more."""
        ...


def stand_in_of(system: Any) -> StandIn | None:
    """The stand-in on which scenarios are played to find out which the system cannot run; None if its handshake decides that."""
    stand_in = getattr(system, "stand_in", None)
    found: StandIn | None = stand_in() if callable(stand_in) else None
    return found
