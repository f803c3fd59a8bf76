"""Verdicts: of a scenario, of a requirement, of a run.

A requirement is as good as its worst scenario. A run conforms when it is complete, at least one requirement is met, and none has a
verdict that counts as a failure. Which do is the run's `Gate`: `violated` and `harness error` always, `inconclusive` unless set otherwise.
A `blocked` requirement could not be judged because of a violation that counts by itself, so it fails a strict run only.
A system that offers nothing of what was selected neither conforms nor fails.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from .errors import UnknownName
from .evidence import Mismatch


class Verdict(StrEnum):
    """What is known of a requirement, from the worst to the best."""

    HARNESS_ERROR = "harness_error"
    VIOLATED = "violated"
    BLOCKED = "blocked"
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


_RED = (Verdict.HARNESS_ERROR, Verdict.VIOLATED, Verdict.BLOCKED, Verdict.INCONCLUSIVE)
_WORST_FIRST = tuple(Verdict)
_NUMBER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class Expectation:
    """The entry of known deviations that a verdict is about: its file and line, and whether it is the user's own.

    It excuses the scenario, or it is stale: the scenario passed.
    """

    file: str
    line: int
    is_own: bool
    is_stale: bool = False


@dataclass(frozen=True)
class ScenarioResult:
    """What one scenario showed. `evidence` counts the observations that its Then steps judged; `run` is the name of its history.

    `violation` is what was expected and seen, if the system did something else, whether or not that is a known deviation. `name` ends
    with the protocol, if the run has the scenario under several. `example` counts the rows of an outline from 1.
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
    given: Mismatch | None = None
    """The refusal that kept a Given from being put, if any."""
    blocked_by: str | None = None
    """The violated requirement whose deviation that refusal is; known at the end of a run."""
    is_too_early: bool = False
    """Whether it is inconclusive because the patience was too short, and for no other reason."""
    is_provisional: bool = False
    """Whether the requirement is in no edition yet, so that only a harness error counts."""

    @property
    def fails(self) -> bool:
        """Whether the scenario is red, and its requirement counts."""
        return self.verdict.is_red and not (self.is_provisional and self.verdict is not Verdict.HARNESS_ERROR)

    @property
    def is_stale(self) -> bool:
        """Whether an entry of known deviations did not show."""
        return self.expectation is not None and self.expectation.is_stale

    @property
    def is_stale_of_user(self) -> bool:
        """Whether an entry of the user's own expectations did not show: the gate is red, and nothing of ours has failed."""
        return self.expectation is not None and self.expectation.is_own and self.is_stale

    @property
    def scenario(self) -> str:
        """Its name as in the feature."""
        return self.name.removesuffix(f" ({self.protocol})") if self.protocol else self.name

    @property
    def number(self) -> int:
        """The place among the scenarios of its requirement: 2 for `[2] An abort`; 0 if the name has none."""
        found = _NUMBER.match(self.name)
        return int(found[1]) if found else 0


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
    """The verdict of scenarios that ran, together; a scenario that was not offered keeps its requirement from being met.

    A protocol that offers nothing of the requirement is not judged by it, and does not weaken the results of others: logs of three kinds
    are tested for sealing, and Kafka's cannot be sealed. If none offers anything, that is the verdict.
    """
    ran = tuple(scenarios)
    worst = min(_of_those_that_offer(ran), key=_rank)
    return RequirementResult(requirement, worst.verdict, worst.reason, ran, worst.violation)


def _of_those_that_offer(ran: tuple[ScenarioResult, ...]) -> tuple[ScenarioResult, ...]:
    """The scenarios under the protocols that offer some of them; all if none does."""
    offering = {one.protocol for one in ran if one.verdict is not Verdict.NOT_OFFERED}
    return tuple(one for one in ran if one.protocol in offering) or ran


def _rank(scenario: ScenarioResult) -> float:
    """How bad a scenario is, the worst first; a stale entry says nothing against the system, so a real failure comes before it."""
    return _WORST_FIRST.index(Verdict.INCONCLUSIVE) + 0.5 if scenario.is_stale else _WORST_FIRST.index(scenario.verdict)


def totals(results: Iterable[RequirementResult]) -> dict[str, int]:
    """How many requirements have each verdict, every verdict named."""
    counted = Counter(result.verdict for result in results)
    order = (
        Verdict.MET,
        Verdict.VIOLATED,
        Verdict.KNOWN_DEVIATION,
        Verdict.NOT_OFFERED,
        Verdict.BLOCKED,
        Verdict.INCONCLUSIVE,
        Verdict.HARNESS_ERROR,
        Verdict.NOT_RUN,
        Verdict.EXCLUDED,
    )
    return {verdict.value: counted[verdict] for verdict in order}


