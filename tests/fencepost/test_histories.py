"""`fencepost run --check`: when an anomaly in a scenario's history makes a run red, and what is reported of it."""

import json
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import CHECKOUT, compliance, fencepost, pytest_with_plugin, python_code, verdicts
from jsonschema import Draft202012Validator

from fencepost.contract import history_files
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.pipeline import suite
from fencepost.results import history_check

DEFINITE, POSSIBLE = (1, 0), (0, 1)


def judged(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, counts: tuple[int, int], *, allowed: bool = False
) -> history_check.CheckedHistories:
    """What is made of one anomaly in the history of a scenario with this verdict."""
    scenario = ScenarioResult("KIP890-060", "kip890/ending.feature", "[1] x", verdict, "its reason", 2, 0.1, "KIP890-060-[1] x")
    finding = suite.Finding(scenario.run, "G1a", *counts, allowed, "a was read")
    monkeypatch.setattr(suite, "judge", lambda *_: suite.Findings(1, 0, [finding]))
    return history_check.judge(Path("nowhere"), [scenario])


@pytest.mark.parametrize(
    ("verdict", "counts", "allowed", "red"),
    [
        (Verdict.MET, DEFINITE, False, True),
        (Verdict.MET, POSSIBLE, False, False),
        (Verdict.MET, DEFINITE, True, False),
        (Verdict.KNOWN_DEVIATION, DEFINITE, False, False),
        (Verdict.VIOLATED, DEFINITE, False, False),
    ],
)
def test_a_definite_anomaly_that_no_verdict_explains_is_red(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, counts: tuple[int, int], allowed: bool, red: bool
) -> None:
    """A known deviation explains it, or a red scenario has reported it already; possible and conforming ones are only reported."""
    found = judged(monkeypatch, verdict, counts, allowed=allowed)

    (reported,) = found.as_json()["anomalies"]
    assert (found.is_red, reported["red"], reported["explained"] is None) == (red, red, red)


def test_a_session_that_reports_no_history_leaves_no_file(tmp_path: Path) -> None:
    """As after a stale read: what the fault shows is not what the system did, and an empty file would be a broken one."""
    fencepost("run", "--only", "PIP471-17", "--no-html", "--results", tmp_path / "out", expect=0)

    found = [path.name for path in history_files.found_in(tmp_path / "out")]
    assert [name.startswith("PIP471-17-1-") for name in found] == [True]
    assert len(verdicts(tmp_path / "out")) == 1


@pytest.mark.parametrize(("other", "red"), [("G1a", False), ("G1b", True)])
def test_an_anomaly_that_a_known_deviation_shows_is_explained_elsewhere_too(monkeypatch: pytest.MonkeyPatch, other: str, red: bool) -> None:
    """What a release is known to do, it also does in scenarios that ask for something else."""
    verdicts_of = {"KIP890-060": Verdict.MET, "KIP890-061": Verdict.KNOWN_DEVIATION}
    scenarios = [ScenarioResult(name, "f", "[1] x", verdict, "r", 2, 0.1, f"{name}-[1] x") for name, verdict in verdicts_of.items()]
    findings = [suite.Finding(one.run, anomaly, *DEFINITE, False, "w") for one, anomaly in zip(scenarios, ("G1a", other), strict=True)]
    monkeypatch.setattr(suite, "judge", lambda *_: suite.Findings(2, 0, findings))

    found = history_check.judge(Path("nowhere"), scenarios)

    assert found.is_red is red
    assert next(reported.explained for reported in found.anomalies) == (None if red else "the same as in KIP890-061, a known deviation")


