"""Records compared with the one before them, and what is suspicious of them.

Nearly every record of a sound history stands right behind the one that its process sent to the log, or read from it, before; and its story
fits that of its value. No plan needs those again: one pass over all records finds the rest, and every plan about single records reads
only that. Kept are

* *steps* within one operation, by which its next record of a log is not the next one of the log;
* *turns* from one operation of a process to its next one, likewise;
* the *candidates*: reads that do not fit what became of their value, by one of `SUSPICIONS`.

`rank` is the rank of a record's value, where it is certain; `previous_op`, `previous_v`, `previous_rank` and `previous_ty` are those of the
record before, and `before` is the last one before that counts: acknowledged, or read by a poll that succeeded. What is said of
the value begins with `w_`: who wrote it, and what became of that.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from .tables import ABORTED
from .value_rows import VALUE

_STEPS = {
    "jumped": "kind = 'recv' and op = previous_op and rank - previous_rank > 1",
    "went-back": "kind = 'recv' and op = previous_op and rank - previous_rank < 1",
    "sent-apart": "kind = 'send' and op = previous_op and rank - previous_rank > 1",
    "sent-back": "kind = 'send' and op = previous_op and rank - previous_rank < 1",
}
_TURNS = {
    "sent-before": "kind = 'send' and ty != 'fail' and op != before.op and rank - before.rank < 1",
    "went-on-behind": "kind = 'recv' and op != previous_op and rank - before.rank > 1",
    "came-back": "kind = 'recv' and op != previous_op and rank - before.rank < 1",
    "behind-failure": "kind = 'recv' and op != previous_op and ty = 'ok' and previous_ty = 'fail' and rank - previous_rank > 0",
}
_CAREFULLY = "kind = 'recv' and iso != 'ru'"
SUSPICIONS = {
    **_STEPS,
    **_TURNS,
    "never-sent": "kind = 'recv' and not w_sent",
    "aborted": f"{_CAREFULLY} and w_oc = {ABORTED} and ty = 'ok'",
    "aborted-unacknowledged": f"{_CAREFULLY} and w_oc = {ABORTED} and ty != 'ok'",
    "own": f"{_CAREFULLY} and transactional and w_transactional and unit = w_unit",
    "early": f"{_CAREFULLY} and w_transactional and not w_by_hand and unit != w_unit and (at < w_end_op or w_end_op is null)",
    "backward": f"{_CAREFULLY} and ty = 'ok' and w_sent and w_known_committed and not reused and at < w_at",
}
_COUNTS = "ty = 'ok'"
_MOVED = ("run", "log", "op", "kind", "mop", "at", "process", "f", "ty", "unit", "transactional", "iso", "v", "o")
_WRITER = ("sent", "op", "at", "unit", "oc", "end_op", "transactional", "by_hand", "known_committed")


def noticed(records: DataFrame, values: DataFrame) -> DataFrame:
    """Those of these records that have an odd step or turn, and the candidates."""
    written = values.select(*VALUE, "reused", "send_count", "last_rank", *(F.col(name).alias(f"w_{name}") for name in _WRITER))
    moved = records.filter(F.col("kind").isin("send", "recv")).select(*_MOVED)
    rows = moved.join(written.hint("merge"), list(VALUE), "left")
    rows = rows.withColumn("rank", F.expr("if(not reused and (kind = 'recv' or send_count = 1), last_rank, null)")).drop(
        "send_count", "last_rank"
    )
    track = Window.partitionBy("run", "log", "kind", "process").orderBy("op", "mop")
    last = F.last(F.when(F.expr(_COUNTS), F.struct("op", "v", "rank")), ignorenulls=True)
    beside = {f"previous_{name}": F.lag(name).over(track) for name in ("op", "v", "rank", "ty")}
    rows = rows.withColumns(beside | {"before": last.over(track.rowsBetween(Window.unboundedPreceding, -1))})
    return rows.filter(" or ".join(f"coalesce({suspicion}, false)" for suspicion in SUSPICIONS.values()))
