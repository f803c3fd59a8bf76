"""All laws over whole runs, in tasks of Spark.

Where files hold whole runs (`Tables.by_run`), a task reads its own. Elsewhere rows move by run, once, each either an operation or a record:

    run  operation                   record
    r    {op: 0, f: send, ty: ok}    -
    r    -                           {op: 0, mop: 0, log: x, v: a}

Tasks return witnesses, and a row for each run with its size, which has `size` instead of an anomaly.

Laws take 600 bytes for each operation or record, plus the rows, and two tasks at once leave room for Java in 4 GB. So a run that is
larger than the `Limits` goes to tasks in parts (`large`). The plans judge one with a log that is no part for a task.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from fencepost.pipeline import local
from fencepost.pipeline.anomalies import Anomaly
from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.laws import history_columns
from fencepost.pipeline.laws.history import History as Told
from fencepost.pipeline.laws.history import Inferred
from fencepost.pipeline.laws.history_columns import OPERATIONS, RECORDS
from fencepost.pipeline.laws.judge import judged
from fencepost.pipeline.laws.laws import LAWS
from fencepost.pipeline.spark_session import compiling
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import SCHEMA, FoundWitnesses, counted, found

from . import large

_ROWS = f"{SCHEMA}, size struct<operations: long, records: long>"
_RARE = ("seq", "mkey", "hash")
_Batches: TypeAlias = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class JudgedRuns:
    """The findings, how many operations each run has, and how many records there are."""

    found: Sequence[FoundWitnesses]
    runs: Mapping[str, int]
    records: int


@dataclass(frozen=True)
class Laws:
    """What to judge in whole runs that are not too large: these anomalies, and whether edges are inferred. In `damaged` runs a line could
    not be read.
    """

    names: frozenset[str]
    damaged: frozenset[str]
    inferred: Inferred
    most: int
    columns: pa.Schema
    """Columns of the rows that tasks return."""

    def too_large(self, size: Sequence[int]) -> bool:
        """Whether a run of this size (operations, records, those of its largest log) is too large for one task."""
        return size[0] + size[1] > self.most

    def __call__(self, operations: pa.Table, records: pa.Table) -> _Batches:
        """The rows of these runs."""
        sizes = _sizes(operations, records)
        rows = [{"run": run, "size": {"operations": of_run[0], "records": of_run[1]}} for run, of_run in sizes.items()]
        yield pa.RecordBatch.from_pylist(rows, schema=self.columns)
        large = pa.array([run for run, size in sizes.items() if sum(size) > self.most], pa.string())
        if len(large):
            operations, records = (table.filter(pc.invert(pc.is_in(table["run"], large))) for table in (operations, records))
        laws = [law for law in LAWS if law.anomaly in self.names]
        history = Told.of(history_columns.operations(operations), history_columns.records(records), self.inferred)
        for anomaly, witnesses in judged(history, laws, self.damaged).items():
            shown = [{**one._asdict(), "anomaly": anomaly} for one in witnesses]
            yield pa.RecordBatch.from_pylist(shown, schema=self.columns)


@dataclass(frozen=True)
class Limits:
    """The most operations and records of a run that one task judges; the most records in a part of a larger run, unless a single log has
    more; and the most records of a log that can be a part.
    """

    run: int = 500_000
    part: int = 250_000
    log: int = 2_000_000


LIMITS = Limits()


def judge(
    tables: Tables, anomalies: Sequence[Anomaly], infer_ww: bool = False, infer_rw: bool = False, limits: Limits = LIMITS
) -> JudgedRuns:
    """Find these anomalies: by the laws in whole runs and in parts of larger ones, and by the plans if a log is too large for that."""
    damaged = frozenset[str]() if tables.damaged is None else frozenset(row.run for row in tables.damaged.collect())
    laws = Laws(frozenset(anomaly.name for anomaly in anomalies), damaged, Inferred(infer_ww, infer_rw), limits.run, local.columns(_ROWS))
    every: list[FoundWitnesses] = []
    sizes = {} if tables.by_run else large.sizes(tables)
    if tables.by_run or any(not laws.too_large(size) for size in sizes.values()):
        moved = tables.without([run for run, size in sizes.items() if laws.too_large(size)])
        rows = (_of_files(tables, laws) if tables.by_run else _moved(moved, laws)).persist()
        notified_of = {row.run: row["size"] for row in rows.filter("size is not null").select("run", "size").collect()}
        sizes = {run: (size.operations, size.records, size.records) for run, size in notified_of.items()} | sizes
        by_law = rows.filter("size is null").drop("size")
        every.append(FoundWitnesses(by_law, counted(by_law)))
    runs = [run for run, size in sizes.items() if laws.too_large(size)]
    hot = [run for run in runs if sizes[run][2] > limits.log]
    if in_parts := [run for run in runs if run not in hot]:
        every += large.judge(tables, in_parts, large.JudgingScope(laws.names, damaged, laws.inferred, limits.part))
    if hot:
        compiling(tables.spark)
        every += found(HistoryTables(tables.only(hot), infer_ww, infer_rw), anomalies)
    operations, records = {run: size[0] for run, size in sizes.items()}, sum(size[1] for size in sizes.values())
    return JudgedRuns([one for one in every if one.counts], operations, records)


def _of_files(tables: Tables, laws: Laws) -> DataFrame:
    """Each file of the tables is judged where it is read."""
    folder = tables.folder.resolve()
    parts = sorted(path.name for path in (folder / "ops").glob("*.parquet"))

    def task(batches: _Batches) -> _Batches:
        for part in (name for batch in batches for name in batch["part"].to_pylist()):
            operations, records = (pq.read_table(folder / table / part) for table in ("ops", "records"))
            for name in _RARE:
                records = records.append_column(name, pc.struct_field(records["rare"], name))
            yield from laws(operations, records)

    names = local.table(tables.spark, "number int, part string", enumerate(parts))
    return names.repartitionById(len(parts), F.col("number")).mapInArrow(task, _ROWS)


def _moved(tables: Tables, laws: Laws) -> DataFrame:
    """The rows of whole runs go to one task."""
    operations = tables.ops.select("run", F.struct(*OPERATIONS.names).alias("operation"))
    records = tables.records.select("run", F.struct(*RECORDS.names).alias("record"))
    moving = operations.unionByName(records, allowMissingColumns=True).repartition(tables.parts, "run")

    def task(batches: _Batches) -> _Batches:
        read = list(batches)
        if read:
            rows = pa.Table.from_batches(read)
            yield from laws(*(pa.Table.from_struct_array(rows[name].drop_null()) for name in ("operation", "record")))

    return moving.mapInArrow(task, _ROWS)


def _sizes(operations: pa.Table, records: pa.Table) -> dict[str, tuple[int, int]]:
    """How many operations and records each run has."""
    counts = [{row["values"]: row["counts"] for row in pc.value_counts(table["run"]).to_pylist()} for table in (operations, records)]
    return {run: (count, counts[1].get(run, 0)) for run, count in counts[0].items()}
