"""Known deviations: where a released system is known to break a requirement, how that looks, and why it is believed.

An entry is run like everything else. It must fail, and with its symptom. One that passes is stale and therefore red, unless it
says `intermittent` with how often it was seen, or the exact version of the system is not known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import field_validator

from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.gherkin import bundled, scenarios_of
from fencepost.contract.register import Register
from fencepost.contract.symptom import Symptom


class Entry(Row):
    """One known deviation; `symptom` must show in the violation."""

    requirement: str
    versions: str
    symptom: Symptom
    reason: str
    link: str
    scenario: str | None = None
    intermittent: str | None = None

    @field_validator("versions")
    @classmethod
    def _is_a_range(cls, value: str) -> str:
        try:
            SpecifierSet(value)
        except InvalidSpecifier as error:
            raise ValueError("must be a version range such as >=4.0,<4.1") from error
        return value


@dataclass(frozen=True)
class Expectations:
    """The entries that hold for one system in one version; `may_pass` where the version is known only to its release line."""

    entries: tuple[Entry, ...] = ()
    may_pass: bool = False

    def of(self, requirement: str, scenario: str) -> Entry | None:
        """The entry for a scenario; an entry without a scenario holds for all of its requirement."""
        for entry in self.entries:
            if entry.requirement == requirement and entry.scenario in (None, scenario):
                return entry
        return None


def load_for(system: str, version: str, exact: bool, register: Register, folder: Path | Traversable | None = None) -> Expectations:
    """The entries of `<system>.yaml` whose range holds `version`; none where the system has no such file.

    Raises DataFileError as `check` does.
    """
    path = (folder or _bundled()).joinpath(f"{system}.yaml")
    entries = _checked(path, register) if path.is_file() else []
    return Expectations(tuple(_holding(entries, version)), may_pass=not exact)


def check(register: Register) -> None:
    """Read every file that comes with the kit.

    Raises DataFileError when an entry names a requirement that is not tested, or a scenario that it does not have: such an entry
    would match nothing.
    """
    for path in _bundled().iterdir():
        _checked(path, register)


def everything() -> Iterator[tuple[str, int, Entry]]:
    """All entries that come with the kit, with the names of their files and their lines."""
    for path in sorted(_bundled().iterdir(), key=lambda path: path.name):
        for index, entry in enumerate(load(path, list[Entry])):
            yield path.name, line_of(path, index), entry


def _bundled() -> Traversable:
    return resources.files("fencepost.fixtures").joinpath("expectations")


def _checked(path: Path | Traversable, register: Register) -> list[Entry]:
    entries = load(path, list[Entry])
    for index, entry in enumerate(entries):
        if entry.requirement not in register.by_id or not register[entry.requirement].is_tested:
            raise DataFileError(f"{path}:{line_of(path, index, 'requirement')}: {entry.requirement} is not a tested requirement")
        names = [scenario.name for _, scenario in scenarios_of(bundled(), entry.requirement)]
        if entry.scenario is not None and entry.scenario not in names:
            raise DataFileError(f"{path}:{line_of(path, index, 'scenario')}: {entry.requirement} has no scenario {entry.scenario!r}")
    return entries


def _holding(entries: Iterable[Entry], version: str) -> Iterable[Entry]:
    try:
        known = Version(version)
    except InvalidVersion:  # a foreign build: no release's excuse is its own
        return ()
    return (entry for entry in entries if SpecifierSet(entry.versions).contains(known, prereleases=True))
