"""Whole runs are judged in tasks of Spark as in process, wherever their tables come from."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from check_cases import cases
from check_histories import events
from sorted_tables import sorted_tables

from fencepost.pipeline.laws.judge import judge as judge_in_process

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from fencepost.pipeline.tables import Tables

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

SOME = {case.run: case.text for case in cases() if not case.infer}
BY_PLANS = ("duplicate", "G1a", "zombie-write", "key-reorder", "early-prune", "poll-skip", "lost-offset-commit", "phantom-ack", "G1c")
"""An anomaly of each family: compiling the plans of all of them takes 20 seconds of a processor."""
Found = Counter[tuple[str, str, bool]]


@pytest.fixture(scope="module")
def read_in_tasks(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> "Tables":
    """Tables of histories that tasks have read, in two files of whole runs."""
    from fencepost.pipeline.ingest import files
    from fencepost.pipeline.movement import small_histories
    from fencepost.pipeline.tables import Tables

    folder = tmp_path_factory.mktemp("in-tasks")
    (folder / "in").mkdir()
    for number in range(2):
        reported = [event for run in sorted(SOME)[number::2] for event in events(SOME[run], run)]
        (folder / f"in/{number}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in reported), encoding="utf-8")
    tables = Tables(spark, folder / "out", 0)
    tables.keep(small_histories.read(spark, files.find([folder / "in"]), tables.folder, 2))
    assert not tables.bad_lines
    return tables


def found_on_spark(tables: "Tables", only: tuple[str, ...] = (), **limits: int) -> tuple[Found, int, int]:
    """How often each run shows each anomaly, or each of these, and how many operations and records there are."""
    from fencepost.pipeline.anomalies import ANOMALIES
    from fencepost.pipeline.movement.judging import Limits, judge

    seen = judge(tables, [one for one in ANOMALIES if not only or one.name in only], limits=Limits(**limits))
    found: Found = Counter()
    for one in seen.found:
        for run, of_run in one.counts.items():
            for anomaly, counts in of_run.items():
                found[run, anomaly, True] += counts["definite"]
                found[run, anomaly, False] += counts["possible"]
    return +found, sum(seen.runs.values()), seen.records


@cache
def found_in_process() -> Found:
    """The same of each history by itself."""
    shown = {run: judge_in_process(events(text, run)) for run, text in SOME.items()}
    return Counter((run, anomaly, one.definite) for run, found in shown.items() for anomaly, every in found.items() for one in every)


def test_files_of_whole_runs_are_judged_as_in_process(read_in_tasks: "Tables") -> None:
    """Every witness of every run, and no other."""
    found, operations, records = found_on_spark(read_in_tasks)

    assert found == found_in_process()
    assert operations == read_in_tasks.ops.count()
    assert records == read_in_tasks.records.count()


def test_rows_that_move_by_run_are_judged_as_in_process(spark: "SparkSession", read_in_tasks: "Tables", tmp_path: Path) -> None:
    """Tables in buckets by log, as larger histories have them."""
    from fencepost.pipeline.ingest import files

    tables = sorted_tables(spark, files.find([read_in_tasks.folder.parent / "in"]), tmp_path / "out")

    found, operations, records = found_on_spark(tables)

    assert found == found_in_process()
    assert (operations, records) == (read_in_tasks.ops.count(), read_in_tasks.records.count())


def test_a_task_that_is_repeated_adds_nothing(spark: "SparkSession", read_in_tasks: "Tables") -> None:
    """Its files have the same names again."""
    from fencepost.pipeline.ingest import files
    from fencepost.pipeline.movement import small_histories

    before = sorted(path.name for path in read_in_tasks.folder.glob("*/*.parquet"))
    again = small_histories.read(spark, files.find([read_in_tasks.folder.parent / "in"]), read_in_tasks.folder, 2)

    assert (again.count(), again.count()) == (0, 0)
    assert sorted(path.name for path in read_in_tasks.folder.glob("*/*.parquet")) == before
    assert [path.name for path in read_in_tasks.folder.glob("*/.part-*") if not path.name.endswith(".crc")] == []


def test_a_run_that_is_too_large_for_a_task_is_judged_in_parts(read_in_tasks: "Tables") -> None:
    """Every witness once, also where a part has a log or two; other runs are judged as wholes beside it."""
    found, operations, records = found_on_spark(read_in_tasks, run=12, part=5)

    assert (operations, records) == (read_in_tasks.ops.count(), read_in_tasks.records.count())
    assert found == found_in_process()


@pytest.mark.parametrize("only", [BY_PLANS, pytest.param((), marks=pytest.mark.thorough)], ids=["some", "all"])
def test_a_run_with_a_log_that_is_too_large_for_a_task_is_judged_by_plans(read_in_tasks: "Tables", only: tuple[str, ...]) -> None:
    """It is judged once, and counted once. That each plan finds what its law finds is asked elsewhere (test_check_anomalies)."""
    found, operations, records = found_on_spark(read_in_tasks, only, run=12, log=4)

    assert (operations, records) == (read_in_tasks.ops.count(), read_in_tasks.records.count())
    assert set(found) == {one for one in found_in_process() if not only or one[1] in only}


def test_a_log_in_several_files_of_its_bucket_is_counted_whole(spark: "SparkSession", read_in_tasks: "Tables", tmp_path: Path) -> None:
    """A bucket of many records is several files, and a log that stands in all of them may be too large for a task."""
    from fencepost.pipeline.ingest import files
    from fencepost.pipeline.movement import large

    tables = sorted_tables(spark, files.find([read_in_tasks.folder.parent / "in"]), tmp_path / "out")
    in_one_file = large.sizes(tables)
    (path,) = (tmp_path / "out/records").glob("*.parquet")
    records = pq.read_table(path)

    for number in range(2):
        half = records.filter(pa.array(np.arange(len(records)) % 2 == number))
        pq.write_table(half, path.with_name(path.name.replace("part-00000", f"part-{number:05}")))

    assert large.sizes(tables) == in_one_file
