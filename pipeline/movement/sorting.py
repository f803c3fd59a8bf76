"""Large histories into tables: files to events to operations to records, in tasks that hold a share each.

    ranges of files  -> events, apart by their operation
      -> a task for a share of the operations: operations, steps of transactions, and what could not be read
      -> a task for a share of the transactions: what became of their steps
      -> a task for a share of the operations again: operations as stored, and records, apart by their log
      -> a task for a bucket of logs: records as stored

Between tasks tables move as bytes (`streams`). Two things are few enough to go to all tasks: the initialisations of transactional ids, by
which transactions that were open then end; and the runs in which markers were written by hand.
"""

import shutil
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.ingest.files import IngestSource
from fencepost.pipeline.laws import history_columns
from fencepost.pipeline.laws.columns import NONE, Ints
from fencepost.pipeline.laws.operations import Operations, ended, outcomes
from fencepost.pipeline.laws.segmented import located
from fencepost.pipeline.laws.transaction_outcomes import alone, units

from . import buckets, ranges
from .events import LINES
from .pairing import BAD, matched, settled
from .streams import apart, packed, unpacked

_RANGES = "number int, path string, form string, prefix string, run string, begin long, end long, source int"
_SENT = "kind string, share int, stream binary"
_BAD = "file_id long, mark long, run string, reason string"
_COLUMNS = pa.schema({"kind": pa.string(), "share": pa.int32(), "stream": pa.binary()})
_UNITS = pa.schema({"run": pa.string(), **dict.fromkeys(("op", "unit", "unit_oc", "end_op"), pa.int64())})
_GOLDEN = 0x9E3779B97F4A7C15
_Rows: TypeAlias = Iterator[pa.RecordBatch]
_Task: TypeAlias = Callable[[_Rows], _Rows]


