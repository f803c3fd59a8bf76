"""What could not be read, with its place: file, line, reason.

Bad lines are few, and the line number of a good one interests nobody: so only the files that hold a bad line are read again, each as
a whole, and the bad lines are found in them by their mark.
"""

import json
import shutil
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local

from .files import Refusal, Source
from .lines import names, raw

SCHEMA = "file string, line long, run string, reason string"
_WHOLE = str(1 << 40)


def write(spark: SparkSession, bad: DataFrame | None, sources: Sequence[Source], refused: Sequence[Refusal], folder: Path) -> int:
    """Write `bad` (file_id, mark, run, reason) and the refused files; the answer is how many there are."""
    return keep(spark, None if bad is None else _placed(spark, bad, sources), refused, folder)


def named(spark: SparkSession, bad: DataFrame | None, files: Sequence[tuple[int, str]]) -> DataFrame | None:
    """What is bad in these files, where `mark` is the line itself."""
    if bad is None:
        return None
    known = F.broadcast(local.table(spark, "file_id long, file string", files))
    return bad.join(known, "file_id").select("file", F.col("mark").alias("line"), "run", "reason")


def keep(spark: SparkSession, bad: DataFrame | None, refused: Sequence[Refusal], folder: Path) -> int:
    """Write what is bad (`SCHEMA`) and the refused files as JSON lines; the answer is how many there are."""
    if bad is None and not refused:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return 0
    rows = local.table(spark, SCHEMA, [(str(refusal.path), None, None, refusal.reason) for refusal in refused])
    if bad is not None:
        rows = rows.unionByName(bad)
    before = spark.conf.get("spark.sql.files.maxPartitionBytes") or "128MB"
    spark.conf.set("spark.sql.files.maxPartitionBytes", _WHOLE)  # a file that is not divided has its lines in order
    try:
        rows.orderBy("file", "line").coalesce(1).write.mode("overwrite").json(str(folder))
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)
    return spark.read.schema(SCHEMA).json(str(folder)).count()


def first(folder: Path, count: int) -> list[str]:
    """The first of what stands there, as `FILE, line N: reason`; without Spark."""
    rows = (json.loads(line) for part in sorted(folder.glob("part-*.json")) for line in part.read_text(encoding="utf-8").splitlines())
    return [f"{row['file']}{_at(row.get('line'))}: {row['reason']}" for row in islice(rows, count)]


def _at(line: int | None) -> str:
    return "" if line is None else f", line {line}"


def _placed(spark: SparkSession, bad: DataFrame, sources: Sequence[Source]) -> DataFrame:
    """What is bad, with its file and line."""
    known = names(spark, raw(spark, sources), sources).select("file_id", F.col("path").alias("file"))
    unknown = F.raise_error(F.concat(F.lit("no history has the number "), "file_id")).cast("string")
    bad = bad.join(known, "file_id", "left").withColumn("file", F.coalesce("file", unknown)).persist()
    concerned = {row.file for row in bad.select("file").distinct().collect()}
    rows = local.table(spark, SCHEMA)
    stored = [str(source.path) for source in sources if source.form == "parquet"]
    if concerned.intersection(stored):
        rows = rows.unionByName(bad.filter(F.col("file").isin(stored)).select("file", (F.col("mark") + 1).alias("line"), "run", "reason"))
    texts = [source for source in sources if str(source.path) in concerned and source.form != "parquet"]
    if texts:
        # Lines that are alike have one mark: each is found once by it.
        lines = _numbered(spark, texts).join(F.broadcast(bad.dropDuplicates(["file_id", "mark"])), ["file_id", "mark"])
        rows = rows.unionByName(lines.select("file", "line", "run", "reason"))
    return rows


def _numbered(spark: SparkSession, texts: Sequence[Source]) -> DataFrame:
    """The lines of these texts with their numbers, from 1."""
    lines = raw(spark, texts).select(
        F.xxhash64("uri").alias("file_id"), F.xxhash64("value").alias("mark"), F.monotonically_increasing_id().alias("id")
    )
    first = lines.groupBy("file_id").agg(F.min("id").alias("first"))
    lines = lines.join(F.broadcast(first), "file_id")
    return lines.select("file_id", "mark", (F.col("id") - F.col("first") + 1).alias("line"))
