"""A consumer goes on where it stood: no record is jumped over, none is handed over again.

Positions are those of consumers that were assigned a log; a bare fetch may begin anywhere, and only what one poll returns must be whole.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import History
from fencepost.pipeline.neighbours import ends

from .anomaly import Anomaly, witness

_READ = frozenset({"recv"})
_FOLLOWED = frozenset({"recv", "followed"})


def int_poll_skip(history: History) -> DataFrame:
    """Within one poll a known record between two others is missing. Definite."""
    return witness(_unbalanced(history, "jumped"), ["op"], ["v0", "v"])


def int_nonmonotonic_poll(history: History) -> DataFrame:
    """Within one poll a later record stands before an earlier one, or is the same. Definite."""
    return witness(_unbalanced(history, "went-back"), ["op"], ["v0", "v"])


def poll_skip(history: History) -> DataFrame:
    """A consumer's next poll began behind a record that it had not read. Definite."""
    rows = _turns(history).filter(F.col("first.i") - F.col("before.i") > 1)
    return witness(rows, ["before.op", "op"], ["before.v", "first.v"], definite=~F.col("rebalanced"))


def nonmonotonic_poll(history: History) -> DataFrame:
    """A consumer's next poll began with a record that it had already passed. Definite."""
    rows = _turns(history).filter(F.col("first.i") - F.col("before.i") < 1)
    return witness(rows, ["before.op", "op"], ["before.v", "first.v"], definite=~F.col("rebalanced"))


def position_after_abort(history: History) -> DataFrame:
    """After a failed poll a consumer went on behind what that had returned: lost to it, unless it sought.

    A matter of the client. Possible.
    """
    order = Window.partitionBy("run", "log", "process").orderBy("op")
    rows = _polls(history).select("*", F.lag("last").over(order).alias("gone"), F.lag("ty").over(order).alias("ty0"))
    rows = rows.filter((F.col("ty0") == "fail") & (F.col("ty") == "ok") & (F.col("first.i") - F.col("gone.i") > 0))
    return witness(rows, ["gone.op", "op"], ["gone.v", "first.v"], definite=False)


def _unbalanced(history: History, which: str) -> DataFrame:
    """Steps within a poll, but for those of logs that were reassigned during it."""
    steps = history.in_sequence(history.suspected(which))
    if "subscribe" not in history.present:
        return steps
    logs = F.explode(F.split(F.col("ctl").getItem("rebalanced"), ","))
    moved = history.ops.filter(F.map_contains_key("ctl", "rebalanced")).select("run", "op", logs.alias("log"))
    return steps.join(F.broadcast(moved), ["run", "op", "log"], "left_anti")


def _polls(history: History) -> DataFrame:
    return history.once("polls", lambda: ends(history.in_sequence(history.noticed.filter(F.col("kind") == "recv"))))


def _turns(history: History) -> DataFrame:
    return history.once("turns", lambda: _uneven_turns(history))


def _uneven_turns(history: History) -> DataFrame:
    """Each poll with the last record of the consumer's last successful one, since it was assigned the log."""
    assigned = history.ops.filter(F.col("f").isin("assign", "subscribe") & (F.col("ty") != "fail") & F.col("process").isNotNull())
    turns = assigned.select("run", "process", "op", F.lit(1).alias("turn"), (F.col("f") == "subscribe").alias("subscribes"))
    # An assignment puts a consumer back on every log but those that it keeps: both are counted, so that nobody multiplies them.
    so_far = Window.partitionBy("run", "process").orderBy("op")
    polls = _polls(history).unionByName(turns, allowMissingColumns=True)
    polls = polls.withColumns(
        {
            "turns": F.sum(F.coalesce("turn", F.lit(0))).over(so_far),
            "rebalanced": F.coalesce(F.max("subscribes").over(so_far), F.lit(False)),
        }
    )
    polls = polls.filter(F.col("first").isNotNull()).drop("turn", "subscribes")
    kept = assigned.select("run", F.explode("keeps").alias("log"), "process", "op", F.lit(1).alias("keep"))
    order = Window.partitionBy("run", "log", "process").orderBy("op")
    rows = polls.unionByName(kept, allowMissingColumns=True)
    rows = rows.withColumn("epoch", F.col("turns") - F.sum(F.coalesce("keep", F.lit(0))).over(order))
    rows = rows.filter(F.col("first").isNotNull())
    before = Window.partitionBy("run", "log", "process", "epoch").orderBy("op").rowsBetween(Window.unboundedPreceding, -1)
    last = F.last(F.when(F.col("ty") == "ok", F.col("last")), ignorenulls=True)
    rows = rows.withColumn("before", last.over(before)).join(history.followed, "run")
    return rows.filter(F.col("first.i") - F.col("before.i") != 1).select("run", "log", "before", "first", "op", "rebalanced")


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
    ),
    Anomaly(
        "nonmonotonic-poll",
        "a consumer goes on where it stood",
        "Jepsen",
        nonmonotonic_poll,
        _FOLLOWED,
        "a consumer of {log} went back: {values}",
    ),
    Anomaly(
        "position-after-abort",
        "none: after an abort the application seeks",
        "redpanda chaos",
        position_after_abort,
        _FOLLOWED,
        "after a failed poll of {log} a consumer went on behind it: {values}",
        allowed=True,
    ),
)
