"""A run without brokers: which would be started, how many at one time, and how long the run would take.

It uses the line of the real run (`line_up`), with a clock that only adds measured times (`costs`). One broker starts at a time, while
scenarios run.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fencepost.contract.brokers import BROKERS_AT_ONCE, ScheduledScenario, seconds_together

from .costs import BrokerCosts, Costs
from .line_up import LineUp


@dataclass(eq=False)
class _OnPaper:
    """A broker that exists, or will serve at `serves_at`. If it is not idle, it plays scenarios until `is_over_at`."""

    configuration: str
    serves_at: float
    is_over_at: float = 0.0
    is_spent: bool = False
    is_idle: bool = True


@dataclass
class Rehearsal:
    """The result: how many brokers of each configuration were started, the most containers and MB at one time, and the seconds."""

    started: Counter[str] = field(default_factory=Counter)
    containers: int = 0
    memory_mb: int = 0
    seconds: float = 0.0


def rehearse(line: LineUp, default: str, scenarios: Sequence[tuple[str, ScheduledScenario]], costs: Costs, at_once: int = 1) -> Rehearsal:
    """Play these scenarios, each with its configuration, after the handshake, which uses the default broker. If a broker plays several
    `at_once`, a few brokers do at the same time.
    """
    return _Stage(line, costs, at_once).play(default, scenarios)


class _Stage:
    """The brokers, the clock of the scenarios and that of the thread that starts brokers."""

    def __init__(self, line: LineUp, costs: Costs, at_once: int) -> None:
        self._line, self._costs, self._at_once = line, costs, at_once
        self._there: list[_OnPaper] = []
        self._now = self._starter_is_free_at = 0.0
        self._found = Rehearsal()

    def play(self, default: str, scenarios: Sequence[tuple[str, ScheduledScenario]]) -> Rehearsal:
        turns = self._turns(scenarios)
        self._line.plan([configuration for configuration, _ in turns])
        self._now = self._start(default).serves_at
        self._start_ahead()
        lanes = [self._now] * (BROKERS_AT_ONCE if self._at_once > 1 else 1)
        for configuration, seconds in turns:
            self._end_until(heapq.heappop(lanes))
            member = self._take(configuration)
            self._line.take(configuration)
            self._start_ahead()
            member.is_over_at = max(self._now, member.serves_at) + seconds
            member.is_spent = self._line.kinds[configuration].fresh
            heapq.heappush(lanes, member.is_over_at)
        self._found.seconds = max(lanes)
        return self._found

    def _turns(self, scenarios: Sequence[tuple[str, ScheduledScenario]]) -> list[tuple[str, float]]:
        """The configuration and the seconds of each scenario, or of all that a broker plays if several run at once."""
        if self._at_once == 1:
            return [(configuration, self._costs.seconds(scenario)) for configuration, scenario in scenarios]
        brokers: dict[tuple[str, int | None], list[ScheduledScenario]] = {}
        for configuration, scenario in scenarios:
            broker = (configuration, scenario.wave if self._line.kinds[configuration].fresh else None)
            brokers.setdefault(broker, []).append(scenario)
        return [(name, seconds_together(some, self._costs.seconds, self._at_once)) for (name, _), some in brokers.items()]

    def _end_until(self, now: float) -> None:
        """The turns that are over by now release their brokers."""
        self._now = now
        for one in self._there:
            one.is_idle = one.is_over_at <= now
        self._there = [one for one in self._there if one not in self._line.not_needed(self._there)]
        self._start_ahead()

    def _take(self, configuration: str) -> _OnPaper:
        usable = [one for one in self._there if one.configuration == configuration and not one.is_spent]
        if not usable:
            for one in self._line.to_give_back(self._there, configuration) or ():
                self._there.remove(one)
            usable = [self._start(configuration)]
        usable[0].is_idle = False
        return usable[0]

    def _start_ahead(self) -> None:
        while (configuration := self._line.next_to_start(self._there)) is not None:
            self._start(configuration)

    def _start(self, configuration: str) -> _OnPaper:
        takes = self._of(configuration)
        serves_at = max(self._now, self._starter_is_free_at) + takes.start_s
        member = _OnPaper(configuration, serves_at)
        self._starter_is_free_at = serves_at
        self._there.append(member)
        self._found.started[configuration] += 1
        self._found.containers = max(self._found.containers, self._line.held(self._there))
        self._found.memory_mb = max(self._found.memory_mb, sum(self._of(one.configuration).memory_mb for one in self._there))
        return member

    def _of(self, configuration: str) -> BrokerCosts:
        return self._costs.configurations[configuration]
