"""A consumer continues at its position: it skips no record, and receives none twice.

Positions are those of consumers that were assigned a log; a bare fetch may begin anywhere, and only what one poll returns must be whole.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import HistoryTables

from .anomaly import Anomaly, witness

_READ = frozenset({"recv"})
_FOLLOWED = frozenset({"recv", "followed"})


def int_poll_skip(history: HistoryTables) -> DataFrame:
    """Within one poll a known record between two others is missing. Definite."""
    return witness(_unbalanced(history, "jumped"), ["op"], ["previous_v", "v"])


def int_nonmonotonic_poll(history: HistoryTables) -> DataFrame:
    """Within one poll a later record comes before an earlier one, or is the same. Definite."""
    return witness(_unbalanced(history, "went-back"), ["op"], ["previous_v", "v"])


def poll_skip(history: HistoryTables) -> DataFrame:
    """A consumer's next poll began behind a record that the consumer had not read. Definite."""
    return _turned(history, "went-on-behind")


def nonmonotonic_poll(history: HistoryTables) -> DataFrame:
    """A consumer's next poll began with a record that it had already passed. Definite."""
    return _turned(history, "came-back")


def position_after_abort(history: HistoryTables) -> DataFrame:
    """After a failed poll a consumer continued behind what that poll had returned: the consumer lost it, unless it sought.

    A matter of the client. Possible.
    """
    rows = history.in_sequence(history.in_sequence(history.suspected("behind-failure")), "previous_op")
    return witness(rows, ["previous_op", "op"], ["previous_v", "v"], definite=False)


def _unbalanced(history: HistoryTables, which: str) -> DataFrame:
    """Steps within a poll, except in logs that were reassigned during it."""
    steps = history.in_sequence(history.suspected(which))
    if "subscribe" not in history.present:
        return steps
    logs = F.explode(F.split(F.col("ctl").getItem("rebalanced"), ","))
    moved = history.ops.filter(F.map_contains_key("ctl", "rebalanced")).select("run", "op", logs.alias("log"))
    return steps.join(F.broadcast(moved), ["run", "op", "log"], "left_anti")


def _turned(history: HistoryTables, which: str) -> DataFrame:
    """Turns of consumers with positions from their last successful poll of a log to the next one, unless they were moved in between.

    An assignment puts a consumer back on every log but those that it keeps. If other consumers may replace it, nothing is certain.
    """
    turns = history.in_sequence(history.suspected(which)).withColumn("previous_op", F.col("before.op"))
    turns = history.in_sequence(turns, "previous_op").join(history.followed, "run")
    assigned = history.ops.filter(F.col("f").isin("assign", "subscribe") & (F.col("ty") != "fail") & F.col("process").isNotNull())
    placed = assigned.select("run", "process", "op", F.lit(1).alias("placed"), (F.col("f") == "subscribe").alias("subscribes"))
    kept = assigned.select("run", F.explode("keeps").alias("log"), "process", "op", F.lit(1).alias("kept"))
    # Assignments so far, less those that kept the log, are counted at both ends of a turn: to look at each of them would be the square.
    ends = turns.select(
        "run", "log", "process", "before", "v", F.col("op").alias("to"), F.explode(F.array("previous_op", "op")).alias("op")
    )
    so_far, of_log = (Window.partitionBy("run", *apart, "process").orderBy("op") for apart in ((), ("log",)))
    ends = ends.unionByName(placed, allowMissingColumns=True)
    ends = ends.withColumns({"placings": F.count("placed").over(so_far), "rebalanced": F.max("subscribes").over(so_far)})
    ends = ends.filter(F.col("to").isNotNull()).drop("placed", "subscribes").unionByName(kept, allowMissingColumns=True)
    ends = ends.withColumn("epoch", F.col("placings") - F.count("kept").over(of_log)).filter(F.col("to").isNotNull())
    whole = ends.groupBy("run", "log", "before", "v", "to").agg(
        (F.min("epoch") == F.max("epoch")).alias("same"), F.coalesce(F.max("rebalanced"), F.lit(False)).alias("rebalanced")
    )
    return witness(whole.filter("same"), ["before.op", "to"], ["before.v", "v"], definite=~F.col("rebalanced"))


ANOMALIES = (
    Anomaly(
        "int-poll-skip",
        "a poll returns a log without gaps",
        "Jepsen",
        int_poll_skip,
        _READ,
        "between {values} of {log} one poll left a record out",
        shows=frozenset({"jumped"}),
    ),
    Anomaly(
        "int-nonmonotonic-poll",
        "a poll returns a log in order",
        "Jepsen",
        int_nonmonotonic_poll,
        _READ,
        "one poll of {log} returned {values} in the wrong order",
        shows=frozenset({"went-back"}),
    ),
    Anomaly(
        "poll-skip",
        "a consumer goes on where it stood",
        "Jepsen",
        poll_skip,
        _FOLLOWED,
        "after {values} of {log} a consumer went on behind records that it had not read",
        shows=frozenset({"went-on-behind"}),
    ),
    Anomaly(
        "nonmonotonic-poll",
        "a consumer goes on where it stood",
        "Jepsen",
        nonmonotonic_poll,
        _FOLLOWED,
        "a consumer of {log} went back: {values}",
        shows=frozenset({"came-back"}),
    ),
    Anomaly(
        "position-after-abort",
        "none: after an abort the application seeks",
        "redpanda chaos",
        position_after_abort,
        _FOLLOWED,
        "after a failed poll of {log} a consumer went on behind it: {values}",
        shows=frozenset({"behind-failure"}),
        allowed=True,
    ),
)
