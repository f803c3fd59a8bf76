"""Lines become the same operations and records in a task of Spark as in process, and what is bad is told with its place."""

import gzip
import json
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from check_cases import cases
from check_histories import events as reported_events
from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.pipeline.ingest.files import IngestSource
from fencepost.pipeline.laws import history_columns
from fencepost.pipeline.laws.columns import WordColumn
from fencepost.pipeline.laws.pairing import paired as paired_in_process
from fencepost.pipeline.movement.events import LINES, Block, _one_by_one, events, events_of_edn
from fencepost.pipeline.movement.pairing import paired
from fencepost.pipeline.movement.ranges import FileRange, blocks, divided, lines_before
from fencepost.pipeline.movement.ranges import read as read_range

# Two families have a history of one name; a run is one history.
CASES = {case.run: case.text for case in cases()}
SOUND = "p0 ok send x<a@0\np1 ok poll x>a@0\n"


def block(*lines: bytes) -> Block:
    return Block(b"\n".join(lines), 1, 0, "")


def written(*rows: object) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


def rows(columns: history_columns.OperationColumns | history_columns.RecordColumns) -> list[str]:
    """Rows in words, in their order."""
    every = [getattr(columns, field.name) for field in fields(columns) if field.name not in ("says", "outcomes")]
    return sorted(
        map(str, zip(*(one.texts(one.codes.tolist()) if isinstance(one, WordColumn) else one.tolist() for one in every), strict=True))
    )


def test_whole_runs_are_paired_as_in_process() -> None:
    """Operations, records and what becomes of them: all histories of the anomalies' tests, at once."""
    everything = [event for run, text in CASES.items() for event in reported_events(text, run)]

    found = paired(events([block(*written(*everything))]))

    ours = paired_in_process(everything).reported()
    rare = [*found.records.column_names, "seq", "mkey", "hash"]
    flat = pa.table([*found.records.columns, *(pc.struct_field(found.records["rare"], name) for name in rare[-3:])], rare)
    theirs = history_columns.operations(found.operations), history_columns.records(flat)
    assert [rows(one) for one in theirs] == [rows(one) for one in ours]
    assert all(theirs[0].says(name).codes.tolist() == ours[0].says(name).codes.tolist() for name in ("epoch", "segs", "type"))
    assert not len(found.bad)


def test_a_block_at_once_and_line_by_line_is_the_same() -> None:
    """Both ways to read lines agree on every column."""
    lines = written(*(event for run, text in CASES.items() for event in reported_events(text, run)))

    at_once, one_by_one = events([block(*lines)]), _one_by_one(lines)

    assert {name: at_once[name].to_pylist() for name in one_by_one.column_names} == one_by_one.to_pydict()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema_version": 9}, "schema version 9 is not known"),
        ({"run_id": None}, "has no run_id"),
        ({"type": "maybe"}, "type is maybe"),
        ({"idx": "1"}, 'idx is "1", expected an integer of 64 bits'),
        ({"idx": 1 << 63}, "idx is 9223372036854775808, expected"),
        ({"mops": {}}, "mops is {}, expected a list"),
        ({"tx": "t"}, 'tx is "t", expected an object'),
        ({"ctl": [1]}, "ctl is [1], expected an object"),
        ({"error": {"definite": "yes"}}, "not one JSON object"),
        ({"iso": "read_uncommitted"}, "iso is read_uncommitted, expected rc, ru"),
        ({"mops": [{"m": "send"}, {"m": "receive"}]}, "m is receive, expected send, recv, "),
        ({"op_id": 7}, "op_id is 7, expected 90, the idx of this invocation"),
    ],
)
def test_one_bad_line_is_reported_and_the_others_of_its_block_count(change: dict[str, Any], reason: str) -> None:
    """With its line and its reason."""
    good = reported_events(SOUND, "r")
    odd = good[0] | {"op_id": 90, "idx": 90} | change

    found = paired(events([block(*written(*good[:2], odd, *good[2:]))]))

    assert len(found.operations) == 2
    assert [row["mark"] for row in found.bad.to_pylist()] == [3]
    assert reason in found.bad["reason"][0].as_py()


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"\x00", b'{"a":' * 20_000, b'{"run_id": "r", "idx"', b"[]", b'{"idx": ' + b"9" * 5_000 + b"}"]
)
def test_what_is_no_event_is_refused_by_itself(line: bytes) -> None:
    """Hostile bytes end no task."""
    good = written(*reported_events(SOUND, "r"))

    found = events([block(*good, b"", line, b" \r")])

    assert found["reason"].to_pylist()[:-1] == [None] * 4
    assert found["reason"].to_pylist()[-1] in ("not UTF-8", "not one JSON object of the event's fields; the line may be cut off")
    assert found["line"].to_pylist() == [1, 2, 3, 4, 6]


