"""Where a run keeps the histories of its scenarios: `history/<run>.jsonl.gz`, one file a scenario, an event a line.

Events repeat each other, so a file is a fourteenth of its text. Runs of older releases of the kit have the text itself, `.jsonl`.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .events import Event

ENDING = ".jsonl.gz"
_LONGEST = 200
"""How many characters of a title a name has at most: file systems allow 255, with the endings."""
_EXAMPLE = re.compile(r"-example-\d+$")


def name_of(run: str) -> str:
    """The file of a scenario, by the name of its run. A long title is cut off and has a digest, so names stay different.

    The names of an outline's examples begin with that of the outline.
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", run).strip("-")
    title = _EXAMPLE.sub("", plain)
    return f"{_cut(title)}{plain.removeprefix(title)}{ENDING}"


def _cut(title: str) -> str:
    if len(title) <= _LONGEST:
        return title
    digest = hashlib.sha256(title.encode()).hexdigest()[:12]
    return f"{title[: _LONGEST - len(digest) - 1]}-{digest}"


def packed(events: Iterable[Event | dict[str, Any]]) -> bytes:
    """The contents of the file. The same events are the same bytes."""
    text = "".join(json.dumps(event) + "\n" for event in events)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def text_of(path: Path) -> str:
    """The lines of a history, packed or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def first_line_of(path: Path) -> str:
    """The first line, even of a file that is damaged further on; empty if there is none."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        return lines.readline().decode(errors="replace")


def stem_of(path: Path) -> str:
    """The name of a history without its endings."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


def found_in(results: Path, beginning: str = "") -> Iterator[Path]:
    """The histories of a results folder whose names begin so, in order."""
    paths = (results / "history").glob(f"{beginning}*")
    return iter(sorted(path for path in paths if path.name.endswith((ENDING, ".jsonl"))))
