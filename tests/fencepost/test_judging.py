"""From how a scenario ended to its verdict: each way seen, with and without a known deviation."""

import dataclasses
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from fencepost.contract.errors import Malformed, NotOffered, UnknownName
from fencepost.contract.evidence import Evidence, NoAnswer, SetUpFailed, Violation
from fencepost.contract.played import Played
from fencepost.contract.verdict import Expectation, Gate, RequirementResult, ScenarioResult, Verdict, totals
from fencepost.contract.verdict import judge as judge_requirement
from fencepost.deviations.known_deviations import DeviationEntry, LocatedDeviation
from fencepost.run.plays import error_of
from fencepost.run.verdicts import judge

SOMETHING = Evidence(["looked"])
NOTHING = Evidence()
VIOLATION = Violation("epoch 1", "epoch 2", what="epoch")


def known(is_own: bool = False, may_pass: bool = False, **changes: object) -> LocatedDeviation:
    symptom = {"seen": "epoch 2"}
    fields = {"requirement": "KIP890-156", "versions": "==4.0.0", "symptom": symptom, "reason": "bumps twice", "link": "KAFKA-19367"}
    return LocatedDeviation(DeviationEntry.model_validate(fields | changes), "known.yaml", 7, is_own, may_pass)


@pytest.mark.parametrize(
    ("error", "evidence", "verdict", "reason"),
    [
        (None, SOMETHING, Verdict.MET, None),
        (None, NOTHING, Verdict.INCONCLUSIVE, "no Then step checked anything"),
        (VIOLATION, NOTHING, Verdict.VIOLATED, "expected epoch 1; seen epoch 2"),
        (Malformed("cafe"), SOMETHING, Verdict.VIOLATED, "what its protocol does not allow: cafe"),
        (SetUpFailed("refused"), NOTHING, Verdict.INCONCLUSIVE, "could not be put: refused"),
        (NoAnswer("silence"), SOMETHING, Verdict.INCONCLUSIVE, "no answer in time: silence"),
        (NotOffered("EndTxn v5"), NOTHING, Verdict.NOT_OFFERED, "EndTxn v5"),
        (KeyError("typo"), SOMETHING, Verdict.HARNESS_ERROR, "KeyError: 'typo'"),
        (AssertionError("ours"), SOMETHING, Verdict.HARNESS_ERROR, "AssertionError: ours"),
    ],
)
def test_how_a_scenario_ended_is_its_verdict(error: Exception | None, evidence: Evidence, verdict: Verdict, reason: str | None) -> None:
    """The verdict blames the system, the kit or the user, whichever caused the end."""
    judged = judge(error, evidence)

    assert judged.verdict is verdict
    assert (reason in judged.reason) if reason and judged.reason else judged.reason is reason


def test_a_right_that_the_user_may_lack_violates_nothing() -> None:
    """On a broker whose users Fencepost did not set up, and for a refusal of a right only."""
    refused = Violation("success", "a refusal with CLUSTER_AUTHORIZATION_FAILED (31)", what="answer to WriteTxnMarkers")
    theirs: Any = SimpleNamespace(has_unknown_rights=True, exchanges=lambda: ())
    ours: Any = SimpleNamespace(has_unknown_rights=False, exchanges=lambda: ())

    lacking = judge(error_of(Played(error=refused, session=theirs)), SOMETHING)

    assert lacking.verdict is Verdict.INCONCLUSIVE
    assert "CLUSTER_AUTHORIZATION_FAILED: the user of this run may lack that right, so grant it all rights" in (lacking.reason or "")
    assert error_of(Played(error=refused, session=ours)) is refused
    assert error_of(Played(error=VIOLATION, session=theirs)) is VIOLATION


def test_a_known_deviation_that_shows_its_symptom_is_named() -> None:
    """The verdict has the reason for the deviation, its link, and the file with the entry."""
    judged = judge(VIOLATION, NOTHING, [known()])

    assert (judged.verdict, judged.reason) == (Verdict.KNOWN_DEVIATION, "bumps twice (KAFKA-19367, from known.yaml:7)")
    assert judged.expectation == Expectation("known.yaml", 7, is_own=False)


def test_what_was_looked_at_too_early_is_not_violated() -> None:
    """The reason says that the patience was too short, and what was seen; what is known, or was met, stays so."""
    too_early = [judge(VIOLATION, NOTHING, given, "patience of 3 s") for given in ([], [known()])]
    met = judge(None, SOMETHING, (), "patience of 3 s")

    assert [one.verdict for one in too_early] == [Verdict.INCONCLUSIVE, Verdict.KNOWN_DEVIATION]
    assert [one.is_too_early for one in (*too_early, met)] == [True, False, False]
    assert too_early[0].reason == "patience of 3 s: epoch: expected epoch 1; seen epoch 2"
    assert met.verdict is Verdict.MET