def read(spark: SparkSession, sources: Sequence[IngestSource], folder: Path, shares: int) -> DataFrame:
    """Write the tables of these histories to the folder, the records in so many buckets; returns what could not be read: `file_id`
    (the place of the file among the sources), `mark` (its line), run, reason.
    """
    for name in ("ops", "records"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    parts = ranges.divided(sources)
    every = _matched(spark, parts, shares).persist(StorageLevel.MEMORY_AND_DISK)
    _store(every, folder.resolve(), shares)
    return _bad(spark, every, parts)


@dataclass(frozen=True)
class _Known:
    """What all tasks get: the initialisations of transactional ids, and the runs in which markers were written by hand."""

    inits: pa.Table
    by_hand: Sequence[str]

    @staticmethod
    def of(steps: pa.Table) -> "_Known":
        """What all tasks need of these steps."""
        return _Known(steps.filter(pc.equal(steps["f"], "init_txn")), steps.filter(steps["marks"])["run"].unique().to_pylist())


def _matched(spark: SparkSession, parts: Sequence[ranges.FileRange], shares: int) -> DataFrame:
    """For each share of the operations the `operations`, the `steps` that transactions are made of, what all tasks must get (`few`), and
    what is `bad`.
    """
    source_of = np.array([part.source for part in parts])

    def reading(batches: _Rows) -> _Rows:
        for row in (row for batch in batches for row in batch.to_pylist()):
            number = row.pop("number")
            for table in ranges.read(ranges.FileRange(**row), number):
                yield from _sent("events", table, _share_of(table["run"], table["op_id"], shares))

    def matching(batches: _Rows) -> _Rows:
        for share, said in _shares(batches):
            operations, bad = matched(pa.concat_tables(map(unpacked, said["events"])))
            steps = _steps(operations)
            within = pc.and_(pc.is_valid(steps["txn_id"]), pc.invert(pc.is_in(steps["f"], pa.array(["txn", "init_txn"]))))
            took = pc.and_(pc.equal(steps["f"], "init_txn"), pc.equal(steps["ty"], "ok"))
            place = operations.column_names.index("file_id")
            files = pa.array(source_of[operations["file_id"].to_numpy()])
            yield _row("operations", share, operations.set_column(place, "file_id", files))
            if len(several := steps.filter(within)):
                yield from _sent("steps", several, _share_of(several["run"], several["txn_id"], shares))
            if len(few := steps.filter(pc.or_(took, steps["marks"]))):
                yield _row("few", share, few)
            if len(bad):
                yield _row("bad", share, bad)

    files = [(number, *part) for number, part in enumerate(parts)]
    rows = local.table(spark, _RANGES, files).repartitionById(max(1, len(files)), F.col("number"))
    return _moved(rows.mapInArrow(reading, _SENT), shares).mapInArrow(matching, _SENT)


def _store(every: DataFrame, folder: Path, shares: int) -> None:
    kinds = {row.kind for row in every.select("kind").distinct().collect()}
    nothing = matched(LINES.empty_table()).operations
    known = _Known.of(pa.concat_tables([_steps(nothing), *(unpacked(row.stream) for row in _those(every, "few").collect())]))
    operations = _those(every, "operations")
    if "steps" in kinds:
        ends = _moved(_those(every, "steps"), shares).mapInArrow(_ending(known, shares), _SENT)
        operations = _moved(operations.union(ends), shares)
    records = _moved(operations.mapInArrow(_settling(known, folder, shares), _SENT), shares)
    records.mapInArrow(_storing(folder), _SENT).count()
    if not kinds:  # there is not one line
        stored, none = settled(nothing, Operations.of(history_columns.operations(nothing)))
        buckets.put(stored, folder / "ops/part-00000.parquet")
        buckets.write([none], folder / "records", 0)


def _ending(known: _Known, shares: int) -> _Task:
    """The outcomes of the steps of some transactions, for the tasks that have their operations."""

    def task(batches: _Rows) -> _Rows:
        for _, said in _shares(batches):
            steps = pa.concat_tables(map(unpacked, said["steps"]))
            taking = known.inits.filter(pc.is_in(known.inits["run"], steps["run"].unique()))
            found = _units(pa.concat_tables([steps, taking]))
            yield from _sent("units", found, _share_of(found["run"], found["op"], shares))

    return task


def _settling(known: _Known, folder: Path, shares: int) -> _Task:
    """Operations as stored; their records move to their logs."""

    def task(batches: _Rows) -> _Rows:
        for share, said in _shares(batches):
            operations = pa.concat_tables(map(unpacked, said["operations"]))
            became = pa.concat_tables([_UNITS.empty_table(), *map(unpacked, said["units"])])
            stored, records = settled(operations, _with(became, known.by_hand, history_columns.operations(operations)))
            buckets.put(stored, folder / f"ops/part-{share:05}.parquet")
            yield from _sent("records", records, buckets.bucket_of(records, shares))

    return task


def _storing(folder: Path) -> _Task:
    """Records as stored. A task has one bucket, which may be more than it can hold, so it is written as it arrives."""

    def task(batches: _Rows) -> _Rows:
        rows = (row for batch in batches for row in zip(batch["share"].to_pylist(), batch["stream"], strict=True))
        for bucket, said in groupby(rows, key=itemgetter(0)):
            buckets.write((unpacked(stream.as_buffer()) for _, stream in said), folder / "records", bucket)
        yield from ()

    return task


def _bad(spark: SparkSession, every: DataFrame, parts: Sequence[ranges.FileRange]) -> DataFrame:
    def task(batches: _Rows) -> _Rows:
        for batch in batches:
            for stream in batch["stream"]:
                yield from unpacked(stream.as_buffer()).cast(BAD).to_batches()

    bad = _those(every, "bad").mapInArrow(task, _BAD).persist()
    numbers = [row.file_id for row in bad.select("file_id").distinct().collect()]
    before = [(number, parts[number].source, ranges.lines_before(parts[number])) for number in numbers]
    known = F.broadcast(local.table(spark, "file_id long, source long, before long", before))
    line = (F.col("mark") + F.col("before")).alias("mark")
    return bad.join(known, "file_id").select(F.col("source").alias("file_id"), line, "run", "reason")


def _steps(operations: pa.Table) -> pa.Table:
    """The columns of operations that show the ends of transactions."""
    tid = pc.struct_field(operations["tx"], "tid")
    return operations.select(["run", "op", "at", "f", "ty", "txn_id", "marks"]).append_column("tid", tid)


def _units(steps: pa.Table) -> pa.Table:
    """The outcomes of these steps; the initialisations among them are steps of no transaction."""
    said = history_columns.whole(steps)
    op, f, ty, txn = (
        said["op"].to_numpy(),
        history_columns.words(said["f"]),
        ended(history_columns.words(said["ty"])),
        history_columns.words(said["txn_id"]),
    )
    found = units(history_columns.words(said["run"]).codes, op, said["at"].to_numpy(), f, ty, txn, history_columns.words(said["tid"]))
    columns = {"run": said["run"], "op": said["op"], "unit": found.unit, "unit_oc": found.unit_oc}
    end_op = pa.array(found.end_op, mask=found.end_op == NONE)
    return pa.table(columns | {"end_op": end_op}, _UNITS).filter(pa.array(found.within))


def _with(became: pa.Table, by_hand: Sequence[str], said: history_columns.OperationColumns) -> Operations:
    """These operations, and the outcomes of their transactions."""
    found = alone(said.op, said.f, ended(said.ty), said.txn)
    run = history_columns.words(history_columns.whole(became)["run"])
    places = {name: place for place, name in enumerate(said.run.words)}
    of_run = np.array([places[name] for name in run.words], np.int64)[run.codes]
    row = located((of_run, became["op"].to_numpy()), (said.run.codes, said.op))
    for name in ("unit", "unit_oc", "end_op"):
        getattr(found, name)[row] = history_columns.numbers(history_columns.whole(became)[name])
    return Operations.of(replace(said, outcomes=outcomes(said, found, said.run.among(*by_hand))))


def _share_of(run: pa.ChunkedArray, name: pa.ChunkedArray, shares: int) -> Ints:
    """The share of each row that has this name in a run: a number, or a text."""
    within = _codes(name) if pa.types.is_string(name.type) else name.fill_null(0).to_numpy()
    # Invocations have every second number, or every fourth: the share must depend on all their bits.
    spread = (within.astype(np.uint64) * np.uint64(_GOLDEN)) >> np.uint64(40)
    return (_codes(run) + spread.astype(np.int64)) % shares


def _codes(column: pa.ChunkedArray) -> Ints:
    """A number for each text, the same in all tasks."""
    words = history_columns.words(column.combine_chunks())
    found: Ints = np.array([*(zlib.crc32(word.encode()) for word in words.words), 0], np.int64)[words.codes]
    return found


def _sent(kind: str, table: pa.Table, share: Ints) -> _Rows:
    for number, rows in apart(table, share):
        yield _row(kind, number, rows)


def _row(kind: str, share: int, table: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"kind": [kind], "share": [share], "stream": [packed(table)]}, _COLUMNS)


def _moved(rows: DataFrame, shares: int) -> DataFrame:
    return rows.repartitionById(shares, F.col("share"))


def _those(rows: DataFrame, kind: str) -> DataFrame:
    return rows.filter(F.col("kind") == kind)


def _shares(batches: _Rows) -> Iterator[tuple[int, dict[str, list[pa.Buffer]]]]:
    """The tables of each kind for each share."""
    found: dict[int, dict[str, list[pa.Buffer]]] = defaultdict(lambda: defaultdict(list))
    for batch in batches:
        for kind, share, stream in zip(batch["kind"].to_pylist(), batch["share"].to_pylist(), batch["stream"], strict=True):
            found[share][kind].append(stream.as_buffer())
    while found:
        yield found.popitem()
