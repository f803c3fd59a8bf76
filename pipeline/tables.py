"""The tables that every plan reads: operations, and the records that they moved.

Order is the recorder's own, the number of the event (`idx`), so that clocks which go backwards change no verdict. An operation is known
by the number of its invocation (`op`); `at` is the number of its completion. One that never completed is indeterminate, as `info` is.

* `ops`: run, op, at, t0, t1, process, client, f, ty (ok, fail, info), open, unit, oc, end_op and the rest of the event; of what it moved
  only the `first`, and the logs that it `keeps` where it assigns some. A *unit* is what commits together: a transaction attempt, else the
  operation alone; it is called by its first operation. `oc` is what became of it: 3 committed, 2 not known, 1 aborted. `end_op` is the
  operation that asked for its end, null when none did.
* `records`: one row for each record sent or read, offset committed or position seen (`kind`): run, log, v, o, mop (its number in the
  operation), and its operation's op, at, process, ty, unit, oc, and so on.
* `bad`: what could not be read, where there is any: file_id, mark, run, reason.

Records are shuffled once, by (run, log), and stored in that many buckets, each in order of (run, log, kind, process, op, mop), so that
grouping, ranking and joining by log moves nothing, and each process's records stand in the order in which it moved them
(`movement.sorting` writes them). A value that is too long is stored as its beginning and its digest.

Small histories are stored without buckets: each file of operations has its fellow of records, of the same name, with the same whole runs
(`movement.small_histories` writes them).

`tables.json` is written last and says how many buckets there are: tables that have it are whole, and a later check starts from them.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from fencepost.contract.errors import WrongUsage

from .laws.transaction_outcomes import ABORTED, COMMITTED, UNKNOWN
from .layout import DESCRIPTION

__all__ = ["ABORTED", "COMMITTED", "UNKNOWN", "Tables", "described"]

VERSION = 6
ORDER = ("run", "log", "kind", "process", "op", "mop")


def described(folder: Path) -> dict[str, Any] | None:
    """The description of stored tables, if the folder has whole ones. `WrongUsage` when they are of another version."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return None
    description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if description["schema_version"] != VERSION:
        raise WrongUsage(
            f"{folder} has tables of version {description['schema_version']}, expected {VERSION}; check the histories themselves again"
        )
    return description


class Tables:
    """The tables in a folder."""

    def __init__(self, spark: SparkSession, folder: Path, buckets: int) -> None:
        self.spark, self.folder, self._buckets = spark, folder, buckets
        self._chosen: Column | None = None
        self._open: dict[str, DataFrame] = {}
        self.bad_lines = 0

    def keep(self, bad: DataFrame) -> None:
        """Writes operations and records to the folder by computing `bad`, which is what could not be read."""
        bad = bad.persist()
        self.bad_lines = bad.count()
        if self.bad_lines:
            self._write(bad, "bad")
        bad.unpersist()

    def describe(self, **facts: int) -> None:
        """Marks the tables as whole, so that a later check may start from them."""
        description = {"schema_version": VERSION, "buckets": self._buckets, "bad_lines": self.bad_lines, **facts}
        (self.folder / DESCRIPTION).write_text(json.dumps(description) + "\n", encoding="utf-8")

    @property
    def bad(self) -> DataFrame | None:
        """Events that are none, or belong to no operation; None if there are none."""
        return self._read("bad") if self.bad_lines else None

    @property
    def damaged(self) -> DataFrame | None:
        """The runs of files in which something could not be read."""
        if self.bad is None:
            return None
        rows = self._read("ops").select("file_id", "run").union(self.bad.filter("run is not null").select("file_id", "run"))
        return rows.join(F.broadcast(self.bad.select("file_id").distinct()), "file_id").select("run").distinct()

    @property
    def by_run(self) -> bool:
        """Whether each file of operations has its fellow of records, with the same whole runs."""
        return not self._buckets

    @property
    def parts(self) -> int:
        """Into how many parts rows that move by run are worth dividing."""
        return max(1, self._buckets)

    def only(self, runs: Sequence[str]) -> "Tables":
        """The tables of these runs."""
        return self._of(F.col("run").isin(*runs))

    def without(self, runs: Sequence[str]) -> "Tables":
        """The tables of all other runs."""
        return self._of(~F.col("run").isin(*runs)) if runs else self

    def _of(self, chosen: Column) -> "Tables":
        tables = Tables(self.spark, self.folder, self._buckets)
        tables.bad_lines, tables._chosen = self.bad_lines, chosen
        return tables

    @cached_property
    def ops(self) -> DataFrame:
        """All operations."""
        rows = self._those_chosen(self._read("ops").drop("file_id"))
        # Small tables are not worth moving from one core to another.
        return (rows.coalesce(1) if self._buckets <= 1 else rows).persist()

    @cached_property
    def records(self) -> DataFrame:
        return self._those_chosen(self._stored_records.select("*", "rare.*").drop("rare"))

    @cached_property
    def _stored_records(self) -> DataFrame:
        if not self._buckets:
            return self._read("records")
        path = str(self.folder.resolve() / "records")
        columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in self.spark.read.parquet(path).schema)
        place = path.replace("\\", "\\\\").replace("'", "\\'")
        self.spark.sql("DROP TABLE IF EXISTS records")
        self.spark.sql(
            f"CREATE TABLE records ({columns}) USING parquet CLUSTERED BY (run, log) SORTED BY ({', '.join(ORDER)}) "
            f"INTO {self._buckets} BUCKETS LOCATION '{place}'"
        )
        return self.spark.table("records")

    def few(self, table: str, columns: list[str] | dict[str, ds.Expression], where: ds.Expression) -> Iterator[pa.Table]:
        """The few rows of a table for which this holds, in batches; without Spark, for which they would not be worth a job."""
        for batch in ds.dataset(self.folder / table, format="parquet").to_batches(columns=columns, filter=where):
            yield pa.Table.from_batches([batch])

    def of(self, *kinds: str) -> DataFrame:
        """The records of these kinds."""
        return self.records.filter(F.col("kind").isin(*kinds))

    def _those_chosen(self, rows: DataFrame) -> DataFrame:
        return rows if self._chosen is None else rows.filter(self._chosen)

    def _read(self, name: str) -> DataFrame:
        # Opening a table is a separate job: it reads the schema.
        if name not in self._open:
            self._open[name] = self.spark.read.parquet(str(self.folder / name))
        return self._open[name]

    def _write(self, rows: DataFrame, name: str) -> None:
        self._open.pop(name, None)
        rows.write.mode("overwrite").parquet(str(self.folder / name))
