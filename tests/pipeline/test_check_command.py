"""`fencepost check` on the session of the tests; as a process with its own Java it is asked in test_check_cluster.py."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from check_histories import write
from commands import CHECKOUT, fencepost
from jsonschema import Draft202012Validator
from on_one_spark import fencepost_on
from pyarrow import parquet

from fencepost.pipeline.tables import VERSION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


def verdict(folder: Path) -> dict[str, object]:
    """The verdict, which must be what the published schema says."""
    reported: dict[str, object] = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    schema = json.loads((CHECKOUT / "pipeline/verdict.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(reported)
    return reported


def test_a_sound_history_leaves_no_witness_in_the_place_of_earlier_ones(spark: "SparkSession", tmp_path: Path) -> None:
    """Both tables are there, with the columns that they always have, and without a row."""
    reported = {"broken": "p0 ok send tid=t e=0 x<a@0\np0 ok abort tid=t e=0\np1 ok poll x>a@0\n", "sound": "p0 ok send x<a@0\n"}
    tables = {}
    for name, text in reported.items():
        history = write(text, name, tmp_path / name)
        fencepost_on(spark, "check", history, "--results", tmp_path / "out", expect=1 if name == "broken" else 0)
        tables[name] = parquet.read_table(tmp_path / "out/witnesses/parquet")

    assert [len(table) for table in tables.values()] == [1, 0]
    assert tables["broken"].schema.names == tables["sound"].schema.names
    assert [part.read_text(encoding="utf-8") for part in (tmp_path / "out/witnesses/json").glob("part-*")] == [""]


def test_a_broken_history_is_reported_in_words_and_files(spark: "SparkSession", tmp_path: Path) -> None:
    """Exit code 1, the first witness in words, witnesses as files, a page with a picture."""
    write("p0 ok send tid=t e=0 x<a@0\np0 ok abort tid=t e=0\np1 ok poll x>a@0\n", "broken", tmp_path / "in")
    write("p0 ok send x<a@0\np1 ok poll x>a@0\n", "sound", tmp_path / "in")

    done = fencepost_on(spark, "check", tmp_path / "in", "--results", tmp_path / "out", "--format", "json", expect=1)

    reported = verdict(tmp_path / "out")
    assert json.loads(done.out) == reported
    assert reported["complete"] is True
    runs = {run["run"]: run for run in reported["runs"]}  # type: ignore[attr-defined]
    assert (runs["broken"]["valid"], runs["sound"]["valid"]) == (False, True)
    assert runs["broken"]["anomalies"]["G1a"] == {"definite": 1, "possible": 0}
    kept = [json.loads(line) for part in (tmp_path / "out/witnesses/json").glob("part-*.json") for line in part.read_text().splitlines()]
    assert ("G1a", "broken", ["a"]) in [(witness["anomaly"], witness["run"], witness["values"]) for witness in kept]
    assert list((tmp_path / "out/witnesses/parquet").glob("*.parquet"))
    assert "<svg" in (tmp_path / "out/index.html").read_text(encoding="utf-8")

    # A later check starts from the tables, and does not read the histories again.
    shutil.rmtree(tmp_path / "in")
    again = fencepost_on(spark, "check", tmp_path / "out", "--results", tmp_path / "later", "--format", "json", expect=1)
    assert json.loads(again.out) == reported
    assert not (tmp_path / "later/tables").exists()


def test_tables_are_judged_by_themselves(tmp_path: Path) -> None:
    """Tables next to a history are refused, and those of another version; a folder whose tables were never finished has none."""
    write("p0 ok send x<a@0\n", "run", tmp_path / "in")
    tables = tmp_path / "out/tables"
    tables.mkdir(parents=True)
    assert "no history" in fencepost("check", tmp_path / "out", expect=2).err

    reported = {"schema_version": VERSION, "buckets": 1, "bytes": 1, "bad_lines": 0, "quarantined": 0}
    (tables / "tables.json").write_text(json.dumps(reported), encoding="utf-8")
    assert "judged by themselves" in fencepost("check", tables, tmp_path / "in", expect=2).err

    (tables / "tables.json").write_text(json.dumps(reported | {"schema_version": VERSION - 1}), encoding="utf-8")
    assert f"version {VERSION - 1}, expected {VERSION}" in fencepost("check", tmp_path / "out", expect=2).err


def test_usage_errors_come_before_spark(tmp_path: Path) -> None:
    """An unknown anomaly, format or path is told at once."""
    write("p0 ok send x<a@0\n", "run", tmp_path)

    assert "G1a" in fencepost("check", tmp_path, "--anomaly", "G1z", expect=2).err
    assert "unknown format 'xml'; known: table, json" in fencepost("check", tmp_path, "--format", "xml", expect=2).err
    assert "does not exist" in fencepost("check", tmp_path / "nowhere", expect=2).err


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(("option", "value", "reason"), [("--memory", "999999g", "exited"), ("--master", "local[x]", "Could not parse")])
def test_a_spark_that_cannot_start_is_reported(tmp_path: Path, option: str, value: str, reason: str) -> None:
    """Java dies, or Spark refuses: the value, the reason and the remedy, and no traceback."""
    write("p0 ok send x<a@0\n", "run", tmp_path / "in")

    err = fencepost("check", tmp_path / "in", "--results", tmp_path / "out", option, value, expect=2).err

    reported = err[err.index("fencepost: Spark does not start on") :]
    for part in (value, reason, "--memory wants a size like 2g", "version"):
        assert part in reported
    assert "Traceback" not in err
