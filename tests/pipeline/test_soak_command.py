"""`fencepost soak` with the checker itself, on the session of the tests: it starts one as `fencepost run --check` does."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from on_one_spark import fencepost_on

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours
def test_a_soak_run_ends_with_a_verdict_a_page_and_its_histories(spark: "SparkSession", tmp_path: Path) -> None:
    """A red run has the pictures of its anomalies."""
    results = tmp_path / "soak"
    asked = ("soak", "--defect", "core-kafka-aborted-shown", "--time", "1s", "--segment", "5s", "--results", results)

    said = fencepost_on(spark, *asked, expect=1).out

    reported = json.loads((results / "soak.json").read_text())
    assert reported["complete"]
    assert "G1a" in {one["anomaly"] for one in reported["anomalies"] if one["definite"]}
    assert all((results / one["page"]).is_file() for one in reported["anomalies"])
    assert "segment 1: G1a: " in said
    assert next(file.name for file in sorted((results / "history").iterdir())) == "segment-0001.jsonl.gz"
    assert "Calls a second" in (results / "index.html").read_text()
