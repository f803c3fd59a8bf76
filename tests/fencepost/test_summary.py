"""The summary of a run: what it says, what changed since an earlier run, and where it may be written."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from compliance_files import reported, write
from markdown_it import MarkdownIt

from fencepost.contract.errors import WrongUsage
from fencepost.results import markdown_summary
from fencepost.results.compliance_document import Compliance, read

BEFORE = {"KIP890-001": "met", "KIP890-002": "violated", "KIP890-003": "met", "KIP890-004": "met", "KIP890-005": "not_run"}
NOW = {"KIP890-001": "violated", "KIP890-002": "met", "KIP890-003": "not_offered", "KIP890-004": "not_run", "KIP890-005": "met"}


def run(verdicts: dict[str, str], **other: Any) -> Compliance:
    return Compliance.model_validate(reported(verdicts, **other))


def test_what_changed_is_reported_in_the_order_in_which_it_wants_attention() -> None:
    """Newly red, newly not offered, no longer asked, newly met; what was never asked before and is met is no news."""
    page = markdown_summary.render(run(NOW), run(BEFORE))

    assert _table(page, "change") == [
        ["1 newly red", "was met, is violated", "KIP890-001"],
        ["1 newly not offered", "was met, is not offered", "KIP890-003"],
        ["1 no longer tested", "was met, is not run", "KIP890-004"],
        ["1 newly met", "was violated, is met", "KIP890-002"],
    ]
    assert "KIP890-005" not in page
    assert "Nothing changed." in markdown_summary.render(run(NOW), run(NOW))


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        ("not_run", "violated", "newly red"),
        ("known_deviation", "inconclusive", "newly red"),
        ("violated", "harness_error", "still red, in another way"),
        ("met", "known_deviation", "newly a known deviation"),
        ("not_offered", "met", "newly met"),
        ("excluded", "met", None),
        ("not_run", "not_offered", None),
        ("violated", "not_run", "no longer tested"),
    ],
)
def test_each_change_has_one_name(before: str, now: str, kind: str | None) -> None:
    """None where it is no news."""
    page = markdown_summary.render(run({"KIP890-001": now}), run({"KIP890-001": before}))

    assert [row[0] for row in _table(page, "change")] == ([f"1 {kind}"] if kind else [])


def test_the_headline_counts_what_was_asked() -> None:
    """What is not offered was selected and is not judged; what the user did not select is not counted."""
    verdicts = {"KIP890-001": "met", "KIP890-002": "known_deviation", "KIP890-003": "not_offered", "KIP890-004": "not_run"}

    page = markdown_summary.render(run(verdicts))

    assert page.startswith("## Fencepost: kafka 4.3.1 conforms as far as it was tested\n")
    assert "2 of 3 requirements tested: 1 met, 1 known deviation; 1 not offered." in page


@pytest.mark.parametrize(
    ("verdict", "complete", "ending"),
    [
        ("met", True, "conforms as far as it was tested"),
        ("met", False, "has no verdict: the run did not finish"),
        ("violated", True, "does not conform: 1 violated"),
        ("violated", False, "does not conform: 1 violated"),
        ("inconclusive", True, "has no verdict: 1 inconclusive"),
        ("harness_error", True, "has no verdict: 1 harness error"),
        ("not_offered", True, "has no verdict: no selected requirement could be tested on it"),
        ("known_deviation", True, "does not conform: nothing is met"),
    ],
)
def test_the_ending_is_that_of_the_run(verdict: str, complete: bool, ending: str) -> None:
    """A red is a red also of a run that did not finish, and a run without one is no green for it."""
    page = markdown_summary.render(run({"KIP890-001": verdict}, complete=complete))

    assert page.splitlines()[0] == f"## Fencepost: kafka 4.3.1 {ending}"
    assert ("**The run did not finish**" in page) is not complete


def test_the_ending_follows_the_gate_of_the_run() -> None:
    """`--strict` and `--max-not-offered` are in the results; without them what is not offered keeps no system from conforming."""
    verdicts = {"KIP890-001": "met", "KIP890-002": "not_offered", "KIP890-003": "not_offered", "KIP890-004": "inconclusive"}

    def ending(**gate: Any) -> str:
        return markdown_summary.ending(run(verdicts, **({"gate": gate} if gate else {})))

    assert ending() == "has no verdict: 1 inconclusive"
    assert ending(fail_on=["violated"], max_not_offered=2) == "conforms as far as it was tested"
    assert ending(fail_on=["violated"], max_not_offered=1) == "has no verdict: 2 not offered"


def test_only_a_violation_says_something_against_a_system() -> None:
    """Entries that no longer show are the fault of their maintainer."""
    stale = {"feature": "f", "name": "[1] One", "verdict": "harness_error", "expectation": {"stale": True}}

    def ending(*verdicts: str) -> str:
        rows = reported({f"KIP890-00{number}": verdict for number, verdict in enumerate(verdicts, 1)})["requirements"]
        return markdown_summary.ending(run({}, requirements=[row | {"scenarios": [stale]} for row in rows]))

    assert ending("met", "harness_error") == "has no verdict: the expectations are out of date (1 harness error)"
    assert ending("inconclusive", "harness_error") == "has no verdict: 1 harness error, 1 inconclusive"
    assert ending("violated", "harness_error") == "does not conform: 1 harness error, 1 violated"


def test_a_run_that_was_stopped_says_why_and_what_it_did_not_reach() -> None:
    """What was asked for is the denominator, also where the run did not come to it."""
    rows = [
        row | {"selected": row["id"] != "KIP890-003"}
        for row in reported(dict.fromkeys(BEFORE, "not_run") | {"KIP890-001": "met"})["requirements"]
    ]

    page = markdown_summary.render(run({}, requirements=rows, complete=False, stopped="--timeout 10m"))

    assert "1 of 4 requirements tested: 1 met; 3 not reached." in page
    assert "**The run did not finish**: --timeout 10m." in page


def test_what_was_judged_is_reported_in_full() -> None:
    """The defect in the headline, since a broken reference is no broker; image, digest and labels below it."""
    system = {"name": "ours", "version": "2.7", "profile": "kafka-4.3", "defect": "no-epoch-bump", "known_as": "kafka:4.3.1"}
    more = {"labels": {"commit": "1a2b|3c"}, "image": {"name": "corp/broker:2.7", "digest": "sha256:12"}}

    page = markdown_summary.render(run({"KIP890-001": "met"}, system=system | more))

    assert page.startswith("## Fencepost: ours 2.7 with the defect no-epoch-bump conforms")
    assert r"Judged: profile kafka-4.3, image corp/broker:2.7 (sha256:12), known as kafka:4.3.1, commit 1a2b\|3c." in page


def test_an_anomaly_in_a_history_is_a_red() -> None:
    """`--check` found it, and the scenario is met."""
    found = {"requirement": "KIP890-001", "scenario": "[1] One", "anomaly": "G1a", "red": True, "witness": "a|b was read"}
    page = markdown_summary.render(
        run({"KIP890-001": "met"}, histories={"anomalies": [found, found | {"red": False, "anomaly": "allowed"}]})
    )

    assert "does not conform" in page.splitlines()[0]
    assert _table(page, "requirement") == [["KIP890-001", "[1] One", "G1a", "a|b was read"]]


def test_a_red_says_what_was_expected_and_seen_whatever_the_broker_sent() -> None:
    """A cell has what was sent, and no part of it is read as Markdown or HTML."""
    seen = '|`<script>alert("1")</script>`\n| more |'
    page = markdown_summary.render(run({"KIP890-060": "violated"}, requirements=[_violated("KIP890-060", seen)]))

    ((name, verdict, expected, shown),) = _table(page, "requirement")

    assert name.startswith("KIP890-060 A coordinator answers an EndTxn v5 commit of an open transaction")
    assert (verdict, expected) == ("violated", "answer to EndTxn: success")
    assert shown == '|`<script>alert("1")</script>` | more | (INVALID_TXN_STATE)'
    assert "<script" not in page


def test_the_largest_summary_fits(tmp_path: Path) -> None:
    """Three thousand reds of long texts are cut to what GitHub shows, and the rest is counted."""
    rows = [_violated(f"NEW-{number:04}", "é" * 1_000) for number in range(3_000)]
    page = markdown_summary.render(run({}, requirements=rows), limit=markdown_summary.LIMIT)
    (tmp_path / "summary.md").write_bytes(b"x" * markdown_summary.LIMIT)

    markdown_summary.SummaryRequest(tmp_path / "summary.md").append(run({"KIP890-001": "met"}))

    assert len(page.encode()) <= 1 << 20
    left = 3_000 - len(_table(page, "requirement"))
    assert 0 < left < 3_000
    assert f"{left} more in compliance.json" in page
    assert "1 of 1 requirement tested: 1 met." in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_a_summary_is_appended(tmp_path: Path) -> None:
    """Nothing that is in the file is lost, be it a user's or of an earlier run."""
    page = tmp_path / "new" / "summary.md"
    page.parent.mkdir()
    page.write_text("# Mine\n", encoding="utf-8")
    wanted = markdown_summary.wanted(page, None)
    assert wanted is not None

    wanted.append(run({"KIP890-001": "met"}))
    wanted.append(run({"KIP890-001": "violated"}))

    written = page.read_text(encoding="utf-8")
    assert written.startswith("# Mine\n\n\n## Fencepost: kafka 4.3.1 conforms")
    assert written.count("\n\n## Fencepost: kafka 4.3.1 ") == 2