def offers_nothing(seen: Iterable[Verdict]) -> bool:
    """Whether requirements were judged, and the system offers none of them: then there is nothing to judge."""
    return set(seen) - {Verdict.NOT_RUN, Verdict.EXCLUDED} == {Verdict.NOT_OFFERED}


def conclusion(failing: Collection[Verdict], objections: Iterable[str], are_stale: bool) -> str:
    """What objections mean for a system, in words that follow its name: only a violation counts against it.

    `are_stale`: each harness error is an entry of known deviations that does not show any more.
    """
    reported = ", ".join(objections)
    if not failing or not {Verdict.VIOLATED, Verdict.KNOWN_DEVIATION}.isdisjoint(failing):
        return f"does not conform: {reported}"
    if are_stale and set(failing) == {Verdict.HARNESS_ERROR}:
        return f"has no verdict: the expectations are out of date ({reported})"
    return f"has no verdict: {reported}"


_CHOICES = (Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.BLOCKED, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED)


@dataclass(frozen=True)
class Gate:
    """Which verdicts keep a run from conforming: those of `fail_on`, what `strict` adds, and more than `max_not_offered` of these.

    `parity`: whether rows about one implementation count too; if it is None, they do for a system that is a build of that.
    """

    fail_on: frozenset[Verdict] = frozenset((Verdict.VIOLATED, Verdict.INCONCLUSIVE))
    strict: bool = False
    max_not_offered: int | None = None
    parity: bool | None = None

    @classmethod
    def of(
        cls, fail_on: Iterable[str] = (), strict: bool = False, max_not_offered: int | None = None, parity: bool | None = None
    ) -> "Gate":
        """From option values: names of verdicts, or lists of them with commas. Raises UnknownName."""
        said = [name.strip() for names in fail_on for name in names.split(",") if name.strip()]
        chosen = frozenset(_named(name) for name in said) | {Verdict.VIOLATED} if said else cls.fail_on
        return cls(chosen, strict, max_not_offered, parity)

    def failing(self, results: Iterable[RequirementResult]) -> set[Verdict]:
        """The verdicts among these that keep the run from conforming."""
        counted = Counter(result.verdict for result in results)
        too_many = self.max_not_offered is not None and counted[Verdict.NOT_OFFERED] > self.max_not_offered
        return {verdict for verdict in counted if self._fails(verdict)} | ({Verdict.NOT_OFFERED} if too_many else set())

    def objections(self, results: Iterable[RequirementResult]) -> list[str]:
        """What keeps a run with these results from conforming, in words; empty if nothing does."""
        seen = list(results)
        counted, failing = Counter(result.verdict for result in seen), self.failing(seen)
        reported = [f"{counted[verdict]} {verdict.words}{self._why(verdict)}" for verdict in _WORST_FIRST if verdict in failing]
        return reported if reported or counted[Verdict.MET] or offers_nothing(counted) else ["nothing was met"]

    def _fails(self, verdict: Verdict) -> bool:
        added = (Verdict.NOT_OFFERED, Verdict.INCONCLUSIVE, Verdict.BLOCKED) if self.strict else ()
        return verdict is Verdict.HARNESS_ERROR or verdict in self.fail_on or verdict in added

    def _why(self, verdict: Verdict) -> str:
        """Which option counts a verdict that is no failure by itself."""
        if verdict in Gate.fail_on or verdict is Verdict.HARNESS_ERROR:
            return ""
        if not self._fails(verdict):
            return f", and --max-not-offered allows {self.max_not_offered}"
        return f", and {'--fail-on' if verdict in self.fail_on else '--strict'} counts them"

    def as_json(self) -> dict[str, object]:
        """For compliance.json."""
        fails = [verdict.value for verdict in _WORST_FIRST if self._fails(verdict)]
        return {"fail_on": fails, "max_not_offered": self.max_not_offered}


def _named(name: str) -> Verdict:
    known = {verdict.value: verdict for verdict in _CHOICES}
    if (verdict := known.get(name.lower().replace("-", "_").replace(" ", "_"))) is None:
        raise UnknownName("verdict", name, [value.replace("_", "-") for value in known])
    return verdict
