"""The bugs of `fixtures/museum.yaml`, as checked values."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.reference.defects import DEFECTS

_Text = Annotated[str, Field(min_length=1)]
_Names = Annotated[tuple[_Text, ...], Field(strict=False)]


class BugKind(Enum):
    """Why a bug is out of reach of the reference."""

    NODES = "nodes"
    COMPACTION = "compaction"
    STORAGE = "storage"
    LOAD = "load"
    RACE = "race"
    CONFIGURATION = "configuration"
    CLIENT = "client"

    @property
    def in_words(self) -> str:
        """What it would take to reproduce such a bug."""
        return _IN_WORDS[self]


_IN_WORDS = {
    BugKind.NODES: "more nodes, or nodes of another kind, than the reference has",
    BugKind.COMPACTION: "compaction that the reference does not model",
    BugKind.STORAGE: "tiered storage",
    BugKind.LOAD: "load",
    BugKind.RACE: "a race of threads",
    BugKind.CONFIGURATION: "a broker without transactions",
    BugKind.CLIENT: "a client that is at fault, and no broker",
}


class Bug(Row):
    """A bug by its ticket. `date` is a year, a month or a day in ISO 8601, if known; `link` is where it was reported."""

    id: _Text
    link: Annotated[str, Field(pattern=r"^https://\S+$")] | None = None
    date: Annotated[str, Field(pattern=r"^\d{4}(-\d\d){0,2}$")] | None = None
    also: _Names = ()
    symptom: _Text
    trigger: _Text
    defects: _Names = ()
    out_of_reach: Annotated[BugKind, Field(strict=False)] | None = None
    because: _Text | None = None
    waits_for: _Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _dates_are_text(cls, values: object) -> object:
        """YAML reads 2024 as a number and 2024-11-01 as a date."""
        if isinstance(values, dict) and "date" in values:
            return values | {"date": str(values["date"])}
        return values

    @model_validator(mode="after")
    def _has_one_fate(self) -> "Bug":
        given = [name for name in ("defects", "out_of_reach", "waits_for") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError(f"expected one of defects, out_of_reach and waits_for, and not {' and '.join(given) or 'none of them'}")
        if (self.out_of_reach is None) != (self.because is None):
            raise ValueError("out_of_reach and because belong together: a kind, and the reason in a sentence")
        return self

    @property
    def tickets(self) -> tuple[str, ...]:
        """All its tickets, its own first."""
        return (self.id, *self.also)

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that its defects break, each once."""
        return tuple(dict.fromkeys(row for name in self.defects for row in DEFECTS[name].breaks))


class _System(Row):
    system: _Text
    bugs: Annotated[tuple[Bug, ...], Field(min_length=1, strict=False)]


@dataclass(frozen=True)
class Museum:
    """The bugs of each system, in the order of the file."""

    systems: dict[str, tuple[Bug, ...]]

    @property
    def bugs(self) -> tuple[Bug, ...]:
        return tuple(bug for bugs in self.systems.values() for bug in bugs)

    @property
    def played(self) -> tuple[Bug, ...]:
        """The bugs that defects reproduce."""
        return tuple(bug for bug in self.bugs if bug.defects)

    @property
    def waiting(self) -> tuple[Bug, ...]:
        """The bugs that could be reproduced if the reference had more."""
        return tuple(bug for bug in self.bugs if bug.waits_for)

    def out_of_reach(self, kind: BugKind) -> tuple[Bug, ...]:
        return tuple(bug for bug in self.bugs if bug.out_of_reach is kind)

    def system_of(self, bug: Bug) -> str:
        return next(system for system, bugs in self.systems.items() if bug in bugs)

    def systems_of(self, bugs: Iterable[Bug]) -> tuple[str, ...]:
        """The systems of these bugs, each once."""
        return tuple(dict.fromkeys(self.system_of(bug) for bug in bugs))


@functools.cache
def bundled() -> Museum:
    """The bundled bugs."""
    return read(resources.files("fencepost.fixtures").joinpath("museum.yaml"))


def read(path: Path | Traversable) -> Museum:
    """The bugs of a file. Raises DataFileError for an unknown defect, and for duplicates."""
    rows = load(path, list[_System])
    seen: set[str] = set()
    for number, row in enumerate(rows):
        names = [("system", row.system), *(("bugs", bug.id) for bug in row.bugs)]
        for key, name in names:
            if name in seen:
                raise DataFileError(f"{path}:{line_of(path, number, key)}: {number + 1}.{key}: {name!r} appears twice")
            seen.add(name)
        unknown = [f"{bug.id} names the defect {name!r}" for bug in row.bugs for name in bug.defects if name not in DEFECTS]
        if unknown:
            raise DataFileError(f"{path}:{line_of(path, number, 'bugs')}: {number + 1}.bugs: {unknown[0]}, and there is none of that name")
    return Museum({row.system: row.bugs for row in rows})
