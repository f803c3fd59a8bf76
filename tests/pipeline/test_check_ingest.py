"""What is read, what is refused, and that nothing is dropped in silence."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from check_histories import events, write
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from sorted_tables import sorted_tables

from fencepost.contract.errors import WrongUsage
from fencepost.pipeline import java
from fencepost.pipeline.ingest import edn, files, quarantine
from fencepost.pipeline.ingest.edn_reader import MalformedEdn, read
from fencepost.pipeline.ingest.schema import EVENT
from fencepost.pipeline.layout import VERDICT
from fencepost.pipeline.spark_session import Size

SOUND = """
p0 ok send x<a@0
p1 ok poll x>a@0
"""
GOOD = [json.dumps(event) for event in events(SOUND, "good")]

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

Judge = Callable[[Path], tuple[int, list[tuple[str, int | None, str]]]]


@pytest.fixture
def judge(spark: SparkSession, tmp_path: Path) -> Judge:
    """How many operations were read of a folder, and what stands in quarantine: file, line, reason."""

    def read_all(folder: Path) -> tuple[int, list[tuple[str, int | None, str]]]:
        sources = files.find([folder])
        refused = [refusal for refusal in map(files.refusal, sources) if refusal]
        readable = [source for source in sources if source.path not in {refusal.path for refusal in refused}]
        tables = sorted_tables(spark, readable, tmp_path / "tables")
        named = quarantine.named(spark, tables.bad, [(number, str(source.path)) for number, source in enumerate(readable)])
        count = quarantine.keep(spark, named, refused, tmp_path / "quarantine")
        kept = spark.read.schema(quarantine.SCHEMA).json(str(tmp_path / "quarantine")).collect()
        assert count == len(kept)
        return tables.ops.count(), [(Path(row.file).name, row.line, row.reason) for row in kept]

    return read_all


def test_a_bad_line_is_reported_with_its_place_and_the_rest_is_judged(judge: Judge, tmp_path: Path) -> None:
    """Cut off, not UTF-8, another version, a missing field, a wrong type: each is quarantined with file and line."""
    folder = tmp_path / "in"
    folder.mkdir()
    versioned = json.dumps(json.loads(GOOD[0]) | {"schema_version": 9})
    nameless = json.dumps({name: value for name, value in json.loads(GOOD[0]).items() if name != "run_id"})
    odd = json.dumps(json.loads(GOOD[0]) | {"type": "maybe"})
    bad = [versioned.encode(), b"\xff\xfe not text", nameless.encode(), odd.encode()]
    body = b"\n".join([line.encode() for line in GOOD] + [b""] + bad) + b"\n" + GOOD[0].encode()[:40]
    (folder / "a.jsonl").write_bytes(body)
    (folder / "empty.jsonl").touch()

    operations, odd_lines = judge(folder)

    assert operations == 2
    reported = {(file, line): reason for file, line, reason in odd_lines}
    assert set(reported) == {("a.jsonl", 6), ("a.jsonl", 7), ("a.jsonl", 8), ("a.jsonl", 9), ("a.jsonl", 10), ("empty.jsonl", None)}
    assert "version 9 is not known, expected 1" in reported["a.jsonl", 6]
    assert reported["a.jsonl", 7] == "not UTF-8"
    assert reported["a.jsonl", 8] == "has no run_id"
    assert "maybe" in reported["a.jsonl", 9]
    assert "cut off" in reported["a.jsonl", 10]
    assert "empty" in reported["empty.jsonl", None]


def test_events_that_do_not_fit_are_quarantined_and_their_operations_stay_open(judge: Judge, tmp_path: Path) -> None:
    """A number used twice, a completion without an invocation, a number that is not that of the invocation. Clocks do not count."""
    first, done, asked, read_ = (json.loads(line) for line in GOOD)
    orphan = read_ | {"op_id": 40, "idx": 41}
    other = asked | {"idx": 90}
    early = read_ | {"t_ns": -5}
    rows = [first, done, first, done | {"idx": 91}, asked, other, orphan, early]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    operations, odd_lines = judge(folder)

    assert operations == 2
    reasons = {line: reason for _, line, reason in odd_lines}
    assert set(reasons) == {3, 4, 6, 7}
    assert "second invocation" in reasons[3]
    assert "second completion" in reasons[4]
    assert reasons[6] == f"op_id is {asked['op_id']}, expected 90, the idx of this invocation"
    assert "not invoked" in reasons[7]


def test_every_format_reads_the_same(judge: Judge, spark: SparkSession, tmp_path: Path) -> None:
    """Plain and packed JSON lines, Parquet and EDN, in one folder."""
    folder = tmp_path / "in"
    plain = write(SOUND, "plain", folder)
    packed = [json.dumps(event) for event in events(SOUND, "packed")]
    with gzip.open(folder / "packed.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write("\n".join(packed))
    in_rows = spark.read.schema(EVENT).json(str(plain)).replace("plain", "stored", subset=["run_id"])
    in_rows.withColumn("process", F.lit(7).cast("long")).coalesce(1).write.parquet(str(folder / "stored"))
    (folder / "jepsen.edn").write_text(
        "{:index 0, :time 0, :type :invoke, :process 0, :f :send, :value [[:send 1 7]]}\n"
        "{:index 1, :time 1, :type :ok, :process 0, :f :send, :value [[:send 1 [0 7]]]}\n"
        "{:index 2, :time 2, :type :info, :process :nemesis, :f :kill}\n"
        '{:index 3, :time 3, :type :ok, :process 0, :f :send, :value #unknown/tag "x"}\n',
        encoding="utf-8",
    )

    operations, odd_lines = judge(folder)

    assert operations == 2 + 2 + 2 + 1
    odd = {(file, line): reason for file, line, reason in odd_lines}
    assert odd.pop(("jepsen.edn", 4)) == "unknown tag #unknown/tag"
    assert set(odd) <= {("jepsen.edn", 3)}


def test_a_file_is_found_again_whatever_it_is_called(judge: Judge, tmp_path: Path) -> None:
    """Names that Spark writes otherwise, or reads as patterns: every line is an operation's or in quarantine with its file."""
    odd = ["a b.jsonl", "a+b.jsonl", "a%20b.jsonl", "ä[1]{2}.jsonl", "c?*d#e.jsonl"]
    for number, name in enumerate(odd):
        path = write(SOUND, f"run-{number}", tmp_path / "made")
        (tmp_path / "in").mkdir(exist_ok=True)
        path.rename(tmp_path / "in" / name)
        with (tmp_path / "in" / name).open("a", encoding="utf-8") as stream:
            stream.write('{"run_id":')

    operations, odd_lines = judge(tmp_path / "in")

    assert operations == 2 * len(odd)
    assert sorted((file, line) for file, line, _ in odd_lines) == sorted((name, 5) for name in odd)


