"""Results folders of earlier releases are read: `old_results/` has two, as runs wrote them before a violation was data.

They are runs of the reference, cut down to a few requirements: one that conforms, and one of the defect `no-epoch-bump`.
"""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import CHECKOUT, fencepost

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLD = CHECKOUT / "tests/report/old_results"
REASON = "expected success with (producer id 1000, epoch 1); seen success with (producer id 1000, epoch 0)"


@pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours
def test_a_report_has_the_verdicts_of_old_runs_with_their_reasons(spark: "SparkSession", tmp_path: Path) -> None:
    """A requirement that both runs judged has the later verdict, with the words of its violation, in the table and on the page."""
    from fencepost.pipeline.compliance import folders, table
    from fencepost.pipeline.compliance.summary import summarise
    from fencepost.report.compliance import compliance_page

    found = folders.find([str(OLD)])
    unreadable = table.store(spark, found.sources, tmp_path / "table")
    summary = summarise(spark, table.read(spark, tmp_path / "table"), tmp_path / "latest", 24)

    assert (list(found.unreadable), unreadable, summary.runs) == ([], [], 2)
    (column,) = summary.columns
    judged = {name: (cell.verdict, cell.reason) for name, cell in column.cells.items() if cell.verdict != "not_run"}
    assert judged == {"CORE-02": ("met", None), "KIP890-060": ("violated", REASON), "PIP31-10": ("met", None)}
    assert REASON in compliance_page.render(summary, [], datetime.now(UTC))


def _asked_only_of(requirement: str, tmp_path: Path) -> Path:
    """The old results that conform, as a run has them that asked for one requirement."""
    folder = shutil.copytree(OLD / "conforms", tmp_path / "narrow")
    document = json.loads((folder / "compliance.json").read_text(encoding="utf-8"))
    for row in document["requirements"]:
        if row["id"] != requirement:
            row |= {"verdict": "not_run", "scenarios": []}
    (folder / "compliance.json").write_text(json.dumps(document), encoding="utf-8")
    for history in (folder / "history").iterdir():
        if not history.name.startswith(requirement):
            history.unlink()
    return folder


def test_old_runs_are_compared(tmp_path: Path) -> None:
    """A folder is as itself, whichever protocol a scenario is of; and what another broker answered differs, with both sides."""
    copied = shutil.copytree(OLD / "conforms", tmp_path / "copied")
    same = fencepost("compare", OLD / "conforms", copied, expect=0, cwd=tmp_path).out
    finished = fencepost("compare", _asked_only_of("KIP890-060", tmp_path), OLD / "violates", expect=1, cwd=tmp_path)

    assert "0 differences, 0 unexplained" in same
    assert "A: end_txn v5" in finished.out
    assert "producer_epoch: 1 | 0" in finished.out
