"""Results folders of earlier releases are read: `old_results/` has two, as runs wrote them before a violation was data.

They are runs of the reference, cut down to a few requirements: one that conforms, and one of the defect `no-epoch-bump`.
"""

import json
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost

OLD = CHECKOUT / "tests/report/old_results"
REASON = "expected success with (producer id 1000, epoch 1); seen success with (producer id 1000, epoch 0)"


@pytest.mark.usefixtures("java")
def test_a_report_tells_an_old_run_with_its_reason(tmp_path: Path) -> None:
    """Of a requirement that both runs judged, the later verdict, with the words of its violation."""
    fencepost("report", OLD, "--out", tmp_path, expect=0)

    (found,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["systems"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (found["system"]["name"], found["state"]) == ("reference", "does_not_conform")
    assert {verdict: count for verdict, count in found["totals"].items() if count} == {"met": 2, "violated": 1, "not_run": 2}
    assert found["latest"]["run"] == "violates"
    assert REASON in page


def test_old_runs_are_compared(tmp_path: Path) -> None:
    """A folder is as itself, whichever protocol a scenario is of; and what another broker answered differs, with both sides."""
    same = fencepost("compare", OLD / "conforms", OLD / "conforms", expect=0, cwd=tmp_path).out
    finished = fencepost("compare", OLD / "conforms", OLD / "violates", expect=1, cwd=tmp_path)

    assert "0 differences, 0 unexplained" in same
    assert "A: end_txn v5" in finished.out
    assert "producer_epoch: 1 | 0" in finished.out
