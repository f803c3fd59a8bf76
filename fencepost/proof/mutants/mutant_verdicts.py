"""The suite's result for one mutant: the scenarios that ran on it, and those that are red only with the change."""

import resource
import signal
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import NamedTuple, NoReturn

from fencepost.contract.verdict import ScenarioResult, Verdict

from .mutation_sites import MutationSite
from .prepared_scenarios import Suite

SCENARIO_S = 2.0
"""The limit of a scenario in seconds of processor time: two hundred times what one takes, however busy the machine is."""

_WAITS_S = 120.0
"""The limit by the clock, in seconds; nothing in process waits for anything."""

_ENDLESS = 3
"""After this many scenarios that did not end, no more are tried."""

_MEMORY = 4 << 30
"""The limit of memory, in bytes."""

Verdicts = Mapping[str, Mapping[str, str]]
"""The verdict of each scenario without a change, by profile."""


class RedOnMutant(NamedTuple):
    """A scenario that is red on a mutant. `is_mended`: only because a deviation of the release does not show."""

    profile: str
    requirement: str
    scenario: str
    verdict: str
    reason: str
    is_mended: bool = False


@dataclass(frozen=True)
class Outcome:
    """The result of one mutant: its red scenarios, and how many scenarios ran; `died` is how its process ended early."""

    place: MutationSite
    reds: tuple[RedOnMutant, ...] = ()
    scenarios: int = 0
    died: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def killers(self) -> list[RedOnMutant]:
        """The scenarios that found a broken promise, one for each requirement."""
        return list({one.requirement: one for one in reversed(self.reds) if one.verdict == Verdict.VIOLATED}.values())[::-1]

    @property
    def is_killed(self) -> bool:
        """By a verdict."""
        return bool(self.killers)

    @property
    def broke(self) -> str | None:
        """How the run broke, if there was no verdict."""
        if self.is_killed:
            return None
        broken = (f"{one.requirement}: {Verdict(one.verdict).words}: {one.reason}" for one in self.reds if not one.is_mended)
        return self.died or next(broken, None)

    @property
    def mended(self) -> str | None:
        """The requirement that a release is known to break, but keeps with the change, if the change has no other effect."""
        if self.is_killed or self.broke:
            return None
        return next((f"{one.requirement} in {one.profile}" for one in self.reds if one.is_mended), None)

    @property
    def state(self) -> str:
        return "killed" if self.is_killed else "broke" if self.broke else "mended" if self.mended else "survived"


class Endless(BaseException):
    """A scenario does not end. A BaseException, so that no part of the reference handles it as its own error."""


class Judging:
    """One mutant, judged in this process by the suites of several profiles, one after the other, until a promise is seen broken."""

    def __init__(self, usual: Verdicts, asked: Mapping[str, Collection[str]], thorough: bool, scenario_s: float = SCENARIO_S) -> None:
        self._usual, self._asked, self._thorough, self._scenario_s = usual, asked, thorough, scenario_s
        self.reds: list[RedOnMutant] = []
        self.scenarios = 0
        self._endless = 0

    def is_decided(self) -> bool:
        """Whether more scenarios would add nothing."""
        is_killed = any(one.verdict == Verdict.VIOLATED for one in self.reds)
        return self._endless >= _ENDLESS or (is_killed and not self._thorough)

    def ask(self, suite: Suite) -> None:
        """Run the scenarios under the profile of this suite, until the mutant is decided."""
        usual = self._usual[suite.profile]
        if self.is_decided():
            return
        with _Limits(self._scenario_s) as limits:
            for name, result in suite.run(self._asked.get(suite.profile, ()), limits.begin):
                self.scenarios += 1
                self._endless += limits.is_over
                if result.verdict.is_red and result.verdict != usual.get(name):
                    self.reds.append(_red(suite.profile, result, limits.is_over))
                if self.is_decided():
                    return


def _red(profile: str, result: ScenarioResult, is_endless: bool) -> RedOnMutant:
    reason = "the scenario did not end in the time that it may compute" if is_endless else result.reason or ""
    verdict = Verdict.HARNESS_ERROR if is_endless else result.verdict
    is_mended = not is_endless and result.is_stale
    return RedOnMutant(profile, result.requirement, result.name, verdict.value, reason.strip().split("\n")[0][:300], is_mended)


class _Limits:
    """The limits of a scenario. If it continues after it was signalled to end, the process is ended."""

    def __init__(self, scenario_s: float) -> None:
        self._scenario_s = scenario_s
        self.is_over = False

    def __enter__(self) -> "_Limits":
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def begin(self) -> None:
        self.is_over = False
        signal.signal(signal.SIGPROF, self._on_time)
        signal.setitimer(signal.ITIMER_PROF, self._scenario_s)
        signal.setitimer(signal.ITIMER_REAL, _WAITS_S)

    def _on_time(self, *_: int | FrameType | None) -> NoReturn:
        self.is_over = True
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # once more, and the process ends
        signal.setitimer(signal.ITIMER_PROF, self._scenario_s)
        raise Endless("it did not end")
