"""The tables that every plan reads: operations, and the records that they moved.

Order is the recorder's own, the number of the event (`idx`), so that clocks which go backwards change no verdict. An operation is known
by the number of its invocation (`op`); `at` is the number of its completion. One that never completed is indeterminate, as `info` is.

* `ops`: run, op, at, t0, t1, process, client, f, ty (ok, fail, info), open, unit, oc, end_op, mops and the rest of the event. A *unit* is
  what commits together: a transaction attempt, else the operation alone; it is called by its first operation. `oc` is what became of it:
  3 committed, 2 not known, 1 aborted. `end_op` is the operation that asked for its end, null when nobody did. Stored are the operations as
  they were `paired`, and the `units` of those that belong to a transaction of several.
* `records`: one row for each record sent or read, offset told or position seen (`kind`): run, log, v, o, mop (its place in the operation),
  and its operation's op, at, process, ty, unit, oc, and so on.

Records are shuffled once, by (run, log), and stored in that many buckets, each in order of (run, log, op, mop), so that grouping, ranking
and joining by log moves nothing. What a value is too long to be stored as is its beginning and its digest.
"""

from functools import cached_property
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

COMMITTED, UNKNOWN, ABORTED = 3, 2, 1
LONGEST_VALUE = 256
_ASKED = ("t_ns", "process", "client", "f", "txn_id", "iso", "tx", "grp", "mops", "ctl")


def paired(lines: DataFrame) -> DataFrame:
    """Invocations and their completions as operations; the rows that have a `reason` are events that belong to none.

    Refused are a second invocation or completion of one number, a completion without an invocation, and a completion that is
    before its invocation: by number or by clock. The operation stays, as one whose end is not known.
    """
    event, good = F.col("event"), F.col("reason").isNull()
    # What cannot be read belongs to no operation, and is a group of its own.
    lines = lines.withColumn("op", F.when(good, event.op_id).otherwise(F.col("mark")))
    invokes, completes = good & (event.type == "invoke"), good & (event.type != "invoke")
    whole = Window.partitionBy("run", "op")
    so_far = whole.orderBy(event.idx, completes).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    asked = F.first(F.when(invokes, F.struct(*(event[name].alias(name) for name in _ASKED))), ignorenulls=True)
    rows = lines.select(
        "*",
        asked.over(so_far).alias("asked"),
        F.count_if(invokes).over(so_far).alias("invoked"),
        F.count_if(completes).over(so_far).alias("completed"),
    )
    asked, number = F.col("asked"), F.col("op").cast("string")
    reason = (
        F.when(~good, F.col("reason"))
        .when(invokes & (F.col("invoked") > 1), F.concat(F.lit("a second invocation of operation "), number))
        .when(
            completes & (F.col("invoked") == 0),
            F.concat(F.lit("a completion of operation "), number, F.lit(", which was not invoked before")),
        )
        .when(completes & (F.col("completed") > 1), F.concat(F.lit("a second completion of operation "), number))
        .when(
            completes & (event.t_ns < asked.t_ns),
            F.concat(F.lit("operation "), number, F.lit(" ends before it begins: a clock went backwards")),
        )
    )
    rows = rows.withColumn("reason", reason)
    ended = F.max(completes & F.col("reason").isNull()).over(whole)
    # An operation is its completion's row; where there is none, its invocation's.
    rows = rows.withColumn("ended", ended).filter(F.col("reason").isNotNull() | completes | ~F.col("ended"))
    completion = event.type != "invoke"
    either = {name: F.coalesce(event[name], asked[name]).alias(name) for name in ("txn_id", "iso", "tx", "grp", "ctl")}
    return rows.select(
        "file_id",
        "mark",
        "reason",
        "run",
        "op",
        event.idx.alias("at"),
        asked.t_ns.alias("t0"),
        event.t_ns.alias("t1"),
        asked.process.alias("process"),
        asked.client.alias("client"),
        asked.f.alias("f"),
        F.when(completion, event.type).otherwise("info").alias("ty"),
        (~completion).alias("open"),
        *either.values(),
        F.when(F.size(event.mops) > 0, event.mops).otherwise(asked.mops).alias("mops"),
        event.error.alias("error"),
        F.coalesce(event.api.startswith("write_txn_markers"), F.lit(False)).alias("marks"),
    )