def test_a_bomb_and_an_endless_line_are_refused_unopened(tmp_path: Path) -> None:
    """An archive of zeros, and a line longer than any event, never reach Spark; a broken archive neither."""
    bomb, endless, broken = tmp_path / "bomb.jsonl.gz", tmp_path / "endless.jsonl", tmp_path / "broken.jsonl.gz"
    with gzip.open(bomb, "wb") as stream:
        for _ in range(80):
            stream.write(b" " * (1 << 20))
    with endless.open("wb") as plain:
        plain.truncate(70 << 20)
    whole = gzip.compress("\n".join(GOOD).encode())
    broken.write_bytes(whole[: len(whole) // 2])

    reasons = {source.path.name: files.refusal(source) for source in files.find([bomb, endless, broken])}

    assert "unpacks to more than" in str(reasons["bomb.jsonl.gz"])
    assert "has a line of more than" in str(reasons["endless.jsonl"])
    assert "not to be read to its end" in str(reasons["broken.jsonl.gz"])


def test_a_large_value_is_kept_as_its_digest(judge: Judge, spark: SparkSession, tmp_path: Path) -> None:
    """Values of 10 MB are told apart, and are not carried through every table."""
    folder = tmp_path / "in"
    large = "z" * (10 << 20)
    write(SOUND.replace("<a", f"<{large}").replace(">a", f">{large}"), "large", folder)

    operations, odd_lines = judge(folder)

    assert (operations, odd_lines) == (2, [])
    values = {row.v for row in spark.read.parquet(str(tmp_path / "tables/records")).select("v").collect()}
    assert len(values) == 1
    assert len(values.pop()) < 200


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("{:a 1, :b [2 3N -4]}", {"a": 1, "b": [2, 3, -4]}),
        ('[nil true false "x\\"y" \\z #{1} (2) 1.5 :k/w]', [None, True, False, 'x"y', "z", [1], [2], 1.5, "k/w"]),
        ("#jepsen.history.Op{:f :poll} ; end", {"f": "poll"}),
        ("[1 #_ [2 3] 4]", [1, 4]),
        ("{1 [[0 1]]}", {1: [[0, 1]]}),
    ],
)
def test_edn_is_read(said: str, meant: object) -> None:
    """The notation as far as histories use it."""
    assert read(said) == meant