def test_an_entry_without_a_link_names_its_file_only() -> None:
    """A user's own entry needs no link."""
    assert judge(VIOLATION, NOTHING, [known(is_own=True, link=None)]).reason == "bumps twice (from known.yaml:7)"


def test_any_entry_about_a_scenario_may_excuse_it() -> None:
    """Where two files know of a scenario, one symptom is enough."""
    judged = judge(VIOLATION, NOTHING, [known(is_own=True, symptom={"seen": "epoch 7"}), known()])

    assert judged.expectation == Expectation("known.yaml", 7, is_own=False)


def test_a_known_deviation_with_another_symptom_is_red() -> None:
    """An entry excuses one symptom and nothing else."""
    judged = judge(VIOLATION, NOTHING, [known(symptom={"seen": "epoch 7"})])

    assert judged.verdict is Verdict.VIOLATED
    assert "another symptom: seen 'epoch 7' (known.yaml:7)" in (judged.reason or "")
    assert judged.expectation is None


@pytest.mark.parametrize("is_own", [False, True])
def test_a_known_deviation_that_does_not_show_is_red(is_own: bool) -> None:
    """An entry that passes is stale, and the message says what to remove: the file, the line and the entry."""
    judged = judge(None, SOMETHING, [known(is_own, scenario="[2] Data")])

    assert judged.verdict is Verdict.HARNESS_ERROR
    assert judged.expectation == Expectation("known.yaml", 7, is_own, is_stale=True)
    assert judged.reason == (
        "passed, although known.yaml:7 expects that it fails with seen 'epoch 2': remove the entry 'KIP890-156 [2] Data' of ==4.0.0 there, "
        "or add `intermittent: {seen: N, tried: M}` if it shows now and then"
    )


def test_a_stale_entry_about_every_scenario_may_be_narrowed() -> None:
    """Removing it would be wrong where another scenario fails as it says."""
    assert "name with `scenario` the one that fails" in (judge(None, SOMETHING, [known()]).reason or "")


@pytest.mark.parametrize("one", [known(intermittent={"seen": 1, "tried": 30}), known(may_pass=True)])
def test_a_deviation_that_need_not_show_may_pass_and_is_reported(one: LocatedDeviation) -> None:
    """Intermittent entries, and those of a release line, may pass; the run says which it was."""
    judged = judge(None, SOMETHING, [one])

    assert judged.verdict is Verdict.MET
    assert "did not show this time: bumps twice (" in (judged.reason or "")


def test_an_intermittent_deviation_says_how_often_it_was_seen() -> None:
    """So a user who sees it, or does not, can judge whether that is unusual."""
    one = known(intermittent={"seen": 1, "tried": 30})

    for error in (None, VIOLATION):
        assert "seen in 1 of 30 tries; " in (judge(error, SOMETHING, [one]).reason or "")


@pytest.mark.parametrize("error", [None, NoAnswer("silence"), SetUpFailed("refused")])
def test_a_deviation_does_not_excuse_what_is_not_known(error: Exception | None) -> None:
    """Inconclusive stays inconclusive."""
    assert judge(error, NOTHING, [known(intermittent={"seen": 1, "tried": 30}, may_pass=True)]).verdict is Verdict.INCONCLUSIVE


def scenario(verdict: Verdict, reason: str | None = None) -> ScenarioResult:
    return ScenarioResult("KIP890-060", "kip890/ending.feature", "[1] x", verdict, reason, 2, 0.1)


def test_a_requirement_is_as_good_as_its_worst_scenario() -> None:
    """One red scenario is enough, and its reason is the requirement's."""
    order = [Verdict.MET, Verdict.NOT_OFFERED, Verdict.KNOWN_DEVIATION, Verdict.INCONCLUSIVE, Verdict.VIOLATED, Verdict.HARNESS_ERROR]

    for better, worse in pairwise(order):
        judged = judge_requirement("KIP890-060", [scenario(better), scenario(worse, "worse")])
        assert (judged.verdict, judged.reason, judged.evidence) == (worse, "worse", 4)


