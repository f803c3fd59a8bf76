"""Which broker is started next and which is given back, so that few containers are there at once and no scenario waits for one in vain.

The brokers of a run stand in line in the order in which scenarios ask for their configurations. Each session takes the first place of its
configuration from the line: what nothing in the line needs is given back, and what comes next is started ahead. Nothing is started or
awaited here; `container_system` does that. Scenarios may run concurrently, and so come in another order than planned.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

MOST_CONTAINERS = 5
"""How many containers one process holds at once. A broker takes up to 0.7 GB (fixtures/costs.yaml), so these and the suite fit into the
7 GB of a usual CI machine; and two processors are kept busy by one broker that is judged and one that starts."""

MOST_BESIDE_OTHERS = 3
"""The same for each of several worker processes, of which there are two unless the user says otherwise."""


@dataclass(frozen=True)
class Kind:
    """What brokers with one configuration are like. A fresh one serves one scenario."""

    containers: int = 1
    fresh: bool = False


class Member(Protocol):
    """A broker that was started, or will be: `is_spent` when it is fresh and has served its scenario, `is_idle` when no session is open."""

    @property
    def configuration(self) -> str: ...
    @property
    def is_spent(self) -> bool: ...
    @property
    def is_idle(self) -> bool: ...


M = TypeVar("M", bound=Member)


@dataclass
class LineUp:
    """The line of one run; `kinds` has every configuration that may be asked for."""

    kinds: Mapping[str, Kind]
    most: int = MOST_CONTAINERS
    is_planned: bool = False
    """Whether it is known what will be asked for. Where it is not, a broker is kept until its place is needed."""
    _wanted: list[str] = field(default_factory=list)

    def plan(self, configurations: Sequence[str]) -> None:
        """From now on scenarios will ask for these configurations, by and large in this order."""
        self._wanted = list(configurations)
        self.is_planned = bool(configurations)

    def take(self, configuration: str) -> None:
        """A scenario asks for that configuration."""
        if configuration in self._wanted:
            self._wanted.remove(configuration)

    def next_use(self, configuration: str) -> int | None:
        """The place in the line at which it is needed next; None if no later scenario needs it."""
        return self._wanted.index(configuration) if configuration in self._wanted else None

    def to_come(self, configuration: str) -> int:
        """How many scenarios may still ask for it."""
        return self._wanted.count(configuration)

    def next_to_start(self, there: Iterable[Member]) -> str | None:
        """The configuration of the broker that is to be started next in addition to these; None if none is needed, or there is no room."""
        there = list(there)
        spare = Counter(member.configuration for member in there if not member.is_spent)
        for configuration in self._wanted:
            if spare[configuration]:
                spare[configuration] -= self.kinds[configuration].fresh
            elif self.held(there) + self.kinds[configuration].containers <= self.most:
                return configuration
            else:
                return None  # a smaller one behind it must not take its place for ever
        return None

    def not_needed(self, there: Iterable[M]) -> list[M]:
        """The idle brokers for which no scenario will ask any more."""
        if not self.is_planned:
            return [member for member in there if member.is_idle and member.is_spent]
        return [member for member in there if member.is_idle and (member.is_spent or self.next_use(member.configuration) is None)]

    def to_give_back(self, there: Iterable[M], configuration: str) -> list[M] | None:
        """The idle brokers that make room for one with that configuration, those first that are needed latest; None if all do not."""
        there = list(there)
        too_many = self.held(there) + self.kinds[configuration].containers - self.most
        given_back: list[M] = []
        for member in sorted((member for member in there if member.is_idle), key=self._latest_first):
            if too_many <= 0:
                break
            given_back.append(member)
            too_many -= self.kinds[member.configuration].containers
        return given_back if too_many <= 0 else None

    def held(self, there: Iterable[Member]) -> int:
        """How many containers these brokers hold."""
        return sum(self.kinds[member.configuration].containers for member in there)

    def _latest_first(self, member: Member) -> float:
        place = None if member.is_spent else self.next_use(member.configuration)
        return float("-inf") if place is None else -place
