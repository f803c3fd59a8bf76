"""A producer that was replaced cannot write: an older epoch is fenced, and an ended transaction accepts no more records.

Epochs are compared for one producer id only: ids from different brokers have no order.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import VALUE, HistoryTables
from fencepost.pipeline.tables import ABORTED, COMMITTED

from .anomaly import Anomaly, witness

_FENCES = frozenset({"init_txn"})
_FOLLOWED = frozenset({"send", "recv", "followed"})


def zombie_write(history: HistoryTables) -> DataFrame:
    """A broker accepted a record or offset with an epoch, sent after a later epoch had been granted. Definite. A poll that returns a record
    shows that a broker accepted it, if the sender got no answer.

    The same for a commit in a transaction of a key (`ctl.key_epoch`): connections raise its epoch, the end itself does not. A commit
    that is retried counts from its first request: the answer repeats a decision that was made before the later epoch.
    """
    of_key = F.col("ctl").getItem("key_epoch").cast("long")
    steps = _accepted(history).withColumn("epoch", F.coalesce(F.col("tx.epoch").cast("long"), of_key)).withColumn("t", F.col("op"))
    commits = steps.filter((F.col("f") == "commit") & of_key.isNotNull() & (F.col("ty") != "fail"))
    asked = F.when(F.col("txn_id").isNull(), F.col("op")).otherwise(F.min("op").over(Window.partitionBy("run", "txn_id")))
    writes = steps.filter(F.col("f").isin("send", "ack", "txn")).unionByName(commits.withColumn("t", asked))
    writes = writes.filter(F.col("accepted") & F.col("tx.tid").isNotNull() & (F.col("epoch") >= 0))
    writes = writes.select("run", "tx.tid", "tx.pid", "epoch", "t", "op", "first")
    fences = _fences(history).select("run", "tid", "pid", F.col("at").alias("t"), F.struct("epoch", "op").alias("fence"))
    before = Window.partitionBy("run", "tid", "pid").orderBy("t").rowsBetween(Window.unboundedPreceding, -1)
    rows = writes.unionByName(fences, allowMissingColumns=True).withColumn("fenced", F.max("fence").over(before))
    rows = rows.filter(F.col("op").isNotNull() & (F.col("epoch") < F.col("fenced.epoch"))).withColumn("log", F.col("first.log"))
    words = F.concat(F.lit("epoch "), "epoch", F.lit(" after epoch "), "fenced.epoch")
    return witness(rows, ["fenced.op", "op"], ["first.v"], ["first.o"], detail=words)


def _accepted(history: HistoryTables) -> DataFrame:
    """All operations, and whether a broker `accepted` each: acknowledged, or a poll returned a record of it."""
    answered = F.col("ty") == "ok"
    if "shown" not in history.suspicious:
        return history.ops.withColumn("accepted", answered)
    shown = F.broadcast(history.flawed("shown").select("run", "op").distinct().withColumn("shown", F.lit(True)))
    return history.ops.join(shown, ["run", "op"], "left").withColumn("accepted", answered | F.coalesce("shown", F.lit(False)))


def stranded_write(history: HistoryTables) -> DataFrame:
    """A record of a transaction that did not commit is read, and the next transaction of the same id committed: the record slipped
    into that one. Definite.
    """
    steps = history.ops.filter(F.col("txn_id").isNotNull() & ~F.col("by_hand"))
    units = steps.groupBy("run", F.col("tx.tid").alias("tid"), "unit").agg(
        F.max("unit_oc").alias("unit_oc"), F.max("end_op").alias("ended")
    )
    order = Window.partitionBy("run", "tid").orderBy("unit")
    next_one = units.select("run", "unit", F.lead("unit_oc").over(order).alias("next_oc"), F.lead("ended").over(order).alias("next_end"))
    bad = history.values.filter(F.col("transactional") & F.col("read_committed") & (F.col("oc") == ABORTED)).join(next_one, ["run", "unit"])
    rows = bad.filter((F.col("next_oc") == COMMITTED) & (F.col("first_read_at") > F.col("next_end")))
    return witness(rows, ["op", "next_end", "first_read_op"], ["v"], ["first_offset"], definite=~F.col("reused"))


def write_to_ended_transaction(history: HistoryTables) -> DataFrame:
    """A broker accepted a record that was sent after the end of its transaction had been acknowledged. Definite. A poll that returns a
    record shows that a broker accepted it, if the sender got no answer.

    Where a client keeps its epoch over transactions, the transaction's name stays too, and the check cannot judge.
    """
    ends = history.ops.filter(F.col("f").isin("commit", "abort") & (F.col("ty") == "ok") & F.col("txn_id").isNotNull())
    moved_on = F.coalesce(F.col("ctl").getItem("producer_epoch").cast("long"), F.lit(-1)) > F.col("tx.epoch")
    ends = (
        ends.filter(moved_on | F.col("tx.epoch").isNull())
        .groupBy("run", "txn_id")
        .agg(F.min("at").alias("ended"), F.min_by("op", "at").alias("end_op"))
    )
    sends = _accepted(history).filter((F.col("f") == "send") & F.col("accepted")).select("run", "txn_id", "op", "first")
    rows = sends.join(ends, ["run", "txn_id"]).filter(F.col("op") > F.col("ended")).withColumn("log", F.col("first.log"))
    return witness(rows, ["end_op", "op"], ["first.v"], ["first.o"])


def intermediate_read(history: HistoryTables) -> DataFrame:
    """G1b: one poll returned a record of a committed transaction, and skipped another of its records in the same log. Definite."""
    return _torn_poll(history, same_log=True)


def fractured_read(history: HistoryTables) -> DataFrame:
    """One poll returned a record of a committed transaction in one log, and skipped one of its records in another log. Definite."""
    return _torn_poll(history, same_log=False)


def _torn_poll(history: HistoryTables, same_log: bool) -> DataFrame:
    rows = history.once("torn-polls", lambda: _torn_polls(history))
    rows = rows.filter((F.col("log") == F.col("log2")) if same_log else (F.col("log") != F.col("log2")))
    rows = rows.groupBy("run", "log", "op", "w_op", "v", "first_offset").agg(F.min("v2").alias("v2"))
    return witness(rows, ["w_op", "op"], ["v", "v2"], ["first_offset"])


def _torn_polls(history: HistoryTables) -> DataFrame:
    """Polls that skipped a record (`log`, `v`) of a transaction of which they have another one (`log2`, `v2`)."""
    missed = history.gaps.filter(F.col("transactional") & (F.col("iso") != "ru")).select(
        "run", "log", "op", "v", "first_offset", "w_unit", "w_op"
    )
    units = history.values.filter(F.col("transactional") & F.col("known_committed")).select(*VALUE, F.col("unit").alias("w_unit"))
    polls = F.broadcast(missed.select("run", "op").distinct())
    had = history.of("recv").join(polls, ["run", "op"]).join(units.hint("merge"), list(VALUE))
    had = had.select("run", "op", "w_unit", F.col("log").alias("log2"), F.col("v").alias("v2"))
    return missed.join(had, ["run", "op", "w_unit"])


def torn_commit(history: HistoryTables) -> DataFrame:
    """Some records of a transaction were read, and others never were although later records of their logs were. Definite.

    If nothing behind them was read, they may still be delivered, and the witness is possible; unless they had been acknowledged, and a
    `final_read` began after the first read of the others.
    """
    rows = history.values.filter(F.col("sent") & F.col("transactional") & (F.col("oc") > ABORTED) & ~F.col("reused"))
    # Nearly all transactions were read as a whole; their stories are not collected.
    torn = (
        rows.groupBy("run", "unit")
        .agg(F.max("read_committed").alias("some"), F.min("read").alias("all"))
        .filter(F.col("some") & ~F.col("all"))
    )
    rows = rows.join(F.broadcast(torn.select("run", "unit")), ["run", "unit"], "left_semi").join(history.logs, ["run", "log"])
    shown_at = F.min("first_read_at").over(Window.partitionBy("run", "unit"))
    final = F.col("acknowledged") & (shown_at < F.col("final"))
    rows = rows.join(history.final_reads, "run", "left")
    rows = rows.withColumn("passed", F.coalesce(F.col("last_rank") <= F.col("bound"), F.lit(False)) | F.coalesce(final, F.lit(False)))
    units = rows.groupBy("run", "unit").agg(
        F.min("op").alias("op"),
        F.count_if("read_committed").alias("had"),
        F.min(F.when(F.col("read_committed"), F.struct("log", "v"))).alias("shown"),
        F.min(F.when(~F.col("read"), F.struct((~F.col("passed")).alias("open"), "log", "v", "first_offset"))).alias("gone"),
    )
    rows = units.filter((F.col("had") > 0) & F.col("gone").isNotNull()).join(history.followed, "run").withColumn("log", F.col("gone.log"))
    return witness(rows, ["op"], ["gone.v", "shown.v"], ["gone.first_offset"], definite=~F.col("gone.open"))


def _fences(history: HistoryTables) -> DataFrame:
    """Epochs as they were granted: by an initialisation, with the end of a transaction, or by a control action."""
    done = history.ops.filter((F.col("ty") == "ok") & F.col("tx.tid").isNotNull())
    given = done.filter(F.col("f").isin("init_txn", "fence")).select("run", "op", "at", "tx.tid", "tx.pid", "tx.epoch")
    answered = F.col("ctl").getItem
    ended = done.filter(F.col("f").isin("commit", "abort")).select(
        "run",
        "op",
        "at",
        "tx.tid",
        answered("producer_id").cast("long").alias("pid"),
        answered("producer_epoch").cast("long").alias("epoch"),
    )
    return given.unionByName(ended).filter(F.col("epoch") >= 0)


ANOMALIES = (
    Anomaly(
        "zombie-write",
        "a producer that was fenced writes nothing",
        "KIP-98, KIP-890, transaction key",
        zombie_write,
        _FENCES,
        "a fenced producer's write of {values} to {log} was accepted at offset {offsets}",
    ),
    Anomaly(
        "stranded-write",
        "a late record never gets into the next transaction",
        "KIP-890",
        stranded_write,
        frozenset({"send", "commit"}),
        "{values} of a transaction that did not commit was read from {log} once the next one had committed",
        shows=frozenset({"aborted"}),
    ),
    Anomaly(
        "write-to-ended-transaction",
        "an ended transaction takes no more records",
        "PIP-473, KIP-890",
        write_to_ended_transaction,
        frozenset({"send", "commit"}),
        "{values} was accepted by {log} at offset {offsets} after its transaction had ended",
    ),
    Anomaly(
        "intermediate-read",
        "a transaction is visible as a whole in a log (G1b)",
        "KIP-98",
        intermediate_read,
        frozenset({"send", "recv"}),
        "one poll of {log} has a part of a transaction and jumped over another: of {values} the first is missing",
        absence=True,
        shows=frozenset({"jumped"}),
    ),
    Anomaly(
        "fractured-read",
        "what a poll jumps over is not committed",
        "KIP-98",
        fractured_read,
        frozenset({"send", "recv"}),
        "one poll has a part of a transaction and jumped over another in {log}: of {values} the first is missing",
        absence=True,
        shows=frozenset({"jumped"}),
    ),
    Anomaly(
        "torn-commit",
        "a transaction succeeds or fails as a unit",
        "KIP-98, Pulsar's transaction guarantee",
        torn_commit,
        _FOLLOWED,
        "of one transaction's {values} the first was never read from {log}, and the second was",
        absence=True,
        shows=frozenset({"missing-of-transaction"}),
    ),
)
