"""The tables that every plan reads: operations, and the records that they moved.

Order is the recorder's own, the number of the event (`idx`), so that clocks which go backwards change no verdict. An operation is known
by the number of its invocation (`op`); `at` is the number of its completion. One that never completed is indeterminate, as `info` is.

* `ops`: run, op, at, t0, t1, process, client, f, ty (ok, fail, info), open, unit, oc, end_op and the rest of the event; of what it moved
  only the `first`, and the logs that it `keeps` where it assigns some. A *unit* is what commits together: a transaction attempt, else the
  operation alone; it is called by its first operation. `oc` is what became of it: 3 committed, 2 not known, 1 aborted. `end_op` is the
  operation that asked for its end, null when nobody did.
* `records`: one row for each record sent or read, offset committed or position seen (`kind`): run, log, v, o, mop (its number in the
  operation), and its operation's op, at, process, ty, unit, oc, and so on.
* `bad`: what could not be read, where there is any: file_id, mark, run, reason.

Records are shuffled once, by (run, log), and stored in that many buckets, each in order of (run, log, kind, process, op, mop), so that
grouping, ranking and joining by log moves nothing, and each process's records stand in the order in which it moved them. What a value is
too long to be stored as is its beginning and its digest.

Small histories are stored without buckets: each file of operations has its fellow of records, of the same name, with the same whole runs
(`movement.reading` writes them).

`tables.json` is written last and says how many buckets there are: tables that have it are whole, and a later check starts from them.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as F

from fencepost.contract.errors import WrongUsage

from .layout import DESCRIPTION
from .pairing import ABORTED, COMMITTED, UNKNOWN, has_steps, judged, outcomes, paired

__all__ = ["ABORTED", "COMMITTED", "UNKNOWN", "Tables", "described", "moved", "shortened"]

LONGEST_VALUE = 256
VERSION = 5
_ORDER = ("run", "log", "kind", "process", "op", "mop")
# Nearly every row has another one of these, so that a dictionary of them is built in vain.
_VARIED = ("v", "o", "op", "at", "unit", "end_op", "t0", "t1", "mark", "first.v", "first.o")


def shortened(value: Column) -> Column:
    """A value that is too long to be carried around is told apart by its digest."""
    digest = F.concat(F.left(value, F.lit(64)), F.lit("... sha256 "), F.sha2(value, 256))
    return F.when(F.length(value) > LONGEST_VALUE, digest).otherwise(value)


def moved(ops: DataFrame) -> DataFrame:
    """The `records` table: one row for each record, offset and position of the operations."""
    rows = ops.filter(F.size("mops") > 0).select("*", F.posexplode("mops").alias("mop", "x"))
    # A request to several partitions may be refused by one of them: what has an offset was acknowledged.
    acknowledged = (F.col("f") == "send") & (F.col("ty") == "fail") & F.col("x.o").isNotNull() & F.col("tx").isNotNull()
    # What most records lack is one column, so that it costs the shuffle nothing.
    texts = {"tid": F.col("tx.tid"), "grp": F.col("grp.id"), "mkey": F.col("x.mkey")}
    numbers = {"pid": F.col("tx.pid"), "epoch": F.col("tx.epoch"), "seq": F.col("x.seq"), "hash": F.col("x.hash")}
    known = F.coalesce(*texts.values(), *(number.cast("string") for number in numbers.values())).isNotNull()
    rare = F.struct(*(column.alias(name) for name, column in (texts | numbers).items()))
    rows = rows.withColumn("acknowledged_oc", F.when(F.col("unit") == F.col("op"), F.lit(COMMITTED)).otherwise(F.col("unit_oc")))
    return rows.select(
        "run",
        F.col("x.log").alias("log"),
        F.col("x.m").alias("kind"),
        shortened(F.col("x.v")).alias("v"),
        F.col("x.o").alias("o"),
        "op",
        "mop",
        "at",
        "process",
        "f",
        F.when(acknowledged, "ok").otherwise(F.col("ty")).alias("ty"),
        F.when(acknowledged, F.col("acknowledged_oc")).otherwise(F.col("oc")).alias("oc"),
        "unit",
        "unit_oc",
        "end_op",
        "transactional",
        "by_hand",
        F.coalesce("iso", F.lit("rc")).alias("iso"),
        F.when(known, rare).alias("rare"),
    ).filter(F.col("log").isNotNull())


def summarised(ops: DataFrame) -> DataFrame:
    """The `ops` table: the operations, with only the first of their records, and the logs that they keep."""
    first, assigns = F.get("mops", F.lit(0)), F.col("f").isin("assign", "subscribe")
    record = F.struct(first.log.alias("log"), shortened(first.v).alias("v"), first.o.alias("o"))
    keeps = F.coalesce(F.array_distinct("mops.log"), F.array())
    return ops.withColumns({"first": F.when(first.isNotNull(), record), "keeps": F.when(assigns, keeps)}).drop("mops")


def described(folder: Path) -> dict[str, Any] | None:
    """What the description of stored tables says, where the folder has whole ones. `WrongUsage` when they are of another version."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return None
    description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if description["schema_version"] != VERSION:
        raise WrongUsage(
            f"{folder} has tables of version {description['schema_version']}, expected {VERSION}; check the histories themselves again"
        )
    return description


