"""What a check starts from: histories that are read and sorted into tables, or the tables that an earlier check has stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from fencepost.contract.errors import WrongUsage

from .ingest import files, firstlines, quarantine
from .layout import DESCRIPTION, QUARANTINE, TABLES
from .movement import small_histories, sorting
from .tables import Tables, described

_NAMED = 5
"""How many unreadable files are named."""


@dataclass(frozen=True)
class HistoryFiles:
    """Files, except those that are unsafe to open."""

    readable: tuple[files.IngestSource, ...]
    refused: tuple[files.IngestRefusal, ...]

    @property
    def bytes(self) -> int:
        return sum(source.bytes for source in self.readable)

    @property
    def by_run(self) -> bool:
        """Whether whole runs go to one task each."""
        return small_histories.fits(self.readable)

    def __str__(self) -> str:
        return f"{len(self.readable)} files"

    def tables(self, spark: SparkSession, buckets: int, results: Path) -> tuple[Tables, int]:
        """Their tables, stored with the results, and how many lines and files could not be read."""
        by = small_histories if self.by_run else sorting
        tables = Tables(spark, results / TABLES, 0 if self.by_run else buckets)
        (tables.folder / DESCRIPTION).unlink(missing_ok=True)
        tables.keep(by.read(spark, self.readable, tables.folder, buckets))
        spark.catalog.clearCache()  # what was kept while they were read
        names = [(number, str(source.path)) for number, source in enumerate(self.readable)]
        bad = quarantine.keep(spark, quarantine.named(spark, tables.bad, names), self.refused, results / QUARANTINE)
        tables.describe(bytes=self.bytes, quarantined=bad)
        return tables, bad


@dataclass(frozen=True)
class StoredTables:
    """Tables of an earlier check; what was unreadable then is still missing."""

    folder: Path
    buckets: int
    bytes: int
    bad_lines: int
    quarantined: int

    @property
    def by_run(self) -> bool:
        """Whether they were written so that whole runs go to one task each."""
        return not self.buckets

    def __str__(self) -> str:
        return f"tables in {self.folder}"

    def tables(self, spark: SparkSession, buckets: int, results: Path) -> tuple[Tables, int]:  # noqa: ARG002 they are where they are
        """The tables as they are."""
        tables = Tables(spark, self.folder, self.buckets)
        tables.bad_lines = self.bad_lines
        return tables, self.quarantined


def find(paths: Sequence[Path]) -> HistoryFiles | StoredTables:
    """What these paths hold: a folder of tables, or of results with tables, is not read again. `WrongUsage` when there is nothing."""
    stored = [found for path in paths for found in [_stored(path)] if found]
    if stored and len(paths) > 1:
        raise WrongUsage(f"{stored[0].folder} holds the tables of a check, which are judged by themselves; name no other history with it")
    if stored:
        return stored[0]
    sources = files.find(paths)
    refused = tuple(refusal for refusal in map(files.refusal, sources) if refusal)
    closed = {refusal.path for refusal in refused}
    readable = tuple(source for source in sources if source.path not in closed)
    hopeless = firstlines.hopeless(readable)
    if not readable or hopeless:
        bad = [*(f"{one.path}: {one.reason}" for one in refused), *map(str, hopeless)]
        more = f"; and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        raise WrongUsage(f"none of the histories can be read: {'; '.join(bad[:_NAMED])}{more}")
    return HistoryFiles(readable, refused)


def _stored(path: Path) -> StoredTables | None:
    for folder in (path, path / TABLES):
        description = described(folder)
        if description:
            return StoredTables(folder, description["buckets"], description["bytes"], description["bad_lines"], description["quarantined"])
    return None
