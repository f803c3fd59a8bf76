"""Offsets that a transaction commits move with it, exactly once.

An offset commit (`offset`) names the next offset to read; a position (`position`) is what a fetch of committed offsets, or a new member,
received. Both are of a group (`grp`) and a log. A fetch that does not ask for stable offsets (`iso` is ru) may still see offsets
from before an acknowledged end, so that missing offsets prove nothing.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.tables import ABORTED, COMMITTED

from .anomaly import Anomaly, witness

_KEY = ["run", "grp", "log"]
_FETCHED = frozenset({"offset", "position"})
_CONSUMED = frozenset({"recv", "offset"})


def lost_offset_commit(history: HistoryTables) -> DataFrame:
    """An offset was committed, and a later fetch sees a smaller one though no client moved it back. Definite."""
    sure = _committed(history).filter(F.col("oc") == COMMITTED)
    rows = sure.join(_stable(history), _KEY).filter((F.col("done") < F.col("s_op")) & (F.coalesce("s_o", F.lit(-1)) < F.col("o")))
    # The fetch is excused if another client may have set the offset at any time since this commit was asked for.
    others = (
        _committed(history)
        .filter(F.col("oc") > ABORTED)
        .select(*_KEY, F.col("op").alias("x_op"), F.col("done").alias("x_done"), F.col("o").alias("x_o"))
    )
    excuse = (
        (F.col("x_op") != F.col("op")) & (F.col("x_done") > F.col("asked")) & (F.col("x_op") < F.col("s_at")) & (F.col("x_o") < F.col("o"))
    )
    rows = rows.alias("r").join(others.alias("x"), on=_KEY, how="left").withColumn("excuse", F.coalesce(excuse, F.lit(False)))
    rows = rows.groupBy(*_KEY, "op", "o", "s_op", "s_o").agg(F.max("excuse").alias("excused")).filter(~F.col("excused"))
    first = rows.groupBy(*_KEY, "s_op", "s_o").agg(F.max_by(F.struct("op", "o"), "op").alias("commit"))
    return witness(first, ["commit.op", "s_op"], None, ["commit.o", "s_o"], detail=F.col("grp"))


def phantom_offset_commit(history: HistoryTables) -> DataFrame:
    """A fetch sees an offset that only aborted transactions committed.

    Definite. An offset that no client committed is possible: groups have starting points.
    """
    commits = _committed(history).groupBy(*_KEY, "o").agg(F.max("oc").alias("oc"), F.min("op").alias("op"))
    rows = _seen(history).filter(F.col("s_o") > 0).join(commits.withColumnRenamed("o", "s_o"), [*_KEY, "s_o"])
    rows = rows.filter((F.col("oc") == ABORTED) & (F.col("op") < F.col("s_at")))
    return witness(rows, ["op", "s_op"], None, ["s_o"], detail=F.col("grp"))


def offset_regression(history: HistoryTables) -> DataFrame:
    """A fetch sees a smaller offset than an earlier fetch, and no client has committed one as small since. Definite."""
    order = Window.partitionBy(*_KEY).orderBy("s_at")
    rows = _stable(history).select("*", F.lag(F.struct("s_o", "s_op")).over(order).alias("before"))
    rows = rows.filter(F.col("before.s_o") > F.col("s_o"))
    commits = _committed(history).filter(F.col("oc") > ABORTED).select(*_KEY, "o", F.col("op").alias("t_op"), "done")
    rows = rows.join(commits, _KEY, "left").withColumn(
        "excuse",
        F.coalesce((F.col("o") <= F.col("s_o")) & (F.col("t_op") < F.col("s_at")) & (F.col("done") > F.col("before.s_op")), F.lit(False)),
    )
    rows = rows.groupBy(*_KEY, "s_op", "s_o", "before").agg(F.max("excuse").alias("excused")).filter(~F.col("excused"))
    return witness(rows, ["before.s_op", "s_op"], None, ["before.s_o", "s_o"], detail=F.col("grp"))


def torn_offset_commit(history: HistoryTables) -> DataFrame:
    """A transaction's records were read while a later fetch does not see its offsets.

    Definite if no other client committed offsets of that group.
    """
    alone = (
        _committed(history)
        .filter((F.col("oc") > ABORTED) & F.col("transactional"))
        .groupBy(*_KEY)
        .agg(F.countDistinct("unit").alias("units"), F.min("unit").alias("unit"), F.max("o").alias("o"), F.min("op").alias("op"))
    )
    seen = (
        history.values.filter(F.col("read_committed") & F.col("transactional"))
        .groupBy("run", "unit")
        .agg(F.min("first_read_at").alias("read"), F.min("first_read_op").alias("r_op"))
    )
    rows = alone.filter(F.col("units") == 1).join(seen, ["run", "unit"]).join(_stable(history), _KEY)
    rows = rows.filter((F.col("s_op") > F.col("read")) & (F.coalesce("s_o", F.lit(-1)) < F.col("o")))
    return witness(rows, ["op", "r_op", "s_op"], None, ["o", "s_o"], detail=F.col("grp"))


def double_processing(history: HistoryTables) -> DataFrame:
    """Two committed transactions of a group consumed the same input. Definite."""
    rows = (
        _consumed(history)
        .filter(F.col("unit_oc") == COMMITTED)
        .groupBy(*_KEY, "o")
        .agg(F.array_sort(F.collect_set("unit")).alias("units"), F.min("v").alias("v"))
    )
    return witness(
        rows.filter(F.size("units") > 1), [F.get("units", F.lit(0)), F.get("units", F.lit(1))], ["v"], ["o"], detail=F.col("grp")
    )


def missed_processing(history: HistoryTables) -> DataFrame:
    """No transaction that committed, or may have, consumed an input below the group's committed offset. Definite."""
    sure = _committed(history).filter((F.col("oc") == COMMITTED) & F.col("transactional"))
    moved = sure.groupBy(*_KEY).agg(F.max("o").alias("to"), F.max_by("op", "o").alias("t_op"))
    taken = _consumed(history).filter(F.col("unit_oc") > ABORTED)
    began = taken.groupBy(*_KEY).agg(F.min("o").alias("from"))
    known = history.values.filter(F.col("known_committed") & F.col("first_offset").isNotNull()).select(
        "run", "log", "v", F.col("first_offset").alias("o"), "op"
    )
    rows = (
        known.join(moved, ["run", "log"])
        .filter(F.col("o") < F.col("to"))
        .join(taken.select(*_KEY, "o").distinct(), [*_KEY, "o"], "left_anti")
    )
    # Inputs before the group's first one may have been consumed before the history began; and a group of which no input is known
    # polls outside of its transactions.
    rows = rows.join(began, _KEY).withColumn("sure", F.col("o") > F.col("from"))
    return witness(rows, ["op", "t_op"], ["v"], ["o"], definite=F.col("sure"), detail=F.col("grp"))