def outcomes(ops: DataFrame) -> DataFrame:
    """What became of the transactions of several operations: run, op, unit, unit_oc, end_op, for each operation that has one.

    A transaction is named by its id; where a client's epoch stays, several in a row have one name, and each lasts until an end that
    was acknowledged. One that was open when its transactional id was initialised again was aborted, unless a commit had been asked for.
    """
    steps = ops.filter((F.col("txn_id").isNotNull() & (F.col("f") != "txn")) | (F.col("f") == "init_txn"))
    steps = steps.select("run", "op", "f", "ty", "txn_id", F.col("tx.tid").alias("tid"))
    ends, init = F.col("f").isin("commit", "abort"), F.col("f") == "init_txn"
    name = Window.partitionBy("run", "txn_id").orderBy("op")
    taken = Window.partitionBy("run", "tid").orderBy("op").rowsBetween(1, Window.unboundedFollowing)
    steps = steps.withColumn("taken", F.min(F.when(init & (F.col("ty") == "ok"), F.col("op"))).over(taken))
    steps = steps.filter(F.col("txn_id").isNotNull() & ~init)
    before = F.sum(F.when(ends & (F.col("ty") == "ok"), 1).otherwise(0)).over(name.rowsBetween(Window.unboundedPreceding, -1))
    steps = steps.withColumn("attempt", F.coalesce(before, F.lit(0)))
    attempt = Window.partitionBy("run", "txn_id", "attempt")

    def asked(f: str, *types: str) -> Column:
        return F.max((F.col("f") == f) & F.col("ty").isin(*types)).over(attempt)

    oc = (
        F.when(asked("commit", "ok") & ~asked("abort", "info"), COMMITTED)
        .when(asked("abort", "ok") & ~asked("commit", "info"), ABORTED)
        .when(F.max("taken").over(attempt).isNotNull() & ~asked("commit", "ok", "info"), ABORTED)
        .otherwise(UNKNOWN)
    )
    end = F.coalesce(F.min(F.when(ends & (F.col("ty") != "fail"), F.col("op"))).over(attempt), F.max("taken").over(attempt))
    # Where markers were written past the coordinator, its answers do not tell what became of a transaction.
    by_hand = F.broadcast(ops.filter("marks").select("run").distinct().withColumn("by_hand", F.lit(True)))
    told = steps.select("run", "op", F.min("op").over(attempt).alias("unit"), oc.alias("unit_oc"), end.alias("end_op"))
    return told.join(by_hand, "run", "left").fillna(value=False, subset=["by_hand"])


def judged(ops: DataFrame, units: DataFrame) -> DataFrame:
    """Operations with their unit and its outcome."""
    joined = ops.join(units, ["run", "op"], "left").fillna(value=False, subset=["by_hand"])
    own = F.when(F.col("ty") == "ok", COMMITTED).when(F.col("ty") == "fail", ABORTED).otherwise(UNKNOWN)
    of_unit = (
        F.when(F.col("ty") == "fail", ABORTED)
        .when(F.col("by_hand"), UNKNOWN)
        .when(F.col("unit_oc") == ABORTED, ABORTED)
        .otherwise(F.least(own, F.col("unit_oc")))
    )
    within = F.col("unit").isNotNull()
    return joined.select(
        *ops.columns,
        "by_hand",
        F.coalesce("unit", "op").alias("unit"),
        (within | (F.col("f") == "txn")).alias("transactional"),
        F.when(within, of_unit).otherwise(own).alias("oc"),
        F.when(within, F.col("unit_oc")).otherwise(own).alias("unit_oc"),
        # One operation that is a whole transaction asks for its end somewhere within.
        F.when(within, F.col("end_op")).when(F.col("f") == "txn", F.col("op")).alias("end_op"),
    )


