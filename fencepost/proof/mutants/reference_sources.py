"""The reference's source files, and importing them changed.

What is changed is compiled in memory: no file is written, and no compiled file of Python's is read or written either.
"""

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from fencepost.contract.errors import WrongUsage

from .mutations import KINDS

_ROOM = "fencepost.reference"
FOLDERS = ("kafka", "kernel", "metadata", "metadata_transactions", "pulsar", "scalable")
"""What the suite runs of it. The defects are wrong already, and what serves over sockets no run in process comes across."""
_ASIDE = (
    "kafka/kafka_release_bugs.py",
    "pulsar/pulsar_release_bugs.py",
    "metadata_transactions/metadata_release_bugs.py",
    "scalable/scalable_release_bugs.py",
    "metadata/faults.py",
    "metadata/oxia",
    "metadata/rooted.py",
    "metadata/timely.py",
    "metadata/troubled.py",
    "kernel/varied.py",
)
"""The bugs of releases, which are wrong already, what is there for a store that is no part of the reference, the troubles of stores and
how a broker is put together of variants, which are the suite's own tools."""

Compile = Callable[[str, bytes], CodeType]
"""From a file's name, such as `reference/kafka/end_txn_rules.py`, and what it holds."""


def root() -> Path:
    """The folder of the reference."""
    spec = importlib.util.find_spec(_ROOM)
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def files(only: Sequence[str] = ()) -> dict[str, Path]:
    """The files that may be changed, by name; `only` has folders or files of these. Raises WrongUsage for one that has none."""
    top = root()
    there = {path.relative_to(top).as_posix(): path for folder in FOLDERS for path in sorted((top / folder).rglob("*.py"))}
    found = {f"reference/{name}": path for name, path in there.items() if not name.startswith(_ASIDE)}
    chosen: dict[str, Path] = {}
    for asked in only:
        here = {name: path for name, path in found.items() if f"{name}/".startswith(f"{asked.strip('/')}/")}
        if not here:
            known = ", ".join(f"reference/{folder}" for folder in FOLDERS)
            raise WrongUsage(
                f"--only {asked}: no file of the reference is changed there; expected {known}, or a folder or file below them, or a kind "
                f"of change: {', '.join(KINDS)}"
            )
        chosen |= here
    return chosen if only else found


class Changing(MetaPathFinder):
    """Imports the reference's modules as `compiled` makes them, with these names in them. For `sys.meta_path`."""

    def __init__(self, compiled: Compile, names: Mapping[str, Any] | None = None) -> None:
        self._compiled, self._names, self._top = compiled, names or {}, root()

    def install(self) -> None:
        """From now on. Raises AssertionError where the reference is imported already."""
        assert _ROOM not in sys.modules, "the reference is imported already"
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(tuple(f"{_ROOM}.{folder}" for folder in FOLDERS)):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            file = f"reference/{Path(spec.origin).relative_to(self._top).as_posix()}"
            spec.loader = _Loader(name, spec.origin, file, self._compiled, self._names)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, file: str, compiled: Compile, names: Mapping[str, Any]) -> None:
        super().__init__(name, path)
        self._file, self._compiled, self._names = file, compiled, names

    def get_code(self, fullname: str) -> CodeType:
        return self._compiled(self._file, self.get_data(self.get_filename(fullname)))

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self._names)
        super().exec_module(module)
