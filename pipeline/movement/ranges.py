"""Files as ranges that one task reads each, and ranges as events.

    JSON lines      bytes: a line belongs to the range in which it begins
    the same, packed, and Jepsen's notation    one range, since a later part has no meaning without an earlier one
    Parquet         groups of rows

Lines and rows are numbered from the beginning of their range. `lines_before` finds what is before it, and is asked only where something
could not be read.
"""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fencepost.pipeline.ingest.files import IngestSource

from .events import LINES, Block, events, events_of_columns, events_of_edn

BLOCK = 16 << 20
RANGE = 32 << 20
_NOTATION_BLOCK = 4 << 20
"""How much of Jepsen's notation is read at once; as Python objects it takes twenty times as much."""


class FileRange(NamedTuple):
    """A part of a file: bytes of a text (`end` is None for all of it), or groups of rows of a Parquet file."""

    path: str
    form: str
    prefix: str
    run: str
    begin: int
    end: int | None
    source: int
    """The place of the file among the sources."""


def divided(sources: Sequence[IngestSource], most: int = RANGE) -> list[FileRange]:
    """All of these files."""
    return [part for number, source in enumerate(sources) for part in _of_file(source, number, most)]


def _of_file(source: IngestSource, number: int, most: int) -> Iterator[FileRange]:
    def part(begin: int, end: int | None) -> FileRange:
        return FileRange(str(source.path), source.form, source.prefix, source.run, begin, end, number)

    if source.form == "parquet":
        for group in range(pq.read_metadata(source.path).num_row_groups):
            yield part(group, group + 1)
    elif source.form == "edn" or source.path.suffix == ".gz":
        yield part(0, None)
    else:
        size = source.path.stat().st_size
        for begin in range(0, size, most):
            yield part(begin, min(size, begin + most))


def read(part: FileRange, number: int) -> Iterator[pa.Table]:
    """The events of a range (`events.LINES`), as many at once as fit in memory; `file_id` is the number of the range."""
    path = Path(part.path)
    if part.form == "parquet":
        yield from _of_parquet(part, number)
    elif part.form == "edn":
        invoked: dict[str, int] = {}
        for block in blocks(path, number, "", size=_NOTATION_BLOCK):
            yield events_of_edn(block, part.run, invoked)
    else:
        for block in blocks(path, number, part.prefix, part.begin, part.end):
            yield events([block])


def blocks(path: Path, file_id: int, prefix: str, begin: int = 0, end: int | None = None, size: int = BLOCK) -> Iterator[Block]:
    """The lines of a file that begin in these bytes, in blocks of whole lines."""
    line, rest = 1, b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        if begin:
            stream.seek(begin - 1)
            stream.readline()
        while read := stream.read(size if end is None else max(0, min(size, end - stream.tell()))):
            whole, newline, more = read.rpartition(b"\n")
            if newline:
                yield Block(rest + whole, line, file_id, prefix)
                line += (rest + whole).count(b"\n") + 1
                rest = b""
            rest += more
        if rest and end is not None:
            rest += stream.readline().removesuffix(b"\n")
    if rest:
        yield Block(rest, line, file_id, prefix)


def lines_before(part: FileRange) -> int:
    """How many lines, or rows, of its file are before those of a range."""
    if part.form == "parquet":
        stored = pq.read_metadata(part.path)
        return sum(stored.row_group(group).num_rows for group in range(part.begin))
    if not part.begin:
        return 0
    left, ended = part.begin - 1, 0
    with Path(part.path).open("rb") as stream:
        while left and (read := stream.read(min(left, BLOCK))):
            left -= len(read)
            ended += read.count(b"\n")
    return ended + 1  # and the line of which the range has the rest


def _of_parquet(part: FileRange, number: int) -> Iterator[pa.Table]:
    line = 1
    with pq.ParquetFile(part.path) as stored:
        for batch in stored.iter_batches(row_groups=[part.begin]):
            rows = events_of_columns(pa.Table.from_batches([batch]), part.prefix)
            reported = {"file_id": pa.array(np.full(len(rows), number)), "line": pa.array(np.arange(line, line + len(rows)))}
            yield pa.table(reported | {name: rows[name] for name in LINES.names[2:]}, LINES)
            line += len(rows)
