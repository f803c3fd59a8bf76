"""A subscription's acknowledgements (`ack_ind`, `ack_cum`) take effect with their transaction, and only once.

A subscription is a group (`grp`) on a log; deliveries are the records that its consumers polled. A cumulative acknowledgement covers
everything up to its offset that was delivered to the subscription before.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.tables import ABORTED, COMMITTED

from .anomaly import Anomaly, witness

_ACKS = frozenset({"ack_ind", "ack_cum"})
_KEY = ["run", "grp", "log", "o"]


def ack_conflict(history: HistoryTables) -> DataFrame:
    """Two units that both succeeded acknowledged a message. Definite. Cumulative acknowledgements may overlap outside of transactions."""
    acks = acknowledged(history).filter((F.col("unit_oc") == COMMITTED) & (F.col("ty") == "ok"))
    rows = acks.groupBy(*_KEY).agg(F.array_sort(F.collect_set("unit")).alias("units"), F.max("transactional").alias("any"))
    return witness(
        rows.filter((F.size("units") > 1) & F.col("any")),
        [F.get("units", F.lit(0)), F.get("units", F.lit(1))],
        None,
        ["o"],
        detail=F.col("grp"),
    )


def ack_resurrection(history: HistoryTables) -> DataFrame:
    """A message was delivered after the transaction that acknowledged it had committed. Definite.

    A crash may lose plain acknowledgements.
    """
    done = (
        acknowledged(history)
        .filter((F.col("unit_oc") == COMMITTED) & (F.col("ty") == "ok") & F.col("transactional"))
        .groupBy(*_KEY)
        .agg(F.min("done").alias("done"), F.min("op").alias("a_op"))
    )
    rows = _deliveries(history).join(done, _KEY).filter(F.col("op") > F.col("done")).join(_sought(history), "run", "left")
    rows = rows.filter(F.col("last_seek").isNull() | (F.col("last_seek") < F.col("done")))
    return witness(rows, ["a_op", "op"], ["v"], ["o"], detail=F.col("grp"))


def phantom_ack(history: HistoryTables) -> DataFrame:
    """A message that only aborted transactions acknowledged was not redelivered, though a later message was, or a `final_read` began after
    the abort.

    Definite if there was such a `final_read`, else possible. It may be redelivered before a client asks for the abort: a
    participant may learn of the abort first.
    """
    acks = (
        acknowledged(history)
        .groupBy(*_KEY)
        .agg(
            F.max("unit_oc").alias("oc"),
            F.max("done").alias("done"),
            F.max("op").alias("a_op"),
        )
    )
    aborted = acks.filter(F.col("oc") == ABORTED)
    again = _deliveries(history).select(*_KEY, F.col("at").alias("d_at"))
    rows = aborted.join(again, _KEY, "left").groupBy(*_KEY, "done", "a_op").agg(F.max("d_at").alias("last"))
    rows = rows.filter(F.coalesce(F.col("last") < F.col("a_op"), F.lit(True)))
    later = _deliveries(history).groupBy("run", "grp", "log").agg(F.max("op").alias("l_op"), F.max("o").alias("l_o"))
    rows = rows.join(later, ["run", "grp", "log"], "left").join(history.final_reads, "run", "left")
    passed = F.coalesce((F.col("l_op") > F.col("done")) & (F.col("l_o") > F.col("o")), F.lit(False))
    is_drained = F.coalesce(F.col("final") > F.col("done"), F.lit(False))
    rows = rows.withColumns({"passed": passed, "drained": is_drained}).filter("passed or drained")
    last = F.when(F.col("passed"), F.col("l_op")).otherwise(F.col("final"))
    return witness(rows, ["a_op", last], None, ["o"], definite=F.col("drained"), detail=F.col("grp"))


def premature_ack(history: HistoryTables) -> DataFrame:
    """The subscription's position was past a message before a client asked to commit its acknowledgement. Definite.

    A seek moves the position as well.
    """
    held = (
        acknowledged(history)
        .withColumn("held", F.col("transactional") & (F.col("f") != "txn"))
        .groupBy(*_KEY)
        .agg(F.count("*").alias("acks"), F.min("held").alias("held"), F.min("op").alias("a_op"), F.max("end_op").alias("until"))
    )
    seen = (
        history.of("position")
        .filter(F.col("ty") == "ok")
        .select("run", "grp", "log", F.col("op").alias("s_op"), F.col("at").alias("s_at"), F.col("o").alias("s_o"))
    )
    rows = held.filter(F.col("held") & (F.col("acks") == 1)).join(seen, ["run", "grp", "log"])
    still = F.coalesce(F.col("s_at") < F.col("until"), F.lit(True))
    rows = rows.filter((F.col("s_op") > F.col("a_op")) & still & (F.col("s_o") > F.col("o")))
    rows = rows.join(_sought(history), "run", "left").filter(F.col("first_seek").isNull() | (F.col("first_seek") > F.col("s_at")))
    return witness(rows, ["a_op", "s_op"], None, ["o", "s_o"], detail=F.col("grp"))


def acknowledged(history: HistoryTables) -> DataFrame:
    """One row for each message that an acknowledgement covers; `done` is the end of its unit."""
    return history.once("acks", lambda: _covered(history))


def _covered(history: HistoryTables) -> DataFrame:
    acks = history.of("ack_ind", "ack_cum").filter(F.col("o").isNotNull() & (F.col("ty") != "fail"))
    acks = acks.join(history.ends, ["run", "unit"], "left")
    done = F.when(F.col("transactional") & (F.col("f") != "txn"), F.coalesce("ended", F.lit(1 << 62))).otherwise(F.col("at"))
    acks = acks.select("run", "grp", "log", "kind", "o", "op", "f", "ty", "unit", "unit_oc", "transactional", "end_op", done.alias("done"))
    single = acks.filter(F.col("kind") == "ack_ind")
    if "ack_cum" not in history.present:
        return single
    covered = acks.filter(F.col("kind") == "ack_cum").withColumnRenamed("o", "to")
    handed = _deliveries(history).groupBy(*_KEY).agg(F.min("op").alias("handed"))
    covered = (
        covered.join(handed, ["run", "grp", "log"])
        .filter((F.col("o") <= F.col("to")) & (F.col("handed") < F.col("op")))
        .drop("to", "handed")
    )
    return single.unionByName(covered)


def _sought(history: HistoryTables) -> DataFrame:
    """When a run's subscriptions were first and last moved by hand."""
    seeks = history.ops.filter(F.col("f").isin("seek", "reset"))
    return F.broadcast(seeks.groupBy("run").agg(F.min("op").alias("first_seek"), F.max("op").alias("last_seek")))


