"""How far a run has come: what is shown while it goes on, without a word on how.

Scenarios end in any order, for workers run them side by side; one may be told of twice, when it is judged again as it is given back.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fencepost.contract.progress import Doing
from fencepost.contract.verdict import ScenarioResult, Verdict

_ENOUGH = 5
"""From so many scenarios on, the pace so far says something of the rest."""


@dataclass(frozen=True)
class Planned:
    """A scenario that will be run; by that worker process where it was dealt to one. `seconds` is about how long it takes, as measured,
    and only compared with that of others."""

    feature: str
    requirement: str
    title: str
    worker: int | None = None
    seconds: float = 1.0

    def __str__(self) -> str:
        return f"{self.requirement} {self.title}"


@dataclass(frozen=True)
class Now:
    """What one process is at: the scenario by its node id, its step, and what its systems do; empty where there is none.

    `share` is how much of the run it has played, from 0 to 1, by how long the scenarios take, where these are played side by side; else 0.
    They are judged in turn, and one that waits for what never comes keeps all after it from theirs: `idle_s` is how many seconds no verdict
    could be found because the next scenario was still played.
    """

    nodeid: str = ""
    step: str = ""
    doing: Sequence[Doing] = ()
    share: float = 0.0
    idle_s: float = 0.0


@dataclass(frozen=True)
class Running:
    """A scenario that is under way."""

    planned: Planned
    step: str
    seconds: float


@dataclass
class Feature:
    """What came of a feature's scenarios so far."""

    name: str
    planned: int = 0
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_done(self) -> bool:
        return len(self.verdicts) == self.planned

    def __str__(self) -> str:
        """Such as `11 of 12 met, 1 violated  (3.1 s)`."""
        counts = {verdict: list(self.verdicts.values()).count(verdict) for verdict in Verdict}
        others = "".join(f", {count} {verdict.words}" for verdict, count in counts.items() if count and verdict is not Verdict.MET)
        return f"{counts[Verdict.MET]} of {self.planned} met{others}  ({self.seconds:.1f} s)"


class Progress:
    """The run so far. `phase` says what it waits for while no scenario runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.phase = "collecting the scenarios"
        self.planned: Mapping[str, Planned] = {}
        self.features: dict[str, Feature] = {}
        self.judged: dict[str, ScenarioResult] = {}
        self.looks: list[Callable[[], Now]] = []
        """One for each process that runs scenarios; called from any thread."""
        self._clock = clock
        self._began = clock()
        self._first: float | None = None
        self._expected: float | None = None
        self._started: dict[str, float] = {}

    # --- what is told -------------------------------------------------------------------------------------------------------

    def plan(self, scenarios: Mapping[str, Planned]) -> None:
        """What will be run, by node ids."""
        self.planned = dict(scenarios)
        self.features = {}
        for planned in self.planned.values():
            name = planned.feature.removesuffix(".feature")
            self.features.setdefault(name, Feature(name)).planned += 1

    def expect(self, seconds: float) -> None:
        """How long the run will take from now on, as far as it can be known before scenarios run."""
        self._expected = self.elapsed + seconds

    def start(self, nodeid: str) -> None:
        """A scenario begins."""
        self._started[nodeid] = self._clock()
        if self._first is None:
            self._first = self._clock()

    def end(self, nodeid: str) -> None:
        """It is over, whether it was judged or not."""
        self._started.pop(nodeid, None)

    def judge(self, nodeid: str, result: ScenarioResult) -> Feature | None:
        """Take in a verdict; answers the feature if this was the last of its scenarios."""
        is_news = nodeid not in self.judged
        self.judged[nodeid] = result
        feature = self.features.get(result.feature.removesuffix(".feature"))
        if feature is None:
            return None
        feature.verdicts[nodeid] = result.verdict
        feature.seconds += result.seconds
        return feature if is_news and feature.is_done else None

    # --- what is shown ------------------------------------------------------------------------------------------------------

    @property
    def has_begun(self) -> bool:
        """Whether a scenario has been started."""
        return self._first is not None

    @property
    def total(self) -> int:
        return len(self.planned)

    @property
    def done(self) -> int:
        return len(self.judged)

    @property
    def tally(self) -> str:
        """What came of the scenarios so far: `40 met, 2 red, 1 known deviation, 7 not offered`."""
        verdicts = [result.verdict for result in list(self.judged.values())]
        counts = {"met": verdicts.count(Verdict.MET), "red": sum(verdict.is_red for verdict in verdicts)}
        counts |= {verdict.words: verdicts.count(verdict) for verdict in (Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED)}
        return ", ".join(f"{count} {words}" for words, count in counts.items() if count)

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1, by how long the scenarios take: a crash is more than a look."""
        in_all = sum(planned.seconds for planned in self.planned.values())
        done = sum(self.planned[node].seconds for node in list(self.judged) if node in self.planned)
        return done / in_all if in_all else self.done / max(self.total, 1)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._began

    @property
    def expected(self) -> float | None:
        """How long the whole run will take, in seconds; None while nothing is known.

        The pace so far weighs as much as there is of it, and what was expected before weighs the rest. Scenarios that are played side by
        side have one pace, and the verdicts that follow have another: the slower one counts.
        """
        now = max((look() for look in list(self.looks)), key=lambda one: one.share, default=Now())
        share = now.share or self.share
        if self._first is None or self.done < _ENOUGH or not share:
            return None if self._expected is None else max(self._expected, self.elapsed)
        taken = self._clock() - self._first
        by_pace = (self._first - self._began) + taken / share
        if now.share:
            each = max(taken - now.idle_s, 0.0) / self.done
            by_pace = max(by_pace, self.elapsed + each * (self.total - self.done))
        before = by_pace if self._expected is None else self._expected
        return max(share * by_pace + (1 - share) * before, self.elapsed)

    def running(self) -> list[Running]:
        """The scenarios that are under way, the oldest first, each with the step that it is at, where that is known."""
        steps = {now.nodeid: now.step for now in (look() for look in list(self.looks))}
        started = list(self._started.items())
        return [Running(self.planned[node], steps.get(node, ""), self._clock() - at) for node, at in started if node in self.planned]

    def doing(self) -> list[Doing]:
        """What the systems are busy with, each once, whichever process says so."""
        told = [doing for look in list(self.looks) for doing in look().doing]
        return list({(doing.what, doing.why, doing.waits_for): doing for doing in reversed(told)}.values())[::-1]
