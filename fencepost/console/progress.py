"""The progress of a run: what is shown while it goes on, but not how.

Scenarios end in any order, since workers run them concurrently; one may be reported twice, if it is judged again at its teardown.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fencepost.contract.progress import Activity
from fencepost.contract.verdict import ScenarioResult, Verdict

_ENOUGH = 5
"""From this many scenarios on, the pace so far is an estimate for the rest."""


@dataclass(frozen=True)
class Planned:
    """A scenario that will be run, by the worker process to which it was assigned, if any. `seconds` is its measured duration, roughly,
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
    """What one process is doing: the scenario by its node id, its step, and what its systems are doing; empty if there is none.

    `share` is the part of the run that it has played, from 0 to 1, weighted by seconds, if scenarios run concurrently; else 0. They are
    judged in turn, so one that waits in vain delays the verdicts of all after it: `idle_s` is how many seconds there was no verdict because
    the next scenario was still running.
    """

    nodeid: str = ""
    step: str = ""
    doing: Sequence[Activity] = ()
    share: float = 0.0
    idle_s: float = 0.0


@dataclass(frozen=True)
class RunningScenario:
    """A running scenario."""

    planned: Planned
    step: str
    seconds: float


@dataclass
class FeatureProgress:
    """The results of a feature's scenarios so far."""

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
    """The run so far. `phase` is what it waits for while no scenario runs."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.phase = "collecting the scenarios"
        self.planned: Mapping[str, Planned] = {}
        self.features: dict[str, FeatureProgress] = {}
        self.judged: dict[str, ScenarioResult] = {}
        self.looks: list[Callable[[], Now]] = []
        """One for each process that runs scenarios; called from any thread."""
        self._clock = clock
        self._began = clock()
        self._first: float | None = None
        self._expected: float | None = None
        self._started: dict[str, float] = {}

    # --- what happens -------------------------------------------------------------------------------------------------------

    def plan(self, scenarios: Mapping[str, Planned]) -> None:
        """Set the scenarios that will be run, by node id."""
        self.planned = dict(scenarios)
        self.features = {}
        for planned in self.planned.values():
            name = planned.feature.removesuffix(".feature")
            self.features.setdefault(name, FeatureProgress(name)).planned += 1

    def expect(self, seconds: float) -> None:
        """Set how long the run will take from now on, as estimated before scenarios run."""
        self._expected = self.elapsed + seconds

    def start(self, nodeid: str) -> None:
        """A scenario starts."""
        self._started[nodeid] = self._clock()
        if self._first is None:
            self._first = self._clock()

    def end(self, nodeid: str) -> None:
        """It is over, whether it was judged or not."""
        self._started.pop(nodeid, None)

    def judge(self, nodeid: str, result: ScenarioResult) -> FeatureProgress | None:
        """Add a verdict; returns the feature if this was the last of its scenarios."""
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
        """The results of the scenarios so far: `40 met, 2 red, 1 known deviation, 7 not offered`."""
        verdicts = [result.verdict for result in list(self.judged.values())]
        counts = {"met": verdicts.count(Verdict.MET), "red": sum(verdict.is_red for verdict in verdicts)}
        counts |= {verdict.words: verdicts.count(verdict) for verdict in (Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED)}
        return ", ".join(f"{count} {words}" for words, count in counts.items() if count)

    @property
    def share(self) -> float:
        """The part of the run that is done, from 0 to 1, weighted by seconds: a crash counts more than a read."""
        in_all = sum(planned.seconds for planned in self.planned.values())
        done = sum(self.planned[node].seconds for node in list(self.judged) if node in self.planned)
        return done / in_all if in_all else self.done / max(self.total, 1)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._began

    @property
    def expected(self) -> float | None:
        """The estimated seconds of the whole run; None while nothing is known.

        The pace so far is weighted by the part that is done, and the earlier estimate by the rest. Concurrent scenarios have one pace, and
        the verdicts that follow them another: the slower one counts.
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

    def running(self) -> list[RunningScenario]:
        """The running scenarios, the oldest first, each with its current step, if known."""
        steps = {now.nodeid: now.step for now in (look() for look in list(self.looks))}
        started = list(self._started.items())
        return [
            RunningScenario(self.planned[node], steps.get(node, ""), self._clock() - at) for node, at in started if node in self.planned
        ]

    def doing(self) -> list[Activity]:
        """What the systems are doing, each once, whichever process reports it."""
        reported = [doing for look in list(self.looks) for doing in look().doing]
        return list({(doing.what, doing.why, doing.waits_for): doing for doing in reversed(reported)}.values())[::-1]