def stale_generation_commit(history: HistoryTables) -> DataFrame:
    """A broker accepted offsets from a member of an older generation of its group. Definite."""
    ops = history.ops.filter((F.col("ty") == "ok") & F.col("grp.gen").isNotNull() & (F.col("grp.gen") >= 0))
    known = ops.select("run", F.col("grp.id").alias("grp"), F.col("at").alias("t"), F.struct("grp.gen", "op").alias("generation"))
    reports = ops.filter(F.col("f") == "ack").select("run", F.col("grp.id").alias("grp"), F.col("op").alias("t"), "op", "grp.gen")
    before = Window.partitionBy("run", "grp").orderBy("t").rowsBetween(Window.unboundedPreceding, -1)
    rows = reports.unionByName(known, allowMissingColumns=True).withColumn("newest", F.max("generation").over(before))
    rows = rows.filter(F.col("op").isNotNull() & (F.col("newest.gen") > F.col("gen")))
    return witness(
        rows, ["newest.op", "op"], None, None, detail=F.concat("grp", F.lit(": generation "), "gen", F.lit(" after "), "newest.gen")
    )


def committed_too_far(history: HistoryTables) -> DataFrame:
    """A fetch sees an offset behind a record that its group's consumer had yet to receive. Definite."""
    polls = (
        history.of("recv").filter(F.col("grp").isNotNull() & (F.col("ty") == "ok")).groupBy(*_KEY, "op", "at").agg(F.min("o").alias("o"))
    )
    rows = polls.join(_seen(history), _KEY).filter(
        (F.col("op") < F.col("s_op")) & (F.col("s_at") < F.col("at")) & (F.col("s_o") > F.col("o"))
    )
    earlier = history.of("recv").filter(F.col("grp").isNotNull()).select(*_KEY, F.col("op").alias("e_op"), "o")
    rows = (
        rows.join(earlier, [*_KEY, "o"])
        .groupBy(*_KEY, "op", "o", "s_op", "s_o")
        .agg(F.min("e_op").alias("e_op"))
        .filter(F.col("e_op") == F.col("op"))
    )
    return witness(rows, ["op", "s_op"], None, ["o", "s_o"], detail=F.col("grp"))


