"""Events become the same operations and records in process as on Spark: all histories of the anomalies' tests, at once."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from both_ways import written
from check_cases import cases
from check_histories import events
from sorted_tables import sorted_tables

from fencepost.pipeline.laws.columns import NONE, Ints
from fencepost.pipeline.laws.operations import Operations
from fencepost.pipeline.laws.pairing import paired
from fencepost.pipeline.laws.records import Records
from fencepost.pipeline.laws.transaction_outcomes import FAIL, INFO, OK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

CASES = {case.run: events(case.text, case.run) for case in cases()}
ENDINGS = {OK: "ok", FAIL: "fail", INFO: "info"}


def reported(column: Ints) -> list[int | None]:
    return [None if number == NONE else number for number in column.tolist()]


def test_operations_and_records_are_those_of_spark(spark: "SparkSession", tmp_path: Path) -> None:
    """What became of each, its unit, who asked for its end, and what it moved."""
    from fencepost.pipeline.ingest import files

    written(CASES, tmp_path / "in")
    tables = sorted_tables(spark, files.find([tmp_path / "in"]), tmp_path / "out")

    read = paired(event for history in CASES.values() for event in history)
    operations, moved_by_them = read.reported()
    ops = Operations.of(operations)
    records, logs = Records.of(moved_by_them, ops)

    names = ("run", "op", "at", "ty", "unit", "unit_oc", "oc", "end_op", "transactional", "by_hand")
    runs = [ops.runs[run] for run in ops.run.tolist()]
    columns = [
        runs,
        reported(ops.op),
        reported(ops.at),
        [ENDINGS[ty] for ty in ops.ty.tolist()],
        *(reported(getattr(ops, name)) for name in names[4:8]),
    ]
    ours = list(zip(*columns, ops.transactional.tolist(), ops.by_hand.tolist(), strict=True))
    assert sorted(map(str, ours)) == sorted(str(tuple(row)) for row in tables.ops.select(*names).collect())
    names = ("run", "log", "kind", "v", "o", "op", "mop", "ty", "oc")
    moved = zip(
        [ops.runs[run] for run in records.run.tolist()],
        [logs.name(log) for log in records.log.tolist()],
        records.kind.texts(records.kind.codes.tolist()),
        records.v.texts(records.v.codes.tolist()),
        *(reported(column) for column in (records.o, records.op, records.mop)),
        [ENDINGS[ty] for ty in records.ty.tolist()],
        reported(records.oc),
        strict=True,
    )
    assert sorted(map(str, moved)) == sorted(str(tuple(row)) for row in tables.records.select(*names).collect())


def said(number: int, kind: str, **other: Any) -> dict[str, Any]:
    return {"run_id": "r", "idx": number, "op_id": 0, "type": kind, "f": "send", "t_ns": number} | other


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (said(0, "invoke"), "a second invocation of operation 0"),
        (said(5, "invoke"), "op_id is 0, expected 5, the idx of this invocation"),
        (said(5, "ok", iso="read_uncommitted"), "iso is read_uncommitted, expected rc, ru"),
        (said(5, "ok", mops=[{"m": "send"}, {"m": "receive"}]), "m is receive, expected send, recv, "),
        (said(5, "ok", grp="g"), 'grp is "g", expected an object'),
        (said(5, "ok"), "a second completion of operation 0"),
        (said(5, "ok", op_id=4), "a completion of operation 4, which was not invoked before"),
        (said(5, "perhaps"), "type is perhaps"),
        (said(5, "ok", schema_version=9), "schema version 9 is not known"),
        (said(5, "ok", mops=[{"o": "1"}]), 'o is "1", expected an integer of 64 bits'),
        (json.loads("[1]"), "not one JSON object"),
    ],
)
def test_an_event_of_no_operation_is_refused_and_the_rest_stays(odd: object, reason: str) -> None:
    """With its place and the reason."""
    found = paired([said(0, "invoke"), said(1, "ok"), odd])

    assert [(one.op, one.at, one.ty) for one in found.operations] == [(0, 1, "ok")]
    assert [(one.place, reason in one.reason) for one in found.refused] == [(2, True)]
