"""What the checker says of the suite's own runs: nothing of the honest reference, and its anomaly of each defect that a history shows."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from on_one_spark import fencepost_on
from played_defects import play_all

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

SHOWN = {
    "a-commit-decides-all": "G1a",
    "abort-in-later-segment-missed": "G1a",
    "aborted-before-the-range-not-listed": "G1a",
    "any-end-releases-all": "early-read",
    "both-racing-ends-succeed": "outcome-flip",
    "commit-deletes-in-memory": "ack-resurrection",
    "commit-deletes-nothing": "ack-resurrection",
    "commit-of-aborted-succeeds": "outcome-flip",
    "commit-takes-the-entry": "phantom-ack",
    "core-kafka-abort-committed-by-crash": "G1a",
    "core-kafka-aborted-is-committed": "outcome-flip",
    "core-kafka-aborted-shown": "G1a",
    "core-kafka-committed-is-aborted": "outcome-flip",
    "core-kafka-dirty-read": "early-read",
    "core-kafka-input-comes-again": "lost-offset-commit",
    "core-kafka-input-lost": "phantom-offset-commit",
    "core-kafka-input-taken-without-output": "phantom-offset-commit",
    "core-kafka-late-write-hangs": "zombie-write",
    "core-kafka-late-write-shown": "G1a",
    "core-kafka-later-writes-taken-for-repeated": "inconsistent-offsets",
    "core-kafka-order-turned": "int-nonmonotonic-poll",
    "core-kafka-second-abort-undoes-the-first": "G1a",
    "core-pulsar-abort-committed-by-crash": "G1a",
    "core-pulsar-aborted-is-committed": "outcome-flip",
    "core-pulsar-aborted-shown": "G1a",
    "core-pulsar-committed-is-aborted": "outcome-flip",
    "core-pulsar-dirty-read": "early-read",
    "core-pulsar-input-comes-again": "ack-resurrection",
    "core-pulsar-input-lost": "phantom-ack",
    "core-pulsar-input-not-told": "phantom-ack",
    "core-pulsar-late-write-shown": "early-read",
    "core-pulsar-second-abort-undoes-the-first": "G1a",
    "decision-contradicted": "outcome-flip",
    "duplicate-of-an-older-epoch": "zombie-write",
    "every-older-epoch-is-a-retry": "outcome-flip",
    "late-abort-of-a-commit-succeeds": "outcome-flip",
    "late-hides-the-committed": "write-to-ended-transaction",
    "late-is-accepted": "write-to-ended-transaction",
    "late-is-shown": "early-read",
    "latest-ignores-isolation": "early-read",
    "lso-ignores-open-transactions": "early-read",
    "metadata-aborted-known-by-memory": "G1a",
    "metadata-any-end-is-good": "outcome-flip",
    "metadata-cursor-saved-later": "ack-resurrection",
    "metadata-decided-is-not-recovered": "ack-resurrection",
    "metadata-entry-before-record": "early-read",
    "metadata-header-written-before-refusal": "outcome-flip",
    "metadata-late-commit-agreed": "outcome-flip",
    "metadata-late-messages-taken": "write-to-ended-transaction",
    "metadata-leftovers-deleted": "ack-resurrection",
    "metadata-open-is-left-out": "lso-violation",
    "metadata-open-without-position": "lso-violation",
    "metadata-recovered-without-positions": "ack-resurrection",
    "opposite-end-succeeds": "outcome-flip",
    "pulsar-abort-keeps-input": "phantom-ack",
    "pulsar-abort-of-a-commit-succeeds": "outcome-flip",
    "pulsar-abort-shows": "G1a",
    "pulsar-commit-keeps-input": "ack-resurrection",
    "pulsar-open-is-read": "early-read",
    "refused-addition-written-all-the-same": "zombie-write",
    "repeated-is-stored": "duplicate",
    "repeated-is-stored-after-loading": "duplicate",
    "scalable-merge-takes-the-first-range": "segment-dag-defect",
    "scalable-merged-at-once": "parent-after-child key-reorder",
    "scalable-nothing-sealed": "sealed-segment-write",
    "scalable-pruned-before-the-end": "early-prune",
    "scalable-pruned-while-pending": "early-prune",
    "stale-epoch-accepted": "zombie-write",
}
"""Defects of which a history tells, and as what; the others break an answer, or a promise that only a scenario asks for."""

HONEST = "reference"


@pytest.fixture(scope="module")
def found(spark: "SparkSession", reference_run: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The anomalies of each: the whole suite on the honest reference, and its own requirement on each defect. One check judges them all."""
    folder = tmp_path_factory.mktemp("runs")
    shutil.copytree(reference_run[0] / "history", folder / "in" / HONEST / "history")

    assert play_all(SHOWN, folder / "in") == dict.fromkeys(SHOWN, True)
    fencepost_on(spark, "check", folder / "in", "--results", folder / "out", "--format", "json", expect=1)

    reported = json.loads((folder / "out/verdict.json").read_text(encoding="utf-8"))
    assert reported["quarantined"] == 0
    anomalies: dict[str, set[str]] = {name: set() for name in (HONEST, *SHOWN)}
    for entry in reported["runs"]:
        anomalies[entry["run"].split("/")[0]] |= set(entry["anomalies"])
    return anomalies


def test_the_honest_reference_shows_no_anomaly(found: dict[str, set[str]]) -> None:
    """Neither a definite one nor a possible one, in any scenario of the suite."""
    assert found[HONEST] == set()


@pytest.mark.parametrize("defect", SHOWN)
def test_a_defect_shows_as_its_anomaly(found: dict[str, set[str]], defect: str) -> None:
    """The history of the scenario that catches it tells the same, without having been asked."""
    assert set(SHOWN[defect].split()) <= found[defect]
