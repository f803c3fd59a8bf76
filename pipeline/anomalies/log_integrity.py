"""A log is append-only: an offset names one record for ever, a record has one offset, and order is kept."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import VALUE, History

from .anomaly import Anomaly, witness

_MOVED = frozenset({"send"})
_READ = frozenset({"recv"})


def inconsistent_offsets(history: History) -> DataFrame:
    """Two values stand at one offset: by the word of an acknowledgement that counts, or of any poll. Definite."""
    rows = history.offsets.groupBy("run", "log", "o").agg(F.array_sort(F.collect_set("v")).alias("vs"), F.max("reused").alias("reused"))
    return witness(rows.filter(F.size("vs") > 1), [], F.col("vs"), ["o"], definite=~F.col("reused"))


def duplicate(history: History) -> DataFrame:
    """One record stands at two offsets. Definite; where different records have that value, only more offsets than sends are told."""
    rows = history.values.filter((F.col("o0") < F.col("o1")) & (~F.col("reused") | (F.size("offsets") > F.col("sends"))))
    return witness(rows, ["op"], ["v"], F.col("offsets"), definite=~F.col("reused"))


def spurious_offset(history: History) -> DataFrame:
    """The offset that an acknowledgement told is not where the record stands. Definite, unless different records have that value."""
    told = F.col("acked") & (F.col("so0") == F.col("so1")) & F.col("must")
    rows = history.values.filter(told & ((F.col("so0") < F.col("ro0")) | (F.col("so0") > F.col("ro1"))))
    return witness(rows, ["op"], ["v"], ["so0", "ro0"], definite=~F.col("reused"))


def phantom_read(history: History) -> DataFrame:
    """A poll handed over a value that nobody ever sent to that log. Definite where every line could be read."""
    never = F.broadcast(history.values.filter(~F.col("sent")).select(*VALUE))
    rows = history.of("recv").join(never, list(VALUE))
    return witness(rows, ["op"], ["v"], ["o"])


def offset_inversion(history: History) -> DataFrame:
    """A record that was sent after another had been acknowledged got the smaller offset.

    Definite. Retries answer the old offset and count not.
    """
    once = history.values.filter(F.col("acked") & (F.col("sends") == 1) & (F.col("so0") == F.col("so1")) & ~F.col("reused"))
    told = once.select(
        "run",
        "log",
        F.col("at").alias("t"),
        F.struct(F.col("so0").alias("o"), "v", "op").alias("told"),
        F.lit(None).cast("string").alias("v"),
    )
    asked = once.select(
        "run",
        "log",
        F.col("op").alias("t"),
        F.lit(None).cast(told.schema["told"].dataType).alias("told"),
        "v",
        "op",
        F.col("so0").alias("o"),
    )
    before = Window.partitionBy("run", "log").orderBy("t").rowsBetween(Window.unboundedPreceding, -1)
    rows = told.unionByName(asked, allowMissingColumns=True).withColumn("before", F.max("told").over(before))
    return witness(rows.filter(F.col("before.o") >= F.col("o")), ["before.op", "op"], ["before.v", "v"], ["before.o", "o"])


def same_id_interleave(history: History) -> DataFrame:
    """Records of a transactional id's later transaction stand before those of its earlier one. Definite."""
    once = history.values.filter((F.col("sends") == 1) & ~F.col("reused")).select(*VALUE)
    sends = history.of("send").filter(F.col("tid").isNotNull() & F.col("transactional") & (F.col("ty") == "ok"))
    units = sends.join(once, list(VALUE)).groupBy("run", "tid", "log", "unit").agg(F.min("o").alias("first"), F.max("o").alias("last"))
    order = Window.partitionBy("run", "tid", "log").orderBy("unit")
    rows = units.select("*", F.lag("last").over(order).alias("before"), F.lag("unit").over(order).alias("earlier"))
    return witness(rows.filter(F.col("before") >= F.col("first")), ["earlier", "unit"], None, ["before", "first"])


