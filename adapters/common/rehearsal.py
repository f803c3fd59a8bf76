"""A run without brokers: which would be started, how many at one time, and how long the run would take.

It uses the line of the real run (`line_up`), with a clock that only adds measured times (`costs`). One broker starts at a time, while
scenarios run.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from fencepost.contract.brokers import ScheduledScenario

from .costs import BrokerCosts, Costs
from .line_up import LineUp


@dataclass(eq=False)
class _OnPaper:
    """A broker that exists, or will serve at `serves_at`."""

    configuration: str
    serves_at: float
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
    """Play these scenarios, each with its configuration and `at_once` of them concurrently, which counts as if each took that much less
    time; before them the handshake uses the default broker.
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
        self._line.plan([configuration for configuration, _ in scenarios])
        self._now = self._start(default).serves_at
        self._start_ahead()
        for configuration, scenario in scenarios:
            member = self._take(configuration)
            self._line.take(configuration)
            self._start_ahead()
            self._now = max(self._now, member.serves_at) + self._costs.seconds(scenario) / self._at_once
            member.is_spent = self._line.kinds[configuration].fresh
            member.is_idle = True
            self._there = [one for one in self._there if one not in self._line.not_needed(self._there)]
            self._start_ahead()
        self._found.seconds = self._now
        return self._found

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
