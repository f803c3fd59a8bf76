"""Verdicts: of a scenario, of a requirement, of a run.

A requirement is as good as its worst scenario. A run conforms when it is complete, at least one requirement is met, and none
is violated, inconclusive or a harness error.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from .evidence import Mismatch


class Verdict(StrEnum):
    """What is known of a requirement, from the worst to the best."""

    HARNESS_ERROR = "harness_error"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    KNOWN_DEVIATION = "known_deviation"
    NOT_OFFERED = "not_offered"
    MET = "met"
    NOT_RUN = "not_run"
    EXCLUDED = "excluded"

    @property
    def words(self) -> str:
        """For people: `known deviation`."""
        return self.value.replace("_", " ")

    @property
    def is_red(self) -> bool:
        return self in _RED


_RED = (Verdict.HARNESS_ERROR, Verdict.VIOLATED, Verdict.INCONCLUSIVE)
_WORST_FIRST = tuple(Verdict)


@dataclass(frozen=True)
class Expectation:
    """The entry of known deviations that a verdict is about: the file and line where it stands, and whether that is the user's own.

    It excuses the scenario, or it is stale: the scenario passed.
    """

    file: str
    line: int
    is_own: bool
    is_stale: bool = False


@dataclass(frozen=True)
class ScenarioResult:
    """What one scenario showed. `evidence` counts the observations that its Then steps judged; `run` is the name of its history.

    `violation` is what was expected and seen, where the system did something else, be that a known deviation or not. `name` ends
    with the protocol, where the run asks the scenario under several. `example` counts the rows of an outline from 1.
    """

    requirement: str
    feature: str
    name: str
    verdict: Verdict
    reason: str | None
    evidence: int
    seconds: float
    run: str = ""
    violation: Mismatch | None = None
    protocol: str | None = None
    example: int | None = None
    expectation: Expectation | None = None

    @property
    def scenario(self) -> str:
        """Its name as the feature has it."""
        return self.name.removesuffix(f" ({self.protocol})") if self.protocol else self.name


@dataclass(frozen=True)
class RequirementResult:
    """The verdict on one requirement, with the reason and the violation of the worst of its scenarios."""

    requirement: str
    verdict: Verdict
    reason: str | None
    scenarios: tuple[ScenarioResult, ...] = ()
    violation: Mismatch | None = None

    @property
    def evidence(self) -> int:
        return sum(scenario.evidence for scenario in self.scenarios)


def judge(requirement: str, scenarios: Iterable[ScenarioResult]) -> RequirementResult:
    """The verdict that scenarios that ran give together; a scenario that was not offered keeps its requirement from being met."""
    ran = tuple(scenarios)
    worst = min(ran, key=_rank)
    return RequirementResult(requirement, worst.verdict, worst.reason, ran, worst.violation)


def _rank(scenario: ScenarioResult) -> float:
    """How bad a scenario is, the worst first; a stale entry says nothing against the system, so what does comes before it."""
    is_stale = scenario.expectation is not None and scenario.expectation.is_stale
    return _WORST_FIRST.index(Verdict.INCONCLUSIVE) + 0.5 if is_stale else _WORST_FIRST.index(scenario.verdict)


def totals(results: Iterable[RequirementResult]) -> dict[str, int]:
    """How many requirements have each verdict, every verdict named."""
    counted = Counter(result.verdict for result in results)
    order = (
        Verdict.MET,
        Verdict.VIOLATED,
        Verdict.KNOWN_DEVIATION,
        Verdict.NOT_OFFERED,
        Verdict.INCONCLUSIVE,
        Verdict.HARNESS_ERROR,
        Verdict.NOT_RUN,
        Verdict.EXCLUDED,
    )
    return {verdict.value: counted[verdict] for verdict in order}


def conforms(results: Iterable[RequirementResult], complete: bool) -> bool:
    seen = [result.verdict for result in results]
    return complete and Verdict.MET in seen and not any(verdict.is_red for verdict in seen)
