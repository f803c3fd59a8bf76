"""The layouts of the topics that witnesses are about, drawn from the tables of a check: `layouts` does it, from what is fetched here."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Row
from pyspark.sql import functions as F

from . import local
from .layouts.picture import drawn
from .layouts.story import Happening, Moved, changed_topic, story
from .tables import Tables
from .witnesses import Shown

_CONTROL = ("create", "split", "merge", "terminate", "prune")
_ENDS = ("begin", "commit", "abort")
_MOST_RECORDS = 1000


def with_layouts(shown: Sequence[Shown], witnesses: Sequence[Row], tables: Tables) -> list[Shown]:
    """The same witnesses, in their order; with the layout over time where a witness is about a segment of a topic that changed."""
    about = {(row.run, row.anomaly, row["rank"]): row for row in witnesses if row.log is not None}
    controlled = _controlled(tables, {row.run for row in about.values()})
    return [_with_layout(one, about.get((one.run, one.anomaly.name, one.rank)), controlled, tables) for one in shown]


def _with_layout(shown: Shown, row: Row | None, controlled: dict[str, list[Happening]], tables: Tables) -> Shown:
    topic = None if row is None else changed_topic(controlled.get(row.run, ()), row.log)
    if row is None or topic is None:
        return shown
    told = story([*controlled[row.run], *_moved(tables, row)], topic, set(row.ops))
    return replace(shown, layout=drawn(told)) if told is not None else shown


def _controlled(tables: Tables, runs: set[str]) -> dict[str, list[Happening]]:
    """What was done to segments, and how transactions ended, in each of these runs in which a layout changed."""
    found: defaultdict[str, list[Happening]] = defaultdict(list)
    if not runs:
        return found
    wanted = F.broadcast(local.table(tables.spark, "run string", [(run,) for run in sorted(runs)]))
    rows = tables.ops.join(wanted, "run").filter(F.col("f").isin(*_CONTROL)).select(*_OF_OPS).collect()
    for row in rows:
        found[row.run].append(_happening(row))
    return found


def _moved(tables: Tables, witness: Row) -> list[Happening]:
    """The run's records of logs, as many as can be drawn, and its transactions; the witness's own are all there."""
    records = tables.records.filter((F.col("run") == witness.run) & F.col("kind").isin("send", "recv"))
    first = records.orderBy(~F.col("op").isin(*witness.ops), "op", "mop").limit(_MOST_RECORDS).select("op", "kind", "log", "v", "hash")
    moved: defaultdict[int, list[Moved]] = defaultdict(list)
    for row in first.collect():
        moved[row.op].append(Moved(row.kind, row.log, row.v or "nothing", row.hash))
    wanted = local.table(tables.spark, "op long", [(op,) for op in sorted(moved)])
    of_run = tables.ops.filter(F.col("run") == witness.run)
    rows = of_run.join(F.broadcast(wanted), "op").unionByName(of_run.filter(F.col("f").isin(*_ENDS))).select(*_OF_OPS)
    return [_happening(row, tuple(moved.get(row.op, ()))) for row in rows.collect()]


_OF_OPS = ("run", "op", "at", "client", "f", "ty", "open", "txn_id", "ctl")


def _happening(row: Row, moved: tuple[Moved, ...] = ()) -> Happening:
    who = row.client or "control"
    return Happening(row.op, None if row.open else row.at, who, row.f, row.ty, row.txn_id, dict(row.ctl or {}), moved)