def shortened(value: Column) -> Column:
    """A value that is too long to be carried around is told apart by its digest."""
    digest = F.concat(F.left(value, F.lit(64)), F.lit("... sha256 "), F.sha2(value, 256))
    return F.when(F.length(value) > LONGEST_VALUE, digest).otherwise(value)


def moved(ops: DataFrame) -> DataFrame:
    """The `records` table: one row for each record, offset and position of the operations."""
    rows = ops.filter(F.size("mops") > 0).select("*", F.posexplode("mops").alias("mop", "x"))
    # A request to several partitions may be refused by one of them: what has an offset was acknowledged.
    told = (F.col("f") == "send") & (F.col("ty") == "fail") & F.col("x.o").isNotNull() & F.col("tx").isNotNull()
    # What most records lack is one column, so that it costs the shuffle nothing.
    texts = {"tid": F.col("tx.tid"), "grp": F.col("grp.id"), "mkey": F.col("x.mkey")}
    numbers = {"pid": F.col("tx.pid"), "epoch": F.col("tx.epoch"), "seq": F.col("x.seq"), "hash": F.col("x.hash")}
    known = F.coalesce(*texts.values(), *(number.cast("string") for number in numbers.values())).isNotNull()
    rare = F.struct(*(column.alias(name) for name, column in (texts | numbers).items()))
    rows = rows.withColumn("told_oc", F.when(F.col("unit") == F.col("op"), F.lit(COMMITTED)).otherwise(F.col("unit_oc")))
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
        F.when(told, "ok").otherwise(F.col("ty")).alias("ty"),
        F.when(told, F.col("told_oc")).otherwise(F.col("oc")).alias("oc"),
        "unit",
        "unit_oc",
        "end_op",
        "transactional",
        "by_hand",
        F.coalesce("iso", F.lit("rc")).alias("iso"),
        F.when(known, rare).alias("rare"),
    ).filter(F.col("log").isNotNull())


class Tables:
    """The tables in a folder, and those that are derived from them once and read by many plans."""

    def __init__(self, spark: SparkSession, folder: Path, buckets: int) -> None:
        self.spark, self.folder, self._buckets = spark, folder, buckets

    def store(self, lines: DataFrame) -> None:
        """Read the events once, pair them, and shuffle their records once."""
        paired(lines).write.mode("overwrite").parquet(str(self.folder / "paired"))
        outcomes(self._paired).write.mode("overwrite").parquet(str(self.folder / "units"))
        records = moved(self.ops).repartition(self._buckets, "run", "log")
        writer = records.write.mode("overwrite").format("parquet").bucketBy(self._buckets, "run", "log").sortBy("run", "log", "op", "mop")
        writer.option("path", str(self.folder / "records")).saveAsTable("records")

    @property
    def bad(self) -> DataFrame:
        """Events that are none, or belong to no operation."""
        return self._read("paired").filter(F.col("reason").isNotNull()).select("file_id", "mark", "run", "reason")

    @cached_property
    def damaged(self) -> DataFrame:
        """The runs of files in which something could not be read."""
        rows = self._read("paired").select("file_id", "run", "reason")
        bad = rows.filter("reason is not null").select("file_id").distinct()
        return rows.filter("run is not null").join(bad.hint("broadcast"), "file_id").select("run").distinct()

    @cached_property
    def ops(self) -> DataFrame:
        return judged(self._paired, self._read("units"))

    @cached_property
    def records(self) -> DataFrame:
        return self.spark.table("records").select("*", "rare.*").drop("rare")

    def of(self, *kinds: str) -> DataFrame:
        """The records of these kinds."""
        return self.records.filter(F.col("kind").isin(*kinds))

    @property
    def _paired(self) -> DataFrame:
        return self._read("paired").filter(F.col("reason").isNull()).drop("file_id", "mark", "reason")

    def _read(self, name: str) -> DataFrame:
        return self.spark.read.parquet(str(self.folder / name))
