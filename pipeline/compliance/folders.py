"""Which folders hold the results of a run, and what each run is called.

A run is a `compliance.json`: named outright, below a named folder at any depth, or matched by a pattern. Its name is that of its folder,
from where all the runs have their folders in common, so that it is unique and reveals no more of this machine than it must.

Nothing that the user named is dropped silently: a file or folder that is no run's is reported with the reason. What does not exist at
all is the user's mistake.
"""

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.contract.errors import WrongUsage

RESULT = "compliance.json"
LARGEST = 64 << 20
_BESIDE = ("junit.xml", "environment.json", "allure-results")
_PRUNED = ("allure-results", "allure-report", "history", "node_modules")


@dataclass(frozen=True)
class ResultSource:
    """The results of one run."""

    path: Path
    run: str
    bytes: int


@dataclass(frozen=True)
class UnreadableFolder:
    """What the user named and the report leaves out, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class FoundRuns:
    """All that was found below what the user named."""

    sources: tuple[ResultSource, ...]
    unreadable: tuple[UnreadableFolder, ...]

    @property
    def bytes(self) -> int:
        return sum(source.bytes for source in self.sources)


def find(named: Sequence[str]) -> FoundRuns:
    """The runs in these files, folders and patterns; `WrongUsage` for one that is nothing at all."""
    files: dict[Path, None] = {}
    odd: dict[Path, str] = {}
    for path in (path for name in named for path in _meant(name)):
        if not path.is_dir():
            files[path] = None
            continue
        before = len(files) + len(odd)
        for kind, inner in _below(path, odd):
            if kind == RESULT:
                files[inner] = None
            else:
                odd[inner] = f"has the other files of a run, but no {RESULT}: it was ended before its system answered"
        if len(files) + len(odd) == before and not any(known.is_relative_to(path) for known in files):
            odd[path] = f"has no {RESULT} in it or below it"
    common = _common([*files, *odd])
    sources = []
    for file in files:
        try:
            size, reason = file.stat().st_size, None if os.access(file, os.R_OK) else "may not be read"
        except OSError as error:
            size, reason = 0, f"cannot be read: {error.strerror}"
        reason = reason or ("is empty" if size == 0 else f"is larger than {LARGEST >> 20} MB" if size > LARGEST else None)
        if reason:
            odd[file] = reason
        else:
            sources.append(ResultSource(file, _name(file, common), size))
    return FoundRuns(tuple(sources), tuple(UnreadableFolder(_name(path, common), reason) for path, reason in odd.items()))


def _meant(name: str) -> list[Path]:
    """What a name means: the path, if it exists, else all paths that the pattern matches."""
    paths = [Path(name)] if os.path.lexists(name) else [Path(match) for match in sorted(glob.glob(name, recursive=True))]
    if not paths:
        raise WrongUsage(
            f"{name} does not exist; expected results folders, as `fencepost run --results DIR` writes them, or folders of them"
        )
    return [path.resolve() for path in paths]


def _below(top: Path, odd: dict[Path, str]) -> Iterator[tuple[str, Path]]:
    """The results files below a folder, and the folders of runs that have none."""

    def unreadable_folder(error: OSError) -> None:
        odd[Path(error.filename)] = f"cannot be searched: {error.strerror}"

    for current, folders, files in os.walk(top, onerror=unreadable_folder):
        if RESULT in files:
            yield RESULT, Path(current, RESULT)
        elif any(name in files or name in folders for name in _BESIDE):
            yield "", Path(current)
        folders[:] = sorted(name for name in folders if name not in _PRUNED and not name.startswith("."))


def _common(paths: Sequence[Path]) -> Path:
    """Where the folders of all the runs begin to differ."""
    tops = {_run(path).parent for path in paths}
    return Path(os.path.commonpath(tops)) if tops else Path()


def _run(path: Path) -> Path:
    """What stands for a run: its folder, unless its file has a name other than the usual one."""
    return path.parent if path.name == RESULT else path


def _name(path: Path, common: Path) -> str:
    # A name that is not UTF-8 can be opened, but not written down.
    return str(_run(path).relative_to(common)).encode("utf-8", "replace").decode("utf-8")
