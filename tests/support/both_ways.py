"""What a check on Spark finds, and what the laws find in process, as one kind of thing: how often each anomaly has each witness.

The two are to be the same, but for what `EXPLAINED` has.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from changed_histories import changed
from check_cases import cases
from check_histories import events
from jepsen_histories import OURS, jepsen_histories
from sorted_tables import sorted_tables

from fencepost.pipeline.laws.judge import judge
from fencepost.pipeline.laws.pairing import paired
from fencepost.pipeline.laws.witness import HistoryWitness

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

Histories: TypeAlias = Mapping[str, Sequence[dict[str, Any]]]
"""The events of each run."""

Shown: TypeAlias = Counter[tuple[str, HistoryWitness]]

CYCLES = ("G0", "G1c", "G-single", "G2")
"""The anomalies that inferred edges concern."""

SEED, FEW = 24, 60
BARE = "bare-fetches-after-a-failure"
EXPLAINED = {
    "early-child-write": "a child of two parents has one witness, and the plan reports it once for each parent",
    "position-after-abort": "the plan asks whether any run of the check has consumers with positions, and the law asks it of the run",
}


def in_process(reported: Histories, infer: bool = False) -> Shown:
    """Each history judged by itself; with inferred edges only its cycles."""
    found: Shown = Counter()
    for history in reported.values():
        for anomaly, witnesses in judge(history, infer, infer).items():
            if not infer or anomaly in CYCLES:
                found.update((anomaly, one) for one in witnesses)
    return found


def on_spark(spark: "SparkSession", reported: Histories, folder: Path) -> dict[bool, Shown]:
    """All of them as runs of one check: without inferred edges, and with them (True) only their cycles."""
    from fencepost.pipeline.anomalies import ANOMALIES, cycles
    from fencepost.pipeline.derived import HistoryTables
    from fencepost.pipeline.ingest import files
    from fencepost.pipeline.verdicts import found

    written(reported, folder / "in")
    tables = sorted_tables(spark, files.find([folder / "in"]), folder / "out")
    shown = {}
    for infer, anomalies in ((False, ANOMALIES), (True, cycles.ANOMALIES)):
        every = found(HistoryTables(tables, infer_ww=infer, infer_rw=infer), anomalies)
        shown[infer] = Counter(_shown(row) for one in every for row in one.rows.collect())  # a union of them all would be planned again
    spark.catalog.clearCache()
    return shown


def written(reported: Histories, folder: Path) -> None:
    """As files. Each is a task, so there is one for all histories of which every line can be read; what could not be read of a file makes
    all of its runs doubtful, so each other history has a separate one.
    """
    folder.mkdir(parents=True)
    for number, history in enumerate(reported.values()):
        name = f"damaged-{number}" if paired(history).refused else "whole"
        with (folder / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(event) + "\n" for event in history)


def _shown(row: "Row") -> tuple[str, HistoryWitness]:
    lists = tuple(row["values"]), tuple(row.offsets), tuple(row.ops)
    return row.anomaly, HistoryWitness(row.run, row.log, *lists, row.definite, row.detail)


@cache
def cases_and_few() -> dict[str, list[dict[str, Any]]]:
    """All small histories, those of Jepsen that are here, some changed ones, and one for a difference that is explained."""
    bare = "p0 ok send x<a@0\np0 ok send x<b@1\np0 fail poll x>a@0\np0 ok poll x>b@1"
    own = {case.run: events(case.text, case.run) for case in cases()} | jepsen_histories(OURS)
    return own | changed(own, FEW, SEED) | {BARE: events(bare, BARE)}


@cache
def cases_and_few_in_process(infer: bool = False) -> Shown:
    """What these show; tests must not change the value."""
    return in_process(cases_and_few(), infer)


def unexplained(ours: Shown, theirs: Shown, reported: Histories, seen: set[str]) -> Iterator[str]:
    """What only one side has, in words; and what is explained goes to `seen`."""
    for (anomaly, one), count in sorted((theirs - ours).items(), key=str):
        twice = anomaly == "early-child-write" and ours[anomaly, one] == 1 and _is_child_of_two(one.log, reported[one.run])
        bare = anomaly == "position-after-abort" and not one.definite and not any(_has_position(event) for event in reported[one.run])
        itself = anomaly == "key-reorder" and len(set(one.values)) == 1  # a value that was sent twice, in the plan's order of equals
        if twice or bare:
            seen.add(anomaly)
        elif not itself:
            yield f"only on Spark, {count} times: {anomaly} {one}"
    for (anomaly, one), count in sorted((ours - theirs).items(), key=str):
        yield f"only in process, {count} times: {anomaly} {one}"


def _is_child_of_two(log: str | None, reported: Sequence[Mapping[str, Any]]) -> bool:
    merges = [event["ctl"] for event in reported if event["f"] in ("split", "merge")]
    return any("," in ctl.get("segs", "") and f"{log}:" in ctl.get("children", "") for ctl in merges)


def _has_position(event: Mapping[str, Any]) -> bool:
    placed = event["f"] in ("assign", "subscribe") and event.get("mops")
    return bool(placed) or event["f"] == "final_read" or (event.get("ctl") or {}).get("positions") == "kept"
