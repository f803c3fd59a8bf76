"""A user's own known deviations, from the run that finds them to the run that misses them: `--write-baseline` and `--expectations`."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import CHECKOUT, compliance, fencepost, verdicts

from fencepost.contract import register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.contract.verdict import Expectation, ScenarioResult, Verdict
from fencepost.deviations.baseline import MARK, TO_BE_WRITTEN, Baseline
from fencepost.deviations.user_deviations import read_file

ROWS = register.bundled()
SCENARIO = "[2] An abandoned transaction gets a marker"
FOREIGN = "- requirement: KIP890-156\n  symptom: {seen: '^epoch 2$'}\n  reason: ours\n"


def judged(verdict: Verdict, seen: str | None = None, **more: Any) -> ScenarioResult:
    violation = seen and Mismatch("epoch 1", seen, "epoch")
    fields = {"requirement": "KIP890-156", "feature": "kip890/x.feature", "name": SCENARIO, "reason": None, "evidence": 1, "seconds": 0.1}
    return ScenarioResult(**(fields | {"verdict": verdict, "violation": violation, "protocol": "kafka"} | more))


def entries(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def compliance_text(folder: Path) -> str:
    return (folder / "compliance.json").read_text(encoding="utf-8")


def test_a_violation_is_an_entry_with_its_symptom(tmp_path: Path) -> None:
    """As narrow as it can be said, and with a reason that asks for one."""
    reported = Baseline.at(tmp_path / "known.yaml", ROWS).write([judged(Verdict.VIOLATED, "epoch 2")], ROWS)

    symptom = {"what": "^epoch$", "expected": "^epoch 1$", "seen": "^epoch 2$"}
    assert entries(tmp_path / "known.yaml") == [
        {"requirement": "KIP890-156", "scenario": SCENARIO, "symptom": symptom, "reason": TO_BE_WRITTEN}
    ]
    assert str(reported) == f"1 known deviations (1 new) in {os.path.relpath(tmp_path / 'known.yaml')}"


def test_what_is_asked_under_several_protocols_is_known_under_one(tmp_path: Path) -> None:
    """Another protocol's broker is not excused."""
    Baseline.at(tmp_path / "known.yaml", ROWS).write(
        [judged(Verdict.VIOLATED, "x", requirement="CORE-02", name="[1] Open (pulsar)", protocol="pulsar", example=3)], ROWS
    )

    (entry,) = entries(tmp_path / "known.yaml")
    assert (entry["scenario"], entry["protocol"], entry["example"]) == ("[1] Open", "pulsar", 3)


def test_a_failure_of_the_kit_is_not_excused(tmp_path: Path) -> None:
    """It stays red, and the output says so."""
    reported = Baseline.at(tmp_path / "known.yaml", ROWS).write([judged(Verdict.HARNESS_ERROR)], ROWS)

    assert entries(tmp_path / "known.yaml") == []
    assert "harness errors are not in it and stay red: 1" in str(reported)


def test_an_inconclusive_scenario_is_an_entry_with_its_reason(tmp_path: Path) -> None:
    """The entry leaves out the circumstances of one run; it can be read, excuses the same reason, and is kept when it is rewritten."""
    reason = "no answer in time: joining shop: 127.0.0.1:4711 did not answer JoinGroup v3 within 0.5 s; also alone, at a load of 9.6"
    path = tmp_path / "known.yaml"
    Baseline.at(path, ROWS).write([judged(Verdict.INCONCLUSIVE, reason=reason)], ROWS)

    (entry,) = entries(path)
    assert entry["inconclusive"] == r"^no answer in time: joining shop: [\w.:\[\]-]+:\d+ did not answer JoinGroup v3 within \d+\.\d+ s"
    (known,) = read_file(str(path), ROWS)
    assert known.entry.knows_why(reason.replace("4711", "4712").replace("0.5", "20.0"))
    assert not known.entry.knows_why("no answer in time: creating a topic")
    excused = judged(Verdict.KNOWN_DEVIATION, reason=reason, expectation=Expectation(str(path), known.line, is_own=True))
    assert Baseline.at(path, ROWS).write([excused], ROWS).entries == 1


@pytest.mark.parametrize(("now", "seen"), [(judged(Verdict.VIOLATED, "epoch 2"), 2), (judged(Verdict.MET), 1)])
def test_an_intermittent_entry_counts_each_run_that_writes_it_again(tmp_path: Path, now: ScenarioResult, seen: int) -> None:
    """It stays, whether it showed or not."""
    path = tmp_path / "known.yaml"
    path.write_text(f"{MARK}\n{FOREIGN}  intermittent: {{seen: 1, tried: 4}}\n", encoding="utf-8")

    Baseline.at(path, ROWS).write([now], ROWS)

    assert [entry["intermittent"] for entry in entries(path)] == [{"seen": seen, "tried": 5}]


