"""All laws over whole runs, in tasks of Spark.

Where files hold whole runs (`Tables.by_run`), a task reads its own. Elsewhere rows move by run, once, each either an operation or a record:

    run  operation                   record
    r    {op: 0, f: send, ty: ok}    -
    r    -                           {op: 0, mop: 0, log: x, v: a}

What comes back is witnesses, and a row for each run that says how large it is, with `size` instead of an anomaly.

A run is judged here when it has no more than `MOST` operations and records together: laws take 600 bytes for each, beside the rows, and
two tasks at once leave room for Java in 4 GB. The plans judge those that are larger.
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
from fencepost.pipeline.derived import History
from fencepost.pipeline.laws import told
from fencepost.pipeline.laws.history import History as Told
from fencepost.pipeline.laws.history import Inferred
from fencepost.pipeline.laws.judge import judged
from fencepost.pipeline.laws.laws import LAWS
from fencepost.pipeline.laws.told import OPERATIONS, RECORDS
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import SCHEMA, Found, counted, found

MOST = 500_000
_ROWS = f"{SCHEMA}, size struct<operations: long, records: long>"
_RARE = ("seq", "mkey", "hash")
_Batches: TypeAlias = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class Judged:
    """What was found, how many operations each run has, and how many records there are."""

    found: Sequence[Found]
    runs: Mapping[str, int]
    records: int


@dataclass(frozen=True)
class Laws:
    """What is asked of whole runs that are not too large: these anomalies, and whether edges are inferred. In `damaged` runs something
    could not be read.
    """

    names: frozenset[str]
    damaged: frozenset[str]
    infer_ww: bool
    infer_rw: bool
    most: int
    columns: pa.Schema
    """Of what comes back."""

    def __call__(self, operations: pa.Table, records: pa.Table) -> _Batches:
        """The rows that come back of these runs."""
        sizes = _sizes(operations, records)
        rows = [{"run": run, "size": {"operations": of_run[0], "records": of_run[1]}} for run, of_run in sizes.items()]
        yield pa.RecordBatch.from_pylist(rows, schema=self.columns)
        large = pa.array([run for run, size in sizes.items() if sum(size) > self.most], pa.string())
        if len(large):
            operations, records = (table.filter(pc.invert(pc.is_in(table["run"], large))) for table in (operations, records))
        laws = [law for law in LAWS if law.anomaly in self.names]
        history = Told.of(told.operations(operations), told.records(records), Inferred(self.infer_ww, self.infer_rw))
        for anomaly, witnesses in judged(history, laws, self.damaged).items():
            shown = [{**one._asdict(), "anomaly": anomaly} for one in witnesses]
            yield pa.RecordBatch.from_pylist(shown, schema=self.columns)


def judge(tables: Tables, anomalies: Sequence[Anomaly], infer_ww: bool = False, infer_rw: bool = False, most: int = MOST) -> Judged:
    """Find these anomalies: by the laws in runs of at most so many operations and records, by the plans in larger ones."""
    damaged = frozenset[str]() if tables.damaged is None else frozenset(row.run for row in tables.damaged.collect())
    laws = Laws(frozenset(anomaly.name for anomaly in anomalies), damaged, infer_ww, infer_rw, most, local.columns(_ROWS))
    counts = {} if tables.by_run else _counts(tables)
    large = [run for run, count in counts.items() if count > most]
    if counts and len(large) == len(counts):
        history = History(tables, infer_ww, infer_rw)
        return Judged(found(history, anomalies), history.runs, history.records)
    rows = (_of_files(tables, laws) if tables.by_run else _moved(tables.without(large), laws)).persist()
    sizes = {row.run: row["size"] for row in rows.filter("size is not null").select("run", "size").collect()}
    large += [run for run, size in sizes.items() if sum(size) > most]
    by_law = rows.filter("size is null").drop("size")
    every = [Found(by_law, counted(by_law))]
    runs = {run: size.operations for run, size in sizes.items() if run not in large}
    records = sum(size.records for run, size in sizes.items() if run not in large)
    if large:
        history = History(tables.only(large), infer_ww, infer_rw)
        every += found(history, anomalies)
        runs, records = runs | history.runs, records + history.records
    return Judged([one for one in every if one.counts], runs, records)


def _counts(tables: Tables) -> dict[str, int]:
    """How many operations and records each run has, together."""
    rows = tables.ops.select("run").unionAll(tables.records.select("run"))
    return {row.run: row["count"] for row in rows.groupBy("run").count().collect()}


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
