"""Editions: which requirements of a proposal count when a system is said to conform to it.

`features/<proposal>/editions/2026-12.yaml` is the edition 2026.12: a frozen list of ids. A requirement that is tested and is in no
edition yet is *provisional*: it is judged and shown, and does not affect conformance before the next edition. `docs/governance.md`
describes how an edition is made and what may be corrected within one.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from . import register as registers
from .datafile import DataFileError, Row, line_of, load
from .errors import UnknownName
from .register import Register, Requirement

NEXT = "next"
"""The edition that is being prepared: every tested requirement counts."""
PROVISIONAL = "provisional, which does not count before the next edition"
"""Appended to the verdict on such a requirement."""
_FOLDER = "editions"
_FILE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])\.yaml")


class _File(Row):
    """The contents of an edition's file."""

    requirements: list[str]


@dataclass(frozen=True)
class Edition:
    """A frozen list of the requirements of one proposal. `name` is a year and a month, such as 2026.12."""

    name: str
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class Counting:
    """The edition of each proposal that a run is judged by, None where the proposal has none yet.

    Without any proposal, or with `is_next`, every requirement counts.
    """

    by_spec: Mapping[str, Edition | None]
    is_next: bool = False

    def is_provisional(self, row: Requirement, spec: str) -> bool:
        """Whether a requirement of that proposal is tested and does not count yet."""
        if self.is_next or spec not in self.by_spec or not row.is_tested:
            return False
        edition = self.by_spec[spec]
        return edition is None or row.id not in edition.requirements

    def names(self, specs: Iterable[str]) -> dict[str, str | None]:
        """For compliance.json: the edition of each of these proposals."""
        return {spec: self._name(spec) for spec in specs if spec in self.by_spec}

    def cited(self, titles: Mapping[str, str]) -> str:
        """Proposals, by their titles, with their editions: `core and KIP-890 (Fencepost edition 2026.12)`."""
        return cited((title, self._name(spec) if spec in self.by_spec else "") for spec, title in titles.items())

    def _name(self, spec: str) -> str | None:
        edition = self.by_spec[spec]
        if self.is_next:
            return NEXT
        return edition.name if edition else None


ALL_COUNT = Counting({})


class Editions:
    """The editions of every proposal, the oldest first."""

    def __init__(self, by_spec: Mapping[str, tuple[Edition, ...]]) -> None:
        self.by_spec = dict(by_spec)

    def counting(self, named: str | None = None) -> Counting:
        """What counts in the edition of that name, in the newest without one. Raises UnknownName.

        A proposal without an edition of that name is judged by its newest earlier one.
        """
        names = sorted({edition.name for those in self.by_spec.values() for edition in those})
        if named is not None and named not in (*names, NEXT):
            raise UnknownName("edition", named, (*names, NEXT))
        latest = named if named not in (None, NEXT) else None
        chosen = {
            spec: next((one for one in reversed(those) if latest is None or one.name <= latest), None)
            for spec, those in self.by_spec.items()
        }
        return Counting(chosen, named == NEXT)


def cited(named: Iterable[tuple[str, str | None]]) -> str:
    """Titles with the names of their editions, each edition once; None means that there is none yet, "" that nothing is known."""
    groups: dict[str | None, list[str]] = {}
    for title, edition in named:
        groups.setdefault(edition, []).append(title)
    parts = [f"{_and(titles)}{of(edition)}" for edition, titles in groups.items()]
    return parts[0] if len(parts) == 1 else "; ".join(parts)


def of(edition: str | None) -> str:
    """The text that follows the proposals of an edition."""
    if edition == "":
        return ""
    if edition is None:
        return " (no Fencepost edition yet)"
    return f" ({edition} Fencepost edition)" if edition == NEXT else f" (Fencepost edition {edition})"


def listed(named: Mapping[str, str | None]) -> str:
    """Editions without their proposals if all are the same, such as `2026.12`; else `kip890 2026.12, kip939 none yet`."""
    names = {name or "none yet" for name in named.values()}
    return ", ".join(names) if len(names) < 2 else ", ".join(f"{spec} {name or 'none yet'}" for spec, name in named.items())


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def read(folder: Path | Traversable, register: Register) -> Editions:
    """Read every `<proposal>/editions/YYYY-MM.yaml` under `folder`.

    Raises DataFileError for a file with another name, and for an id that the proposal's register does not have or that is listed twice.
    """
    found: dict[str, tuple[Edition, ...]] = {}
    for spec, rows in register.by_spec.items():
        ids = {row.id for row in rows}
        frozen = folder / spec / _FOLDER
        files = sorted(frozen.iterdir(), key=lambda file: file.name) if frozen.is_dir() else []
        found[spec] = tuple(_read(file, spec, ids) for file in files)
    return Editions(found)


def _read(path: Path | Traversable, spec: str, ids: set[str]) -> Edition:
    named = _FILE.fullmatch(path.name)
    if named is None:
        raise DataFileError(f"{path}: an edition is named by its year and month; expected a name such as 2026-12.yaml")
    listed = load(path, _File).requirements
    for index, identifier in enumerate(listed):
        if fault := _fault(identifier, listed[:index], ids, spec):
            # Only here, since the file is read again to find a line.
            raise DataFileError(f"{path}:{line_of(path, 'requirements', index)}: requirements.{index + 1}: {identifier} {fault}")
    return Edition(f"{named[1]}.{named[2]}", tuple(listed))


def _fault(identifier: str, before: list[str], ids: set[str], spec: str) -> str | None:
    """What is wrong with an id that follows these; None if nothing is."""
    if identifier not in ids:
        return (
            f"is not a requirement of {spec}; expected an id of features/{spec}/requirements.yaml: "
            "correct the id, or restore its row (a row that was withdrawn stays there, with `excluded: REASON`)"
        )
    return "appears twice; remove one" if identifier in before else None


@functools.cache
def bundled() -> Editions:
    """The editions that the kit includes."""
    return read(resources.files("fencepost.features"), registers.bundled())