def test_what_another_file_excuses_stays_there(tmp_path: Path) -> None:
    """The bundled entries count in the next run too."""
    bundled = Expectation("bundled kafka.yaml", 4, is_own=False)
    Baseline.at(tmp_path / "known.yaml", ROWS).write([judged(Verdict.KNOWN_DEVIATION, "epoch 2", expectation=bundled)], ROWS)

    assert entries(tmp_path / "known.yaml") == []


@pytest.mark.parametrize(
    ("now", "stays"),
    [
        (judged(Verdict.VIOLATED, "epoch 2"), True),
        (judged(Verdict.VIOLATED, "epoch 3"), False),
        (judged(Verdict.MET), False),
        (judged(Verdict.INCONCLUSIVE), True),
        (judged(Verdict.NOT_OFFERED), True),
        (judged(Verdict.MET, requirement="KIP890-157"), True),
    ],
)
def test_a_baseline_that_is_rewritten_keeps_what_still_shows(tmp_path: Path, now: ScenarioResult, stays: bool) -> None:
    """The reason that a user wrote is kept; what no longer shows is left out, and what was not asked is kept."""
    path = tmp_path / "known.yaml"
    path.write_text(f"{MARK}\n{FOREIGN}", encoding="utf-8")

    Baseline.at(path, ROWS).write([now], ROWS)

    assert ("ours" in [entry["reason"] for entry in entries(path)]) is stays
    assert sum("epoch 2" in str(entry) for entry in entries(path)) == stays


@pytest.mark.parametrize("text", [FOREIGN, "", "\0binary"])
def test_a_file_that_is_no_baseline_of_ours_is_refused(tmp_path: Path, text: str) -> None:
    """Before the run, and untouched."""
    path = tmp_path / "known.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(WrongUsage, match="is not a baseline that fencepost wrote; name another"):
        Baseline.at(path, ROWS)

    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("name", "reported"), [("", "is a folder"), ("none/known.yaml", "there is no folder")])
def test_a_place_that_cannot_have_a_file_is_refused(tmp_path: Path, name: str, reported: str) -> None:
    """Before the run, which may be long."""
    with pytest.raises(WrongUsage, match=reported):
        Baseline.at(tmp_path / name, ROWS)


@pytest.mark.parametrize(
    ("requirements", "defect", "other", "workers"),
    [
        ("KIP890-029,KIP890-03[01]", "first-timeout-kept", "no-bump-for-owner", 2),
        ("PIP31-05,PIP31-91", "pulsar-repeated-commit-shows-twice", "pulsar-repeated-commit-rolls-back", 1),
        ("CORE-02,CORE-05,CORE-09", "core-pulsar-one-end-ends-all", "core-pulsar-aborted-shown", 1),
    ],
)
def test_a_baseline_excuses_what_it_saw_and_nothing_else(tmp_path: Path, requirements: str, defect: str, other: str, workers: int) -> None:
    """The same system conforms, also in workers with other producer ids; a system with another defect is red, and so is one without any."""
    known = tmp_path / "known.yaml"

    def run(*arguments: object, expect: int) -> tuple[str, dict[str, str], list[Any]]:
        out = fencepost("run", "--no-html", f"--only={requirements}", f"--results={tmp_path / 'r'}", *arguments, expect=expect).out
        cited = [one for row in compliance(tmp_path / "r")["requirements"] for one in row["scenarios"] if one["expectation"]]
        return out, verdicts(tmp_path / "r"), cited

    out, first, _ = run("--defect", defect, "--write-baseline", known, expect=1)
    assert f"known deviations ({len(entries(known))} new) in {os.path.relpath(known, CHECKOUT)}" in out

    out, again, cited = run("--defect", defect, "--expectations", known, "-n", workers, expect=0)
    assert "; replace TO BE WRITTEN" in out
    assert again == {row: "known_deviation" if verdict == "violated" else verdict for row, verdict in first.items()}
    assert {(one["expectation"]["file"], one["expectation"]["own"]) for one in cited} == {(str(known), True)}

    _, otherwise, _ = run("--defect", other, "--expectations", known, expect=1)
    assert "violated" in otherwise.values()
    assert "a deviation is known here, but with another symptom: what '^" in compliance_text(tmp_path / "r")

    out, sound, cited = run("--expectations", known, expect=1)
    assert set(sound.values()) == {"met", "harness_error"}
    assert {(one["expectation"]["file"], one["expectation"]["stale"]) for one in cited} == {(str(known), True)}
    assert f"{known}:4" in out
    assert "this says nothing against the system" in out
