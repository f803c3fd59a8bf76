"""Where no history has anything to read, that is told with file, line and reason before Spark starts; and only there."""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from check_histories import events, write
from commands import fencepost
from on_one_spark import fencepost_on

from fencepost.pipeline.ingest import files, firstlines
from fencepost.pipeline.movement import ranges

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("default")  # what Spark's own Python side warns of is not ours

EVENT = events("p0 ok send x<a@0\n", "run")[0]
EDN = b"{:index 0, :time 0, :type :invoke, :process 0, :f :send, :value [[:send 1 7]]}"


def event(**other: Any) -> bytes:
    return json.dumps(EVENT | other).encode()


# A file's name, its content, the line that is bad for certain (None: none is) and what is said of it.
FILES: dict[str, tuple[bytes, int | None, str]] = {
    "text.jsonl": (b"a log\nof something else\n", 1, "not one JSON object"),
    "cut.jsonl": (event()[:-20], 1, "the line may be cut off"),
    "late.jsonl": (b"\n\n  \n" + event()[:40] + b"\n", 4, "the line may be cut off"),
    "bytes.jsonl": (b"\xff\xfe\x00", 1, "not UTF-8"),
    "version.jsonl": (event(schema_version=9), 1, "schema version 9 is not known, expected 1"),
    "nameless.jsonl": (event(run_id=None), 1, "has no run_id"),
    "kind.jsonl": (event(type="perhaps"), 1, "type is perhaps, expected invoke, ok, fail, info"),
    "cut.jsonl.gz": (gzip.compress(event()[:-20]), 1, "the line may be cut off"),
    "tag.edn": (b"#strange/tag 1\n", 1, "unknown tag"),
    "bytes.edn": (b"\xff", 1, "not UTF-8"),
    "kind.edn": (EDN.replace(b":invoke", b":perhaps"), 1, "type is perhaps"),
    "good.jsonl": (b"x\n" + event(), None, ""),
    "marked.jsonl": (b"\xef\xbb\xbf" + event(), None, ""),
    "listed.jsonl": (b"[" + event() + b"]", 1, "not one JSON object"),
    "quoted.jsonl": (event().replace(b'"', b"'"), 1, "not one JSON object"),
    "long.jsonl": (b"x\n" * 200, 1, "not one JSON object"),
    "wide.jsonl": (b"x" * (2 << 20), 1, "not one JSON object"),
    "binary.jsonl": (bytes(range(256)) * 2_000, 1, "not one JSON object"),
    "late-good.jsonl": (b"x\n" * 200 + event(), None, ""),
    "wide-good.jsonl": (b"x" * (2 << 20) + b"\n" + event(), None, ""),
    "wide-event.jsonl": (b"{" + b" " * (2 << 20) + b"}", None, ""),
    "many-strange.jsonl": (event(schema_version=9) + b"\n", 1, "schema version 9"),
    "good.edn": (EDN, None, ""),
}


def sources(folder: Path) -> list[files.IngestSource]:
    return files.find([folder / name for name in FILES if (folder / name).exists()])


@pytest.mark.parametrize("name", FILES)
def test_only_what_is_bad_for_certain_is_bad(tmp_path: Path, name: str) -> None:
    """A file with a good line, or one that goes on, is for those that read it to judge."""
    content, line, reason = FILES[name]
    (tmp_path / name).write_bytes(content)

    bad = firstlines.hopeless(sources(tmp_path))

    assert [(one.path.name, one.line) for one in bad] == ([] if line is None else [(name, line)])
    assert all(reason in one.reason for one in bad)


@pytest.mark.parametrize("name", [name for name, (_, line, _) in FILES.items() if line is not None])
def test_all_is_bad_to_whom_reads_it_that_is_bad_for_certain(tmp_path: Path, name: str) -> None:
    """For the same reason."""
    (tmp_path / name).write_bytes(FILES[name][0])

    (part,) = ranges.divided(sources(tmp_path))
    reasons = [reason for table in ranges.read(part, 0) for reason in table["reason"].to_pylist()]

    assert None not in reasons
    assert FILES[name][2] in reasons[0]


def test_a_folder_without_a_readable_line_is_reported_before_spark(tmp_path: Path) -> None:
    """Exit code 2, the first files with line and reason, how many more there are; and nothing is left behind."""
    for number in range(7):
        (tmp_path / f"h{number}.jsonl").write_bytes(event()[: -20 - number])
    (tmp_path / "h0.jsonl").write_bytes(b"\n \n")

    err = fencepost("check", tmp_path, "--results", tmp_path / "out", expect=2).err

    assert err.startswith(f"fencepost: none of the histories can be read: {tmp_path}/h0.jsonl: has only empty lines; ")
    assert f"{tmp_path}/h1.jsonl, line 1: not one JSON object" in err
    assert err.endswith("; and 2 more\n")
    assert not (tmp_path / "out").exists()


def test_what_could_not_be_read_is_named_on_the_terminal(spark: "SparkSession", tmp_path: Path) -> None:
    """File, line and reason of the first, and where the others stand; the rest is judged."""
    write("p0 ok send x<a@0\n", "sound", tmp_path)
    (tmp_path / "bad.jsonl").write_bytes(event() + b"\n" + b"x\n" * 12)
    (tmp_path / "empty.jsonl").touch()

    err = fencepost_on(spark, "check", tmp_path, "--results", tmp_path / "out", "--format", "json", expect=0).err

    assert f"cannot be read: {tmp_path}/bad.jsonl, line 2: not one JSON object" in err
    assert f"and 3 more lines and files; all stand in {tmp_path}/out/quarantine" in err
