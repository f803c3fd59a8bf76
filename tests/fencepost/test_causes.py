"""Reds grouped by what they have in common, and scenarios that could not be judged because of a deviation found elsewhere."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fencepost.contract import register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.evidence import Mismatch
from fencepost.contract.register import Register
from fencepost.contract.verdict import Gate, RequirementResult, ScenarioResult, Verdict
from fencepost.results.likely_causes import blocked, causes

ROWS = register.bundled()


def red(requirement: str, *fields: str, number: int = 1, feature: str = "", **more: Any) -> ScenarioResult:
    """A violated scenario; the fields are what was judged, expected and seen, and the error."""
    what, expected, seen, *error = fields or ("x", "y", "z")
    violation = Mismatch(expected, seen, what, *error)
    given = {"verdict": Verdict.VIOLATED, "reason": "why", "evidence": 0, "seconds": 0.1, "violation": violation}
    return ScenarioResult(requirement, f"kip890/{feature or requirement}.feature", f"[{number}] a scenario", **(given | more))


def refused_given(requirement: str, request: str, error: str | None) -> ScenarioResult:
    given = error and Mismatch("success", f"a refusal with {error} (1)", f"answer to {request}", error, 1)
    return red(requirement, verdict=Verdict.INCONCLUSIVE, violation=None, given=given)


def found(*reds: ScenarioResult, rows: Register = ROWS) -> tuple[dict[str, Mapping[str, tuple[str, ...]]], tuple[str, ...]]:
    reported = causes(reds, rows)
    return {cause.title: cause.scenarios for cause in reported.found}, reported.outside


def success(request: str, due: str) -> tuple[str, str, str]:
    return f"answer to {request}", f"a refusal with {due}", "success with (producer id 4711, epoch 3)"


def refusal(request: str, due: str, error: str) -> tuple[str, str, str, str]:
    return f"answer to {request}", f"a refusal with {due} for payments-0", f"payments-0: a refusal with {error} (1)", error


@pytest.mark.parametrize(
    ("one", "other", "title"),
    [
        (
            success("InitProducerId", "INVALID_REQUEST"),
            success("InitProducerId", "PRODUCER_FENCED"),
            "InitProducerId succeeds where another answer is expected",
        ),
        (
            success("EndTxn", "INVALID_PRODUCER_ID_MAPPING"),
            success("Produce", "INVALID_PRODUCER_ID_MAPPING"),
            "success instead of INVALID_PRODUCER_ID_MAPPING",
        ),
        (
            refusal("EndTxn", "INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED"),
            refusal("Produce", "INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED"),
            "PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH",
        ),
        (
            ("message of the system", "what its protocol allows", "AddPartitionsToTxn v4 answered 0 results for transfer-a1b2c3"),
            ("message of the system", "what its protocol allows", "AddPartitionsToTxn v5 answered 0 results for refund-d4e5f6"),
            "the answer to AddPartitionsToTxn breaks the protocol",
        ),
        (
            ("answer", "an answer", "127.0.0.1:1 closed the connection instead of answering JoinGroup v6"),
            ("answer", "an answer", "127.0.0.1:2 closed the connection instead of answering JoinGroup v5"),
            "the broker closes the connection instead of answering JoinGroup",
        ),
        (
            ("timeout of A", "30000 ms", "60000 ms"),
            ("timeout of B", "1 ms", "60000 ms"),
            "timeout: not as expected",
        ),
    ],
)
def test_the_same_deviation_is_one_cause(one: tuple[str, ...], other: tuple[str, ...], title: str) -> None:
    """Whatever producer ids, names and addresses there are in it."""
    reported, outside = found(red("KIP890-013", *one), red("KIP890-019", *other))

    assert reported == {title: {"KIP890-013": ("[1] a scenario",), "KIP890-019": ("[1] a scenario",)}}
    assert outside == ()


def test_different_deviations_stand_alone() -> None:
    """Nothing is a cause of one scenario."""
    reported, outside = found(
        red("KIP890-013", *success("InitProducerId", "INVALID_REQUEST")), red("KIP890-147", *refusal("EndTxn", "A_ERROR", "B_ERROR"))
    )

    assert reported == {}
    assert outside == ("KIP890-013", "KIP890-147")


def test_what_nothing_explains_stands_with_its_neighbours() -> None:
    """Several requirements of one feature are one group; one that a cause explains with another requirement is in that only."""
    grouped, outside = found(
        red("KIP890-148", "states", "a", "b", feature="observing"),
        red("KIP890-153", "producers", "c", "d", feature="observing"),
        red("KIP890-013", *success("InitProducerId", "INVALID_REQUEST"), feature="observing"),
        red("KIP890-019", *success("InitProducerId", "PRODUCER_FENCED"), feature="fencing"),
        red("KIP890-275", "transaction of A", "e", "f", feature="adding"),
    )

    scenario = ("[1] a scenario",)
    assert grouped == {
        "InitProducerId succeeds where another answer is expected": {"KIP890-013": scenario, "KIP890-019": scenario},
        "kip890/observing, each in another way": {"KIP890-148": scenario, "KIP890-153": scenario},
    }
    assert outside == ("KIP890-275",)


def test_a_missing_check_is_that_of_a_request_and_the_name_of_an_error_is_that_of_all() -> None:
    """Where two readings explain as many requirements, a success is explained by the request, and an error by the other error."""
    succeeds, _ = found(
        red("KIP890-013", *success("EndTxn", "A_ERROR")),
        red("KIP890-019", *success("EndTxn", "B_ERROR")),
        red("KIP890-024", *success("Produce", "A_ERROR")),
    )
    refuses, _ = found(
        red("KIP890-013", *refusal("EndTxn", "A_ERROR", "C_ERROR")),
        red("KIP890-019", *refusal("EndTxn", "B_ERROR", "C_ERROR")),
        red("KIP890-024", *refusal("Produce", "A_ERROR", "C_ERROR")),
    )

    assert succeeds.keys() == {"EndTxn succeeds where another answer is expected"}
    assert refuses.keys() == {"C_ERROR instead of A_ERROR"}


def test_scenarios_that_could_not_be_judged_are_not_called_violated() -> None:
    """Two scenarios that checked nothing show no violation, and no other way."""
    several = [red("KIP890-372", verdict=Verdict.INCONCLUSIVE, violation=None, number=number) for number in (1, 2)]

    assert list(found(*several)[0]) == ["KIP890-372 could not be judged"]


def test_a_requirement_that_deviates_in_several_scenarios_is_a_separate_cause() -> None:
    """One row, and not one for each scenario."""
    reported, _ = found(red("KIP890-372", "a", "b", "c"), red("KIP890-372", *success("CreateTopics", "X_Y"), number=2))

    assert reported == {"KIP890-372 is violated in other ways": {"KIP890-372": ("[1] a scenario", "[2] a scenario")}}


def test_what_rests_on_a_requirement_that_is_red_is_explained_by_it() -> None:
    """Unless the answer to its own request deviated: that is reported separately."""
    reported, outside = found(
        red("KIP890-273", "transaction of A", "Empty", "Ongoing"),
        red("KIP890-274", "records", "none", "a1"),
        red("KIP890-102", *success("Produce", "INVALID_PRODUCER_EPOCH")),
    )

    assert reported == {
        "KIP890-273 is violated, and the others depend on it": {"KIP890-273": ("[1] a scenario",), "KIP890-274": ("[1] a scenario",)}
    }
    assert outside == ("KIP890-102",)


def test_what_is_met_or_known_is_no_cause() -> None:
    """Only reds are grouped."""
    known = dataclasses.replace(red("KIP890-273"), verdict=Verdict.KNOWN_DEVIATION)

    assert found(known, red("KIP890-274", "records", "none", "a1")) == ({}, ("KIP890-274",))


@pytest.mark.parametrize(("is_too_early", "verdict"), [(False, Verdict.BLOCKED), (True, Verdict.INCONCLUSIVE)])
def test_what_was_looked_at_too_early_is_blocked_by_nothing(is_too_early: bool, verdict: Verdict) -> None:
    """The patience explains it, and not the violated requirement on which its own rests."""
    base, other = red("KIP890-273"), red("KIP890-274", verdict=Verdict.INCONCLUSIVE, violation=None, is_too_early=is_too_early)

    assert blocked([base, other], ROWS)[1].verdict is verdict


@pytest.mark.parametrize("verdict", [Verdict.VIOLATED, Verdict.KNOWN_DEVIATION])
def test_a_given_that_is_refused_as_a_violation_shows_is_blocked_by_it(verdict: Verdict) -> None:
    """Be that known or not: the reason names the requirement."""
    broken = red("KIP890-109", "answer to Produce", "success", "a refusal with OUT_OF_ORDER (45)", "OUT_OF_ORDER", verdict=verdict)
    stopped = refused_given("KIP890-114", "Produce", "OUT_OF_ORDER")

    _, reported = blocked([broken, stopped], ROWS)

    assert (reported.verdict, reported.blocked_by, reported.reason) == (Verdict.BLOCKED, "KIP890-109", "blocked by KIP890-109: why")


@pytest.mark.parametrize(("request_name", "error"), [("Produce", "ANOTHER"), ("EndTxn", None)])
def test_a_given_that_is_refused_otherwise_stays_inconclusive(request_name: str, error: str | None) -> None:
    """A Given that got no answer stays inconclusive too: its reason is not known."""
    broken = red("KIP890-109", "answer to Produce", "success", "a refusal with OUT_OF_ORDER (45)", "OUT_OF_ORDER")

    _, reported = blocked([broken, refused_given("KIP890-114", request_name, error)], ROWS)

    assert reported.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("row", ["KIP890-028", "KIP890-405"])
def test_what_rests_on_a_violated_requirement_is_blocked_by_it_whatever_kept_it_from_being_judged(row: str) -> None:
    """This also holds if no request was refused, for instance if a timeout is not in force (KIP890-029)."""
    _, reported = blocked([red("KIP890-029"), refused_given(row, "InitProducerId", None)], ROWS)

    assert (reported.verdict, reported.blocked_by) == (Verdict.BLOCKED, "KIP890-029")


def test_what_is_blocked_fails_a_strict_run_only() -> None:
    """The violation that blocks it counts by itself."""
    result = [RequirementResult("KIP890-114", Verdict.BLOCKED, None), RequirementResult("KIP890-060", Verdict.MET, None)]

    assert Gate().objections(result) == []
    assert Gate(strict=True).objections(result) == ["1 blocked, and --strict counts them"]


ROW = "- {{id: {0}, level: MUST, source: text, section: s, statement: s, check: c, rests_on: [{1}]}}\n"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (ROW.format("XY-01", "XY-09"), "XY-01 rests on XY-09, which is not a tested requirement"),
        (ROW.format("XY-01", "XY-02") + ROW.format("XY-02", "XY-01"), "XY-01 rests on itself"),
    ],
)
def test_a_base_that_is_not_there_or_leads_back_is_refused(tmp_path: Path, text: str, reported: str) -> None:
    """When the register is read."""
    (tmp_path / "xy").mkdir()
    (tmp_path / "xy" / "requirements.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(DataFileError, match=reported):
        register.read(tmp_path)