def test_what_is_reported_names_the_scenario_and_the_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a known deviation with its reason."""
    printed = StringIO()
    out = SimpleNamespace(write=lambda text, **_: printed.write(text), write_line=lambda text, **_: printed.write(f"{text}\n"))

    judged(monkeypatch, Verdict.KNOWN_DEVIATION, DEFINITE).write(out)

    for part in ("KIP890-060 [1] x", "G1a", "1 definite", "its reason", "a was read", "histories judged: 1, anomalies: 1"):
        assert part in printed.getvalue()


@pytest.mark.parametrize(
    ("missing", "remedy"),
    [
        ("import sys; sys.modules['pyspark'] = None", "pip install 'fencepost[check]'"),
        ("from fencepost.pipeline import java; java._homes = lambda places: iter(())", "Install one"),
    ],
)
def test_what_is_missing_is_reported_before_the_run_begins(tmp_path: Path, missing: str, remedy: str) -> None:
    """Without the extra or without Java: exit code 2 with the remedy, and nothing was run."""
    arguments = ["fencepost", "run", "--only", "CORE-01", "--check", "--no-html", "--results", str(tmp_path / "out")]

    done = python_code(f"{missing}\nimport sys\nsys.argv = {arguments!r}\nfrom fencepost.cli.application import main\nmain()", expect=2)

    assert remedy in done.err + done.out
    assert not (tmp_path / "out").exists()


FEATURE = """Feature: Made for a test

  @KIP890-060 @MUST
  Rule: Whatever

    Scenario: [1] A scenario that looks away
      When an open transaction is read
      Then something was judged

    Scenario: [2] A scenario with nothing to see
      When a transaction begins
      Then something was judged
"""
STEPS = """
from pytest_bdd import scenarios, then, when
from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.contract.outcomes import Done

scenarios(".")

@when("an open transaction is read")
def _(fencepost_session):
    probe = fencepost_session.client("A")
    log = TopicPartition(fencepost_session.unique("payments"), 0)
    probe.create_topic(log.topic, 1)
    match probe.init_producer_id(fencepost_session.unique("t")):
        case Done(pair):
            probe.produce(log, ["a1"], producer=pair, transactional_id=fencepost_session.unique("t"), sequence=0)
            probe.read(log, IsolationLevel.READ_COMMITTED)

@when("a transaction begins")
def _(fencepost_session):
    fencepost_session.client("A").init_producer_id(fencepost_session.unique("t"))

@then("something was judged")
def _(fencepost_evidence):
    fencepost_evidence.saw("it")
"""


@pytest.mark.usefixtures("java")
def test_an_anomaly_of_which_no_scenario_speaks_makes_the_run_red(tmp_path: Path) -> None:
    """Both scenarios are green; the history of one shows what it did not ask for, and the run says which it was, and who saw what."""
    room = tmp_path / "made"
    room.mkdir()
    (room / "some.feature").write_text(FEATURE, encoding="utf-8")
    (room / "test_made.py").write_text(STEPS, encoding="utf-8")
    arguments = ("--check", f"--results={tmp_path / 'out'}", "--no-html", "--defect=lso-ignores-open-transactions")

    done = pytest_with_plugin(room, *arguments, expect=1, cwd=tmp_path)

    reported = compliance(tmp_path / "out")
    schema = json.loads((CHECKOUT / "fencepost/compliance.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(reported)
    assert verdicts(tmp_path / "out") == {"KIP890-060": "met"}
    assert (reported["histories"]["judged"], reported["histories"]["quarantined"]) == (2, 0)
    (found,) = reported["histories"]["anomalies"]
    assert (found["anomaly"], found["red"]) == ("early-read", True)
    assert (found["requirement"], found["scenario"]) == ("KIP890-060", "[1] A scenario that looks away")
    assert "A read a1" in found["witness"]
    assert "A scenario that looks away: early-read in its history" in done.out
    assert "does not conform" in done.out
    assert "1 failed, 2 passed" in done.out
    assert json.loads((tmp_path / "out/check/verdict.json").read_text(encoding="utf-8"))["complete"] is True
    junit = (tmp_path / "out/junit.xml").read_text(encoding="utf-8")
    allure = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "out/allure-results").glob("*-result.json")]
    failed = [f"{result['name']}: {result['statusDetails']['message']}" for result in allure if result["status"] == "failed"]
    assert (len(allure), len(failed), junit.count("<failure")) == (3, 1, 1)
    for text in (*failed, junit):
        assert ("A scenario that looks away: early-read in its history" in text, "A read a1" in text) == (True, True)