def _deliveries(history: HistoryTables) -> DataFrame:
    return history.of("recv").filter(F.col("grp").isNotNull() & F.col("o").isNotNull())


ANOMALIES = (
    Anomaly(
        "ack-conflict",
        "a message is acknowledged once",
        "Pulsar's transaction guarantee, KIP-1289",
        ack_conflict,
        frozenset(),
        "the message at offset {offsets} of {log} was acknowledged twice with success",
        any_of=_ACKS,
    ),
    Anomaly(
        "ack-resurrection",
        "an acknowledged message does not come back",
        "Pulsar's transaction guarantee",
        ack_resurrection,
        frozenset({"recv"}),
        "{values} at offset {offsets} of {log} was delivered after its acknowledgement had committed",
        any_of=_ACKS,
    ),
    Anomaly(
        "phantom-ack",
        "an aborted acknowledgement has no effect",
        "Pulsar's transaction guarantee",
        phantom_ack,
        frozenset({"recv"}),
        "the message at offset {offsets} of {log}, whose acknowledgement was aborted, was not delivered again",
        any_of=_ACKS,
        absence=True,
    ),
    Anomaly(
        "premature-ack",
        "an acknowledgement takes effect at the commit",
        "Pulsar's transaction guarantee",
        premature_ack,
        frozenset({"position"}),
        "the position of {log} was past a message whose acknowledgement was not committed: {offsets}",
        any_of=_ACKS,
    ),
)
