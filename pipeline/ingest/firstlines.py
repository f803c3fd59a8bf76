"""Whether it is worth starting Spark, judged by the first lines of the files.

One good line is enough, and usually the very first line is one. Only what is certainly bad counts as bad: the tasks that read whole files
are the judge.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .event import NOT_AN_EVENT, NOT_UTF_8, misfit
from .event import flaw as flaw_of_event
from .files import IngestSource

_LINES = 100
"""After so many lines that look like events and are none, the search stops: good ones may follow."""
_LONGEST = 1 << 20
_ENOUGH = 64 << 20
_BEFORE = b" \t\r,\xef\xbb\xbf"
_OPENINGS = (b"{", b"[", b"#", b";")


@dataclass(frozen=True)
class BadLine:
    """A line that is no event, and why. The line is None where the file has none."""

    path: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.line is None else f"{self.path}, line {self.line}: {self.reason}"


def hopeless(sources: Sequence[IngestSource]) -> list[BadLine]:
    """The first bad line of each file, if no file has a good one; nothing if there is one, or may be one further on."""
    found = []
    for source in sources:
        bad = None if source.form == "parquet" else _first_bad(source)
        if bad is None:
            return []
        found.append(bad)
    return found


def _first_bad(source: IngestSource) -> BadLine | None:
    """None if a line is good, or if not all lines were looked at."""
    flaw = _flaw_of_json if source.form == "json" else _flaw_of_edn
    first, doubtful = None, 0
    for number, line in _lines(source.path):
        if line is None or (why := flaw(line)) is None:
            return None
        first = first or BadLine(source.path, number, why)
        doubtful += why not in (NOT_AN_EVENT, NOT_UTF_8) and line.lstrip(_BEFORE)[:1] in _OPENINGS
        if doubtful > _LINES:
            return None
    return first or BadLine(source.path, None, "has only empty lines")


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not empty, numbered from 1, a long one as its beginning; the last is None where the file goes on."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            number, looked_at = 1, 0
            while looked_at < _ENOUGH:
                line = stream.readline(_LONGEST)
                if not line:
                    return
                looked_at += len(line)
                if len(line) == _LONGEST and line.lstrip(_BEFORE)[:1] in (b"", *_OPENINGS):
                    break
                if line.strip():
                    yield number, line
                while len(line) == _LONGEST and not line.endswith(b"\n"):
                    line = stream.readline(_LONGEST)
                    looked_at += len(line)
                number += 1
    except (OSError, EOFError, zlib.error):
        pass
    yield 0, None


def _flaw_of_json(line: bytes) -> str | None:
    try:
        event = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return NOT_UTF_8
    except (ValueError, RecursionError):
        return NOT_AN_EVENT
    return misfit(event) or flaw_of_event(event) if isinstance(event, dict) else NOT_AN_EVENT


def _flaw_of_edn(line: bytes) -> str | None:
    from . import edn
    from .edn_reader import MalformedEdn, read

    try:
        return flaw_of_event({"run_id": "", "op_id": 0, "idx": 0} | edn.event(read(line.decode())) | {"idx": 0})
    except UnicodeDecodeError:
        return NOT_UTF_8
    except (MalformedEdn, RecursionError) as error:
        return str(error)
