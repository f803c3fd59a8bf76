"""The outcome of a transaction decides what a careful reader sees: committed data for ever, and nothing else.

A careful reader reads committed data only; the polls of a reader of everything prove nothing here.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from fencepost.pipeline.derived import VALUE, HistoryTables

from .anomaly import Anomaly, witness

_BOTH = frozenset({"send", "recv"})
_FOLLOWED = frozenset({"send", "recv", "followed"})
_BUCKET = 4096


def aborted_read(history: HistoryTables) -> DataFrame:
    """G1a: a poll that succeeded returned an aborted record. Definite, unless different records have that value."""
    return _aborted(history, "aborted")


def aborted_read_unacknowledged(history: HistoryTables) -> DataFrame:
    """The same in a poll that failed, or whose outcome is unknown: it had handed over its records all the same. Definite."""
    return _aborted(history, "aborted-unacknowledged")


def _aborted(history: HistoryTables, which: str) -> DataFrame:
    return witness(history.suspected(which), ["w_op", "op"], ["v"], ["o"], definite=~F.col("reused"))


def precommitted_read(history: HistoryTables) -> DataFrame:
    """A transaction polled a record that it had sent itself. Definite."""
    return witness(history.suspected("own"), ["op"], ["v"], ["o"], definite=~F.col("reused"))


def early_read(history: HistoryTables) -> DataFrame:
    """A poll ended before a client asked for the end of the record's transaction. Definite: neither a later commit nor a failure of the
    poll, which had handed over its records all the same, excuses it.
    """
    return witness(history.suspected("early"), ["w_op", "op", "w_end_op"], ["v"], ["o"], definite=~F.col("reused"))


def lso_violation(history: HistoryTables) -> DataFrame:
    """A poll returned a record behind the first one of a transaction that was open from before the poll until after it. Definite, also if
    the poll failed later.
    """
    sends = history.sends.filter(
        F.col("transactional") & (F.col("f") != "txn") & (F.col("ty") == "ok") & F.col("o").isNotNull() & ~F.col("by_hand")
    )
    held = sends.groupBy("run", "log", "unit").agg(F.min("at").alias("since"), F.min_by("op", "o").alias("w_op"), F.min("o").alias("first"))
    held = held.join(_open_until(history), ["run", "unit"]).filter(F.col("since") < F.col("until"))
    slots = F.sequence(F.floor(F.col("since") / _BUCKET), F.floor(F.col("until") / _BUCKET))
    held = held.select("run", "log", "unit", "since", "until", "first", "w_op", F.explode(slots).alias("slot"))
    polls = history.of("recv").filter("iso != 'ru'")
    polls = polls.groupBy("run", "log", "op").agg(F.first("at").alias("at"), F.max("o").alias("o"), F.max_by("v", "o").alias("v"))
    polls = polls.withColumn("slot", F.floor(F.col("op") / _BUCKET))
    rows = polls.join(held, ["run", "log", "slot"]).filter(
        (F.col("since") < F.col("op")) & (F.col("at") < F.col("until")) & (F.col("o") > F.col("first")) & (F.col("unit") != F.col("op"))
    )
    return witness(rows, ["w_op", "op"], ["v"], ["first", "o"])


def _open_until(history: HistoryTables) -> DataFrame:
    """Until when units were certainly open.

    Only an end that succeeded shows that the transaction was still open: any other may have timed out long before. So may one whose abort
    succeeds, where no epoch fences: a repeated abort is valid. A metadata store has the decision itself, and there a
    transaction that begins and has no end is open until the history ends.
    """
    recorded = F.col("ctl").getItem("record").isNotNull()
    ends = (F.col("f") == "commit") | ((F.col("f") == "abort") & (F.col("tx.epoch").isNotNull() | recorded))
    ended = history.ops.filter(ends & (F.col("ty") == "ok") & (F.col("op") == F.col("end_op")))
    ended = ended.select("run", "unit", F.col("op").alias("until"))
    if "begin" not in history.present:
        return ended
    begun = history.ops.filter((F.col("f") == "begin") & (F.col("ty") == "ok") & recorded & F.col("end_op").isNull()).select("run", "unit")
    last = history.ops.groupBy("run").agg(F.max("at").alias("last"))
    return ended.unionByName(begun.join(F.broadcast(last), "run").select("run", "unit", (F.col("last") + 1).alias("until")))


def lost_write(history: HistoryTables) -> DataFrame:
    """A committed record was never read, though later records of its log were, by consumers with positions or by one poll. Definite."""
    rows = history.flawed("unread").join(history.logs, ["run", "log"])
    rows = (
        rows.filter(F.col("last_rank") <= F.col("bound"))
        .join(history.followed, "run")
        .select("run", "log", "v", "first_offset", "op", "reused")
    )
    if "jumped" in history.suspicious:
        jumped = history.gaps.filter(F.col("sent") & ~F.col("read")).join(history.followed, "run", "left_anti")
        jumped = jumped.select("run", "log", "v", "first_offset", F.col("w_op").alias("op"), "reused").drop_duplicates(list(VALUE))
        rows = rows.unionByName(jumped)
    return witness(rows, ["op"], ["v"], ["first_offset"], definite=~F.col("reused"))


def unseen(history: HistoryTables) -> DataFrame:
    """Acknowledged records that no poll ever returned. Definite for those whose unit had ended before the last `final_read` of the run
    began; else possible: they may be lost, or not yet delivered.
    """
    missing = history.flawed("unseen").join(history.followed, "run")
    missing = missing.join(history.ends, ["run", "unit"], "left").join(history.final_reads, "run", "left")
    ended_at = F.when(F.col("transactional") & (F.col("end_op") != F.col("op")), F.col("ended")).otherwise(F.col("at"))
    missing = missing.withColumn("sure", F.coalesce(ended_at < F.col("final"), F.lit(False)))
    reported = missing.withColumn("known", F.max("sure").over(Window.partitionBy("run", "log"))).filter(F.col("sure") == F.col("known"))
    rows = reported.groupBy("run", "log", "known").agg(
        F.array_sort(F.collect_list("v")).alias("vs"), F.array_sort(F.collect_list("op")).alias("ops")
    )
    return witness(rows.withColumn("op", F.element_at("ops", 1)), ["op"], F.col("vs"), None, definite=F.col("known"))


def stuck_lso(history: HistoryTables) -> DataFrame:
    """The unread records begin at a transaction that ended without a commit, and nothing behind it was read. Possible."""
    held = history.flawed("withheld").groupBy("run", "log", "unit").agg(F.min("first_sent_offset").alias("first"), F.min("op").alias("op"))
    rows = held.join(history.logs, ["run", "log"]).join(history.followed, "run")
    rows = rows.filter((F.col("first") < F.col("from_o")) & (F.coalesce("read_to", F.lit(-1)) < F.col("first")))
    return witness(rows, ["op"], None, ["first", "from_o"], definite=False)


def visibility_flip(history: HistoryTables) -> DataFrame:
    """A record had been read, and a later poll skipped it. Definite."""
    rows = history.gaps.filter((F.col("iso") != "ru") & (F.col("ty") == "ok") & (F.col("first_read_at") < F.col("op")))
    return witness(rows, ["w_op", F.col("first_read_op"), "op"], ["v"], ["first_offset"])


def outcome_flip(history: HistoryTables) -> DataFrame:
    """One transaction was reported as committed, and as aborted. Definite.

    Where transactions have no epochs, each has its own name, and every two ends that succeeded are compared. Where a client's epoch
    stays over transactions, the name stays too: then only ends between which the client asked nothing else count, for it may have
    announced another transaction. An abort that raises the epoch, after a commit that did not, ends nothing: KIP-890 lets a client of
    EndTxn v5 abort when no transaction is open.
    """
    named = F.col("txn_id").isNotNull() & (F.col("f") != "init_txn")
    steps = history.ops.filter(F.col("txn_id").isNotNull() | (F.col("f") == "probe"))
    others = F.count_if(F.col("f") == "probe").over(Window.partitionBy("run", "client").orderBy("op"))
    steps = steps.withColumn("others", others).filter(named)
    is_end, of_its_own = F.col("f").isin("commit", "abort") & (F.col("ty") == "ok"), F.col("tx.epoch").isNull()
    steps = steps.filter(is_end | ~of_its_own).withColumn("is_end", is_end)
    steps = steps.withColumn("after", F.col("ctl").getItem("producer_epoch").cast("long"))
    name = Window.partitionBy("run", "txn_id").orderBy("op")
    for column in ("f", "is_end", "op", "others", "after"):
        steps = steps.withColumn(f"previous_{column}", F.lag(column).over(name))
    fenced = F.col("previous_after") > F.col("tx.epoch")
    of_nothing = (F.col("f") == "abort") & F.coalesce(F.col("after") > F.col("tx.epoch"), F.lit(False)) & ~F.coalesce(fenced, F.lit(False))
    same = of_its_own | fenced | ((F.col("others") == F.col("previous_others")) & ~of_nothing)
    rows = steps.filter(F.col("is_end") & F.col("previous_is_end") & (F.col("f") != F.col("previous_f")) & same)
    return witness(rows, ["previous_op", "op"], None, None)


ANOMALIES = (
    Anomaly(
        "G1a",
        "aborted data is never read",
        "KIP-98, Pulsar's transaction guarantee; Jepsen",
        aborted_read,
        _BOTH,
        "{values}, which was aborted, was read from {log} at offset {offsets}",
        shows=frozenset({"aborted"}),
    ),
    Anomaly(
        "G1a-unacknowledged",
        "aborted data is never handed over",
        "KIP-98",
        aborted_read_unacknowledged,
        _BOTH,
        "{values}, which was aborted, was handed over from {log} at offset {offsets} to a poll that then failed",
        shows=frozenset({"aborted-unacknowledged"}),
    ),
    Anomaly(
        "precommitted-read",
        "uncommitted data is never read",
        "KIP-98; Jepsen",
        precommitted_read,
        _BOTH,
        "a transaction read {values}, which it had itself sent to {log} and not yet committed",
        shows=frozenset({"own"}),
    ),
    Anomaly(
        "early-read",
        "uncommitted data is never read",
        "KIP-98, Pulsar's transaction guarantee",
        early_read,
        _BOTH,
        "{values} was read from {log} before its transaction was asked to end",
        shows=frozenset({"early"}),
    ),
    Anomaly(
        "lso-violation",
        "nothing behind an open transaction is read",
        "KIP-98, KIP-664, PIP-473",
        lso_violation,
        _BOTH,
        "{values} was read from {log} behind an open transaction: its first record and the one that was read are at {offsets}",
        any_of=frozenset({"begin", "commit", "abort"}),
    ),
    Anomaly(
        "lost-write",
        "what was committed is durable",
        "KIP-98, acks=all; Jepsen",
        lost_write,
        _BOTH,
        "{values} was committed to {log} and never read, though later records were",
        absence=True,
        shows=frozenset({"unread"}),
    ),
    Anomaly(
        "unseen",
        "what was committed is delivered",
        "liveness; Jepsen",
        unseen,
        _FOLLOWED,
        "no poll of {log} ever returned {values}",
        absence=True,
        shows=frozenset({"unseen"}),
    ),
    Anomaly(
        "stuck-lso",
        "an ended transaction holds nobody up",
        "KIP-664, KIP-890",
        stuck_lso,
        _FOLLOWED,
        "nothing of {log} was read from a transaction on that did not commit: offsets {offsets}",
        absence=True,
        shows=frozenset({"withheld", "unread"}),
    ),
    Anomaly(
        "visibility-flip",
        "what was read stays readable",
        "KIP-98, PIP-473",
        visibility_flip,
        _BOTH,
        "{values} of {log} had been read, and a later poll jumped over it",
        absence=True,
        shows=frozenset({"jumped"}),
    ),
    Anomaly(
        "outcome-flip",
        "the end of a transaction is final",
        "KIP-98, PIP-473",
        outcome_flip,
        frozenset({"commit", "abort"}),
        "one transaction was reported as committed and as aborted",
    ),
)
