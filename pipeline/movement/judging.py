"""All laws over whole runs, in tasks of Spark.

A row that moves is either an operation or a record, so that both tables reach a task in one shuffle:

    run  operation                   record
    r    {op: 0, f: send, ty: ok}    -
    r    -                           {op: 0, mop: 0, log: x, v: a}

A run is judged here when it has no more than `MOST` operations and records together: laws take about a kilobyte for each, and two tasks at
once leave room for Java in 4 GB.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from fencepost.pipeline.anomalies import ANOMALIES, Anomaly
from fencepost.pipeline.derived import History
from fencepost.pipeline.laws.history import History as Told
from fencepost.pipeline.laws.judge import judged
from fencepost.pipeline.laws.laws import LAWS
from fencepost.pipeline.laws.told import OPERATIONS, RECORDS
from fencepost.pipeline.laws.witness import Law
from fencepost.pipeline.tables import Tables
from fencepost.pipeline.verdicts import SCHEMA, Found, counted, found

MOST = 500_000
_ABSENCE = frozenset(anomaly.name for anomaly in ANOMALIES if anomaly.absence)


@dataclass(frozen=True)
class Sizes:
    """How much each run of some tables has."""

    tables: Tables

    @cached_property
    def runs(self) -> dict[str, int]:
        """How many operations each run has."""
        return {run: operations for run, (operations, _) in self._of_runs.items()}

    @cached_property
    def records(self) -> int:
        """How many records there are."""
        return sum(records for _, records in self._of_runs.values())

    @cached_property
    def large(self) -> list[str]:
        """The runs that are too large for one task."""
        return [run for run, (operations, records) in self._of_runs.items() if operations + records > MOST]

    @cached_property
    def _of_runs(self) -> dict[str, tuple[int, int]]:
        operations, records = self.tables.ops.select("run", F.lit(1).alias("o")), self.tables.records.select("run", F.lit(0).alias("o"))
        rows = operations.unionAll(records).groupBy("run").agg(F.sum("o").alias("operations"), F.count("*").alias("rows")).collect()
        return {row.run: (row.operations, row.rows - row.operations) for row in rows}


def found_in(sizes: Sizes, anomalies: Sequence[Anomaly], infer_ww: bool = False, infer_rw: bool = False) -> list[Found]:
    """What there is of these anomalies: in small runs by the laws, in large ones by the plans."""
    tables, large = sizes.tables, sizes.large
    every = []
    if len(large) < len(sizes.runs):
        damaged = [] if tables.damaged is None else [row.run for row in tables.damaged.collect()]
        by_law = by_laws(tables.without(large), {anomaly.name for anomaly in anomalies}, damaged, infer_ww, infer_rw).persist()
        every.append(Found(by_law, counted(by_law)))
    if large:
        every += found(History(tables.only(large), infer_ww, infer_rw), anomalies)
    return [one for one in every if one.counts]


def by_laws(
    tables: Tables, names: Collection[str], damaged: Collection[str] = (), infer_ww: bool = False, infer_rw: bool = False
) -> DataFrame:
    """The witnesses (`verdicts.SCHEMA`) of the anomalies of these names. In `damaged` runs something could not be read."""
    laws = tuple(law for law in LAWS if law.anomaly in names)
    task = _task(laws, frozenset(damaged), infer_ww, infer_rw)
    return _moved(tables).repartition(tables.parts, "run").mapInArrow(task, SCHEMA)


def _moved(tables: Tables) -> DataFrame:
    """The rows of these tables as they travel."""
    operations = tables.ops.select("run", F.struct(*OPERATIONS.names).alias("operation"))
    records = tables.records.select("run", F.struct(*RECORDS.names).alias("record"))
    return operations.unionByName(records, allowMissingColumns=True)


def _task(
    laws: Sequence[Law], damaged: frozenset[str], infer_ww: bool, infer_rw: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with the rows of whole runs."""
    kinds = StructType.fromDDL(SCHEMA)
    assert isinstance(kinds, StructType), f"{SCHEMA} names columns"
    arrow = to_arrow_schema(kinds)

    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read = list(batches)
        if not read:
            return
        rows = pa.Table.from_batches(read)
        operations, records = (pa.Table.from_struct_array(rows[name].drop_null()) for name in ("operation", "record"))
        for anomaly, witnesses in judged(Told(operations, records, infer_ww, infer_rw), laws, damaged).items():
            yield pa.RecordBatch.from_pylist([{**one._asdict(), "anomaly": anomaly} for one in witnesses], schema=arrow)

    return judge
