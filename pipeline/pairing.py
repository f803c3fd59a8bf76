"""From events to operations: invocations with their completions, and what became of transactions of several operations.

An event travels to its operation once, and only as what it is: its row has either `invocation` or `completion`, never both,
so that what was moved is not carried twice.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

COMMITTED, UNKNOWN, ABORTED = 3, 2, 1
_OF_INVOCATION = ("t_ns", "process", "client", "f", "txn_id", "iso", "tx", "grp", "mops", "ctl")
_OF_COMPLETION = ("t_ns", "txn_id", "iso", "tx", "grp", "mops", "ctl", "error")


def paired(lines: DataFrame) -> DataFrame:
    """Invocations and their completions as operations; the rows that have a `reason` are events that belong to none.

    Refused are a second invocation or completion of one number, a completion without an invocation, and a completion that is
    before its invocation: by number or by clock. The operation stays, as one whose end is not known.
    """
    event, good = F.col("event"), F.col("reason").isNull()
    invokes = good & (event.type == "invoke")
    marks = F.coalesce(event.api.startswith("write_txn_markers"), F.lit(False))
    rows = lines.select(
        "file_id",
        "mark",
        "run",
        "reason",
        # What cannot be read belongs to no operation, and is a group of its own.
        F.when(good, event.op_id).otherwise(F.col("mark")).alias("op"),
        event.idx.alias("at"),
        event.type.alias("type"),
        F.when(good, marks).alias("marks"),
        F.when(invokes, F.struct(*(event[name].alias(name) for name in _OF_INVOCATION))).alias("invocation"),
        F.when(good & ~invokes, F.struct(*(event[name].alias(name) for name in _OF_COMPLETION))).alias("completion"),
    )
    return _operations(rows)


def _operations(events: DataFrame) -> DataFrame:
    whole = Window.partitionBy("run", "op")
    invokes, completes = F.col("invocation").isNotNull(), F.col("completion").isNotNull()
    so_far = whole.orderBy("at", completes).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    rows = events.withColumns(
        {
            "before": F.first("invocation", ignorenulls=True).over(so_far),
            "invoked": F.count_if(invokes).over(so_far),
            "completed": F.count_if(completes).over(so_far),
        }
    )
    completion, invocation, number = F.col("completion"), F.col("before"), F.col("op").cast("string")
    reason = (
        F.when(F.col("reason").isNotNull(), F.col("reason"))
        .when(invokes & (F.col("invoked") > 1), F.concat(F.lit("a second invocation of operation "), number))
        .when(
            completes & (F.col("invoked") == 0),
            F.concat(F.lit("a completion of operation "), number, F.lit(", which was not invoked before")),
        )
        .when(completes & (F.col("completed") > 1), F.concat(F.lit("a second completion of operation "), number))
        .when(
            completes & (completion.t_ns < invocation.t_ns),
            F.concat(F.lit("operation "), number, F.lit(" ends before it begins: a clock went backwards")),
        )
    )
    rows = rows.withColumn("reason", reason)
    ended = F.max(completes & F.col("reason").isNull()).over(whole)
    # An operation is its completion's row; where there is none, its invocation's.
    rows = rows.withColumn("ended", ended).filter(F.col("reason").isNotNull() | completes | ~F.col("ended"))
    either = {name: F.coalesce(completion[name], invocation[name]).alias(name) for name in ("txn_id", "iso", "tx", "grp", "ctl")}
    return rows.select(
        "file_id",
        "mark",
        "reason",
        "run",
        "op",
        "at",
        invocation.t_ns.alias("t0"),
        F.coalesce(completion.t_ns, invocation.t_ns).alias("t1"),
        invocation.process.alias("process"),
        invocation.client.alias("client"),
        invocation.f.alias("f"),
        F.when(completes, F.col("type")).otherwise("info").alias("ty"),
        (~completes).alias("open"),
        *either.values(),
        F.when(F.size(completion.mops) > 0, completion.mops).otherwise(invocation.mops).alias("mops"),
        completion.error.alias("error"),
        F.coalesce("marks", F.lit(False)).alias("marks"),
    )


def has_steps() -> Column:
    """Whether an operation is one of several that make up a transaction, or may end one."""
    return (F.col("txn_id").isNotNull() & (F.col("f") != "txn")) | (F.col("f") == "init_txn")


def outcomes(ops: DataFrame) -> DataFrame:
    """What became of the transactions of several operations: run, op, unit, unit_oc, end_op, for each operation that has one.

    A transaction is named by its id; where a client's epoch stays, several in a row have one name, and each lasts until an end that
    was acknowledged: what begins before that answer may be in it. One that was open when its transactional id was initialised again
    was aborted, unless a commit had been asked for.
    """
    steps = ops.filter(has_steps()).select("run", "op", "at", "f", "ty", "txn_id", F.col("tx.tid").alias("tid"))
    ends, init = F.col("f").isin("commit", "abort"), F.col("f") == "init_txn"
    name = Window.partitionBy("run", "txn_id").orderBy(F.when(ends & (F.col("ty") == "ok"), F.col("at")).otherwise(F.col("op")))
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
    units = steps.select("run", "op", F.min("op").over(attempt).alias("unit"), oc.alias("unit_oc"), end.alias("end_op"))
    return units.join(by_hand, "run", "left").fillna(value=False, subset=["by_hand"])


def judged(ops: DataFrame, units: DataFrame | None) -> DataFrame:
    """Operations with their unit and its outcome; without `units`, each operation is one of its own."""
    if units is None:
        nothing = {"unit": "bigint", "unit_oc": "int", "end_op": "bigint"}
        joined = ops.withColumns({name: F.lit(None).cast(kind) for name, kind in nothing.items()} | {"by_hand": F.lit(False)})
    else:
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
