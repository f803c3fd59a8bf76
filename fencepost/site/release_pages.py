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

from . import addresses, release_offers
from .page_writer import PageWriter, SearchEntry
from .requirement_pages import Deviation, as_deviation, entries
from .run_columns import RunColumn, RunColumns

_PROFILE = re.compile(r"([a-z]+)-(\d+\.\d+)\.yaml")
_PATCHES = 10
"""A line has at most so many releases that an entry may be about."""


@dataclass(frozen=True)
class ReleaseDeviation:
    """A deviation with the requirement that it is about, of the proposal `spec`; `is_new` says that the previous line was tested for that
    proposal, and does not deviate in that way.
    """

    requirement: str
    spec: str
    address: str | None
    statement: str
    deviation: Deviation
    is_new: bool = False

    @property
    def shows(self) -> tuple[str, str, str]:
        """What a client sees of it, and where: another entry that shows the same is the same deviation, however often it was seen."""
        return self.requirement, self.deviation.scenario, self.deviation.symptom


@dataclass(frozen=True)
class ReleaseLine:
    """A line of releases, such as Kafka 4.3. `gone` is what the line before is known for and this one is not, and `first_asked` has the
    proposals that the line before is not tested for.
    """

    system: str
    version: str
    known: tuple[ReleaseDeviation, ...]
    before: "ReleaseLine | None" = None
    gone: tuple[ReleaseDeviation, ...] = ()
    first_asked: tuple[str, ...] = ()
    runs: tuple[RunColumn, ...] = ()

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


def lines_of(register: Register, specs: Sequence[str], columns: RunColumns) -> list[ReleaseLine]:
    """All lines that the kit knows, with their known deviations from the requirements of these proposals."""
    shown = [one for one in entries() if one[1].requirement == known_deviations.ANY or register.spec_of(one[1].requirement) in specs]
    found: list[ReleaseLine] = []
    for system, version in _known_lines():
        own = [(file, entry) for file, entry in shown if file == f"{system}.yaml"]
        before = next((line for line in reversed(found) if line.system == system), None)
        known = tuple(_known(register, entry, as_deviation(file, entry)) for file, entry in own if holds(entry, version))
        line = _since(ReleaseLine(system, version, known), before, specs) if before else ReleaseLine(system, version, known)
        runs = tuple(one for one in columns.all if one.run.system.name == system and line.holds(one.run.system.version or ""))
        found.append(replace(line, runs=runs))
    return found


def write_all(site: PageWriter, lines: Sequence[ReleaseLine]) -> None:
    """A page for each line."""
    for line in lines:
        site.page(
            line.address,
            "release",
            line.name,
            found_by=SearchEntry(f"{line.name}: {len(line.known)} known deviations", line.address, "release"),
            line=line,
            titles={spec: proposals.bundled().title_of(spec) for spec in (*line.by_proposal, *line.first_asked) if spec},
        )


def _since(line: ReleaseLine, before: ReleaseLine, specs: Sequence[str]) -> ReleaseLine:
    """The line with what changed since the line before, of these proposals."""
    asked, asked_before = (release_offers.offered_by(one.system, one.version) for one in (line, before))
    first = tuple(spec for spec in specs if spec in asked - asked_before) if asked_before else ()
    earlier, now = ({one.shows for one in those} for those in (before.known, line.known))
    known = tuple(replace(one, is_new=one.spec not in first and one.shows not in earlier) for one in line.known)
    return replace(line, known=known, before=before, gone=tuple(one for one in before.known if one.shows not in now), first_asked=first)


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


def _known(register: Register, entry: BundledEntry, deviation: Deviation) -> ReleaseDeviation:
    if entry.requirement == known_deviations.ANY:
        return ReleaseDeviation("any requirement", "", None, "", deviation)
    row = register[entry.requirement]
    return ReleaseDeviation(row.id, register.spec_of(row.id), addresses.requirement(row.id), row.statement, deviation)
