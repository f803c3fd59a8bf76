"""Records beside the one before them in their operation, and what is suspicious of them.

Nearly every record of a sound history stands right behind the one before it, and its story fits that of its value. Nobody asks for those
again: one pass over all records finds the rest, and every plan about single records reads only that. Kept are

* the *corners*: where an operation's records of a log begin and end, or are not neighbours in the log;
* the *suspects*: reads that do not fit what became of their value, by one of `SUSPICIONS`.

`i` is the place of a record's value, where it is certain; `v0` and `i0` are those of the record before in the operation. What is said of
the value begins with `w_`: who wrote it, and what became of that.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from .tables import ABORTED
from .values import VALUE

CORNERS = {
    "jumped": "kind = 'recv' and i - i0 > 1",
    "went-back": "kind = 'recv' and i - i0 < 1",
    "sent-apart": "kind = 'send' and i - i0 > 1",
    "sent-back": "kind = 'send' and i - i0 < 1",
}
_CAREFULLY = "kind = 'recv' and iso != 'ru'"
SUSPICIONS = {
    "never-sent": "kind = 'recv' and not w_sent",
    "aborted": f"{_CAREFULLY} and w_oc = {ABORTED}",
    "own": f"{_CAREFULLY} and transactional and w_transactional and unit = w_unit",
    "early": f"{_CAREFULLY} and ty = 'ok' and w_transactional and not w_by_hand and unit != w_unit and (at < w_end_op or w_end_op is null)",
    "backward": f"{_CAREFULLY} and ty = 'ok' and w_sent and w_must and not reused and at < w_at",
}
_MOVED = ("run", "log", "op", "kind", "mop", "at", "process", "f", "ty", "unit", "transactional", "iso", "v", "o")
_WRITER = ("sent", "op", "at", "unit", "oc", "end_op", "transactional", "by_hand", "must")


def noticed(records: DataFrame, values: DataFrame) -> DataFrame:
    """Corners and suspects of these records."""
    written = values.select(*VALUE, "reused", "sends", "li", *(F.col(name).alias(f"w_{name}") for name in _WRITER))
    moved = records.filter(F.col("kind").isin("send", "recv")).select(*_MOVED)
    rows = moved.join(written.hint("shuffle_hash"), list(VALUE), "left")
    rows = rows.withColumn("i", F.expr("if(not reused and (kind = 'recv' or sends = 1), li, null)")).drop("sends", "li")
    within = Window.partitionBy("run", "log", "op", "kind").orderBy("mop")
    beside = {"v0": F.lag("v"), "i0": F.lag("i"), "ty0": F.lag("ty"), "i1": F.lead("i"), "ty1": F.lead("ty")}
    rows = rows.withColumns({name: column.over(within) for name, column in beside.items()})
    neighbour = "i - i0 = 1 and ty = ty0 and i1 - i = 1 and ty1 = ty"
    odd = " or ".join(f"coalesce({suspicion}, false)" for suspicion in SUSPICIONS.values())
    return rows.filter(f"not coalesce({neighbour}, false) or {odd}").drop("ty0", "i1", "ty1")


def ends(rows: DataFrame) -> DataFrame:
    """The `first` and the `last` record of each operation in each log, as `op`, `v` and `i`."""
    record = F.struct("op", "v", "i")
    whose = [F.first(name).alias(name) for name in ("process", "ty")]
    return rows.groupBy("run", "log", "op").agg(*whose, F.min_by(record, "mop").alias("first"), F.max_by(record, "mop").alias("last"))
