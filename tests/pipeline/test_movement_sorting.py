"""Large histories become the same tables as small ones, whatever the shares, and Spark finds their records in its own buckets."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from check_cases import cases
from check_histories import events as reported_events
from check_histories import write
from sorted_tables import sorted_tables

from fencepost.pipeline.ingest import files
from fencepost.pipeline.movement import buckets
from fencepost.pipeline.movement.events import Block, events
from fencepost.pipeline.movement.pairing import paired

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

CASES = {case.run: case.text for case in cases()}
NAMES = ["", "a", "ab", "abc", "abcd", "log-17", "ä", "\U0001f512 and more", "x" * 300]


def in_words(tables: list[pa.Table]) -> list[str]:
    """Their rows, in whichever order, but for which file they came from."""
    rows = (row for table in tables for row in table.drop_columns(["file_id"] if "file_id" in table.column_names else []).to_pylist())
    return sorted(map(str, rows))


def stored(folder: Path, name: str) -> list[pa.Table]:
    return [pq.read_table(path) for path in sorted((folder / name).glob("*.parquet"))]


def test_large_histories_become_the_tables_of_small_ones(spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All histories of the anomalies' tests in one file, of which each task has a few lines: every operation, its end, every record."""
    everything = [json.dumps(event) for run, text in CASES.items() for event in reported_events(text, run)]
    (tmp_path / "all.jsonl").write_text("\n".join(everything), encoding="utf-8")
    monkeypatch.setattr("fencepost.pipeline.movement.ranges.divided.__defaults__", (40_000,))

    tables = sorted_tables(spark, files.find([tmp_path / "all.jsonl"]), tmp_path / "out", 3)

    whole = paired(events([Block("\n".join(everything).encode(), 1, 0, "")]))
    assert tables.bad_lines == 0
    assert in_words(stored(tmp_path / "out", "ops")) == in_words([whole.operations])
    assert in_words(stored(tmp_path / "out", "records")) == in_words([whole.records])


def test_a_bad_line_is_known_by_its_number_in_the_file(spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever range it is in; what belongs to no operation is told by the task that has the operation."""
    good = [json.dumps(event) for event in reported_events("p0 ok send x<a@0\np1 ok poll x>a@0\n", "r")]
    lines = [good[0], "{", good[1], good[1], "", good[2], "[]", good[3]]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr("fencepost.pipeline.movement.ranges.divided.__defaults__", (50,))

    tables = sorted_tables(spark, files.find([tmp_path / "a.jsonl"]), tmp_path / "out", 2)

    assert tables.bad is not None
    reported = {(row.file_id, row.mark): row.reason for row in tables.bad.collect()}
    assert set(reported) == {(0, 2), (0, 4), (0, 7)}
    assert "second completion" in reported[0, 4]


def test_spark_would_have_put_each_record_into_its_bucket(spark: "SparkSession") -> None:
    """Its hash of the run and the log, for texts of all lengths and alphabets."""
    named = [(run, log) for run in NAMES for log in NAMES]
    theirs = [
        row.bucket
        for row in spark.createDataFrame(named, "run string, log string").selectExpr("pmod(hash(run, log), 7) as bucket").collect()
    ]

    ours = buckets.bucket_of(pa.table({"run": [run for run, _ in named], "log": [log for _, log in named]}), 7)

    assert ours.tolist() == theirs


def test_a_bucket_is_in_order_and_a_task_that_is_repeated_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By run, log, kind, process (none is the first), operation and place in it; a large bucket is several files, each in order."""
    rows = paired(
        events([Block("\n".join(json.dumps(event) for event in reported_events(CASES[max(CASES)], "r")).encode(), 1, 0, "")])
    ).records
    rows = pa.concat_tables([rows, rows.set_column(rows.column_names.index("process"), "process", pa.nulls(len(rows), pa.string()))])
    shuffled = rows.take(pa.array(np.random.default_rng(7).permutation(len(rows))))

    buckets.write([shuffled], tmp_path, 4)
    (path,) = tmp_path.iterdir()
    names = ("run", "log", "kind", "process", "op", "mop")
    keys = [tuple((row[name] is not None, row[name]) for name in names) for row in pq.read_table(path).to_pylist()]
    assert keys == sorted(keys)
    assert path.name == "part-00000_00004.c000.parquet"

    monkeypatch.setattr("fencepost.pipeline.movement.buckets.MOST_ROWS", len(rows) - 1)
    buckets.write([shuffled.slice(0, 2), shuffled.slice(2)], tmp_path, 4)
    assert [len(pq.read_table(path)) for path in sorted(tmp_path.iterdir())] == [2, len(rows) - 2]
    buckets.write([shuffled.slice(0, 2)], tmp_path, 4)
    assert [len(pq.read_table(path)) for path in sorted(tmp_path.iterdir())] == [2]


def test_files_without_a_line_are_tables_without_rows(spark: "SparkSession", tmp_path: Path) -> None:
    """Nothing breaks, and nothing is found."""
    path = write("", "none", tmp_path)
    path.write_text("\n\n", encoding="utf-8")

    tables = sorted_tables(spark, files.find([path]), tmp_path / "out")

    assert (tables.ops.count(), tables.records.count(), tables.bad_lines) == (0, 0, 0)
