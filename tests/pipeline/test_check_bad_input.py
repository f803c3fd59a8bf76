"""Whatever a file holds, `fencepost check` ends with a verdict on the rest, and tells where the bad line or file is."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from check_histories import events, write
from commands import fencepost, python
from compliance_files import write as results
from hypothesis import given, settings
from hypothesis import strategies as st
from on_one_spark import fencepost_on
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from fencepost.pipeline.ingest import edn
from fencepost.pipeline.ingest.edn_reader import MalformedEdn, read
from fencepost.pipeline.ingest.schema import EVENT
from fencepost.pipeline.movement.events import Block, events_of_edn

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

SOUND = "p0 ok send x<a@0\np1 ok poll x>a@0\n"
ROW = to_arrow_schema(EVENT)
NUMBERS = st.integers() | st.sampled_from([1 << 63, -(1 << 63) - 1, 10**40])
WORDS = st.sampled_from(["invoke", "ok", "info", "send", "poll", "txn", "assign", "nemesis"]) | st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | NUMBERS, inner, max_size=3),
    max_leaves=8,
)
KEYS = ("index", "time", "type", "process", "f", "value", "error", "rebalance-log", "seek-to-beginning?")


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES) | VALUES)
def test_any_edn_value_is_an_event_or_has_a_reason(value: Any) -> None:
    """Numbers that no column holds, and words where numbers should be, end no check."""
    try:
        event = edn.event(value)
    except MalformedEdn:
        return

    assert pa.RecordBatch.from_pylist([event], schema=ROW).num_rows == 1


@settings(deadline=None)
@given(
    st.binary(max_size=40) | st.text('{}[]()#"\\:;_u0dD8n 1.\ud83d', max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    """What is no notation is told as such, by a reader that never fails otherwise; what it reads can be stored."""
    try:
        value = read(line.decode())
    except (MalformedEdn, UnicodeDecodeError):
        return

    str(value).encode()


@pytest.mark.parametrize("said", ["[" * 100_000, "{:index " + "9" * 5_000 + "}", '{:type "\\ud800"}', "#_" * 50_000])
def test_a_hostile_line_ends_no_check(said: str) -> None:
    """Deep nesting, endless numbers and halves of characters."""
    assert len(events_of_edn(Block(said.encode(), 1, 0, ""), "run", {})) == 1


def test_what_cannot_be_read_is_reported_and_the_rest_is_judged(spark: SparkSession, tmp_path: Path) -> None:
    """Every kind of bad file and line, with a sound and a broken history: both are judged, and each bad one has its place and reason."""
    folder = tmp_path / "in"
    write(SOUND, "sound", folder)
    write("p0 ok send tid=t e=0 x<a@0\np0 ok abort tid=t e=0\np1 ok poll x>a@0\n", "broken", folder)
    for name, (content, _, _) in BAD.items():
        (folder / name).write_bytes(content)

    done = fencepost_on(spark, "check", folder, "--results", tmp_path / "out", "--format", "json", expect=1)

    reported = json.loads(done.out)
    runs = {run["run"]: run for run in reported["runs"]}
    assert runs["broken"]["anomalies"]["G1a"] == {"definite": 1, "possible": 0}
    assert runs["sound"]["valid"]
    rows = [json.loads(line) for part in (tmp_path / "out/quarantine").glob("part-*.json") for line in part.read_text().splitlines()]
    named = {Path(row["file"]).name: (row.get("line"), row["reason"]) for row in rows}
    assert reported["quarantined"] == len(rows) == len(named)
    assert {name: line for name, (line, _) in named.items()} == {name: line for name, (_, line, _) in BAD.items()}
    assert {name: named[name][1] for name, (_, _, reason) in BAD.items() if reason not in named[name][1]} == {}


def test_when_nothing_can_be_read_it_is_a_usage_error(tmp_path: Path) -> None:
    """Told before Spark is started, with each file's reason."""
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "no.parquet").write_bytes(b"PAR1 and nothing else")

    err = fencepost("check", tmp_path, expect=2).err

    assert "empty.jsonl: the file is empty" in err
    assert "no.parquet: not a whole Parquet file" in err


