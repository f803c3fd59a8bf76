"""What many plans need and only one pass computes.

* `present`: what a history has at all, in words. A plan that reads something else has nothing to find, and is not even made: planning
  costs more than running where histories are small.
* `values`: one row for each value of a log (`value_rows`).
* `noticed`: the records that are not as a sound history's (`neighbours`); everything else about single records is sound.
* `logs`: how far each log was read.
* `gaps`: values that one poll of a log jumped over: it has a record before the value's rank and one after it, but not the value.

`followed` runs are those whose consumers have positions (assign or subscribe to logs, final_read, or so says the recorder): only
there is it a fault to read on behind an unread record, since a bare fetch may begin anywhere.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import RLock

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from . import local, neighbours
from .tables import UNKNOWN, Tables
from .value_rows import FLAWS, VALUE, values

__all__ = ["VALUE", "HistoryTables"]

_WIDEST_GAP = 10_000
_RARE = {
    "grouped": "grp is not null",
    "keyed": "mkey is not null",
    "numbered": "seq is not null and pid >= 0",
    "named": "tid is not null",
    "doubtful": f"oc = {UNKNOWN}",
}


class HistoryTables:
    """The tables of a check, and what is derived from them."""

    def __init__(self, tables: Tables, infer_ww: bool = False, infer_rw: bool = False) -> None:
        self.tables = tables
        self.infer_ww, self.infer_rw = infer_ww, infer_rw
        self._once: dict[str, DataFrame] = {}
        self._making = RLock()

    def once(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """What several plans of a family read, made once, for the first of them."""
        with self._making:
            if name not in self._once:
                self._once[name] = make().persist()
            return self._once[name]

    @property
    def ops(self) -> DataFrame:
        return self.tables.ops

    def of(self, *kinds: str) -> DataFrame:
        return self.tables.of(*kinds)

    @cached_property
    def runs(self) -> dict[str, int]:
        """How many operations each run has."""
        return {row.run: row.operations for row in self._runs}

    @cached_property
    def records(self) -> int:
        """How many records there are."""
        return sum(row.records for row in self._kinds)

    @cached_property
    def damaged(self) -> list[str]:
        """The runs of files with something unreadable: there, a missing record proves nothing."""
        damaged = self.tables.damaged
        return [] if damaged is None else [row.run for row in damaged.collect()]

    @cached_property
    def present(self) -> frozenset[str]:
        """What the history has at all: kinds of records and functions of operations, and in words what few histories have."""
        functions = {f for row in self._runs for f in row.functions}
        words = {word for word in _RARE if any(row[word] for row in self._kinds)}
        followed = {"followed"} if any(row.followed for row in self._runs) else set()
        return frozenset({row.kind for row in self._kinds} | functions | words | followed)

    @cached_property
    def suspicious(self) -> frozenset[str]:
        """Which suspicions the records have at all, and which flaws their values. Inferred edges may all go backward."""
        if not self.present & {"send", "recv"}:
            return frozenset()
        inferred = {"backward"} if self.infer_ww or self.infer_rw else set()
        return _shown(self.noticed, neighbours.SUSPICIONS) | _shown(self.values, FLAWS) | inferred

    @property
    def values(self) -> DataFrame:
        return self.once("values", lambda: values(self.tables.records, self.present))

    @property
    def noticed(self) -> DataFrame:
        return self.once("noticed", lambda: neighbours.noticed(self.tables.records, self.values))

    def suspected(self, name: str) -> DataFrame:
        """The records of one suspicion."""
        return self.noticed.filter(neighbours.SUSPICIONS[name])

    def in_sequence(self, polled: DataFrame, op: str = "op") -> DataFrame:
        """These records of polls (`op`), except those of subscriptions that acknowledge messages one by one (`ack_ind`): such messages are
        delivered one by one as well, to any consumer, and redelivered alone.
        """
        if "ack_ind" not in self.present:
            return polled
        handed_out = self.once("handed-out", self._handed_out).withColumnRenamed("op", op)
        return polled.join(F.broadcast(handed_out), ["run", op, "log"], "left_anti")

    def _handed_out(self) -> DataFrame:
        """The operations of such subscriptions, with the logs."""
        queues = self.of("ack_ind").select("run", "grp", "log").distinct()
        grouped = self.ops.filter("grp.id is not null").select("run", "op", F.col("grp.id").alias("grp"))
        return grouped.join(queues, ["run", "grp"]).select("run", "op", "log")

    @property
    def sends(self) -> DataFrame:
        """Records that were sent. A broker `accepted` one if it was acknowledged, or a poll returned it whatever the answer was; `o` is as
        the acknowledgement has it, else where readers found the record.
        """
        return self.once("sends", self._sends)

    def _sends(self) -> DataFrame:
        place = F.when(F.col("first_offset") == F.col("last_offset"), F.col("first_offset"))
        once = self.values.filter("sent and send_count = 1 and not reused").select(
            *VALUE, F.col("returned").alias("shown"), place.alias("place")
        )
        rows = self.of("send").join(once.hint("merge"), list(VALUE), "left")
        rows = rows.withColumn("accepted", (F.col("ty") == "ok") | F.coalesce("shown", F.lit(False)))
        return rows.withColumn("o", F.coalesce("o", "place")).drop("shown", "place")

    def flawed(self, name: str) -> DataFrame:
        """The values of one flaw."""
        return self.values.filter(FLAWS[name])

    @cached_property
    def offsets(self) -> DataFrame:
        """Which values stand at an offset that has several."""
        return self.flawed("contested").select(*VALUE, "reused", F.explode("offsets").alias("o"))

    @cached_property
    def followed(self) -> DataFrame:
        return F.broadcast(local.table(self.tables.spark, "run string", [(row.run,) for row in self._runs if row.followed]))

    @cached_property
    def reads(self) -> DataFrame:
        placed = self.values.select(*VALUE, F.when(~F.col("reused"), F.col("last_rank")).alias("rank"))
        return self.of("recv").join(placed.hint("merge"), list(VALUE), "left")

    @property
    def ends(self) -> DataFrame:
        """When a commit or abort of each unit was first acknowledged (`ended`): until then, it may take effect at any time."""
        ends = self.ops.filter(F.col("f").isin("commit", "abort") & (F.col("ty") == "ok"))
        return ends.groupBy("run", "unit").agg(F.min("at").alias("ended"))

    @property
    def final_reads(self) -> DataFrame:
        """When the last `final_read` of a run began (`final`), for each run that has one."""
        reads = self.ops.filter((F.col("f") == "final_read") & (F.col("ty") == "ok"))
        return F.broadcast(reads.groupBy("run").agg(F.max("op").alias("final")))

    @property
    def logs(self) -> DataFrame:
        """For each log the last rank that was read (`bound`), its offset, and the first offset of what is committed and unread."""
        return F.broadcast(self.once("logs", self._logs))

    @property
    def gaps(self) -> DataFrame:
        return self.once("gaps", self._gaps)

    def _logs(self) -> DataFrame:
        unread = F.col("acknowledged") & F.col("known_committed") & ~F.col("read")
        return self.values.groupBy("run", "log").agg(
            F.max(F.when(F.col("read"), F.col("first_rank"))).alias("bound"),
            F.max(F.when(F.col("read"), F.col("last_offset"))).alias("read_to"),
            F.min(F.when(unread, F.col("first_offset"))).alias("from_o"),
        )

    def _gaps(self) -> DataFrame:
        last = F.least(F.col("rank") - 1, F.col("previous_rank") + _WIDEST_GAP)
        missed = self.in_sequence(self.suspected("jumped")).select(
            "run", "log", "op", "iso", "ty", F.explode(F.sequence(F.col("previous_rank") + 1, last)).alias("last_rank")
        )
        sure = self.values.filter(~F.col("reused") & F.col("known_committed"))
        sure = sure.withColumnsRenamed({"op": "w_op", "at": "w_at", "unit": "w_unit"})
        names = ("v", "first_offset", "sent", "read", "reused", "transactional", "first_read_at", "first_read_op", "w_op", "w_unit")
        return missed.join(sure.select("run", "log", "last_rank", *names).hint("merge"), ["run", "log", "last_rank"])

    @property
    def _runs(self) -> list[Row]:
        return self._looked[0]

    @property
    def _kinds(self) -> list[Row]:
        return self._looked[1]

    @cached_property
    def _looked(self) -> tuple[list[Row], list[Row]]:
        """One pass over all operations, run by run, and concurrently one over all records, kind by kind."""
        keeps = F.coalesce(F.col("ctl").getItem("positions") == "kept", F.lit(False))
        assigned = F.col("f").isin("assign", "subscribe") & F.col("first").isNotNull()
        follows = assigned | (F.col("f") == "final_read") | keeps
        runs = self.ops.groupBy("run").agg(
            F.count("*").alias("operations"),
            F.collect_set("f").alias("functions"),
            F.coalesce(F.max(follows), F.lit(False)).alias("followed"),
        )
        kinds = self.tables.records.groupBy("kind").agg(
            F.count("*").alias("records"),
            *(F.max(F.expr(f"coalesce({which}, false)")).alias(word) for word, which in _RARE.items()),
        )
        with ThreadPoolExecutor(1) as beside:
            looking = beside.submit(kinds.collect)
            return runs.collect(), looking.result()


def _shown(rows: DataFrame, conditions: Mapping[str, str]) -> frozenset[str]:
    """Which of these conditions hold for any row."""
    found = rows.agg(*(F.max(F.expr(f"coalesce({condition}, false)")).alias(name) for name, condition in conditions.items())).first()
    return frozenset(name for name in conditions if found and found[name])