def nonmonotonic_send(history: History) -> DataFrame:
    """A producer's next operation put its record before that of the operation before. Definite."""
    sends = _sends(history).filter(F.col("ty") != "fail")
    per_op = sends.groupBy("run", "log", "process", "op").agg(
        F.min_by(F.struct("v", "i"), "mop").alias("first"), F.max_by(F.struct("v", "i"), "mop").alias("last")
    )
    order = Window.partitionBy("run", "log", "process").orderBy("op")
    rows = per_op.select("*", F.lag("last").over(order).alias("before"), F.lag("op").over(order).alias("earlier"))
    rows = rows.filter(F.col("first.i") - F.col("before.i") < 1)
    return witness(rows, ["earlier", "op"], ["before.v", "first.v"])


def int_nonmonotonic_send(history: History) -> DataFrame:
    """Within one operation a later record stands before an earlier one. Definite."""
    return witness(_int_sends(history).filter(F.col("step") < 1), ["op"], ["v0", "v"])


def int_send_skip(history: History) -> DataFrame:
    """Within one operation another producer's record stands between. Lawful: no system promises that writes are isolated."""
    return witness(_int_sends(history).filter(F.col("step") > 1), ["op"], ["v0", "v"])


def _sends(history: History) -> DataFrame:
    """Records sent, with the places of those that were sent once."""
    placed = history.values.filter((F.col("sends") == 1) & ~F.col("reused") & F.col("li").isNotNull()).select(
        *VALUE, F.col("li").alias("i")
    )
    return history.of("send").join(placed.hint("shuffle_hash"), list(VALUE), "left")


def _int_sends(history: History) -> DataFrame:
    return history.once("int-sends", lambda: _uneven_sends(history))


def _uneven_sends(history: History) -> DataFrame:
    """Consecutive records of one log within one operation that are not neighbours there."""
    within = Window.partitionBy("run", "log", "op").orderBy("mop")
    rows = _sends(history).select("*", F.lag("v").over(within).alias("v0"), F.lag("i").over(within).alias("i0"))
    rows = rows.withColumn("step", F.col("i") - F.col("i0")).filter(F.col("step") != 1)
    return rows.select("run", "log", "op", "v0", "v", "step")


ANOMALIES = (
    Anomaly(
        "inconsistent-offsets",
        "an offset names one immutable record",
        "KIP-98; Jepsen",
        inconsistent_offsets,
        frozenset(),
        "offset {offsets} of {log} holds different values: {values}",
    ),
    Anomaly(
        "duplicate",
        "a record is in the log once",
        "KIP-98, idempotent producer; Jepsen",
        duplicate,
        frozenset(),
        "{values} is in {log} more than once, at offsets {offsets}",
    ),
    Anomaly(
        "spurious-offset",
        "an acknowledgement tells where the record is",
        "KIP-98; Jepsen on Bufstream",
        spurious_offset,
        _MOVED | _READ,
        "{values} was acknowledged at one offset of {log} and read at another: {offsets}",
    ),
    Anomaly(
        "phantom-read",
        "what is read was sent",
        "integrity",
        phantom_read,
        _READ,
        "{values}, which nobody sent to {log}, was read at offset {offsets}",
        absence=True,
    ),
    Anomaly(
        "offset-inversion",
        "a log only grows at its end",
        "append-only log; redpanda chaos",
        offset_inversion,
        _MOVED,
        "of {values} in {log} the second was sent after the first was acknowledged, and got no larger offset: {offsets}",
    ),
    Anomaly(
        "same-id-interleave",
        "transactions of one transactional id do not interleave",
        "Kafka's maintainers on exactly-once",
        same_id_interleave,
        _MOVED,
        "a later transaction of one transactional id stands before the end of an earlier one in {log}: offsets {offsets}",
    ),
    Anomaly(
        "nonmonotonic-send",
        "a producer's records keep their order",
        "KIP-98; Jepsen",
        nonmonotonic_send,
        _MOVED,
        "of {values} in {log} the second was sent later and stands no later",
    ),
    Anomaly(
        "int-nonmonotonic-send",
        "a producer's records keep their order",
        "KIP-98; Jepsen",
        int_nonmonotonic_send,
        _MOVED,
        "of {values} in {log}, sent by one operation, the second stands no later",
    ),
    Anomaly(
        "int-send-skip",
        "none: write isolation is not promised",
        "Jepsen",
        int_send_skip,
        _MOVED,
        "between {values} in {log}, sent by one operation, stands another record",
        allowed=True,
    ),
)