@pytest.mark.parametrize("command", ["check", "report"])
def test_without_spark_or_a_java_for_it_the_remedy_is_reported(tmp_path: Path, command: str) -> None:
    """Exit code 2, for what a user can mend."""
    write(SOUND, "run", tmp_path / "in")
    results(tmp_path / "in", {"KIP890-060": "met"})
    program = tmp_path / "without.py"
    to = ("--results" if command == "check" else "--out", tmp_path / "out")

    program.write_text(f"import sys\nsys.modules['pyspark'] = None\n{MAIN}", encoding="utf-8")
    no_spark = python(program, command, tmp_path / "in", *to, expect=2)
    program.write_text(f"from fencepost.pipeline import java\njava._homes = lambda places: iter(())\n{MAIN}", encoding="utf-8")
    no_java = python(program, command, tmp_path / "in", *to, expect=2)

    assert f"fencepost {command} needs pyspark" in no_spark.err
    assert "not installed: pip install 'fencepost[check]'" in no_spark.err
    assert "Spark needs Java 17 to 25: found none. Install one" in no_java.err


def _good(run: str) -> bytes:
    """A line that is sound."""
    return json.dumps(events(SOUND, run)[0]).encode() + b"\n"


def _parquet(rows: dict[str, list[Any]], cut: int | None = None) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(rows), stream)
    return stream.getvalue()[:cut]


MAIN = "from fencepost.cli.application import main\nmain()\n"
ONE = b"{:index 0, :time 0, :type :invoke, :process 0, :f :send, :value [[:send 1 7]]}\n"
NEEDED = {"run_id": ["r"], "idx": [0], "type": ["ok"], "f": ["send"], "op_id": [0]}
# What is in the file, which of its lines is bad, and what is said of it.
BAD: dict[str, tuple[bytes, int | None, str]] = {
    "empty.jsonl": (b"", None, "the file is empty"),
    "cut.jsonl": (_good("cut") + b'{"run_id": "r", "idx": 1', 2, "cut off"),
    "nul.jsonl": (_good("nul") + b"\x00\x00\x00", 2, "not one JSON object"),
    "deep.jsonl": (_good("deep") + b'{"a":' * 20_000, 2, "not one JSON object"),
    "number.jsonl": (
        _good("number") + b'{"run_id": "r", "idx": 99999999999999999999}',
        2,
        "idx is 99999999999999999999, expected an integer of 64 bits",
    ),
    "bytes.edn": (ONE + b"\xff\xfe", 2, "not UTF-8"),
    "tag.edn": (ONE + b'{:index 1, :type :ok, :process 0, :f :send, :value #strange/tag "x"}', 2, "unknown tag #strange/tag"),
    "index.edn": (ONE + b"{:index 99999999999999999999, :type :ok, :process 0, :f :send}", 2, "expected an integer of 64 bits"),
    "torn.edn": (ONE + b"{:index 1, :type :ok", 2, "cut off"),
    "bomb.jsonl.gz": (gzip.compress(b" " * (80 << 20)), None, "unpacks to more than 200 times its size"),
    "cut.jsonl.gz": (gzip.compress(_good("gzip") * 100)[:60], None, "not to be read to its end"),
    "text.parquet": (b"no Parquet at all", None, "not a whole Parquet file"),
    "cut.parquet": (_parquet(NEEDED, -20), None, "not a whole Parquet file"),
    "foreign.parquet": (_parquet({"name": ["a"]}), None, "not a history: it has no column run_id"),
    "typed.parquet": (_parquet(NEEDED | {"idx": ["one"]}), None, "not a history: its column idx is string, expected int64"),
}
