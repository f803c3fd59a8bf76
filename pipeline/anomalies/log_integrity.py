"""A log is append-only: an offset names one record for ever, a record has one offset, and order is kept."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import VALUE, HistoryTables

from .anomaly import Anomaly, witness

_MOVED = frozenset({"send"})
_READ = frozenset({"recv"})


def inconsistent_offsets(history: HistoryTables) -> DataFrame:
    """Two values are at one offset, according to an acknowledgement that counts or to any poll. Definite."""
    rows = history.offsets.groupBy("run", "log", "o").agg(F.array_sort(F.collect_set("v")).alias("vs"), F.max("reused").alias("reused"))
    return witness(rows.filter(F.size("vs") > 1), [], F.col("vs"), ["o"], definite=~F.col("reused"))


def duplicate(history: HistoryTables) -> DataFrame:
    """One record is at two offsets. Definite; if different records have that value, only more offsets than sends are reported."""
    return witness(history.flawed("twice"), ["op"], ["v"], F.col("offsets"), definite=~F.col("reused"))


def spurious_offset(history: HistoryTables) -> DataFrame:
    """The offset in an acknowledgement is not that of the record. Definite, unless different records have that value."""
    return witness(history.flawed("misplaced"), ["op"], ["v"], ["first_sent_offset", "first_read_offset"], definite=~F.col("reused"))


def phantom_read(history: HistoryTables) -> DataFrame:
    """A poll returned a value that no client ever sent to that log. Definite if every line could be read."""
    return witness(history.suspected("never-sent"), ["op"], ["v"], ["o"])


def offset_inversion(history: HistoryTables) -> DataFrame:
    """A record that was sent after another had been acknowledged got the smaller offset.

    Definite. Retries return the old offset and do not count. Without an offset in the acknowledgement, readers show it; but a record of a
    transaction may then get its place at the commit.
    """
    answered = F.col("first_sent_offset").isNotNull()
    first, last = (F.when(answered, F.col(f"{end}_sent_offset")).otherwise(F.col(f"{end}_offset")) for end in ("first", "last"))
    there = (F.col("acknowledged") | F.col("returned")) & (F.col("send_count") == 1)
    once = history.values.filter(there & (first == last) & ~F.col("reused")).withColumn("o", first)
    placed = F.col("acknowledged") & (answered | ~F.col("transactional"))
    once = once.withColumn("at", F.when(placed, F.col("at")).otherwise(F.lit(1 << 62)))
    # Among the records at no smaller offset, the one that was acknowledged first: itself, if nothing is wrong.
    above = Window.partitionBy("run", "log").orderBy(F.col("o").desc())
    rows = once.select("run", "log", "v", "o", "op", F.min(F.struct("at", "op", "v", "o")).over(above).alias("before"))
    return witness(
        rows.filter(F.col("before.at") < F.col("op")),
        ["before.op", "op"],
        ["before.v", "v"],
        ["before.o", "o"],
    )


def same_id_interleave(history: HistoryTables) -> DataFrame:
    """Records of a later transaction of a transactional id are before those of its earlier one. Definite."""
    once = history.values.filter((F.col("send_count") == 1) & ~F.col("reused")).select(*VALUE)
    sends = history.sends.filter(F.col("tid").isNotNull() & F.col("transactional") & F.col("accepted"))
    units = sends.join(once, list(VALUE)).groupBy("run", "tid", "log", "unit").agg(F.min("o").alias("first"), F.max("o").alias("last"))
    order = Window.partitionBy("run", "tid", "log").orderBy("unit")
    rows = units.select("*", F.lag("last").over(order).alias("before"), F.lag("unit").over(order).alias("earlier"))
    return witness(rows.filter(F.col("before") >= F.col("first")), ["earlier", "unit"], None, ["before", "first"])


def nonmonotonic_send(history: HistoryTables) -> DataFrame:
    """A producer's operation put its record before that of the producer's previous operation. Definite."""
    return witness(history.suspected("sent-before"), ["before.op", "op"], ["before.v", "v"])


def int_nonmonotonic_send(history: HistoryTables) -> DataFrame:
    """Within one operation a later record is before an earlier one. Definite."""
    return witness(history.suspected("sent-back"), ["op"], ["previous_v", "v"])


def int_send_skip(history: HistoryTables) -> DataFrame:
    """Another producer's record is between the records of one operation. Allowed: no system promises isolation of writes."""
    return witness(history.suspected("sent-apart"), ["op"], ["previous_v", "v"])


ANOMALIES = (
    Anomaly(
        "inconsistent-offsets",
        "an offset names one immutable record",
        "KIP-98; Jepsen",
        inconsistent_offsets,
        frozenset(),
        "offset {offsets} of {log} holds different values: {values}",
        shows=frozenset({"contested"}),
    ),
    Anomaly(
        "duplicate",
        "a record is in the log once",
        "KIP-98, idempotent producer; Jepsen",
        duplicate,
        frozenset(),
        "{values} is in {log} more than once, at offsets {offsets}",
        shows=frozenset({"twice"}),
    ),
    Anomaly(
        "spurious-offset",
        "an acknowledgement tells where the record is",
        "KIP-98; Jepsen on Bufstream",
        spurious_offset,
        _MOVED | _READ,
        "{values} was acknowledged at one offset of {log} and read at another: {offsets}",
        shows=frozenset({"misplaced"}),
    ),
    Anomaly(
        "phantom-read",
        "what is read was sent",
        "integrity",
        phantom_read,
        _READ,
        "{values}, which nobody sent to {log}, was read at offset {offsets}",
        absence=True,
        shows=frozenset({"never-sent"}),
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
        _MOVED | {"named"},
        "a later transaction of one transactional id stands before the end of an earlier one in {log}: offsets {offsets}",
    ),
    Anomaly(
        "nonmonotonic-send",
        "a producer's records keep their order",
        "KIP-98; Jepsen",
        nonmonotonic_send,
        _MOVED,
        "of {values} in {log} the second was sent later and stands no later",
        shows=frozenset({"sent-before"}),
    ),
    Anomaly(
        "int-nonmonotonic-send",
        "a producer's records keep their order",
        "KIP-98; Jepsen",
        int_nonmonotonic_send,
        _MOVED,
        "of {values} in {log}, sent by one operation, the second stands no later",
        shows=frozenset({"sent-back"}),
    ),
    Anomaly(
        "int-send-skip",
        "none: write isolation is not promised",
        "Jepsen",
        int_send_skip,
        _MOVED,
        "between {values} in {log}, sent by one operation, stands another record",
        allowed=True,
        shows=frozenset({"sent-apart"}),
    ),
)
