"""What many plans need and only one pass computes: for each log its values in order, and where one poll jumped over one.

* `values`: one row for each value of a log. Who sent it (op, at, unit, oc, end_op), whether it was read, at which offsets it stands, and
  its *place*: the dense rank of its offset among those of the log's records that committed or were handed over, so that markers and
  aborted records leave no gap. A value at two offsets has two places, `fi` and `li`. `reused` says that different records have this
  value, so that nothing said of it is certain.
* `reads`: records handed over, with the place of their value.
* `gaps`: values that one poll of a log jumped over: it has a record before the value's place and one after it, but not the value.

`followed` runs are those whose consumers have positions (assign or subscribe to logs, final_read, or so says the recorder): only
there is it a fault to read on behind an unread record, since a bare fetch may begin anywhere.
"""

from collections.abc import Callable
from functools import cached_property

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .tables import COMMITTED, UNKNOWN, Tables

VALUE = ("run", "log", "v")
_WIDEST_GAP = 10_000


class History:
    """The tables of a check, and what is derived from them."""

    def __init__(self, tables: Tables, infer_ww: bool = False, infer_rw: bool = False) -> None:
        self.tables = tables
        self.infer_ww, self.infer_rw = infer_ww, infer_rw
        self._once: dict[str, DataFrame] = {}

    def once(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """What several plans of a family read, made once."""
        if name not in self._once:
            self._once[name] = make().persist()
        return self._once[name]

    @property
    def ops(self) -> DataFrame:
        return self.tables.ops

    def of(self, *kinds: str) -> DataFrame:
        return self.tables.of(*kinds)

    @cached_property
    def present(self) -> frozenset[str]:
        """What the history has at all: kinds of records, kinds of operations. A plan that reads others has nothing to find."""
        kinds = self.tables.records.select("kind").distinct().collect()
        functions = self.ops.select("f").distinct().collect()
        followed = ["followed"] if not self.followed.isEmpty() else []
        return frozenset([*followed, *(str(row[0]) for row in (*kinds, *functions) if row[0] is not None)])

    @cached_property
    def values(self) -> DataFrame:
        return _placed(_values(self.of("send", "recv"), self._resent)).persist()

    @cached_property
    def _resent(self) -> DataFrame:
        """Values that were sent under the sequence number of another one: a broker that knows the number answers for the other."""
        sends = self.of("send").filter(F.col("seq").isNotNull() & (F.col("pid") >= 0) & F.col("v").isNotNull())
        groups = sends.groupBy("run", "log", "pid", "epoch", "seq").agg(F.collect_set("v").alias("vs"))
        values = groups.filter(F.size("vs") > 1).select("run", "log", F.explode("vs").alias("v")).distinct()
        return F.broadcast(values.withColumn("resent", F.lit(True)))

    @cached_property
    def offsets(self) -> DataFrame:
        """Which values stand at which offset of a log."""
        return self.values.select(*VALUE, "reused", F.explode("offsets").alias("o"))

    @cached_property
    def followed(self) -> DataFrame:
        keeps = F.coalesce(F.col("ctl").getItem("positions") == "kept", F.lit(False))
        assigned = F.col("f").isin("assign", "subscribe") & (F.size("mops") > 0)
        runs = self.ops.filter(assigned | (F.col("f") == "final_read") | keeps).select("run").distinct()
        return F.broadcast(runs)

    @cached_property
    def reads(self) -> DataFrame:
        placed = self.values.select(*VALUE, F.when(~F.col("reused"), F.col("li")).alias("i"))
        return self.of("recv").join(placed.hint("shuffle_hash"), list(VALUE), "left")

    @cached_property
    def steps(self) -> DataFrame:
        """Consecutive records of one log within one poll: the value before, and how many places on this one is."""
        within = Window.partitionBy("run", "log", "op").orderBy("mop")
        rows = self.reads.select(
            "run", "log", "op", "mop", "at", "iso", "ty", "v", "i", F.lag("v").over(within).alias("v0"), F.lag("i").over(within).alias("i0")
        )
        return rows.filter(F.col("v0").isNotNull() & (F.col("i") - F.col("i0") != 1)).persist()

    @cached_property
    def gaps(self) -> DataFrame:
        wide = self.steps.filter(F.col("i") - F.col("i0") > 1)
        last = F.least(F.col("i") - 1, F.col("i0") + _WIDEST_GAP)
        missed = wide.select("run", "log", "op", "iso", "ty", F.explode(F.sequence(F.col("i0") + 1, last)).alias("li"))
        values = self.values.filter(~F.col("reused") & F.col("must"))
        values = values.withColumnsRenamed({"op": "w_op", "at": "w_at", "unit": "w_unit"})
        return missed.join(values.hint("shuffle_hash"), ["run", "log", "li"]).persist()


def _values(records: DataFrame, resent: DataFrame) -> DataFrame:
    sent, got = F.col("kind") == "send", F.col("kind") == "recv"
    read = got & (F.col("ty") == "ok")
    careful = F.col("iso") != "ru"
    identity = F.when(F.col("seq").isNotNull() & (F.col("pid") >= 0), F.xxhash64("pid", "epoch", "seq")).otherwise(F.xxhash64("op", "mop"))

    def least(name: str, where: Column) -> Column:
        return F.min(F.when(where, F.col(name)))

    def most(name: str, where: Column) -> Column:
        return F.max(F.when(where, F.col(name)))

    rows = (
        records.filter(F.col("v").isNotNull())
        .groupBy(*VALUE)
        .agg(
            F.max(sent).alias("sent"),
            F.max(sent & (F.col("ty") == "ok")).alias("acked"),
            F.count_if(sent).alias("sends"),
            (F.min(F.when(sent, identity)) != F.max(F.when(sent, identity))).alias("reused"),
            least("op", sent).alias("op"),
            least("at", sent).alias("at"),
            least("unit", sent).alias("unit"),
            most("oc", sent).alias("oc"),
            most("end_op", sent).alias("end_op"),
            F.max(sent & F.col("transactional")).alias("transactional"),
            F.max(got & careful).alias("polled"),
            F.max(read).alias("read"),
            F.max(read & careful).alias("seen"),
            least("at", read & careful).alias("first_read"),
            least("op", read & careful).alias("first_read_op"),
            F.max(sent & F.col("by_hand")).alias("by_hand"),
            least("o", sent).alias("so0"),
            most("o", sent).alias("so1"),
            least("o", got & careful).alias("ro0"),
            most("o", got & careful).alias("ro1"),
            least("o", got & ~careful).alias("uo0"),
            most("o", got & ~careful).alias("uo1"),
        )
    )
    rows = rows.join(resent, list(VALUE), "left").fillna(value=False, subset=["reused", "by_hand", "resent"])
    rows = rows.withColumn("reused", F.col("reused") | F.col("resent")).drop("resent")
    forced = rows.filter((F.col("oc") == UNKNOWN) & F.col("seen")).select("run", "unit").distinct().withColumn("forced", F.lit(True))
    rows = rows.join(F.broadcast(forced), ["run", "unit"], "left")
    must = (F.col("oc") == COMMITTED) | F.coalesce("forced", F.lit(False))
    rows = rows.withColumn("must", F.coalesce(must, F.lit(False))).drop("forced")

    def among(end: str) -> list[Column]:
        return [F.when(F.col("must"), F.col(f"so{end}")), F.col(f"ro{end}"), F.when(F.col("must"), F.col(f"uo{end}"))]

    return rows.withColumn("o0", F.least(*among("0"))).withColumn("o1", F.greatest(*among("1")))


def _placed(values: DataFrame) -> DataFrame:
    """With the places of the values, in each log by offset."""
    known = F.array_compact(F.array("o0", "o1", F.when(F.col("must"), F.col("so0")), F.when(F.col("must"), F.col("so1")), "ro0", "ro1"))
    rows = values.withColumn("offsets", F.array_sort(F.array_distinct(known)))
    log = Window.partitionBy("run", "log").orderBy("o")
    places = rows.select(*VALUE, F.explode("offsets").alias("o")).withColumn("i", F.dense_rank().over(log) - 1)
    places = places.groupBy(*VALUE).agg(F.min("i").alias("fi"), F.max("i").alias("li"))
    return rows.join(places.hint("shuffle_hash"), list(VALUE), "left")
