"""From witnesses to a verdict: what was found in each run, and whether the run is valid.

A run is invalid when it has a definite witness of an anomaly that somebody promises not to happen. A witness which is that something is
*missing* proves nothing in a run of which lines could not be read, and counts there as possible.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .anomalies import ANOMALIES, Anomaly
from .derived import History

SCHEMA_VERSION = 1
SCHEMA = (
    "run string, log string, values array<string>, offsets array<long>, ops array<long>, definite boolean, detail string, anomaly string"
)
_ALLOWED = frozenset(anomaly.name for anomaly in ANOMALIES if anomaly.allowed)


@dataclass(frozen=True)
class Total:
    """One anomaly over all runs."""

    anomaly: Anomaly
    definite: int
    possible: int
    runs: int


def witnesses(history: History, anomalies: Sequence[Anomaly]) -> DataFrame:
    """Every witness of these anomalies."""
    found = []
    for anomaly in anomalies:
        if not anomaly.concerns(history):
            continue
        rows = anomaly.find(history).withColumn("anomaly", F.lit(anomaly.name))
        if anomaly.absence and history.damaged:
            rows = rows.withColumn("definite", F.col("definite") & ~F.col("run").isin(history.damaged))
        found.append(rows)
    return _together(found) if found else history.tables.spark.createDataFrame([], SCHEMA)


def _together(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows of these. By halves: every union looks at all that it is made of, and one after the other that would be the square."""
    if len(frames) == 1:
        return frames[0]
    half = len(frames) // 2
    return _together(frames[:half]).union(_together(frames[half:]))


def verdict(history: History, found: DataFrame, quarantined: int) -> dict[str, Any]:
    """The content of verdict.json."""
    counts: dict[str, dict[str, dict[str, int]]] = defaultdict(dict)
    for row in (
        found.groupBy("run", "anomaly").agg(F.count_if("definite").alias("sure"), F.count_if(~F.col("definite")).alias("maybe")).collect()
    ):
        counts[row.run][row.anomaly] = {"definite": row.sure, "possible": row.maybe}
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
    """What verdict.json says until the check has ended."""
    return {"schema_version": SCHEMA_VERSION, "complete": False, "records": 0, "operations": 0, "quarantined": 0, "runs": []}


def totals(told: dict[str, Any]) -> list[Total]:
    """The anomalies that were found, over all runs, in the order in which the taxonomy has them."""
    found = []
    for anomaly in ANOMALIES:
        counts = [run["anomalies"][anomaly.name] for run in told["runs"] if anomaly.name in run["anomalies"]]
        if counts:
            found.append(
                Total(anomaly, sum(count["definite"] for count in counts), sum(count["possible"] for count in counts), len(counts))
            )
    return found


def _valid(counts: dict[str, dict[str, int]]) -> bool:
    return not any(count["definite"] for name, count in counts.items() if name not in _ALLOWED)
