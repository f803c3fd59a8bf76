"""Histories of any size, made by Spark, with the requested anomalies and no others.

    python -m benchmarks.check_generate FOLDER --transactions 200000 --aborted 5 --lost 3 [--one-log]

The history is a formula, so that it can be made in parts: transaction n belongs to block n div 500, sends two records to the log of its
block, and polls ten records of the log of the block before. Five processes take turns, so each of them reads every log as a whole and in
order. Each transaction moves twelve records. The last block's records stay unread, which is allowed. With `--one-log` all blocks are parts
of one log, which is assigned once.

Aborted transactions are reported as failed, but are read (five times two G1a). Lost records are acknowledged and in no poll.
"""

import argparse
import shutil
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline.spark_session import Size, session

BLOCK, PROCESSES, SENDS = 500, 5, 2
READS = BLOCK * SENDS * PROCESSES // BLOCK
RECORDS = SENDS + READS


@dataclass(frozen=True)
class GenerationPlan:
    """How many transactions, and how many of them have each fault."""

    transactions: int
    aborted: int = 0
    lost: int = 0
    one_log: bool = False

    def record(self, kind: str, block: Column, index: Column) -> Column:
        """The record of a block: every third offset is a marker's."""
        offset = F.floor(index / SENDS) * (SENDS + 1) + index % SENDS
        if self.one_log:
            offset = offset + block * BLOCK * (SENDS + 1)
        value = F.concat(F.lit("v"), block * BLOCK * SENDS + index)
        return F.struct(F.lit(kind).alias("m"), self.log(block).alias("log"), value.alias("v"), offset.cast("long").alias("o"))

    def log(self, block: Column) -> Column:
        """The log of a block."""
        return F.lit("log-0") if self.one_log else F.concat(F.lit("log-"), block)

    def chosen(self, n: Column, count: int, shift: int) -> Column:
        """Whether transaction n is a faulty one: these are spread evenly over all but the last block, which no consumer reads."""
        every = max(2, (self.transactions - BLOCK) // count) if count else 1
        return (n % every == shift) & (n < every * count) if count else F.lit(False)


def events(spark: SparkSession, plan: GenerationPlan) -> DataFrame:
    """The lines of the history, as `value`."""
    n, block = F.col("n"), F.floor(F.col("n") / BLOCK)
    turn = F.floor((n % BLOCK) / PROCESSES)
    rows = spark.range(plan.transactions).withColumnRenamed("id", "n")
    own = F.transform(F.sequence(F.lit(0), F.lit(SENDS - 1)), lambda j: plan.record("send", block, (n % BLOCK) * SENDS + j))
    read = F.transform(F.sequence(F.lit(0), F.lit(READS - 1)), lambda j: plan.record("recv", block - 1, turn * READS + j))
    # The second record of a transaction is lost, so that the first one always precedes the gap.
    second = (block - 1) * BLOCK + turn * READS / SENDS
    read = F.filter(read, lambda _, j: ~((j % SENDS == 1) & plan.chosen(F.floor(second + j / SENDS), plan.lost, 1)))
    read = F.when(block > 0, read)
    asked = F.transform(own, lambda mop: mop.withField("o", F.lit(None).cast("long")))
    outcome = F.when(plan.chosen(n, plan.aborted, 0), "fail").otherwise("ok")
    begins = (n % BLOCK < PROCESSES) & (block == 1 if plan.one_log else block > 0)
    nothing = [F.lit(None).cast("string").alias("v"), F.lit(None).cast("long").alias("o")]
    assigned = F.array(F.struct(F.lit("assign").alias("m"), plan.log(block - 1).alias("log"), *nothing))
    parts = F.array(
        F.when(begins, _event(n, 0, 0, "invoke", "assign", assigned)),
        F.when(begins, _event(n, 1, 0, "ok", "assign", assigned)),
        _event(n, 2, 2, "invoke", "txn", asked),
        _event(n, 3, 2, outcome, "txn", F.concat(own, F.coalesce(read, F.array()))),
    )
    return rows.select(F.explode(F.array_compact(parts)).alias("event")).select(F.to_json("event").alias("value"))


def write(spark: SparkSession, plan: GenerationPlan, folder: Path) -> None:
    """The history as files of JSON lines."""
    scratch = folder / "scratch"
    events(spark, plan).write.mode("overwrite").text(str(scratch))
    for part in sorted(scratch.glob("part-*.txt")):
        part.rename(folder / f"{part.stem}.jsonl")
    shutil.rmtree(scratch)


def _event(n: Column, place: int, op: int, kind: Column | str, f: str, mops: Column) -> Column:
    reported = F.lit(kind) if isinstance(kind, str) else kind
    return F.struct(
        F.lit("generated").alias("run_id"),
        (n * 4 + place).alias("idx"),
        ((n * 4 + place) * 1000).alias("t_ns"),
        (n % PROCESSES).alias("process"),
        reported.alias("type"),
        F.lit(f).alias("f"),
        (n * 4 + op).alias("op_id"),
        F.lit("rc").alias("iso"),
        mops.alias("mops"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--transactions", type=int, default=200_000)
    parser.add_argument("--aborted", type=int, default=0)
    parser.add_argument("--lost", type=int, default=0)
    parser.add_argument("--one-log", action="store_true", help="all records in one log")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with session(Size(1 << 30)) as spark:
        write(spark, GenerationPlan(given.transactions, given.aborted, given.lost, given.one_log), given.folder)


if __name__ == "__main__":
    main()
