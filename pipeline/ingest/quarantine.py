"""What could not be read, with its place: file, line, reason."""

import json
import shutil
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local

from .files import IngestRefusal

SCHEMA = "file string, line long, run string, reason string"


def named(spark: SparkSession, bad: DataFrame | None, files: Sequence[tuple[int, str]]) -> DataFrame | None:
    """What is bad in these files, where `mark` is the line itself."""
    if bad is None:
        return None
    known = F.broadcast(local.table(spark, "file_id long, file string", files))
    return bad.join(known, "file_id").select("file", F.col("mark").alias("line"), "run", "reason")


def keep(spark: SparkSession, bad: DataFrame | None, refused: Sequence[IngestRefusal], folder: Path) -> int:
    """Write what is bad (`SCHEMA`) and the refused files as JSON lines; returns how many there are."""
    if bad is None and not refused:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return 0
    rows = local.table(spark, SCHEMA, [(str(refusal.path), None, None, refusal.reason) for refusal in refused])
    if bad is not None:
        rows = rows.unionByName(bad)
    rows.orderBy("file", "line").coalesce(1).write.mode("overwrite").json(str(folder))
    return spark.read.schema(SCHEMA).json(str(folder)).count()


def first(folder: Path, count: int) -> list[str]:
    """The first of them, as `FILE, line N: reason`; without Spark."""
    rows = (json.loads(line) for part in sorted(folder.glob("part-*.json")) for line in part.read_text(encoding="utf-8").splitlines())
    return [f"{row['file']}{_at(row.get('line'))}: {row['reason']}" for row in islice(rows, count)]


def _at(line: int | None) -> str:
    return "" if line is None else f", line {line}"
