"""What changed between two runs of one system, as `fencepost compare --verdicts` and the pages of runs say it."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from compliance_files import system, write

from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import Verdict
from fencepost.results import compliance_document, verdict_changes
from fencepost.results.compliance_document import SystemEntry

BEFORE = {"KIP890-060": "met", "KIP890-061": "violated", "KIP890-062": "met", "KIP890-063": "known_deviation", "KIP890-064": "met"}
AFTER = {"KIP890-060": "violated", "KIP890-061": "met", "KIP890-062": "met", "KIP890-063": "not_offered", "KIP890-065": "met"}


def changes(tmp_path: Path, before: dict[str, str], after: dict[str, str], **other: Any) -> verdict_changes.Changes:
    """Between two runs with these verdicts."""
    old, new = (compliance_document.read(write(tmp_path / name, rows)) for name, rows in (("old", before), ("new", after)))
    return verdict_changes.between(old, new.model_copy(update=other))


def test_what_changed_is_shown_with_both_verdicts_and_the_reason(tmp_path: Path) -> None:
    """What both runs found alike is only counted, and what one of them did not test is no change."""
    found = changes(tmp_path, BEFORE, AFTER)

    assert [(one.id, one.before.value, one.after.value) for one in found.changed] == [
        ("KIP890-060", "met", "violated"),
        ("KIP890-061", "violated", "met"),
        ("KIP890-063", "known_deviation", "not_offered"),
    ]
    assert [one.id for one in found.new_reds] == ["KIP890-060"]
    assert "before: because it is violated" in (found.changed[1].reason or "")
    assert (found.same, found.only_before, found.only_after, found.notes) == (1, ("KIP890-064",), ("KIP890-065",), ())


def test_the_same_verdict_by_another_scenario_is_a_change(tmp_path: Path) -> None:
    """A row that stays red may be red for something else; one that stays met has nothing to say."""
    rows = {"KIP890-060": "violated", "KIP890-061": "met"}
    old_folder = write(tmp_path / "old", rows)
    other = json.loads((old_folder / "compliance.json").read_text(encoding="utf-8"))["requirements"]
    for row in other:
        row["scenarios"][0]["name"] = "[2] Another"
    old = compliance_document.read(old_folder)
    new = compliance_document.read(write(tmp_path / "new", rows, requirements=other))

    (change,) = verdict_changes.between(old, new).changed

    assert (change.id, change.after, change.scenarios) == ("KIP890-060", Verdict.VIOLATED, ("[1] One", "[2] Another"))
    assert verdict_changes.between(old, old).changed == ()


def test_versions_a_defect_and_an_unfinished_run_are_named(tmp_path: Path) -> None:
    """They are reasons for which verdicts differ, and no reason to refuse."""
    defective = SystemEntry(name="kafka", version="4.3.1", profile="kafka-4.3", defect="x")
    found = changes(tmp_path, BEFORE, AFTER, complete=False, stopped="SIGINT", fencepost="0.0.1", system=defective)

    assert found.notes == (
        "The later run did not finish (SIGINT); what it left out is not compared.",
        "The defect was none, and is x.",
        "The version of Fencepost was 0.1.0, and is 0.0.1.",
    )


def test_a_new_red_is_exit_code_1_and_its_going_is_0(tmp_path: Path) -> None:
    """The command prints the change, and says in its last line how many there are."""
    old, new = write(tmp_path / "old", BEFORE), write(tmp_path / "new", AFTER)

    worse = fencepost("compare", "--verdicts", old, new, expect=1)
    better = fencepost("compare", "--verdicts", old, write(tmp_path / "fixed", BEFORE | {"KIP890-061": "met"}), expect=0)

    assert "KIP890-060: met, now violated" in worse.out
    assert worse.out.splitlines()[-1] == "3 changed, 1 newly red, 1 the same"
    assert better.out.splitlines()[-1] == "1 changed, 0 newly red, 4 the same"


def test_what_results_contain_controls_no_terminal(tmp_path: Path) -> None:
    """A reason may hold an escape sequence of a system that was judged; its characters are replaced."""
    old, new = (write(tmp_path / name, BEFORE, complete=False, stopped=f"{name} \x1b[31m") for name in ("old", "new"))

    shown = fencepost("compare", "--verdicts", old, new, expect=0).out

    assert "\x1b" not in shown
    assert "The earlier run did not finish (old \ufffd[31m)" in shown


@pytest.mark.parametrize(
    ("rows", "other", "why"),
    [
        (AFTER, {"system": system("1", "kfake")}, "name two runs of one system"),
        ({"PIP31-01": "met"}, {}, "no requirement was tested in both runs"),
        (AFTER, {"started": "2026-11-20T03:00:00"}, "started"),
        (AFTER, {"schema_version": 2}, "schema_version"),
    ],
    ids=["another system", "nothing in common", "a time without zone", "another schema"],
)
def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path, rows: dict[str, str], other: dict[str, Any], why: str) -> None:
    """Nothing would be compared, or two things that are not one."""
    old, new = write(tmp_path / "old", BEFORE), write(tmp_path / "new", rows, **other)

    with pytest.raises(WrongUsage, match=why):
        verdict_changes.show(old, new)
    with pytest.raises(WrongUsage, match="the same run"):
        verdict_changes.show(old, old)