def _committed(history: HistoryTables) -> DataFrame:
    return history.once("committed", lambda: _offset_commits(history))


def _offset_commits(history: HistoryTables) -> DataFrame:
    """Offset commits: `asked` and `done` bound the time at which they take effect, which for a transaction is its end."""
    commits = history.of("offset").filter(F.col("o").isNotNull())
    commits = commits.join(history.ends, ["run", "unit"], "left")
    own = ~F.col("transactional") | (F.col("f") == "txn")
    never = F.lit(1 << 62)
    done = F.when(own, F.col("at")).otherwise(F.coalesce("ended", never))
    asked = F.when(own, F.col("op")).otherwise(F.coalesce("end_op", F.col("op")))
    return commits.select(*_KEY, "o", "op", "unit", "oc", "transactional", asked.alias("asked"), done.alias("done"))


def _seen(history: HistoryTables) -> DataFrame:
    rows = history.of("position").filter(F.col("ty") == "ok")
    return rows.select(*_KEY, "iso", F.col("op").alias("s_op"), F.col("at").alias("s_at"), F.col("o").alias("s_o"))


def _stable(history: HistoryTables) -> DataFrame:
    return _seen(history).filter(F.col("iso") != "ru").drop("iso")


def _consumed(history: HistoryTables) -> DataFrame:
    """Inputs that a transaction consumed: what it polled from the logs and groups whose offsets it commits."""
    groups = history.of("offset").filter(F.col("transactional")).select("run", "unit", "log", "grp").distinct()
    took = history.of("recv").filter(F.col("transactional")).select("run", "unit", "unit_oc", "log", "o", "v")
    return took.join(groups, ["run", "unit", "log"])


ANOMALIES = (
    Anomaly(
        "lost-offset-commit",
        "offsets commit with their transaction",
        "KIP-98",
        lost_offset_commit,
        _FETCHED,
        "a committed offset of {log} was not seen later: {offsets}",
    ),
    Anomaly(
        "phantom-offset-commit",
        "offsets abort with their transaction",
        "KIP-98",
        phantom_offset_commit,
        _FETCHED,
        "offset {offsets} of {log}, which only an aborted transaction committed, was seen",
    ),
    Anomaly(
        "offset-regression",
        "a committed offset does not go back by itself",
        "KIP-98",
        offset_regression,
        frozenset({"position"}),
        "the committed offset of {log} went back: {offsets}",
    ),
    Anomaly(
        "torn-offset-commit",
        "records and offsets commit as a unit",
        "KIP-98",
        torn_offset_commit,
        _FETCHED | {"send", "recv"},
        "a transaction's records were read and its offset of {log} was not seen: {offsets}",
        absence=True,
    ),
    Anomaly(
        "double-processing",
        "an input is consumed exactly once",
        "KIP-98",
        double_processing,
        _CONSUMED,
        "{values} of {log} at offset {offsets} was consumed by two committed transactions",
    ),
    Anomaly(
        "missed-processing",
        "an input is consumed exactly once",
        "KIP-98",
        missed_processing,
        _CONSUMED,
        "{values} of {log} at offset {offsets} is below the committed offset and was consumed by nobody",
        absence=True,
    ),
    Anomaly(
        "stale-generation-commit",
        "a member of an older generation commits no offsets",
        "KIP-447",
        stale_generation_commit,
        frozenset({"ack"}),
        "offsets of a fenced member were accepted",
    ),
    Anomaly(
        "committed-too-far",
        "an offset is committed after its records",
        "redpanda chaos",
        committed_too_far,
        frozenset({"position", "recv"}),
        "the committed offset of {log} was ahead of a record not yet handed over: {offsets}",
    ),
)
