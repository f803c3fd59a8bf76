"""The layouts of the topics that witnesses are about, drawn by `layouts` from the tables of a check; this module fetches the rows."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyspark.sql import Row

from .layouts.layout_picture import drawn
from .layouts.story import Happening, StoryMove, changed_topic, story
from .tables import Tables
from .witnesses import RankedWitness

_CONTROL = ("create", "split", "merge", "terminate", "prune")
_ENDS = ("begin", "commit", "abort")
_MOST_RECORDS = 1000


def with_layouts(shown: Sequence[RankedWitness], witnesses: Sequence[Row], tables: Tables) -> list[RankedWitness]:
    """The same witnesses, in their order; with the layout over time where a witness is about a segment of a topic that changed."""
    about = {(row.run, row.anomaly, row["rank"]): row for row in witnesses if row.log is not None}
    controlled = _controlled(tables, {row.run for row in about.values()})
    return [_with_layout(one, about.get((one.run, one.anomaly.name, one.rank)), controlled, tables) for one in shown]


def _with_layout(shown: RankedWitness, row: Row | None, controlled: dict[str, list[Happening]], tables: Tables) -> RankedWitness:
    topic = None if row is None else changed_topic(controlled.get(row.run, ()), row.log)
    if row is None or topic is None:
        return shown
    reported = story([*controlled[row.run], *_moved(tables, row)], topic, set(row.ops))
    return replace(shown, layout=drawn(reported)) if reported is not None else shown


def _controlled(tables: Tables, runs: set[str]) -> dict[str, list[Happening]]:
    """What was done to segments, and how transactions ended, in each of these runs in which a layout changed."""
    found: defaultdict[str, list[Happening]] = defaultdict(list)
    where = ds.field("run").isin(sorted(runs)) & ds.field("f").isin(_CONTROL)
    for row in _operations(tables, where) if runs else ():
        found[row["run"]].append(_happening(row))
    return found


def _moved(tables: Tables, witness: Row) -> list[Happening]:
    """The run's records of logs, as many as can be drawn, and its transactions; the witness's own are all included."""
    of_run = ds.field("run") == witness.run
    columns = {name: ds.field(name) for name in ("op", "mop", "kind", "log", "v")} | {"hash": ds.field("rare", "hash")}
    first: pa.Table | None = None
    for table in tables.few("records", columns, of_run & ds.field("kind").isin(("send", "recv"))):
        others = pc.invert(pc.is_in(table["op"], pa.array(witness.ops, pa.int64())))
        table = table.append_column("other", others.cast(pa.int8()))
        table = table if first is None else pa.concat_tables([first, table])
        first = table.sort_by([("other", "ascending"), ("op", "ascending"), ("mop", "ascending")]).slice(0, _MOST_RECORDS)
    moved: defaultdict[int, list[StoryMove]] = defaultdict(list)
    for row in [] if first is None else first.to_pylist():
        moved[row["op"]].append(StoryMove(row["kind"], row["log"], row["v"] or "nothing", row["hash"]))
    where = of_run & (ds.field("op").isin(sorted(moved)) | ds.field("f").isin(_ENDS))
    return [_happening(row, tuple(moved.get(row["op"], ()))) for row in _operations(tables, where)]


_OF_OPS = ["run", "op", "at", "client", "f", "ty", "open", "txn_id", "ctl"]


def _operations(tables: Tables, where: ds.Expression) -> list[dict[str, Any]]:
    rows = (row for table in tables.few("ops", _OF_OPS, where) for row in table.to_pylist())
    return sorted(rows, key=lambda row: (row["run"], row["op"]))


def _happening(row: dict[str, Any], moved: tuple[StoryMove, ...] = ()) -> Happening:
    who, ended = row["client"] or "control", None if row["open"] else row["at"]
    return Happening(row["op"], ended, who, row["f"], row["ty"], row["txn_id"], dict(row["ctl"] or {}), moved)