def test_a_run_writes_its_summary_and_the_command_prints_the_same(tmp_path: Path) -> None:
    """The previous run may be in the folder that is used again."""
    asked = ("run", "--only", "KIP890-060", "--no-html", "--results", tmp_path / "kept")
    fencepost(*asked, expect=0)

    fencepost(*asked, "--defect", "no-epoch-bump", "--summary", tmp_path / "s.md", "--previous", tmp_path / "kept", expect=1)

    page = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert _table(page, "change") == [["1 newly red", "was met, is violated", "KIP890-060"]]
    assert len(_table(page, "requirement")) == 1
    assert fencepost("summary", tmp_path / "kept", expect=0).out == markdown_summary.render(read(tmp_path / "kept"))


def test_a_summary_that_cannot_be_written_at_the_end_changes_no_verdict(tmp_path: Path) -> None:
    """The reason stands on the terminal; the exit code is the verdict's."""
    done = fencepost("run", "--only", "KIP890-060", "--no-html", "--results", tmp_path, "--summary", "/dev/full", expect=0)

    assert "fencepost: the summary /dev/full cannot be written: No space left on device" in done.err


@pytest.mark.parametrize(
    ("name", "notified_of_it"),
    [
        ("", "--summary is empty: expected FILE.md; is a variable not set?"),
        (".", "this is a folder; expected a file, such as summary.md"),
        ("file/summary.md", "is a file, and no folder"),
    ],
)
def test_where_no_summary_can_be_written_is_reported_before_the_run(tmp_path: Path, name: str, notified_of_it: str) -> None:
    """Nothing is started, and no file is written."""
    (tmp_path / "file").touch()

    done = fencepost("run", "--summary", name, expect=2, cwd=tmp_path)

    assert notified_of_it in done.err
    assert set(os.listdir(tmp_path)) - {".hypothesis"} == {"file"}  # kio makes that one where Hypothesis is installed


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "holds no compliance.json"),
        ("", "is not the result of a run"),
        ('{"schema_version": 1', "is not the result of a run"),
        ("[]", "is not the result of a run"),
        (json.dumps(reported({}) | {"schema_version": 2}), "schema_version: expected 1"),
        (json.dumps(reported({}) | {"complete": "perhaps"}), "complete: expected a valid boolean"),
        (json.dumps(reported({"KIP890-001": "great"})), "requirements.0.verdict"),
    ],
)
def test_what_is_no_result_of_a_run_is_reported_with_the_reason(tmp_path: Path, content: str | None, why: str) -> None:
    """The folder or file, what is wrong with it, and what was expected."""
    if content is not None:
        (tmp_path / "compliance.json").write_text(content, encoding="utf-8")

    with pytest.raises(WrongUsage, match="expected the results folder of a run") as caught:
        read(tmp_path)

    assert why in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_results_of_another_release_of_the_kit_can_be_read(tmp_path: Path) -> None:
    """Fields that are not known yet are passed over."""
    assert read(write(tmp_path, {"KIP890-001": "met"}, of_tomorrow={"a": 1})).asked == {"KIP890-001"}


def _violated(requirement: str, seen: str) -> dict[str, Any]:
    violation = {"what": "answer to EndTxn", "expected": "success", "seen": seen, "error": "INVALID_TXN_STATE", "code": 48}
    scenario = {"feature": "kip890/ending.feature", "name": "[1] One", "verdict": "violated", "seconds": 0.1, "violation": violation}
    return {"id": requirement, "level": "MUST", "verdict": "violated", "reason": "it differs", "scenarios": [scenario]}


def _table(page: str, head: str) -> list[list[str]]:
    """The rows of the table whose first column is called so, as they are read."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level > 3:
            rows[-1].append("".join(" " if one.type == "html_inline" else one.content for one in token.children or ()))
    first = next((number for number, row in enumerate(rows) if row[0] == head), None)
    if first is None:
        return []
    width = len(rows[first])
    rest = rows[first + 1 :]
    return rest[: next((number for number, row in enumerate(rest) if len(row) != width or row[0] == "requirement"), len(rest))]
