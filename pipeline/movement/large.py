"""Runs that are too large for one task, judged by the same laws, log by log (`laws.history_parts`), from the tables as they are stored.

    each file of records, in parts of whole logs   -> laws of single logs, and facts that may break the others
    the same files again, where any fact asks      -> the facts that belong to it; a sound history has nearly none
    operations, run by run                         -> laws of operations
    facts of all parts, by run                     -> laws that span logs

Whatever a task sends is witnesses, or facts of one kind in an Arrow stream, by the share of them that is judged together. Operations that
every part must know go to all tasks at once.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.laws import history_parts
from fencepost.pipeline.laws.facts import Facts
from fencepost.pipeline.laws.history import History, Inferred
from fencepost.pipeline.laws.history_columns import OPERATIONS, SETTLED
from fencepost.pipeline.laws.judge import judged
from fencepost.pipeline.laws.laws import LAWS
from fencepost.pipeline.laws.witness import Law
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import SCHEMA, FoundWitnesses, counted

from .streams import packed, unpacked

_SENT = f"{SCHEMA}, facts string, share int, stream binary"
_UNITS = "run string, unit long"
_SIZES = "run string, operations long, records long, largest long"
_TEXT, _NUMBER = pa.string(), pa.int64()
_COLUMNS = pa.schema(
    {
        **dict.fromkeys(("run", "log"), _TEXT),
        "values": pa.list_(_TEXT),
        **dict.fromkeys(("offsets", "ops"), pa.list_(_NUMBER)),
        "definite": pa.bool_(),
        **dict.fromkeys(("detail", "anomaly", "facts"), _TEXT),
        "share": pa.int32(),
        "stream": pa.binary(),
    }
)
_UNIT_COLUMNS = pa.schema({"run": _TEXT, "unit": _NUMBER})
_SIZE_COLUMNS = pa.schema({"run": _TEXT, "operations": _NUMBER, "records": _NUMBER, "largest": _NUMBER})
_FILES = "number int, files array<string>"
_OPERATIONS = [*OPERATIONS.names, *SETTLED]
_BUCKET = re.compile(r"_(\d+)\.c\d+\.")
_Batches: TypeAlias = Iterator[pa.RecordBatch]
_Facts: TypeAlias = Iterable[tuple[type[Facts], pa.Table]]


@dataclass(frozen=True)
class JudgingScope:
    """What to judge in large runs: these laws, and whether edges are inferred. In `damaged` runs something could not be read."""

    names: frozenset[str]
    damaged: frozenset[str]
    inferred: Inferred
    most: int
    """How many records a part has, unless a single log has more."""

    def among(self, laws: Iterable[Law]) -> list[Law]:
        """Those of these laws that were asked for."""
        return [law for law in laws if law.anomaly in self.names]

    @property
    def kinds(self) -> list[type[Facts]]:
        """The facts that their laws read."""
        return list(dict.fromkeys(kind for law in self.among(LAWS) for kind in law.reads))


def judge(tables: Tables, runs: Sequence[str], asked: JudgingScope) -> list[FoundWitnesses]:
    """The witnesses of these runs."""
    every = _Large(tables, runs, asked)
    first = every.of_logs().persist()
    found, facts = [first.filter("facts is null")], first.filter("facts is not null")
    if asking := _collected(facts, [kind for kind in asked.kinds if kind.key]):
        facts = facts.union(every.belonging(asking).persist())
    of_operations = [kind for law in asked.among(history_parts.OF_OPERATIONS) for kind in law.reads]
    found.append(every.of_operations(_collected(first, of_operations)))
    if not facts.isEmpty():
        found.append(every.across(facts))
    witnesses = [one.select(*local.columns(SCHEMA).names).persist() for one in found]
    return [FoundWitnesses(one, counted(one)) for one in witnesses]


class _Large:
    """The steps, over the tables of some runs."""

    def __init__(self, tables: Tables, runs: Sequence[str], asked: JudgingScope) -> None:
        self._spark, self._asked, self._runs, self._shares = tables.spark, asked, tuple(runs), max(2, tables.parts)
        self._folder = tables.folder.resolve()
        common, ends, self._concerned = _concerning(self._folder, self._runs)
        self._common = self._spark.sparkContext.broadcast((packed(common), packed(ends)))
        self._shown: tuple[list[str], list[int]] = [], []
        seen = self._tasks(self._shown_units, _UNITS).collect()
        self._shown = [row.run for row in seen], [row.unit for row in seen]

    def of_logs(self) -> DataFrame:
        """The witnesses of single logs, and the facts that ask."""

        def task(files: Sequence[str]) -> _Batches:
            for history in map(self._history, self._parts(files)):
                yield from _witnesses(judged(history, self._asked.among(history_parts.OF_LOGS), self._asked.damaged))
                yield from _sent(history_parts.asking(history, self._asked.kinds), self._shares)

        return self._tasks(task, _SENT)

    def belonging(self, asking: history_parts.Tables) -> DataFrame:
        """The facts that belong to those that ask."""

        def task(files: Sequence[str]) -> _Batches:
            if not history_parts.touched(self._stored(files, history_parts.KEYS), asking):
                return
            for records in self._parts(files):
                if mine := history_parts.touched(records, asking):
                    yield from _sent(history_parts.belonging(self._history(records), mine), self._shares)

        return self._tasks(task, _SENT)

    def of_operations(self, facts: history_parts.Tables) -> DataFrame:
        """The witnesses of laws of operations."""

        def task(runs: Sequence[str]) -> _Batches:
            operations = pa.Table.from_batches(_operations(self._folder, runs, history_parts.of_operations), _schema(self._folder))
            history = history_parts.across(operations, facts, self._asked.inferred)
            yield from _witnesses(judged(history, self._asked.among(history_parts.OF_OPERATIONS), self._asked.damaged))

        groups = [self._concerned[nth :: self._shares] for nth in range(self._shares)]
        return _in_tasks(self._spark, [runs for runs in groups if runs], task, _SENT)

    def across(self, facts: DataFrame) -> DataFrame:
        """The witnesses of laws that read facts of several logs."""

        def task(batches: _Batches) -> _Batches:
            together: dict[int, list[tuple[str, bytes]]] = defaultdict(list)
            for row in (row for batch in batches for row in batch.to_pylist()):
                together[row["share"]].append((row["facts"], row["stream"]))
            every, _ = self._common.value
            for share in together.values():
                history = history_parts.across(unpacked(every), _read(share), self._asked.inferred)
                yield from _witnesses(judged(history, self._asked.among(history_parts.ACROSS), self._asked.damaged))

        moved = facts.select("share", "facts", "stream").repartitionById(self._shares, F.col("share"))
        return moved.mapInArrow(task, _SENT)

    def _shown_units(self, files: Sequence[str]) -> _Batches:
        if history_parts.doubtful(self._stored(files, history_parts.KEYS)):
            for records in self._parts(files):
                runs, units = history_parts.shown(self._history(records))
                yield pa.RecordBatch.from_pydict({"run": runs, "unit": units}, _UNIT_COLUMNS)

    def _history(self, records: pa.Table) -> History:
        every, ends = (unpacked(said) for said in self._common.value)
        return history_parts.of_logs(every, ends, records, self._asked.inferred, self._shown)

    def _parts(self, files: Sequence[str]) -> Iterator[pa.Table]:
        """The records of some whole logs at a time."""
        table = self._stored(files)
        part = _part_of_row(table, self._asked.most)
        for number in range(int(part.max(initial=-1)) + 1):
            yield table.filter(pa.array(part == number)) if part.any() else table

    def _stored(self, files: Sequence[str], columns: list[str] | None = None) -> pa.Table:
        table = pa.concat_tables([pq.read_table(self._folder / "records" / name, columns=columns) for name in files])
        mine = pc.is_in(table["run"], pa.array(self._runs, pa.string()))
        return table if pc.all(mine).as_py() else table.filter(mine)

    def _tasks(self, task: Callable[[Sequence[str]], _Batches], schema: str) -> DataFrame:
        return _in_tasks(self._spark, _of_buckets(self._folder), task, schema)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_spark"}


def sizes(tables: Tables) -> dict[str, tuple[int, int, int]]:
    """For each run how many operations and records it has, and how many of these its largest log has, in all files of its bucket."""
    folder = tables.folder.resolve()

    def task(files: Sequence[str]) -> _Batches:
        is_record = files[0].startswith("records")
        by = ["run", "log"] if is_record else ["run"]
        of_files = [pq.read_table(folder / name, columns=by).group_by(by).aggregate([([], "count_all")]) for name in files]
        counts = pa.concat_tables(of_files).group_by(by).aggregate([("count_all", "sum")]).rename_columns([*by, "rows"])
        for row in counts.group_by("run").aggregate([("rows", "sum"), ("rows", "max")]).to_pylist():
            reported = (0, row["rows_sum"], row["rows_max"]) if is_record else (row["rows_sum"], 0, 0)
            yield pa.RecordBatch.from_pylist([dict(zip(_SIZE_COLUMNS.names, (row["run"], *reported), strict=True))], _SIZE_COLUMNS)

    groups = [*([f"records/{name}" for name in files] for files in _of_buckets(folder)), *([name] for name in _names(folder, "ops"))]
    found: dict[str, tuple[int, int, int]] = {}
    for row in _in_tasks(tables.spark, groups, task, _SIZES).collect():
        before = found.get(row.run, (0, 0, 0))
        found[row.run] = before[0] + row.operations, before[1] + row.records, max(before[2], row.largest)
    return found


def _names(folder: Path, table: str) -> list[str]:
    return sorted(f"{table}/{path.name}" for path in (folder / table).glob("*.parquet"))


def _of_buckets(folder: Path) -> list[list[str]]:
    """The files of records, those of one bucket together."""
    buckets: dict[str, list[str]] = defaultdict(list)
    for path in sorted((folder / "records").glob("*.parquet")):
        found = _BUCKET.search(path.name)
        buckets[found[1] if found else path.name].append(path.name)
    return list(buckets.values())


def _in_tasks(spark: SparkSession, groups: Sequence[Sequence[str]], task: Callable[[Sequence[str]], _Batches], schema: str) -> DataFrame:
    """The results for each of these groups of files or runs, each in a separate task."""

    def of_rows(batches: _Batches) -> _Batches:
        for files in (files for batch in batches for files in batch["files"].to_pylist()):
            yield from task(files)

    rows = local.table(spark, _FILES, enumerate(groups))
    return rows.repartitionById(max(1, len(groups)), F.col("number")).mapInArrow(of_rows, schema)


def _concerning(folder: Path, runs: Sequence[str]) -> tuple[pa.Table, pa.Table, list[str]]:
    """The operations that all parts must know, those of ends, and the runs whose operations may break a law by themselves."""
    common, ends, concerned = [], [], set()
    for batch in _operations(folder, runs, lambda table: np.ones(len(table), np.bool_)):
        table = pa.Table.from_batches([batch])
        common.append(table.filter(pa.array(history_parts.common(table))))
        ends.append(table.filter(pa.array(history_parts.ends(table))))
        concerned.update(table["run"].filter(pa.array(history_parts.of_operations(table))).unique().to_pylist())
    nothing = _schema(folder).empty_table()
    return pa.concat_tables([nothing, *common]), pa.concat_tables([nothing, *ends]), sorted(concerned)


def _operations(folder: Path, runs: Sequence[str], which: Callable[[pa.Table], np.ndarray]) -> Iterator[pa.RecordBatch]:
    wanted = ds.field("run").isin(pa.array(runs, pa.string()))
    for batch in ds.dataset(folder / "ops", format="parquet").to_batches(columns=_OPERATIONS, filter=wanted):
        table = pa.Table.from_batches([batch])
        yield from table.filter(pa.array(which(table))).to_batches()


def _schema(folder: Path) -> pa.Schema:
    schema = ds.dataset(folder / "ops", format="parquet").schema
    return pa.schema([schema.field(name) for name in _OPERATIONS])


def _part_of_row(table: pa.Table, most: int) -> np.ndarray:
    """The part to which each record goes, so that whole logs are together, and no more than so many records where there are several."""
    if len(table) <= most:
        return np.zeros(len(table), np.int64)
    codes = [table[name].combine_chunks().dictionary_encode().indices.to_numpy() for name in ("run", "log")]
    _, log = np.unique(codes[0].astype(np.int64) << 32 | codes[1], return_inverse=True)
    part: list[int] = []
    filled = 0
    for size in np.bincount(log).tolist():
        if part and filled + size > most:
            part.append(part[-1] + 1)
            filled = 0
        else:
            part.append(part[-1] if part else 0)
        filled += size
    return np.array(part, np.int64)[log]


def _witnesses(found: Mapping[str, Sequence[object]]) -> _Batches:
    for anomaly, witnesses in found.items():
        shown = [{**one._asdict(), "anomaly": anomaly} for one in witnesses]  # type: ignore[attr-defined]
        yield pa.RecordBatch.from_pylist(shown, schema=_COLUMNS)


def _sent(facts: _Facts, shares: int) -> _Batches:
    """Facts, separated by the share that is judged together."""
    for kind, table in facts:
        by = pc.binary_join_element_wise(*(table[name].cast(pa.string()) for name in kind.by), "\0", null_handling="replace")
        encoded = by.combine_chunks().dictionary_encode()
        share = np.array([zlib.crc32(key.encode()) % shares for key in encoded.dictionary.to_pylist()])[encoded.indices.to_numpy()]
        for number in np.unique(share).tolist():
            row = {"facts": kind.__name__, "share": number, "stream": packed(table.filter(pa.array(share == number)))}
            yield pa.RecordBatch.from_pylist([row], schema=_COLUMNS)


def _read(rows: Iterable[tuple[str, bytes]]) -> dict[type[Facts], pa.Table]:
    """Facts by their kind."""
    found: dict[type[Facts], list[pa.Table]] = defaultdict(list)
    for name, stream in rows:
        found[history_parts.KINDS[name]].append(unpacked(stream))
    return {kind: pa.concat_tables(tables) for kind, tables in found.items()}


def _collected(facts: DataFrame, kinds: Sequence[type[Facts]]) -> dict[type[Facts], pa.Table]:
    """The facts of these kinds, which are few."""
    rows = facts.filter(F.col("facts").isin([kind.__name__ for kind in kinds])).select("facts", "stream")
    return _read((name, bytes(stream)) for name, stream in rows.collect())