@pytest.mark.parametrize("said", ["[1 2", "{:a}", "[1)", "", "1 2", "#strange/tag 1", "]", '"open', "{[1] 2}"])
def test_what_is_no_edn_is_refused_with_a_reason(said: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(MalformedEdn):
        read(said)


def test_an_unknown_micro_operation_is_refused() -> None:
    """A history of another workload is not judged as if it were empty."""
    with pytest.raises(MalformedEdn, match="append"):
        edn.event(read("{:index 0, :type :ok, :process 0, :f :txn, :value [[:append 1 2]]}"))


def test_runs_are_named_by_their_folders(tmp_path: Path) -> None:
    """Two results folders may hold runs of one name; a check's own results hold no history."""
    for name in ("one", "two"):
        write(SOUND, "run", tmp_path / name / "history")
    (tmp_path / "check").mkdir()
    write(SOUND, "old", tmp_path / "check")
    (tmp_path / "check" / VERDICT).touch()

    assert {source.prefix for source in files.find([tmp_path])} == {"one/", "two/"}
    assert {source.prefix for source in files.find([tmp_path / "one", tmp_path / "two"])} == {"one/", "two/"}
    assert {source.prefix for source in files.find([tmp_path / "one"])} == {""}


def test_what_stands_beside_histories_is_no_history(tmp_path: Path) -> None:
    """Lines of JSON that have nothing of an event are left alone in a folder, and read when they are named; a broken history is read."""
    (tmp_path / "verdicts.jsonl").write_text('{"history": "h0006", "G1a": [1]}\n', encoding="utf-8")
    (tmp_path / "torn.jsonl").write_text('{"run_id": "r", "idx"\n', encoding="utf-8")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\n")
    sound = write(SOUND, "run", tmp_path)

    assert {source.path.name for source in files.find([tmp_path])} == {sound.name, "torn.jsonl", "bytes.jsonl"}
    assert [source.path.name for source in files.find([tmp_path / "verdicts.jsonl"])] == ["verdicts.jsonl"]


def test_a_missing_or_foreign_path_is_the_users_mistake(tmp_path: Path) -> None:
    """The error names what was expected."""
    (tmp_path / "notes.txt").touch()
    for path in (tmp_path / "nowhere", tmp_path / "notes.txt", tmp_path):
        with pytest.raises(WrongUsage, match="jsonl"):
            files.find([path])


def test_a_java_that_spark_cannot_use_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The versions that were found, and the remedy."""
    for version, reported in (("8", "1.8.0_402"), ("11", "11.0.2")):
        program = tmp_path / version / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{reported}\"' >&2\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "8"))
    monkeypatch.setattr(java, "_on_path", lambda: None)

    with pytest.raises(WrongUsage, match=r"version 8.*version 11.*Install one"):
        java.find((str(tmp_path),))
    monkeypatch.delenv("JAVA_HOME")
    with pytest.raises(WrongUsage, match="found none"):
        java.find((str(tmp_path / "nowhere"),))


def test_the_session_is_sized_to_its_input() -> None:
    """A run of the suite gets one partition and no generated code; a large history gets more of both, and no more memory than asked."""
    small, large = Size(1 << 20), Size(1 << 30, memory="2g")

    assert (small.partitions, small.settings("/tmp")["spark.sql.codegen.wholeStage"]) == (1, "false")  # noqa: S108 nothing is written
    assert large.partitions == 16
    assert large.settings("/tmp")["spark.driver.memory"] == "2g"  # noqa: S108 nothing is written
