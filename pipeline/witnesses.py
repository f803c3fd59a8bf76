"""Witnesses in words: who wrote what, when, and who saw it.

Only the few witnesses that are shown are fetched with their operations; all of them stand in the results folder.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F

from .anomalies import ANOMALIES, Anomaly
from .tables import Tables

_LONG = 60
_MANY = 6
_MOST_RECORDS = 200
_OUTCOMES = {"ok": "acknowledged", "fail": "refused", "info": "outcome not known"}


@dataclass(frozen=True)
class WitnessedAct:
    """An operation of a witness's story. `began` and `ended` are its events' numbers, the recorder's order; `at_ns` is when it began, since
    the beginning of the history, if that was recorded.
    """

    who: str
    f: str
    began: int
    ended: int
    at_ns: int | None
    outcome: str
    moved: tuple[str, ...]

    def __str__(self) -> str:
        what = "; ".join(self.moved) or self.f
        return f"{self.who} {what} ({self.f}, {self.outcome}, event {self.began}{'' if self.at_ns is None else f' at {_time(self.at_ns)}'})"


@dataclass(frozen=True)
class RankedWitness:
    """A witness with its story. `rank` is its number of that anomaly in that run, `place` its number in all runs, both from 1.

    `layout` is a picture (SVG) of the topic's layout over time, where it is about a segment of one.
    """

    anomaly: Anomaly
    run: str
    rank: int
    place: int
    definite: bool
    claim: str
    acts: tuple[WitnessedAct, ...]
    layout: str | None = None

    def __str__(self) -> str:
        return ". ".join([f"{self.run}: {self.claim}", *map(str, self.acts)])


def ranked(witnesses: DataFrame, most: int) -> DataFrame:
    """At most so many witnesses of an anomaly in a run, definite ones first: `rank` counts them there, and `place` over all runs."""
    order = (F.col("definite").desc(), "run", "log", "values", "ops")
    in_run, in_all = (Window.partitionBy(*apart).orderBy(*order) for apart in (("anomaly", "run"), ("anomaly",)))
    rows = witnesses.withColumn("rank", F.row_number().over(in_run)).filter(F.col("rank") <= most)
    return rows.coalesce(1).withColumn("place", F.row_number().over(in_all))


def shown(witnesses: Sequence[Row], tables: Tables) -> list[RankedWitness]:
    """The stories of these ranked witnesses, in order: their operations, and those that moved a value which they name."""
    moving = _moving(witnesses, tables)
    rows = sorted(witnesses, key=lambda row: (row.anomaly, row.place))
    reported = [sorted({*row.ops, *_named(row, moving)}) for row in rows]
    wanted = {(row.run, op) for row, those in zip(rows, reported, strict=True) for op in those}
    those = _among("run", {run for run, _ in wanted}) & _among("op", {op for _, op in wanted})
    of_op = _rows(tables.few("ops", ["run", "op", "at", "t0", "process", "client", "f", "ty", "open"], those))
    by_op = {(row.run, row.op): row for row in of_op if (row.run, row.op) in wanted}
    columns = {name: ds.field(name) for name in ("run", "op", "mop", "log", "v", "o")}
    columns |= {"m": ds.field("kind"), "mkey": ds.field("rare", "mkey")}
    of_record = _rows(tables.few("records", columns, those & (ds.field("mop") < _MOST_RECORDS)))
    moved: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in sorted(of_record, key=lambda row: row.mop):
        moved[row.run, row.op].append(row)
    return [
        _shown(row, [(by_op[row.run, op], moved[row.run, op]) for op in those if (row.run, op) in by_op])
        for row, those in zip(rows, reported, strict=True)
    ]


_Moving = dict[tuple[str, str, str], list[tuple[int, int | None]]]


def _moving(witnesses: Sequence[Row], tables: Tables) -> _Moving:
    """For each log and value that these witnesses name, the operations that moved it: at each offset the first that sent or read it."""
    wanted = {(row.run, row.log, v) for row in witnesses if row.log is not None for v in row["values"]}
    those = _among("kind", ("send", "recv"))
    for place, name in enumerate(("run", "log", "v")):
        those &= _among(name, {one[place] for one in wanted})
    first: dict[tuple[str, str, str, str, int | None], int] = {}
    for row in _rows(tables.few("records", ["run", "log", "v", "kind", "o", "op"], those)):
        if (row.run, row.log, row.v) in wanted:
            key = (row.run, row.log, row.v, row.kind, row.o)
            first[key] = min(row.op, first.get(key, row.op))
    found: _Moving = defaultdict(list)
    for (run, log, v, _, o), op in sorted(first.items(), key=lambda one: one[1]):
        found[run, log, v].append((op, o))
    return found


def _among(name: str, values: Iterable[object]) -> ds.Expression:
    wanted = list(values)
    # A set without members has no type, and would not fit the column.
    return ds.field(name).isin(wanted) if wanted else ds.scalar(False)


def _rows(tables: Iterable[pa.Table]) -> Iterator[Row]:
    return (Row(**row) for table in tables for row in table.to_pylist())


def _named(row: Row, moving: _Moving) -> list[int]:
    """The operations that moved what this witness names: its values, at its offsets where it has any."""
    places = [place for v in row["values"] for place in moving.get((row.run, row.log, v), ())]
    return [op for op, o in places if not row.offsets or o is None or o in row.offsets][:_MANY]


def _shown(row: Row, ops: Sequence[tuple[Row, Sequence[Row]]]) -> RankedWitness:
    anomaly = next(anomaly for anomaly in ANOMALIES if anomaly.name == row.anomaly)
    offsets = " and ".join(map(str, row.offsets)) or "not known"
    claim = anomaly.says.format(values=_quoted(row["values"]) or "the records", offsets=offsets, log=row.log or "its log")
    claim += f" ({row.detail})" if row.detail else ""
    return RankedWitness(
        anomaly,
        row.run,
        row["rank"],
        row.place,
        row.definite,
        claim,
        tuple(_act(op, mops, set(row["values"]), row.log) for op, mops in ops),
    )


def _act(op: Row, mops: Sequence[Row], values: set[str], log: str | None) -> WitnessedAct:
    """An operation, shown by those of its records that the witness is about, if any."""
    moved = [mop for mop in mops if mop.log == log and (not values or mop.v in values)] or mops
    words = [_in_words(mop) for mop in moved]
    more = [f"and {len(words) - _MANY} more"] if len(words) > _MANY else []
    who = op.client if op.client else "control" if op.process is None else f"process {op.process}"
    outcome = "never completed" if op.open else _OUTCOMES[op.ty]
    return WitnessedAct(who, op.f, op.op, op.at, op.t0, outcome, (*words[:_MANY], *more))


def _in_words(mop: Row) -> str:
    place = mop.log if mop.o is None else f"{mop.log}@{mop.o}"
    match mop.m:
        case "send":
            return f"sent {_quoted([mop.v or 'nothing'])}{_of_key(mop)} to {place}"
        case "recv":
            return f"read {_quoted([mop.v or 'nothing'])}{_of_key(mop)} from {place}"
        case "assign" | "subscribe":
            return f"was assigned {place}"
        case "position":
            return f"saw position {place}"
        case "ack_ind" | "ack_cum":
            return f"acknowledged {'all up to ' if mop.m == 'ack_cum' else ''}{place}"
        case _:
            return f"{mop.m} {place}"


def _of_key(mop: Row) -> str:
    return "" if mop.mkey is None else f" of key {_quoted([mop.mkey])}"


def _time(ns: int) -> str:
    """A time in the unit in which it has up to three digits before the point."""
    for unit, size in (("s", 10**9), ("ms", 10**6), ("µs", 10**3)):
        if abs(ns) >= size:
            return f"{ns / size:.3f} {unit}"
    return f"{ns} ns"


def _quoted(values: Sequence[str]) -> str:
    shown_values = [value if len(value) <= _LONG else value[:_LONG] + "..." for value in values[:_MANY]]
    return ", ".join(shown_values) + (f" and {len(values) - _MANY} more" if len(values) > _MANY else "")