def test_a_protocol_that_offers_nothing_takes_nothing_from_what_others_show() -> None:
    """A log of Kafka cannot be sealed, and says nothing of one of Pulsar; where none offers anything, that is the verdict."""

    def under(protocol: str, verdict: Verdict, reason: str | None = None) -> ScenarioResult:
        return dataclasses.replace(scenario(verdict, reason), protocol=protocol)

    none = [under("kafka", Verdict.NOT_OFFERED, "kafka does not offer sealing") for _ in range(2)]
    met, part = under("pulsar", Verdict.MET), under("pulsar", Verdict.NOT_OFFERED, "pulsar does not offer crash")

    judged = judge_requirement("CORE-43", [*none, met])
    assert (judged.verdict, judged.reason, len(judged.scenarios)) == (Verdict.MET, None, 3)
    assert judge_requirement("CORE-43", [*none, met, part]).reason == "pulsar does not offer crash"
    assert judge_requirement("CORE-43", [*none, under("pulsar", Verdict.VIOLATED)]).verdict is Verdict.VIOLATED
    assert judge_requirement("CORE-43", none).verdict is Verdict.NOT_OFFERED


def test_what_speaks_against_the_system_comes_before_a_stale_entry() -> None:
    """Both are red; the headline is of the system."""
    stale = dataclasses.replace(scenario(Verdict.HARNESS_ERROR, "stale"), expectation=Expectation("known.yaml", 7, True, is_stale=True))

    assert judge_requirement("KIP890-060", [stale, scenario(Verdict.VIOLATED, "worse")]).reason == "worse"
    assert judge_requirement("KIP890-060", [stale, scenario(Verdict.NOT_OFFERED)]).verdict is Verdict.HARNESS_ERROR


def test_totals_name_every_verdict_and_add_up() -> None:
    """The denominator is honest."""
    results = [RequirementResult("A-01", Verdict.MET, None), RequirementResult("A-02", Verdict.NOT_RUN, "planned")]

    assert totals(results) == {verdict.value: 0 for verdict in Verdict} | {"met": 1, "not_run": 1}


@pytest.mark.parametrize(
    ("seen", "objections"),
    [
        ([Verdict.MET], []),
        ([Verdict.MET, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED, Verdict.NOT_RUN, Verdict.EXCLUDED], []),
        ([Verdict.NOT_OFFERED, Verdict.KNOWN_DEVIATION], ["nothing was met"]),
        ([Verdict.NOT_OFFERED, Verdict.NOT_OFFERED, Verdict.EXCLUDED], []),
        ([], ["nothing was met"]),
        ([Verdict.MET, Verdict.VIOLATED, Verdict.VIOLATED], ["2 violated"]),
        ([Verdict.MET, Verdict.INCONCLUSIVE], ["1 inconclusive"]),
        ([Verdict.MET, Verdict.HARNESS_ERROR, Verdict.VIOLATED], ["1 harness error", "1 violated"]),
    ],
)
def test_a_run_conforms_when_something_is_met_and_nothing_is_red(seen: list[Verdict], objections: list[str]) -> None:
    """Silent emptiness is no green."""
    assert Gate().objections([RequirementResult("A-01", verdict, None) for verdict in seen]) == objections


STRICTLY, BY_CHOICE = "2 not offered, and --strict counts them", "1 known deviation, and --fail-on counts them"


@pytest.mark.parametrize(
    ("gate", "objections"),
    [
        (Gate.of(strict=True), ["1 inconclusive", STRICTLY]),
        (Gate.of(["violated"]), []),
        (
            Gate.of(["Known-Deviation,NOT_OFFERED"]),
            [BY_CHOICE, "2 not offered, and --fail-on counts them"],
        ),
        (
            Gate.of(["known deviation"], strict=True),
            ["1 inconclusive", BY_CHOICE, STRICTLY],
        ),
        (Gate.of(["violated"], max_not_offered=2), []),
        (Gate.of(["violated"], max_not_offered=1), ["2 not offered, and --max-not-offered allows 1"]),
        (Gate.of(max_not_offered=0), ["1 inconclusive", "2 not offered, and --max-not-offered allows 0"]),
    ],
)
def test_what_counts_as_a_failure_can_be_chosen_and_is_reported(gate: Gate, objections: list[str]) -> None:
    """By verdict, and by how many are not offered."""
    seen = [Verdict.MET, Verdict.INCONCLUSIVE, Verdict.KNOWN_DEVIATION, Verdict.NOT_OFFERED, Verdict.NOT_OFFERED]

    assert gate.objections([RequirementResult("A-01", verdict, None) for verdict in seen]) == objections


def test_a_violation_and_a_harness_error_fail_whatever_is_chosen() -> None:
    """A user cannot choose a false green."""
    gate = Gate.of(["known-deviation"])

    for verdict in (Verdict.VIOLATED, Verdict.HARNESS_ERROR):
        assert gate.failing([RequirementResult("A-01", verdict, None)]) == {verdict}


def test_a_verdict_that_cannot_be_chosen_is_refused() -> None:
    """With the nearest one that can."""
    with pytest.raises(UnknownName, match="unknown verdict 'inconclusiv'; did you mean inconclusive"):
        Gate.of(["violated,inconclusiv"])
