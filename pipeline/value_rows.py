"""The values of the logs: one row for each, from all that was sent and read of it.

What a history may contain of one log (each record at its offset):

    offset  0: a    committed, read by a reader of committed data
    offset  1: b    aborted
    offset  2:      the marker of that abort
    offset  3: c    its commit had no answer, and no client read it
    offset  4: d    committed, read at offset 4, and at 6 again

and what `values` makes of it:

    v  known_committed  read_committed  offsets  first_offset  last_offset  first_rank  last_rank
    a  true             true            0        0             0            0           0
    b  false            false           -        null          null         null        null
    c  false            false           -        null          null         null        null
    d  true             true            4, 6     4             6            1           2

* `run`, `log`, `v`: the value's name.
* `op`, `at`, `unit`, `oc`, `end_op`, `transactional`, `by_hand`: of the operation that sent it first, as `tables` has them; `oc`, `end_op`
  and the two last are the highest of all sends.
* `sent`, `acknowledged`: whether any client sent it, and whether a send was answered with success. `send_count`: how often it was sent.
* `returned`: whether a poll returned it. `read_committed`: whether one that succeeded and reads committed data only did; `first_read_at`
  and `first_read_op` are the first such read, by its completion and by its name. `read`: whether one did, or a reader of uncommitted data
  did and not only before the end of the transaction, when that shows nothing of what is committed.
* `known_committed`: it committed, beyond doubt: the commit was acknowledged, or its outcome is not known and a reader of committed data was
  shown something of the unit.
* `reused`: different records have this value, so that nothing said of it is certain.
* `first_sent_offset`, `last_sent_offset`: the lowest and the highest offset in an answer to a send; `first_read_offset` and
  `last_read_offset`: at which readers of committed data read it.
* `offsets`: those at which it stands; `first_offset` and `last_offset` are their ends. Offsets of acknowledgements, and those of
  readers of uncommitted data, count where the value is known to have committed.
* `first_rank`, `last_rank`: the dense ranks of these two offsets among all that values of the log have, so that markers and aborted records
  leave no gap: in the example `d` follows `a` directly. A value at two offsets has two ranks.
* `contested`: another value stands at one of its offsets.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from .tables import ABORTED, COMMITTED, UNKNOWN

VALUE = ("run", "log", "v")
FLAWS = {
    "contested": "contested",
    "twice": "first_offset < last_offset and (not reused or size(offsets) > send_count)",
    "misplaced": "acknowledged and first_sent_offset = last_sent_offset and known_committed "
    "and (first_sent_offset < first_read_offset or first_sent_offset > last_read_offset)",
    "shown": "sent and returned and not acknowledged and send_count = 1 and not reused",
    "unread": "sent and known_committed and not read",
    "unseen": f"acknowledged and oc = {COMMITTED} and not read",
    "withheld": f"transactional and oc < {COMMITTED} and first_sent_offset is not null",
    "missing-of-transaction": f"sent and transactional and oc > {ABORTED} and not reused and not read",
}
"""What is wrong with single values, or may be: a plan about what no value has is not made."""
_SENT, _GOT = "kind = 'send'", "kind = 'recv'"
_READ, _SEEN = f"{_GOT} and ty = 'ok'", f"{_GOT} and ty = 'ok' and iso != 'ru'"


def values(records: DataFrame, present: frozenset[str]) -> DataFrame:
    """The values of these records; `present` names what the history has at all."""
    known = records.filter(F.col("kind").isin("send", "recv") & F.col("v").isNotNull())
    rows = _summed(known)
    if "numbered" in present:
        rows = rows.join(_resent(known), list(VALUE), "left")
        rows = rows.withColumn("reused", F.col("reused") | F.col("number_resent").isNotNull()).drop("number_resent")
    committed = F.coalesce(F.col("oc") == COMMITTED, F.lit(False))
    if "doubtful" in present:
        rows = rows.join(_units_read(known), ["run", "unit"], "left")
        committed = committed | F.col("unit_was_read").isNotNull()
    return _ranked(rows.withColumn("known_committed", committed).drop("unit_was_read"))


def _summed(records: DataFrame) -> DataFrame:
    sent = F.expr(_SENT)
    identity = F.when(F.expr("seq is not null and pid >= 0"), F.xxhash64("pid", "epoch", "seq")).otherwise(F.xxhash64("op", "mop"))

    def least(name: str, where: str) -> Column:
        return F.min(F.when(F.expr(where), F.col(name)))

    def most(name: str, where: str) -> Column:
        return F.max(F.when(F.expr(where), F.col(name)))

    rows = records.groupBy(*VALUE).agg(
        F.max(sent).alias("sent"),
        F.max(F.expr(f"{_SENT} and ty = 'ok'")).alias("acknowledged"),
        F.count_if(sent).alias("send_count"),
        (F.min(F.when(sent, identity)) != F.max(F.when(sent, identity))).alias("reused"),
        least("op", _SENT).alias("op"),
        least("at", _SENT).alias("at"),
        least("unit", _SENT).alias("unit"),
        most("oc", _SENT).alias("oc"),
        most("end_op", _SENT).alias("end_op"),
        F.max(F.expr(f"{_SENT} and transactional")).alias("transactional"),
        F.max(F.expr(_GOT)).alias("returned"),
        most("op", f"{_READ} and iso = 'ru'").alias("last_uncommitted_op"),
        F.max(F.expr(_SEEN)).alias("read_committed"),
        least("at", _SEEN).alias("first_read_at"),
        least("op", _SEEN).alias("first_read_op"),
        F.max(F.expr(f"{_SENT} and by_hand")).alias("by_hand"),
        least("o", _SENT).alias("first_sent_offset"),
        most("o", _SENT).alias("last_sent_offset"),
        least("o", f"{_GOT} and iso != 'ru'").alias("first_read_offset"),
        most("o", f"{_GOT} and iso != 'ru'").alias("last_read_offset"),
        least("o", f"{_GOT} and iso = 'ru'").alias("first_uncommitted_offset"),
        most("o", f"{_GOT} and iso = 'ru'").alias("last_uncommitted_offset"),
    )
    read_late = F.col("last_uncommitted_op").isNotNull() & (~F.col("transactional") | (F.col("last_uncommitted_op") > F.col("end_op")))
    rows = rows.withColumn("read", F.col("read_committed") | F.coalesce(read_late, F.lit(False))).drop("last_uncommitted_op")
    return rows.fillna(value=False, subset=["reused", "by_hand"])


def _resent(records: DataFrame) -> DataFrame:
    """Values that were sent with the sequence number of another one: a broker that knows the number answers for the other."""
    sends = records.filter(f"{_SENT} and seq is not null and pid >= 0")
    groups = sends.groupBy("run", "log", "pid", "epoch", "seq").agg(F.collect_set("v").alias("vs"))
    again = groups.filter(F.size("vs") > 1).select("run", "log", F.explode("vs").alias("v")).distinct()
    return F.broadcast(again.withColumn("number_resent", F.lit(True)))


def _units_read(records: DataFrame) -> DataFrame:
    """Units whose outcome is not known, and of which a reader of committed data read something: so they committed."""
    doubtful = records.filter(f"{_SENT} and oc = {UNKNOWN}").select(*VALUE).distinct()
    rows = _summed(records.join(doubtful.hint("merge"), list(VALUE), "left_semi"))
    units = rows.filter((F.col("oc") == UNKNOWN) & F.col("read_committed")).select("run", "unit").distinct()
    return F.broadcast(units.withColumn("unit_was_read", F.lit(True)))


def _ranked(rows: DataFrame) -> DataFrame:
    """With their offsets and ranks."""
    committed = F.col("known_committed")

    def among(end: str) -> list[Column]:
        sent, read, uncommitted = (F.col(f"{end}_{kind}_offset") for kind in ("sent", "read", "uncommitted"))
        return [F.when(committed, sent), read, F.when(committed, uncommitted)]

    rows = rows.withColumns({"first_offset": F.least(*among("first")), "last_offset": F.greatest(*among("last"))})
    acknowledged = [F.when(committed, F.col(name)) for name in ("first_sent_offset", "last_sent_offset")]
    every = [*map(F.col, ("first_offset", "last_offset", "first_read_offset", "last_read_offset")), *acknowledged]
    several = F.sort_array(F.array_except(F.array(*every), F.array(F.lit(None).cast("bigint"))))
    # Nearly every value has one offset, which needs no search of a list.
    one, none = F.array(F.least(*every)), F.array().cast("array<bigint>")
    offsets = F.when(F.least(*every).isNull(), none).when(F.least(*every) == F.greatest(*every), one).otherwise(several)
    rows = rows.withColumn("offsets", offsets)
    # A row for each offset; the last one then represents the value.
    rows = rows.withColumn("o", F.explode_outer("offsets"))
    order = F.col("o").asc_nulls_last()
    log, value = Window.partitionBy("run", "log").orderBy(order), Window.partitionBy(*VALUE)
    shared = (F.lag("o").over(log) == F.col("o")) | (F.lead("o").over(log) == F.col("o"))
    rank = F.when(F.col("o").isNotNull(), F.dense_rank().over(log) - 1)
    rows = rows.withColumns({"rank": rank, "shared": F.coalesce(shared, F.lit(False))})
    ends = {"first_rank": F.min("rank").over(value), "last_rank": F.max("rank").over(value)}
    rows = rows.withColumns(ends | {"contested": F.max("shared").over(value)})
    rows = rows.filter(F.col("o").isNull() | (F.col("o") == F.element_at("offsets", -1)))
    return rows.drop("o", "rank", "shared", "first_uncommitted_offset", "last_uncommitted_offset")