class Tables:
    """The tables in a folder."""

    def __init__(self, spark: SparkSession, folder: Path, buckets: int) -> None:
        self.spark, self.folder, self._buckets = spark, folder, buckets
        self._chosen: Column | None = None
        self._open: dict[str, DataFrame] = {}
        self.bad_lines = 0

    def store(self, lines: DataFrame) -> None:
        """Read the events once, pair them, and shuffle their records once."""
        (self.folder / DESCRIPTION).unlink(missing_ok=True)
        events = paired(lines).persist()
        whole = events.filter("reason is null").drop("reason", "mark", "error")
        counted = events.agg(F.count_if(F.col("reason").isNotNull()).alias("bad"), F.max(has_steps()).alias("steps")).first()
        assert counted is not None, "an aggregate has one row"
        self.bad_lines = counted.bad
        if self.bad_lines:
            self._write(events.filter("reason is not null").select("file_id", "mark", "run", "reason"), "bad")
        units = outcomes(whole).persist() if counted.steps else None
        ops = judged(whole, units)
        with ThreadPoolExecutor(1) as beside:
            stored = beside.submit(self._write, summarised(ops), "ops")
            records = moved(ops).repartition(self._buckets, "run", "log")
            writer = self._writer(records).bucketBy(self._buckets, "run", "log").sortBy(*_ORDER)
            writer.option("path", str(self.folder / "records")).saveAsTable("records")
            stored.result()
        for kept in filter(None, (units, events)):
            kept.unpersist()

    def keep(self, bad: DataFrame) -> None:
        """Operations and records stand in the folder when this has been computed, which is what could not be read."""
        (self.folder / DESCRIPTION).unlink(missing_ok=True)
        bad = bad.persist()
        self.bad_lines = bad.count()
        if self.bad_lines:
            self._write(bad, "bad")
        bad.unpersist()

    def describe(self, **facts: int) -> None:
        """The tables are whole, and a later check may start from them."""
        description = {"schema_version": VERSION, "buckets": self._buckets, "bad_lines": self.bad_lines, **facts}
        (self.folder / DESCRIPTION).write_text(json.dumps(description) + "\n", encoding="utf-8")

    def open(self, bad_lines: int) -> None:
        """Tables that an earlier check stored whole."""
        self.bad_lines = bad_lines
        if not self._buckets:
            return
        path = str(self.folder.resolve() / "records")
        columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in self.spark.read.parquet(path).schema)
        place = path.replace("\\", "\\\\").replace("'", "\\'")
        self.spark.sql("DROP TABLE IF EXISTS records")
        self.spark.sql(
            f"CREATE TABLE records ({columns}) USING parquet CLUSTERED BY (run, log) SORTED BY ({', '.join(_ORDER)}) "
            f"INTO {self._buckets} BUCKETS LOCATION '{place}'"
        )

    @property
    def bad(self) -> DataFrame | None:
        """Events that are none, or belong to no operation; None where there are none of these."""
        return self._read("bad") if self.bad_lines else None

    @property
    def damaged(self) -> DataFrame | None:
        """The runs of files in which something could not be read."""
        if self.bad is None:
            return None
        rows = self._read("ops").select("file_id", "run").union(self.bad.filter("run is not null").select("file_id", "run"))
        return rows.join(F.broadcast(self.bad.select("file_id").distinct()), "file_id").select("run").distinct()

    @property
    def by_run(self) -> bool:
        """Whether each file of operations has its fellow of records, with the same whole runs."""
        return not self._buckets

    @property
    def parts(self) -> int:
        """In how many parts what is moved by run is worth being divided."""
        return max(1, self._buckets)

    def only(self, runs: Sequence[str]) -> "Tables":
        """The tables of these runs."""
        return self._of(F.col("run").isin(*runs))

    def without(self, runs: Sequence[str]) -> "Tables":
        """The tables of all other runs."""
        return self._of(~F.col("run").isin(*runs)) if runs else self

    def _of(self, chosen: Column) -> "Tables":
        tables = Tables(self.spark, self.folder, self._buckets)
        tables.bad_lines, tables._chosen = self.bad_lines, chosen
        return tables

    @cached_property
    def ops(self) -> DataFrame:
        """All operations."""
        rows = self._those_chosen(self._read("ops").drop("file_id"))
        # What is small is not worth being handed from one core to the other.
        return (rows.coalesce(1) if self._buckets <= 1 else rows).persist()

    @cached_property
    def records(self) -> DataFrame:
        return self._those_chosen(self._stored_records.select("*", "rare.*").drop("rare"))

    @property
    def _stored_records(self) -> DataFrame:
        return self.spark.table("records") if self._buckets else self._read("records")

    def of(self, *kinds: str) -> DataFrame:
        """The records of these kinds."""
        return self.records.filter(F.col("kind").isin(*kinds))

    def _those_chosen(self, rows: DataFrame) -> DataFrame:
        return rows if self._chosen is None else rows.filter(self._chosen)

    def _read(self, name: str) -> DataFrame:
        # Opening a table is a job of its own: it reads the schema.
        if name not in self._open:
            self._open[name] = self.spark.read.parquet(str(self.folder / name))
        return self._open[name]

    def _write(self, rows: DataFrame, name: str) -> None:
        self._open.pop(name, None)
        self._writer(rows).parquet(str(self.folder / name))

    @staticmethod
    def _writer(rows: DataFrame) -> DataFrameWriter:
        writer = rows.write.mode("overwrite").format("parquet")
        return writer.options(**{f"parquet.enable.dictionary#{column}": "false" for column in _VARIED})
