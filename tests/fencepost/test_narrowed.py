"""What a run that asked a requirement in part says of it."""

import pytest

from fencepost.contract.verdict import RequirementResult, ScenarioResult, Verdict, judge
from fencepost.deviations.known_deviations import Asking
from fencepost.run.deselection import Narrowed

FILE = "core/visibility.feature"
TWO = Narrowed("", {"CORE-01": frozenset({Asking("CORE-01", "[1] One"), Asking("CORE-01", "[2] Two")})}, frozenset({FILE}))


def one(name: str, verdict: Verdict, feature: str = FILE) -> ScenarioResult:
    return ScenarioResult("CORE-01", feature, name, verdict, None, 1, 0.1)


def judged(*scenarios: ScenarioResult) -> RequirementResult:
    return TWO.judged(judge("CORE-01", scenarios), lambda: "not reached: the run was stopped (SIGTERM)")


@pytest.mark.parametrize("verdict", [Verdict.MET, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED])
def test_half_of_a_requirement_is_no_verdict(verdict: Verdict) -> None:
    """What was not asked might break it; once it was asked, the verdict stands."""
    half, whole = judged(one("[1] One", verdict)), judged(one("[1] One", verdict), one("[2] Two", Verdict.MET))

    assert (half.verdict, half.reason) == (Verdict.NOT_RUN, "1 of its 2 scenarios were not reached: the run was stopped (SIGTERM)")
    assert whole.verdict is verdict


@pytest.mark.parametrize("verdict", [Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.HARNESS_ERROR])
def test_a_red_of_half_a_requirement_stays_red(verdict: Verdict) -> None:
    """A scenario that is left out does not change that."""
    assert judged(one("[1] One", verdict)).verdict is verdict


def test_a_users_own_feature_is_not_reported() -> None:
    """The kit does not know what it would ask in all."""
    assert judged(one("[1] One", Verdict.MET, "mine/own.feature")).verdict is Verdict.MET


def test_a_proposal_that_was_not_begun_narrows_nothing() -> None:
    """A folder of features that was not named is not asked at all; one that was asked in part is."""
    assert TWO.by([], {"core": ["CORE-01"]}) is None
    assert TWO.by([one("[1] One", Verdict.MET), one("[2] Two", Verdict.MET)], {"core": ["CORE-01"]}) is None
    assert "--lf" in (TWO.by([one("[1] One", Verdict.MET)], {"core": ["CORE-01"]}) or "")
