"""The broker that is started next, and those that are released, so that few containers exist at once and no scenario waits in vain.

The brokers of a run are in a line in the order in which scenarios need their configurations. Each session takes the first place of its
configuration from the line, and those that share a broker take theirs together: a broker that the line no longer needs is released, and the
next one starts in advance. This module neither starts nor awaits brokers; `container_system` does. Scenarios may run concurrently, and so
may come in another order than planned.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

MOST_CONTAINERS = 5
"""How many containers one process holds at once. A broker takes up to 0.7 GB (fixtures/costs.yaml), so these and the suite fit into the
7 GB of a usual CI machine; and two processors are kept busy by one broker that is judged and one that starts."""

MOST_BESIDE_OTHERS = 3
"""The same for each of several worker processes, of which there are two unless the user sets another number."""


@dataclass(frozen=True)
class Kind:
    """The properties of brokers with one configuration. A fresh one serves one scenario."""

    containers: int = 1
    fresh: bool = False


class LineUpBroker(Protocol):
    """A broker, started or not: `is_spent` if it is fresh and has served its scenario, `is_idle` if no session is open."""

    @property
    def configuration(self) -> str: ...
    @property
    def is_spent(self) -> bool: ...
    @property
    def is_idle(self) -> bool: ...


M = TypeVar("M", bound=LineUpBroker)


@dataclass
class LineUp:
    """The line of one run; `kinds` has every configuration that scenarios may need."""

    kinds: Mapping[str, Kind]
    most: int = MOST_CONTAINERS
    is_planned: bool = False
    """Whether the line knows the scenarios to come. If not, a broker is kept until its place is needed."""
    _wanted: list[str] = field(default_factory=list)

    def plan(self, configurations: Sequence[str]) -> None:
        """From now on scenarios will need these configurations, roughly in this order."""
        self._wanted = list(configurations)
        self.is_planned = bool(configurations)

    def take(self, configuration: str) -> None:
        """A scenario takes a broker with that configuration."""
        if configuration in self._wanted:
            self._wanted.remove(configuration)

    def forget(self, configuration: str) -> None:
        """No scenario will get a broker with that configuration any more."""
        self._wanted = [one for one in self._wanted if one != configuration]

    def next_use(self, configuration: str) -> int | None:
        """The place in the line at which it is needed next; None if no later scenario needs it."""
        return self._wanted.index(configuration) if configuration in self._wanted else None

    def to_come(self, configuration: str) -> int:
        """How many scenarios may still need it."""
        return self._wanted.count(configuration)

    def next_to_start(self, there: Iterable[LineUpBroker]) -> str | None:
        """The configuration of the next broker to start in addition to these; None if none is needed, or there is no room."""
        there = list(there)
        spare = Counter(member.configuration for member in there if not member.is_spent)
        for configuration in self._wanted:
            if spare[configuration]:
                spare[configuration] -= self.kinds[configuration].fresh
            elif self.held(there) + self.kinds[configuration].containers <= self.most:
                return configuration
            else:
                return None  # a smaller one after it must not take its place for ever
        return None

    def not_needed(self, there: Iterable[M]) -> list[M]:
        """The idle brokers that no scenario will need any more."""
        if not self.is_planned:
            return [member for member in there if member.is_idle and member.is_spent]
        return [member for member in there if member.is_idle and (member.is_spent or self.next_use(member.configuration) is None)]

    def to_give_back(self, there: Iterable[M], configuration: str) -> list[M] | None:
        """The idle brokers that make room for one with that configuration, those needed latest first; None if all of them do not."""
        there = list(there)
        too_many = self.held(there) + self.kinds[configuration].containers - self.most
        given_back: list[M] = []
        for member in sorted((member for member in there if member.is_idle), key=self._latest_first):
            if too_many <= 0:
                break
            given_back.append(member)
            too_many -= self.kinds[member.configuration].containers
        return given_back if too_many <= 0 else None

    def held(self, there: Iterable[LineUpBroker]) -> int:
        """The number of containers of these brokers."""
        return sum(self.kinds[member.configuration].containers for member in there)

    def _latest_first(self, member: LineUpBroker) -> float:
        place = None if member.is_spent else self.next_use(member.configuration)
        return float("-inf") if place is None else -place
