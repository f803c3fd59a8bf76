"""What a check on Spark finds, and what the laws find in process, as one kind of thing: how often each anomaly has each witness."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fencepost.pipeline.laws.judge import judge
from fencepost.pipeline.laws.witness import Witness

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

Histories: TypeAlias = Mapping[str, Sequence[dict[str, Any]]]
"""The events of each run."""

Shown: TypeAlias = Counter[tuple[str, Witness]]

CYCLES = ("G0", "G1c", "G-single", "G2")
"""The anomalies that inferred edges concern."""


def in_process(told: Histories, infer: bool = False) -> Shown:
    """Each history judged by itself; with inferred edges only its cycles."""
    found: Shown = Counter()
    for events in told.values():
        for anomaly, witnesses in judge(events, infer, infer).items():
            if not infer or anomaly in CYCLES:
                found.update((anomaly, one) for one in witnesses)
    return found


def on_spark(spark: "SparkSession", told: Histories, folder: Path) -> dict[bool, Shown]:
    """All of them as runs of one check, each in a file of its own: without inferred edges, and with them (True) only their cycles."""
    from fencepost.pipeline.anomalies import ANOMALIES, cycles
    from fencepost.pipeline.derived import History
    from fencepost.pipeline.ingest import files, lines
    from fencepost.pipeline.tables import Tables
    from fencepost.pipeline.verdicts import found, together

    (folder / "in").mkdir(parents=True)
    for number, events in enumerate(told.values()):
        (folder / f"in/{number}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    tables = Tables(spark, folder / "out", 1)
    tables.store(lines.read(spark, files.find([folder / "in"])))
    shown = {}
    for infer, anomalies in ((False, ANOMALIES), (True, cycles.ANOMALIES)):
        every = found(History(tables, infer_ww=infer, infer_rw=infer), anomalies)
        shown[infer] = Counter(map(_shown, together(every).collect() if every else ()))
    spark.catalog.clearCache()
    return shown


def _shown(row: "Row") -> tuple[str, Witness]:
    lists = tuple(row["values"]), tuple(row.offsets), tuple(row.ops)
    return row.anomaly, Witness(row.run, row.log, *lists, row.definite, row.detail)
