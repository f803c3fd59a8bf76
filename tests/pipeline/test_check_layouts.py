"""The anomalies of segments in what a session with scalable topics really records: none in it as it is, and each where it was made.

The reference splits and merges a topic while keys are written to it and a stream consumer reads it. Each broken history is that one with
one thing changed, and the witness shows the layout over time.
"""

import copy
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from layout_laws import Scene, value
from pyspark.sql import SparkSession
from sorted_tables import sorted_tables

from fencepost.adapters.reference_scalable import ScalableReferenceSystem
from fencepost.pipeline.anomalies import pruning, segments
from fencepost.pipeline.derived import HistoryTables
from fencepost.pipeline.drawing import with_layouts
from fencepost.pipeline.ingest import files
from fencepost.pipeline.verdicts import found, together, verdict
from fencepost.pipeline.witnesses import RankedWitness, ranked, shown

ANOMALIES = (*segments.ANOMALIES, *pruning.ANOMALIES)
KEYS = ("a", "b")
"""Of the lower half, and of the upper one."""
Events: TypeAlias = list[dict[str, Any]]

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours


def recorded() -> Events:
    """What the session records."""
    system = ScalableReferenceSystem()
    system.open()
    session = system.session("layouts over time")
    scene = Scene(session, "changing")
    stream, writer = value(scene.probe.join_stream(scene.topic, "s", "reader")), value(scene.probe.writer(scene.topic))
    for stage, change in enumerate((lambda: scene.probe.split(scene.topic, 0), lambda: scene.probe.merge(scene.topic, 1, 2), None)):
        for key in KEYS:
            value(scene.probe.send_to_topic(writer, f"{key}{stage}", key=key))
        if change is not None:
            value(change())
            scene.layout  # noqa: B018 - a look, by which the history knows the change
    due = {f"{key}2" for key in KEYS}
    while due:
        message = value(scene.probe.take(stream))
        value(scene.probe.acknowledge_taken(stream, message))
        due.discard(message.value)
    reported: Events = json.loads(json.dumps(session.history("honest")))
    session.close()
    system.close()
    return reported


def end_of(events: Events, f: str, text: str | None = None) -> dict[str, Any]:
    """The end of the first such operation that was done, of that which moved this value."""
    done = (event for event in events if event["f"] == f and event["type"] == "ok")
    return next(event for event in done if text is None or text in [mop.get("v") for mop in event["mops"]])


def moved_behind(events: Events, text: str, behind: int) -> Events:
    """The same, with the send of that value as a whole behind the event of that number."""
    op = end_of(events, "send", text)["op_id"]
    pair = [event for event in events if event["op_id"] == op]
    rest = [event for event in events if event["op_id"] != op]
    at = next(place for place, event in enumerate(rest) if event["idx"] > behind)
    return rest[:at] + pair + rest[at:]


def sealed_segment_write(events: Events) -> Events:
    """What was written to the parent is written behind the split."""
    return moved_behind(events, "a0", end_of(events, "split")["idx"])


def early_child_write(events: Events) -> Events:
    """What was written to a child is written before its parent's seal was asked for."""
    return moved_behind(events, "a1", end_of(events, "split")["op_id"] - 1)


def wrong_range(events: Events) -> Events:
    """A child takes what its sibling should have."""
    for mop in end_of(events, "send", "a1")["mops"]:
        mop["hash"] = 0x9ABC
    return events


def dag_defect(events: Events) -> Events:
    """Of the children of the split there is only the first."""
    split = end_of(events, "split")
    split["ctl"]["children"] = split["ctl"]["children"].partition(",")[0]
    return events


def swapped(events: Events, one: str, other: str) -> Events:
    """The same, where each of two messages was delivered when the other one was."""
    first, second = end_of(events, "poll", one), end_of(events, "poll", other)
    first["mops"], second["mops"] = second["mops"], first["mops"]
    return events


def early_prune(events: Events) -> Events:
    """What was written to the parent was written in a transaction, which commits when the parent is gone."""
    reported = {"txn_id": "T", "tx": {"tid": "T", "pid": 0, "epoch": None}}
    sent, split = end_of(events, "send", "a0"), end_of(events, "split")
    for event in events:
        if event["op_id"] == sent["op_id"]:
            event |= reported
    prune = split | {"f": "prune", "api": "prune", "ctl": {name: split["ctl"][name] for name in ("topic", "segs")}}
    commit = sent | {"f": "commit", "api": "END_TXN", "mops": []}
    for event in (prune, commit):
        op = len(events)
        events += [event | {"idx": op, "op_id": op, "type": "invoke"}, event | {"idx": op + 1, "op_id": op}]
    return events


BROKEN: Mapping[str, Callable[[Events], Events]] = {
    "sealed-segment-write": sealed_segment_write,
    "early-child-write": early_child_write,
    "wrong-range": wrong_range,
    "early-prune": early_prune,
    "segment-dag-defect": dag_defect,
    "parent-after-child": lambda events: swapped(events, "b0", "b1"),
    "key-reorder": lambda events: swapped(events, "a1", "a2"),
}


def renamed(events: Events, run: str) -> Events:
    """The same as another run, numbered in its order."""
    number = {event["idx"]: place for place, event in enumerate(events)}
    return [{**event, "run_id": run, "idx": number[event["idx"]], "op_id": number[event["op_id"]]} for event in events]


@pytest.fixture(scope="module")
def judged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict[str, Any]], list[RankedWitness]]:
    """The anomalies of each run, and a witness of each with its picture."""
    folder, honest = tmp_path_factory.mktemp("layouts"), recorded()
    histories = {"honest": honest} | {name: change(copy.deepcopy(honest)) for name, change in BROKEN.items()}
    (folder / "in").mkdir()
    for name, events in histories.items():
        text = "".join(json.dumps(event) + "\n" for event in renamed(events, name))
        (folder / "in" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    tables = sorted_tables(spark, files.find([folder / "in"]), Path(folder / "out"))
    assert tables.bad is None
    history = HistoryTables(tables)
    every = found(history, ANOMALIES)
    rows = ranked(together(every), 1).collect()
    return {run["run"]: run["anomalies"] for run in verdict(history, every, 0)["runs"]}, with_layouts(shown(rows, tables), rows, tables)


def test_an_honest_history_has_no_anomaly_of_segments(judged: tuple[dict[str, dict[str, Any]], list[RankedWitness]]) -> None:
    """With every kind of change in it, keys, and a stream consumer."""
    assert judged[0]["honest"] == {}


@pytest.mark.parametrize("anomaly", BROKEN)
def test_each_anomaly_is_found_where_it_was_made(judged: tuple[dict[str, dict[str, Any]], list[RankedWitness]], anomaly: str) -> None:
    """For certain."""
    assert judged[0][anomaly][anomaly]["definite"] > 0


@pytest.mark.parametrize("anomaly", BROKEN)
def test_its_witness_shows_the_layout_over_time(judged: tuple[dict[str, dict[str, Any]], list[RankedWitness]], anomaly: str) -> None:
    """All segments, the seals, and what the witness is about."""
    (witness,) = [one for one in judged[1] if (one.run, one.anomaly.name) == (anomaly, anomaly)]

    assert witness.layout is not None
    assert witness.layout.count('class="segment"') == (3 if anomaly == "segment-dag-defect" else 4)
    assert witness.layout.count('class="seal"') >= 2
    assert anomaly == "segment-dag-defect" or 'r="6"' in witness.layout


def test_all_anomalies_of_segments_are_here() -> None:
    """None is trusted that was not seen to find what a recorded history has."""
    assert set(BROKEN) == {anomaly.name for anomaly in ANOMALIES}
