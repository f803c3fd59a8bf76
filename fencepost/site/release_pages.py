"""The pages of the releases: what each line of releases is known to do otherwise, and what changed since the line before."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from fencepost.contract import proposals
from fencepost.contract.register import Register
from fencepost.deviations import known_deviations
from fencepost.deviations.known_deviations import BundledEntry

from . import addresses
from .page_writer import SearchEntry, Writer
from .requirement_pages import Deviation, as_deviation, entries
from .run_columns import Column, Columns

_PROFILE = re.compile(r"([a-z]+)-(\d+\.\d+)\.yaml")
_PATCHES = 10
"""A line has at most so many releases that an entry may be about."""


@dataclass(frozen=True)
class ReleaseDeviation:
    """A deviation with the requirement that it is about, of the proposal `spec`; `is_new` says that the line before does not have it."""

    requirement: str
    spec: str
    address: str | None
    statement: str
    deviation: Deviation
    is_new: bool


@dataclass(frozen=True)
class ReleaseLine:
    """A line of releases, such as Kafka 4.3."""

    system: str
    version: str
    known: tuple[ReleaseDeviation, ...]
    gone: tuple[ReleaseDeviation, ...]
    runs: tuple[Column, ...] = ()

    @property
    def name(self) -> str:
        return f"Apache {self.system.capitalize()} {self.version}"

    @property
    def address(self) -> str:
        return addresses.release(self.system, self.version)

    def holds(self, release: str) -> bool:
        """Whether a release is of this line: 4.3 has 4.3.1, and 5.0 has 5.0.0-M1."""
        return release == self.version or release.startswith((f"{self.version}.", f"{self.version}-"))

    @property
    def by_proposal(self) -> dict[str, list[ReleaseDeviation]]:
        """The known deviations by proposal; those about any requirement come last, under no proposal."""
        found: dict[str, list[ReleaseDeviation]] = {}
        for one in sorted(self.known, key=lambda one: (one.spec == "", one.spec, one.requirement)):
            found.setdefault(one.spec, []).append(one)
        return found


def lines_of(register: Register, specs: Sequence[str], columns: Columns) -> list[ReleaseLine]:
    """All lines that the kit knows, with their known deviations from the requirements of these proposals."""
    shown = [one for one in entries() if one[1].requirement == known_deviations.ANY or register.spec_of(one[1].requirement) in specs]
    found: list[ReleaseLine] = []
    for system, version in _known_lines():
        own = [(file, entry) for file, entry in shown if file == f"{system}.yaml"]
        before = next((line for line in reversed(found) if line.system == system), None)
        earlier = {one.deviation for one in before.known} if before else set()
        reported = [(entry, as_deviation(file, entry)) for file, entry in own if holds(entry, version)]
        known = tuple(
            _known(register, entry, notified_of, before is not None and notified_of not in earlier) for entry, notified_of in reported
        )
        now = {one.deviation for one in known}
        gone = tuple(one for one in before.known if one.deviation not in now) if before else ()
        line = ReleaseLine(system, version, known, gone)
        runs = tuple(one for one in columns.all if one.run.system.name == system and line.holds(one.run.system.version or ""))
        found.append(replace(line, runs=runs))
    return found


def write_all(site: Writer, lines: Sequence[ReleaseLine]) -> None:
    """A page for each line."""
    for line in lines:
        site.page(
            line.address,
            "release",
            line.name,
            found_by=SearchEntry(f"{line.name}: {len(line.known)} known deviations", line.address, "release"),
            line=line,
            titles={spec: proposals.bundled().title_of(spec) for spec in line.by_proposal if spec},
        )


def holds(entry: BundledEntry, line: str) -> bool:
    """Whether an entry is about any release of a line."""
    wanted = SpecifierSet(entry.versions)
    return any(wanted.contains(Version(f"{line}.{patch}"), prereleases=True) for patch in range(_PATCHES))


def _known_lines() -> Iterator[tuple[str, str]]:
    """The lines that have a profile, and those that an entry names to the last digit; the oldest first."""
    folder = resources.files("fencepost.fixtures").joinpath("releases")
    names = [entry.name for place in (folder, folder / "pulsar") for entry in place.iterdir()]
    found = {(match[1], match[2]) for name in names if (match := _PROFILE.fullmatch(name))}
    for file, entry in entries():
        named = [one.version for one in SpecifierSet(entry.versions) if one.operator in ("==", "<=", ">=")]
        found |= {
            (file.removesuffix(".yaml"), ".".join(version.split(".")[:2])) for version in named if re.fullmatch(r"\d+\.\d+\.\d+", version)
        }
    return iter(sorted(found, key=lambda one: (one[0], Version(one[1]))))


def _known(register: Register, entry: BundledEntry, deviation: Deviation, is_new: bool) -> ReleaseDeviation:
    if entry.requirement == known_deviations.ANY:
        return ReleaseDeviation("any requirement", "", None, "", deviation, is_new)
    row = register[entry.requirement]
    return ReleaseDeviation(row.id, register.spec_of(row.id), addresses.requirement(row.id), row.statement, deviation, is_new)
