"""Which files are histories, what their runs are called, and which are refused before Spark opens them.

A file is named outright, or found below a folder by its ending. A folder that a check has written holds results, not histories; and a file
of JSON lines whose first one is not like an event, such as the verdicts next to histories, is something else.

A file is refused here when opening it would harm: an archive that unpacks to hundreds of times its size, or one line that is longer than
any event is. Reading is in blocks, so the worst file costs no memory.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage
from fencepost.pipeline.layout import VERDICT

ENDINGS = {".jsonl": "json", ".ndjson": "json", ".json": "json", ".edn": "edn", ".parquet": "parquet"}
FOUND = (".jsonl", ".ndjson", ".edn", ".parquet")
LONGEST_LINE = 64 << 20
_BLOCK = 1 << 20
_MOST_RATIO = 200
_ENOUGH = 64 << 20


@dataclass(frozen=True)
class IngestSource:
    """A history file. `run` names the run of a format that holds no name; `prefix` comes before the names that it does hold."""

    path: Path
    form: str
    prefix: str
    run: str

    @property
    def bytes(self) -> int:
        """Its unpacked size, as the archive declares it."""
        size = self.path.stat().st_size
        return max(size, _unpacked(self.path)) if self.path.suffix == ".gz" else size


@dataclass(frozen=True)
class IngestRefusal:
    """A file that is not read, and why."""

    path: Path
    reason: str


def find(paths: Sequence[Path]) -> list[IngestSource]:
    """The histories in these files and folders; `WrongUsage` when there are none."""
    sources = []
    for path in paths:
        if not path.exists():
            raise WrongUsage(
                f"{path} does not exist; expected a history or a folder with histories ({', '.join(sorted(ENDINGS))}, or these with .gz)"
            )
        top = path if path.is_dir() else path.parent
        also = path.name if len(paths) > 1 and path.is_dir() else ""
        found = list(_below(path)) if path.is_dir() else [path]
        sources += [_source(file, top, also) for file in found]
    if not sources:
        named = ", ".join(map(str, paths))
        raise WrongUsage(f"no history in {named}; expected files that end with {', '.join(FOUND)}, or these with .gz")
    return sources


def refusal(source: IngestSource) -> IngestRefusal | None:
    """Why this file is not opened, or None."""
    size = source.path.stat().st_size
    if size == 0:
        return IngestRefusal(source.path, "the file is empty")
    try:
        if source.path.suffix == ".gz":
            with gzip.open(source.path) as stream:
                return _scan(source.path, iter(lambda: stream.read(_BLOCK), b""), size)
        if source.form != "parquet" and size > LONGEST_LINE:
            with source.path.open("rb") as plain:
                return _scan(source.path, iter(lambda: plain.read(_BLOCK), b""), size)
        if source.form == "parquet" and (why := _flaw_of_parquet(source.path)):
            return IngestRefusal(source.path, why)
    except (OSError, EOFError, zlib.error) as error:
        return IngestRefusal(source.path, f"not to be read to its end: {error}")
    return None


def _scan(path: Path, blocks: Iterator[bytes], size: int) -> IngestRefusal | None:
    unpacked = line = 0
    for block in blocks:
        unpacked += len(block)
        if unpacked > _ENOUGH and unpacked > _MOST_RATIO * size:
            return IngestRefusal(path, f"unpacks to more than {_MOST_RATIO} times its size")
        line = line + len(block) if b"\n" not in block else len(block) - block.rfind(b"\n")
        if line > LONGEST_LINE:
            return IngestRefusal(path, f"has a line of more than {LONGEST_LINE >> 20} MB")
    return None


def _unpacked(path: Path) -> int:
    """The length in the archive's last four bytes; a guess that only sizes the session."""
    with path.open("rb") as stream:
        stream.seek(-min(4, path.stat().st_size), os.SEEK_END)
        return int.from_bytes(stream.read(4), "little")


def _flaw_of_parquet(path: Path) -> str | None:
    from . import parquet_files

    return parquet_files.flaw(path)


def _below(folder: Path) -> Iterator[Path]:
    """The histories of a folder in order; a check's own results hold none."""
    for current, folders, files in os.walk(folder):
        if VERDICT in files:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found = (Path(current) / name for name in sorted(files) if _ending(Path(name)) in FOUND)
        yield from (path for path in found if not _is_something_else(path))


def _is_something_else(path: Path) -> bool:
    if ENDINGS[_ending(path)] != "json":
        return False
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            first = json.loads(stream.readline(_BLOCK))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return False  # a broken history is reported as one
    return not (isinstance(first, dict) and first.keys() & {"run_id", "op_id", "idx"})


def _ending(path: Path) -> str:
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix


def _source(file: Path, top: Path, also: str) -> IngestSource:
    form = ENDINGS.get(_ending(file))
    if form is None:
        raise WrongUsage(f"{file}: a history ends with {', '.join(sorted(ENDINGS))}, or these with .gz")
    if not os.access(file, os.R_OK):
        raise WrongUsage(f"{file}: this user may not read it; change its mode, or name another file")
    stem = file.name.removesuffix(".gz").removesuffix(_ending(file))
    folders = [part for part in (also, *file.relative_to(top).parts[:-1]) if part and part != "history"]
    # Jepsen calls every history `history`, in a folder that has the run's name.
    own = folders if stem == "history" and folders else [*folders, stem]
    return IngestSource(file.resolve(), form, "".join(f"{part}/" for part in folders), "/".join(own))
