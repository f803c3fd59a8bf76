"""A segment is pruned only when no client needs it: never while one of its transactions is open. A `prune` names in `segs` what is gone."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.tables import ABORTED, COMMITTED

from .acks import acknowledged
from .anomaly import Anomaly, witness
from .segments import control, done, listed


def early_prune(history: HistoryTables) -> DataFrame:
    """A segment was pruned while a transaction that had written or acknowledged messages in it was open.

    What it wrote and later committed is lost for certain where a subscription had been there before it was sent, and was not moved by hand.
    What was acknowledged in transactions that aborted is to be delivered again, and cannot be.
    """
    return _committed(history).unionByName(_acknowledged(history))


def _committed(history: HistoryTables) -> DataFrame:
    sent = history.of("send").filter((F.col("ty") == "ok") & F.col("transactional") & (F.col("unit_oc") == COMMITTED))
    rows = _open_at_pruning(history, sent, "at").join(_subscribed(history), ["run", "log", "p_op"], "left")
    return witness(rows, ["op", "p_op", "end_op"], ["v"], ["o"], definite=F.col("since") < F.col("op"))


def _acknowledged(history: HistoryTables) -> DataFrame:
    messages = (
        acknowledged(history)
        .groupBy("run", "grp", "log", "o")
        .agg(F.max("unit_oc").alias("oc"), F.min("op").alias("op"), F.max("end_op").alias("end_op"))
    )
    stays = messages.filter(F.col("oc") == ABORTED).join(_moved(history), ["run", "grp"], "left_anti")
    rows = _open_at_pruning(history, stays, "op")
    return witness(rows, ["op", "p_op", "end_op"], None, ["o"], detail=F.col("grp"))


def _open_at_pruning(history: HistoryTables, rows: DataFrame, since: str) -> DataFrame:
    """What was in a segment before it was pruned, and whose end was asked for only after that, with the pruning."""
    both = rows.join(_pruned(history), ["run", "log"])
    return both.filter((F.col(since) < F.col("p_op")) & (F.col("end_op") > F.col("p_at")))


def _pruned(history: HistoryTables) -> DataFrame:
    gone = done(history, ("prune",))
    return F.broadcast(
        gone.select(
            "run",
            F.explode(listed("segs")).alias("log"),
            F.col("op").alias("p_op"),
            F.col("at").alias("p_at"),
            control("topic").alias("topic"),
        )
    )


def _subscribed(history: HistoryTables) -> DataFrame:
    """For each pruned segment, since when it or its topic had a durable subscription that is never moved by hand."""
    reported = history.ops.filter(F.col("f").isin("subscribe", "assign") & (F.col("ty") == "ok") & F.col("grp.id").isNotNull())
    reported = reported.filter(F.coalesce(control("durable"), F.lit("true")) != "false")
    reported = reported.select("run", F.col("grp.id").alias("grp"), control("topic").alias("topic"), F.col("at").alias("since"))
    reported = reported.join(_moved(history), ["run", "grp"], "left_anti").select("run", "topic", "since")
    either = _pruned(history).select("run", "log", "p_op", F.explode(F.array("topic", "log")).alias("topic"))
    return F.broadcast(either.join(reported, ["run", "topic"]).groupBy("run", "log", "p_op").agg(F.min("since").alias("since")))


def _moved(history: HistoryTables) -> DataFrame:
    """The subscriptions that a client moves by hand, or removes."""
    seeks = history.ops.filter(F.col("f").isin("seek", "reset") & F.col("grp.id").isNotNull())
    return F.broadcast(seeks.select("run", F.col("grp.id").alias("grp")).distinct())


ANOMALIES = (
    Anomaly(
        "early-prune",
        "a segment stays until every subscription has consumed it",
        "PIP-460",
        early_prune,
        frozenset({"prune"}),
        "{values} at offset {offsets} of {log}, which was pruned under the open transaction",
        any_of=frozenset({"send", "ack_ind", "ack_cum"}),
        absence=True,
    ),
)
