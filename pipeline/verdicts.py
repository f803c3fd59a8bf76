"""From witnesses to a verdict: what was found in each run, and whether the run is valid.

A run is invalid when it has a definite witness of an anomaly that some system promises to exclude. A witness that something is
*missing* proves nothing in a run with unreadable lines, and counts there as possible.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .anomalies import ANOMALIES, Anomaly
from .derived import HistoryTables

SCHEMA_VERSION = 1
SCHEMA = (
    "run string, log string, values array<string>, offsets array<long>, ops array<long>, definite boolean, detail string, anomaly string"
)
_ALLOWED = frozenset(anomaly.name for anomaly in ANOMALIES if anomaly.allowed)
_AT_ONCE = 2
Counts: TypeAlias = Mapping[str, Mapping[str, dict[str, int]]]
"""By run and anomaly: how many witnesses are `definite`, and how many `possible`."""


class Sized(Protocol):
    """What was judged."""

    @property
    def runs(self) -> Mapping[str, int]:
        """How many operations each run has."""

    @property
    def records(self) -> int:
        """How many records there are."""


@dataclass(frozen=True)
class FoundWitnesses:
    """Witnesses, and how many there are of each anomaly in each run that has any."""

    rows: DataFrame
    counts: Counts


@dataclass(frozen=True)
class Total:
    """One anomaly over all runs."""

    anomaly: Anomaly
    definite: int
    possible: int
    runs: int


def found(history: HistoryTables, anomalies: Sequence[Anomaly]) -> list[FoundWitnesses]:
    """The witnesses of each of these anomalies. Making a plan keeps one core busy, so the next one is made while one runs."""
    concerned = [anomaly for anomaly in anomalies if anomaly.concerns(history)]
    planners = ThreadPoolExecutor(_AT_ONCE)
    try:
        return [one for one in planners.map(lambda anomaly: _found(history, anomaly), concerned) if one.counts]
    finally:
        planners.shutdown(cancel_futures=True)  # after an error, or Ctrl-C, the waiting plans are not run


def _found(history: HistoryTables, anomaly: Anomaly) -> FoundWitnesses:
    rows = anomaly.find(history).withColumn("anomaly", F.lit(anomaly.name))
    if anomaly.absence and history.damaged:
        rows = rows.withColumn("definite", F.col("definite") & ~F.col("run").isin(history.damaged))
    rows = rows.persist()
    return FoundWitnesses(rows, counted(rows))


def counted(witnesses: DataFrame) -> Counts:
    """How many witnesses there are of each anomaly in each run."""
    sure = F.count_if("definite").alias("sure"), F.count_if(~F.col("definite")).alias("maybe")
    counts: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for row in witnesses.groupBy("run", "anomaly").agg(*sure).collect():
        counts[row.run][row.anomaly] = {"definite": row.sure, "possible": row.maybe}
    return counts


def together(every: Sequence[FoundWitnesses]) -> DataFrame:
    """The witnesses of all anomalies, of which there is at least one."""
    return reduce(DataFrame.union, (one.rows for one in every))


def verdict(history: Sized, every: Sequence[FoundWitnesses], quarantined: int) -> dict[str, Any]:
    """The content of verdict.json."""
    counts: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for one in every:
        for run, of_run in one.counts.items():
            counts[run] |= of_run
    return {
        "schema_version": SCHEMA_VERSION,
        "complete": True,
        "records": history.records,
        "operations": sum(history.runs.values()),
        "quarantined": quarantined,
        "runs": [
            {"run": run, "valid": _valid(counts[run]), "anomalies": dict(sorted(counts[run].items()))} for run in sorted(history.runs)
        ],
    }


def unfinished() -> dict[str, Any]:
    """The content of verdict.json until the check has ended."""
    return {"schema_version": SCHEMA_VERSION, "complete": False, "records": 0, "operations": 0, "quarantined": 0, "runs": []}


def totals(document: dict[str, Any]) -> list[Total]:
    """The anomalies that were found, over all runs, in the order of the taxonomy."""
    found = []
    for anomaly in ANOMALIES:
        counts = [run["anomalies"][anomaly.name] for run in document["runs"] if anomaly.name in run["anomalies"]]
        if counts:
            found.append(
                Total(anomaly, sum(count["definite"] for count in counts), sum(count["possible"] for count in counts), len(counts))
            )
    return found


def _valid(counts: dict[str, dict[str, int]]) -> bool:
    return not any(count["definite"] for name, count in counts.items() if name not in _ALLOWED)
