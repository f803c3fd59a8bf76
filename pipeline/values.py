"""The values of the logs: one row for each, from all that was sent and read of it.

Who sent it (op, at, unit, oc, end_op), whether it was read, at which offsets it stands, and its *place*: the dense rank of its offset among
those of the log's records that committed or were handed over, so that markers and aborted records leave no gap. A value at two offsets has
two places, `fi` and `li`. `reused` says that different records have this value, so that nothing said of it is certain; `contested` that
another value stands at one of its offsets.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .tables import ABORTED, COMMITTED, UNKNOWN

VALUE = ("run", "log", "v")
FLAWS = {
    "contested": "contested",
    "twice": "o0 < o1 and (not reused or size(offsets) > sends)",
    "misplaced": "acked and so0 = so1 and must and (so0 < ro0 or so0 > ro1)",
    "unread": "sent and must and not read",
    "unseen": f"acked and oc = {COMMITTED} and not read",
    "withheld": f"transactional and oc < {COMMITTED} and so0 is not null",
    "missing-of-transaction": f"sent and transactional and oc > {ABORTED} and not reused and not read",
}
"""What is wrong with single values, or may be: a plan about what no value has is not made."""
_SENT, _GOT = "kind = 'send'", "kind = 'recv'"
_READ, _SEEN = f"{_GOT} and ty = 'ok'", f"{_GOT} and ty = 'ok' and iso != 'ru'"


def values(records: DataFrame, present: frozenset[str]) -> DataFrame:
    """The values of these records, of which `present` tells what there is at all."""
    known = records.filter(F.col("kind").isin("send", "recv") & F.col("v").isNotNull())
    rows = _summed(known)
    if "numbered" in present:
        rows = rows.join(_resent(known), list(VALUE), "left")
        rows = rows.withColumn("reused", F.col("reused") | F.col("resent").isNotNull()).drop("resent")
    must = F.coalesce(F.col("oc") == COMMITTED, F.lit(False))
    if "doubtful" in present:
        rows = rows.join(_forced(known), ["run", "unit"], "left")
        must = must | F.col("forced").isNotNull()
    return _placed(rows.withColumn("must", must).drop("forced"))


def _summed(records: DataFrame) -> DataFrame:
    sent = F.expr(_SENT)
    identity = F.when(F.expr("seq is not null and pid >= 0"), F.xxhash64("pid", "epoch", "seq")).otherwise(F.xxhash64("op", "mop"))

    def least(name: str, where: str) -> Column:
        return F.min(F.when(F.expr(where), F.col(name)))

    def most(name: str, where: str) -> Column:
        return F.max(F.when(F.expr(where), F.col(name)))

    rows = records.groupBy(*VALUE).agg(
        F.max(sent).alias("sent"),
        F.max(F.expr(f"{_SENT} and ty = 'ok'")).alias("acked"),
        F.count_if(sent).alias("sends"),
        (F.min(F.when(sent, identity)) != F.max(F.when(sent, identity))).alias("reused"),
        least("op", _SENT).alias("op"),
        least("at", _SENT).alias("at"),
        least("unit", _SENT).alias("unit"),
        most("oc", _SENT).alias("oc"),
        most("end_op", _SENT).alias("end_op"),
        F.max(F.expr(f"{_SENT} and transactional")).alias("transactional"),
        F.max(F.expr(_READ)).alias("read"),
        F.max(F.expr(_SEEN)).alias("seen"),
        least("at", _SEEN).alias("first_read"),
        least("op", _SEEN).alias("first_read_op"),
        F.max(F.expr(f"{_SENT} and by_hand")).alias("by_hand"),
        least("o", _SENT).alias("so0"),
        most("o", _SENT).alias("so1"),
        least("o", f"{_GOT} and iso != 'ru'").alias("ro0"),
        most("o", f"{_GOT} and iso != 'ru'").alias("ro1"),
        least("o", f"{_GOT} and iso = 'ru'").alias("uo0"),
        most("o", f"{_GOT} and iso = 'ru'").alias("uo1"),
    )
    return rows.fillna(value=False, subset=["reused", "by_hand"])


def _resent(records: DataFrame) -> DataFrame:
    """Values that were sent under the sequence number of another one: a broker that knows the number answers for the other."""
    sends = records.filter(f"{_SENT} and seq is not null and pid >= 0")
    groups = sends.groupBy("run", "log", "pid", "epoch", "seq").agg(F.collect_set("v").alias("vs"))
    again = groups.filter(F.size("vs") > 1).select("run", "log", F.explode("vs").alias("v")).distinct()
    return F.broadcast(again.withColumn("resent", F.lit(True)))


def _forced(records: DataFrame) -> DataFrame:
    """Units of which nobody knows, and of which a careful reader read something: so they committed."""
    doubtful = records.filter(f"{_SENT} and oc = {UNKNOWN}").select(*VALUE).distinct()
    rows = _summed(records.join(doubtful.hint("shuffle_hash"), list(VALUE), "left_semi"))
    units = rows.filter((F.col("oc") == UNKNOWN) & F.col("seen")).select("run", "unit").distinct()
    return F.broadcast(units.withColumn("forced", F.lit(True)))


def _placed(rows: DataFrame) -> DataFrame:
    """With their offsets and places."""

    def among(end: str) -> list[Column]:
        return [F.when(F.col("must"), F.col(f"so{end}")), F.col(f"ro{end}"), F.when(F.col("must"), F.col(f"uo{end}"))]

    rows = rows.withColumns({"o0": F.least(*among("0")), "o1": F.greatest(*among("1"))})
    acknowledged = [F.when(F.col("must"), F.col(name)) for name in ("so0", "so1")]
    told = [*map(F.col, ("o0", "o1", "ro0", "ro1")), *acknowledged]
    several = F.sort_array(F.array_except(F.array(*told), F.array(F.lit(None).cast("bigint"))))
    # Nearly every value has one offset, for which no list need be searched.
    one, none = F.array(F.least(*told)), F.array().cast("array<bigint>")
    offsets = F.when(F.least(*told).isNull(), none).when(F.least(*told) == F.greatest(*told), one).otherwise(several)
    rows = rows.withColumn("offsets", offsets)
    # A row for each offset; the last one then stands for the value.
    rows = rows.withColumn("o", F.explode_outer("offsets"))
    order = F.col("o").asc_nulls_last()
    log, value = Window.partitionBy("run", "log").orderBy(order), Window.partitionBy(*VALUE)
    shared = (F.lag("o").over(log) == F.col("o")) | (F.lead("o").over(log) == F.col("o"))
    rows = rows.withColumns({"i": F.when(F.col("o").isNotNull(), F.dense_rank().over(log) - 1), "shared": F.coalesce(shared, F.lit(False))})
    rows = rows.withColumns({"fi": F.min("i").over(value), "li": F.max("i").over(value), "contested": F.max("shared").over(value)})
    rows = rows.filter(F.col("o").isNull() | (F.col("o") == F.element_at("offsets", -1)))
    return rows.drop("o", "i", "shared", "uo0", "uo1")
