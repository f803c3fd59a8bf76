"""Segments of a scalable topic: a sealed segment accepts nothing, ranges do not overlap, parents are read before their children.

Segments come from control actions: `create`, `split`, `merge` and `terminate`, with `ctl` holding `topic`, `segs` (those that are sealed,
apart from `create`), `children` as `name:lo-hi` with hexadecimal bounds that belong to the range, `epoch`, and for one sealed segment
`end_o`, its last offset. A segment is a log, so its records name it as theirs.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.derived import VALUE, HistoryTables
from fencepost.pipeline.laws.control_actions import ancestries

from .anomaly import Anomaly, witness

_SEALS = ("split", "merge", "terminate")
_BORN = ("create", "split", "merge")
_CHILD = "^(.*):([0-9a-fA-F]+)-([0-9a-fA-F]+)$"
"""A child: its name, which may contain colons and dashes, and its bounds."""


def sealed_segment_write(history: HistoryTables) -> DataFrame:
    """A segment accepted a record that was sent after the seal, or is behind the segment's end. Definite. A poll that returns a record
    shows that the segment accepted it, if the sender got no answer.
    """
    rows = history.sends.filter("accepted").join(_seals(history), ["run", "log"])
    rows = rows.filter((F.col("op") > F.col("s_at")) | (F.col("o") > F.col("end_o")))
    return witness(rows, ["s_op", "op"], ["v"], ["o"])


def early_child_write(history: HistoryTables) -> DataFrame:
    """A child accepted a record before a client asked for the seal of its parent. Definite."""
    sends = history.of("send").filter(F.col("ty") == "ok")
    rows = sends.join(_edges(history).select("run", "log", "s_op"), ["run", "log"]).filter(F.col("at") < F.col("s_op"))
    return witness(rows, ["op", "s_op"], ["v"], ["o"])


def wrong_range(history: HistoryTables) -> DataFrame:
    """A segment accepted a record whose key is outside of its range. Definite."""
    sends = history.sends.filter(F.col("accepted") & F.col("hash").isNotNull())
    rows = sends.join(_segments(history).select("run", "log", "lo", "hi", "c_op"), ["run", "log"])
    return witness(rows.filter(~F.col("hash").between(F.col("lo"), F.col("hi"))), ["c_op", "op"], ["v"], ["hash", "lo", "hi"])


def dag_defect(history: HistoryTables) -> DataFrame:
    """Segments overlap or leave a hole, a parent is unknown, a segment is divided or merged twice, or a child's epoch is not later than its
    parent's. Definite.
    """
    born = _segments(history)
    order = Window.partitionBy("run", "c_op").orderBy("lo")
    holes = born.withColumn("before", F.lag("hi").over(order)).filter(F.col("before") + 1 != F.col("lo"))
    known = born.select(
        "run", F.col("log").alias("parent"), F.col("epoch").alias("p_epoch"), F.col("lo").alias("p_lo"), F.col("hi").alias("p_hi")
    )
    edges = _edges(history).join(known, ["run", "parent"], "left")
    odd = edges.filter(F.col("p_epoch").isNull() | (F.col("epoch") <= F.col("p_epoch")))
    family = (
        edges.filter(F.col("p_lo").isNotNull())
        .groupBy("run", "s_op")
        .agg(
            F.min("lo").alias("lo"),
            F.max("hi").alias("hi"),
            F.min("p_lo").alias("p_lo"),
            F.max("p_hi").alias("p_hi"),
            F.min("log").alias("log"),
            _covered("lo", "hi").alias("covered"),
            _covered("p_lo", "p_hi").alias("p_covered"),
        )
    )
    ends = (F.col("lo") != F.col("p_lo")) | (F.col("hi") != F.col("p_hi"))
    covers = family.filter(ends | (F.col("covered") != F.col("p_covered")))
    found = holes.select("run", "log", F.col("c_op").alias("s_op"), F.lit("ranges overlap or leave a hole").alias("why"))
    why = F.when(F.col("p_epoch").isNull(), "a parent is unknown").otherwise("the epoch did not advance")
    found = found.unionByName(odd.select("run", "log", "s_op", why.alias("why")))
    found = found.unionByName(covers.select("run", "log", "s_op", F.lit("children do not cover their parents").alias("why")))
    found = found.unionByName(_divided_again(edges).withColumn("why", F.lit("a parent had other children before")))
    return witness(found, ["s_op"], None, None, detail=F.col("why"))


def _covered(lo: str, hi: str) -> Column:
    """How many hashes the segments with these bounds cover."""
    bounds = F.collect_set(F.when(F.col(lo).isNotNull(), F.struct(lo, hi)))
    return F.aggregate(bounds, F.lit(0).cast("long"), lambda so_far, one: so_far + one[hi] - one[lo] + 1)


def _divided_again(edges: DataFrame) -> DataFrame:
    """The operations that gave a parent others than its first children; a repeated one gives it the same."""
    children = edges.groupBy("run", "parent", "s_op").agg(F.array_sort(F.collect_set("log")).alias("children"))
    first = F.min_by("children", "s_op").over(Window.partitionBy("run", "parent"))
    again = children.withColumn("first", first).filter(F.col("children") != F.col("first")).select("run", "s_op").distinct()
    return edges.join(again, ["run", "s_op"]).groupBy("run", "s_op").agg(F.min("log").alias("log"))


def parent_before_child(history: HistoryTables) -> DataFrame:
    """A subscription received a child's record before the last record of its parent, or of an older ancestor. Definite.

    Records that have keys are compared key by key, others segment by segment. A client that reads segments by hand may do so in any order.
    """
    groups = _groups(history)
    first = _first_deliveries(history).join(groups.filter("apart or seeks"), ["run", "grp"], "left_anti")
    parents = ((row.run, row.log, row.parent) for row in _edges(history).collect())
    edges = F.broadcast(local.table(history.tables.spark, "run string, child string, parent string", sorted(ancestries(parents))))
    child = first.select(
        "run", "grp", F.col("log").alias("child"), "mkey", F.col("op").alias("c_op"), F.col("at").alias("c_at"), F.col("v").alias("c_v")
    )
    parent = first.select("run", "grp", F.col("log").alias("parent"), "mkey", "op", "v", "o")
    child = child.groupBy("run", "grp", "child", "mkey").agg(F.min_by(F.struct("c_op", "c_v", "c_at"), "c_at").alias("c"))
    parent = parent.groupBy("run", "grp", "parent", "mkey").agg(F.max_by(F.struct("op", "v", "o"), "op").alias("p"))
    pairs = child.join(edges, ["run", "child"]).alias("c").join(parent.alias("p"), ["run", "grp", "parent"])
    same = F.col("c.mkey").eqNullSafe(F.col("p.mkey"))
    rows = pairs.filter(same & (F.col("c.c.c_at") < F.col("p.p.op"))).select(
        "run", F.col("child").alias("log"), F.col("c.c").alias("c"), F.col("p.p").alias("p")
    )
    return witness(rows, ["c.c_op", "p.op"], ["c.c_v", "p.v"])


def key_reorder(history: HistoryTables) -> DataFrame:
    """A subscription received a producer's records of one key in another order than the producer sent them. Definite.

    If the history has a producer's epoch, its sequence numbers are the order of sending; else that of its process is.
    """
    sent = history.of("send").filter(F.col("mkey").isNotNull())
    counted = F.col("pid").isNotNull() & F.col("epoch").isNotNull() & F.col("seq").isNotNull()
    sent = sent.select(
        *VALUE,
        F.when(counted, F.col("pid")).otherwise(F.col("process").cast("long")).alias("producer"),
        F.struct(F.when(counted, F.col("seq")).otherwise(F.col("op")).alias("n"), "mop").alias("s"),
        F.col("mkey").alias("key"),
    )
    handed = _first_deliveries(history).join(_groups(history), ["run", "grp"], "left")
    handed = handed.filter(~F.coalesce(F.expr("seeks or shared"), F.lit(False)))
    within = F.when(F.coalesce("apart", F.lit(False)), F.col("log")).alias("within")
    handed = handed.select("run", "grp", "log", "v", "op", "mop", "at", within).join(sent, list(VALUE))
    order = Window.partitionBy("run", "grp", "within", "producer", "key").orderBy("at", "mop").rowsBetween(Window.unboundedPreceding, -1)
    rows = handed.withColumn("before", F.max(F.struct("s", "v", "op", "at")).over(order)).filter(F.col("before.s") > F.col("s"))
    rows = rows.filter((F.col("before.at") < F.col("op")) | (F.col("before.op") == F.col("op")))
    return witness(rows, ["before.op", "op"], ["before.v", "v"])


def _groups(history: HistoryTables) -> DataFrame:
    """How subscriptions are read, if the recorder notes it: `apart`, segment by segment in any order, `shared`, which keeps no order,
    and whether a client `seeks`.
    """
    kind, is_assigned = F.col("ctl").getItem("type"), F.max(F.col("f") == "assign")
    reported = history.ops.filter(F.col("grp.id").isNotNull() & F.col("f").isin("subscribe", "assign", "seek"))
    groups = reported.groupBy("run", F.col("grp.id").alias("grp")).agg(
        (F.max((F.col("f") == "subscribe") & kind.isNotNull()) & ~is_assigned).alias("apart"),
        (F.coalesce(F.max(kind == "Shared"), F.lit(False)) & ~is_assigned).alias("shared"),
        F.max(F.col("f") == "seek").alias("seeks"),
    )
    return F.broadcast(groups)


def _first_deliveries(history: HistoryTables) -> DataFrame:
    rows = history.of("recv").filter(F.col("grp").isNotNull() & (F.col("ty") == "ok"))
    first = F.row_number().over(Window.partitionBy("run", "grp", "log", "v").orderBy("op", "mop"))
    return rows.withColumn("times", first).filter(F.col("times") == 1)


def done(history: HistoryTables, which: tuple[str, ...]) -> DataFrame:
    """The control actions of these kinds that succeeded."""
    return history.ops.filter(F.col("f").isin(*which) & (F.col("ty") == "ok"))


def control(name: str) -> Column:
    """The value of this name in an action."""
    return F.col("ctl").getItem(name)


def listed(name: str) -> Column:
    """The entries of a list, separated by commas."""
    return F.split(control(name), ",")


def _seals(history: HistoryTables) -> DataFrame:
    seals = done(history, _SEALS).select(
        "run",
        F.explode(listed("segs")).alias("log"),
        F.col("op").alias("s_op"),
        F.col("at").alias("s_at"),
        control("end_o").cast("long").alias("end_o"),
    )
    return F.broadcast(seals)


def _segments(history: HistoryTables) -> DataFrame:
    born = done(history, _BORN).select(
        "run", F.col("op").alias("c_op"), control("epoch").cast("long").alias("epoch"), F.explode(listed("children")).alias("child")
    )
    name, *bounds = (F.regexp_extract("child", _CHILD, group) for group in (1, 2, 3))
    lo, hi = (F.conv(bound, 16, 10).cast("long") for bound in bounds)
    return F.broadcast(born.select("run", "c_op", "epoch", name.alias("log"), lo.alias("lo"), hi.alias("hi")))


def _edges(history: HistoryTables) -> DataFrame:
    """A child (`log`) with each of its parents."""
    seals = done(history, ("split", "merge")).select("run", F.col("op").alias("s_op"), F.explode(listed("segs")).alias("parent"))
    born = _segments(history).withColumnRenamed("c_op", "s_op")
    return F.broadcast(born.join(seals, ["run", "s_op"]))


ANOMALIES = (
    Anomaly(
        "sealed-segment-write",
        "a sealed segment takes no more records",
        "PIP-468",
        sealed_segment_write,
        frozenset({"send"}),
        "{values} was accepted at offset {offsets} by {log}, which was sealed",
        any_of=frozenset(_SEALS),
    ),
    Anomaly(
        "early-child-write",
        "parent and child are never writable at once",
        "PIP-468",
        early_child_write,
        frozenset({"send"}),
        "{values} was accepted by {log} before its parent was sealed",
        any_of=frozenset({"split", "merge"}),
    ),
    Anomaly(
        "wrong-range",
        "a record goes to the segment of its key",
        "PIP-460",
        wrong_range,
        frozenset({"send"}),
        "{values} is outside of the range of {log}: hash and bounds are {offsets}",
        any_of=frozenset(_BORN),
    ),
    Anomaly(
        "segment-dag-defect",
        "segments divide the key space, and children come after parents",
        "PIP-460",
        dag_defect,
        frozenset(),
        "the segments around {log} do not fit",
        any_of=frozenset(_BORN),
    ),
    Anomaly(
        "parent-after-child",
        "a parent's messages are delivered before its children's",
        "PIP-460",
        parent_before_child,
        frozenset({"recv", "grouped"}),
        "of {values} the first, of the child {log}, was delivered before the second, of its parent",
        any_of=frozenset({"split", "merge"}),
    ),
    Anomaly(
        "key-reorder",
        "messages of a key keep their order",
        "PIP-460, Key_Shared",
        key_reorder,
        frozenset({"send", "recv", "grouped", "keyed"}),
        "{values} of one key were delivered in the wrong order",
    ),
)
