"""What could not be read, with its place: file, line, reason.

Bad lines are few, and the line number of a good one interests nobody: so only the files that hold a bad line are read again, each as
a whole, and the bad lines are found in them by their mark.
"""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .files import Refusal, Source
from .lines import names, raw

SCHEMA = "file string, line long, run string, reason string"
_WHOLE = str(1 << 40)


def write(spark: SparkSession, bad: DataFrame, sources: Sequence[Source], refused: Sequence[Refusal], folder: Path) -> int:
    """Write `bad` (file_id, mark, run, reason) and the refused files as JSON lines of `SCHEMA`; the answer is how many there are."""
    bad = bad.persist()
    concerned = {row.file_id for row in bad.select("file_id").distinct().toLocalIterator()}
    paths = names(spark, sources)
    rows = spark.createDataFrame([(str(refusal.path), None, None, refusal.reason) for refusal in refused], SCHEMA)
    stored = paths.filter(F.col("path").endswith(".parquet"))
    rows = rows.unionByName(
        bad.join(stored, "file_id").select(F.col("path").alias("file"), (F.col("mark") + 1).alias("line"), "run", "reason")
    )
    texts = [source for number, source in enumerate(sources) if number in concerned and source.form != "parquet"]
    before = spark.conf.get("spark.sql.files.maxPartitionBytes") or "128MB"
    spark.conf.set("spark.sql.files.maxPartitionBytes", _WHOLE)  # a file that is not divided has its lines in order
    try:
        if texts:
            lines = _numbered(spark, texts).join(paths, "path").join(F.broadcast(bad), ["file_id", "mark"])
            rows = rows.unionByName(lines.select(F.col("path").alias("file"), "line", "run", "reason"))
        rows.orderBy("file", "line").coalesce(1).write.mode("overwrite").json(str(folder))
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)
        bad.unpersist()
    return spark.read.schema(SCHEMA).json(str(folder)).count()


def _numbered(spark: SparkSession, sources: Sequence[Source]) -> DataFrame:
    """The lines of these files with their numbers, from 1."""
    lines = raw(spark, sources).select("path", F.xxhash64("value").alias("mark"), F.monotonically_increasing_id().alias("id"))
    first = lines.groupBy("path").agg(F.min("id").alias("first"))
    return lines.join(F.broadcast(first), "path").withColumn("line", F.col("id") - F.col("first") + 1).drop("id", "first")