def test_half_a_character_is_no_reason_to_refuse_a_line() -> None:
    """It cannot be stored, and is replaced."""
    good = reported_events(SOUND, "r")

    found = events([block(*written(good[0] | {"client": "\ud800"}, good[1] | {"ctl": {"a": "\ud800"}}))])

    assert found["reason"].to_pylist() == [None, None]
    assert found["client"].to_pylist()[0] == "?"
    assert found["ctl"].to_pylist()[1] == [("a", "?")]


def test_events_that_do_not_fit_are_reported_and_their_operations_stay_open() -> None:
    """A number used twice, a completion without an invocation, a number that is not that of the invocation. Clocks do not count."""
    first, done, asked, read = reported_events(SOUND, "r")
    others = [asked | {"idx": 90}, read | {"op_id": 40, "idx": 41}]
    rows = [first | {"t_ns": 7}, done, first, done | {"idx": 91}, asked, *others]

    found = paired(events([block(*written(*rows))]))

    assert found.operations.select(["op", "ty", "open"]).to_pylist() == [
        {"op": 0, "ty": "ok", "open": False},
        {"op": 2, "ty": "info", "open": True},
    ]
    reasons = {row["mark"]: row["reason"] for row in found.bad.to_pylist()}
    assert reasons == {place + 1: reason for place, _, reason in map(tuple_of, paired_in_process(rows).refused)}


def tuple_of(refused: Any) -> tuple[int, str | None, str]:
    return refused.place, refused.run, refused.reason


def test_nothing_at_all_is_no_operation() -> None:
    """An empty block has tables without rows."""
    found = paired(events([block(b"")]))

    assert [len(table) for table in found] == [0, 0, 0]
    assert events([]).schema == LINES


def test_a_file_comes_in_blocks_of_whole_lines(tmp_path: Path) -> None:
    """Whatever the size of a block, each line comes once with its number, packed or not."""
    lines = [b"first", b"", b"third", b"a longer fourth line"]
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(b"\n".join(lines))
    packed.write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))

    for size in (1, 4, 7, 100):
        for path in (plain, packed):
            parts = blocks(path, 0, "", size=size)
            found = [(number, line) for part in parts for number, line in enumerate(part.said.split(b"\n"), part.first_line)]
            assert [row for row in found if row[1]] == [(1, b"first"), (3, b"third"), (4, b"a longer fourth line")]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([b"", b"{}", b"\xc3\xa4", b"a longer line"]), max_size=8), st.integers(1, 9), st.integers(1, 30), st.booleans()
)
def test_a_line_belongs_to_one_range_of_its_file(lines: list[bytes], size: int, most: int, ends: bool) -> None:
    """Whichever bytes a range has, and whether or not the last line ends: each comes once, with its number in the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(b"\n".join(lines) + b"\n" * ends)
        found = [
            (number + lines_before(part), line)
            for part in divided([IngestSource(path, "json", "", "a")], most)
            for reported in blocks(path, 0, "", part.begin, part.end, size)
            for number, line in enumerate(reported.said.split(b"\n"), reported.first_line)
            if line
        ]

    assert found == [(number, line) for number, line in enumerate(lines, 1) if line]


def test_a_notation_is_paired_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who invoked what is known from one block to the next."""
    path = tmp_path / "a.edn"
    path.write_text(
        "{:index 0, :type :invoke, :process 0, :f :send, :value [[:send 1 7]]}\n"
        "{:index 1, :type :ok, :process 0, :f :send, :value [[:send 1 [0 7]]]}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("fencepost.pipeline.movement.ranges._NOTATION_BLOCK", 80)

    tables = list(read_range(FileRange(str(path), "edn", "", "run", 0, None, 0), 0))

    assert len(tables) == 2
    assert paired(pa.concat_tables(tables)).operations.select(["op", "at", "ty"]).to_pylist() == [{"op": 0, "at": 1, "ty": "ok"}]


def test_a_file_of_edn_is_paired_by_process() -> None:
    """Where a line has no index, it is known by its number; a nemesis is no client, and a bad line has its reason."""
    lines = [
        b"{:time 0, :type :invoke, :process 0, :f :send, :value [[:send 1 7]]}",
        b"{:time 0, :type :info, :process :nemesis, :f :kill}",
        b"{:time 1, :type :ok, :process 0, :f :send, :value [[:send 1 [0 7]]]}",
        b"\xff",
        b'{:type :ok, :process 0, :f :send, :value #strange/tag "x"}',
    ]

    found = paired(events_of_edn(block(*lines), "run", {}))

    assert found.operations.select(["run", "op", "at", "f"]).to_pylist() == [{"run": "run", "op": 1, "at": 3, "f": "send"}]
    assert found.records.select(["log", "v", "o"]).to_pylist() == [{"log": "1", "v": "7", "o": 0}]
    reasons = {row["mark"]: row["reason"] for row in found.bad.to_pylist()}
    assert reasons[4] == "not UTF-8"
    assert reasons[5] == "unknown tag #strange/tag"
