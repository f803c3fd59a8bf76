"""Known deviations: where a system is known to break a requirement, how that looks, and why it is believed.

An entry is run like everything else. It must fail, and with its symptom. One that passes is stale and therefore red, unless it
says `intermittent` with how often it was seen in how many tries, or its range of versions holds and the exact version of the system is
not known. `run --verify-expectations N` measures these counts anew.

What has a cause that an answer tells, and may show in any scenario, is one entry about `any` requirement with that answer.

Ours are bundled, and each holds for versions of a release; a user's stand in files of their own (`user_deviations.py`).
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import Field, field_validator, model_validator

from fencepost.contract import proposals
from fencepost.contract.datafile import DataFileError, Row, line_of, lines_of, load
from fencepost.contract.errors import hint
from fencepost.contract.evidence import Mismatch
from fencepost.contract.expression import Expression
from fencepost.contract.gherkin import scenarios_of
from fencepost.contract.ports import Exchange
from fencepost.contract.register import Register
from fencepost.contract.symptom import Symptom


class Intermittent(Row):
    """How often a deviation was seen that does not show each time. What was never seen is no deviation, so there is no excuse for it."""

    seen: int = Field(ge=1)
    tried: int

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        """`3 of 20 runs` says the same in a user's file."""
        said = re.match(r"(\d+) of (\d+)\b", value) if isinstance(value, str) else None
        if isinstance(value, str) and said is None:
            raise ValueError("must say how often it was seen, such as {seen: 3, tried: 20}")
        return {"seen": int(said[1]), "tried": int(said[2])} if said else value

    @model_validator(mode="after")
    def _not_more_than_tried(self) -> "Intermittent":
        if self.seen > self.tried:
            raise ValueError(f"says that it was seen {self.seen} times in {self.tried} tries")
        return self

    def __str__(self) -> str:
        return f"seen in {self.seen} of {self.tried} tries"


_NUMBER = re.compile(r"\[\d+] ")
_MOST_FAULTS = 5
"""So many are told at once; more are counted."""
ANY = "any"
"""What an entry says that is about every requirement."""


class Answered(Row):
    """What the system told of the cause: the last request of the scenario whose name has `to` in it was answered with `said` in it.

    Both are regular expressions; an answer is looked at as JSON.
    """

    to: Expression = Field(min_length=1)
    said: Expression = Field(min_length=1)

    def shows_in(self, exchanges: Sequence[Exchange]) -> bool:
        """Whether it was answered so."""
        last = next((one for one in reversed(exchanges) if re.search(self.to, one.name)), None)
        return last is not None and re.search(self.said, json.dumps(last.answer, default=str)) is not None


class Entry(Row):
    """One known deviation; `symptom` must show in the violation, and what is `answered` in what was said.

    `inconclusive` instead of a symptom says that the scenario could not be judged, with an expression for the reason. Such an entry
    need not show, and excuses no violation.

    It holds for all of its requirement, or for one `scenario`, for one `example` of that, and where a scenario is asked under several
    protocols, for one `protocol`. A scenario is recognised by its number, so that a user's file outlives a reworded title. With what
    is `answered` it may be about `any` requirement; then it is intermittent.
    """

    requirement: str
    scenario: str | None = None
    example: int | None = Field(default=None, ge=1)
    protocol: str | None = None
    versions: str | None = None
    symptom: Symptom | None = None
    inconclusive: Expression | None = Field(default=None, min_length=1)
    answered: Answered | None = None
    reason: str = Field(min_length=1)
    link: str | None = None
    intermittent: Intermittent | None = None

    @model_validator(mode="after")
    def _any_has_a_cause(self) -> "Entry":
        if self.requirement == ANY and (self.answered is None or self.intermittent is None or self.scenario or self.example):
            raise ValueError(
                "an entry about any requirement must say `answered`, which is the cause, and `intermittent`; it names no scenario"
            )
        return self

    @model_validator(mode="after")
    def _shows_in_one_way(self) -> "Entry":
        if (self.symptom is None) is (self.inconclusive is None):
            raise ValueError("an entry must say `symptom` of a violation, or `inconclusive` with the reason, and not both")
        return self

    @field_validator("versions")
    @classmethod
    def _is_a_range(cls, value: str | None) -> str | None:
        try:
            SpecifierSet(value or "")
        except InvalidSpecifier as error:
            raise ValueError("must be a version range such as >=4.0,<4.1") from error
        return value

    @property
    def place(self) -> str:
        """What it is about, as a message says it."""
        example = f" example {self.example}" if self.example else ""
        protocol = f" ({self.protocol})" if self.protocol else ""
        return f"{self.requirement}{f' {self.scenario}' if self.scenario else ''}{example}{protocol}"

    @property
    def sign(self) -> str:
        """By what it is known, as a message says it."""
        return str(self.symptom) if self.symptom else f"inconclusive '{self.inconclusive}'"

    def shows_in(self, violation: Mismatch | None) -> bool:
        """Whether its symptom shows; never where it knows of no violation."""
        return self.symptom is not None and self.symptom.shows_in(violation)

    def knows_why(self, reason: str | None) -> bool:
        """Whether it says that the scenario cannot be judged, for this reason."""
        return self.inconclusive is not None and re.search(self.inconclusive, reason or "") is not None

    @property
    def told(self) -> str:
        """What it excuses: two entries that say the same are one too many."""
        return self.model_copy(update={"scenario": _known_by(self.scenario)}).model_dump_json(exclude={"reason", "link", "intermittent"})


class BundledEntry(Entry):
    """One of ours: of a release, and with a link to where it can be read of."""

    versions: str
    link: str
    symptom: Symptom


def _known_by(scenario: str | None) -> str | None:
    """How a scenario is recognised: by its number, which stays when its title is reworded, and by its name where it has no number."""
    numbered = _NUMBER.match(scenario or "")
    return numbered[0] if numbered else scenario


@dataclass(frozen=True)
class Asking:
    """What a scenario asks, and under which protocol. `example` is the row of an outline, from 1; None for a scenario without."""

    requirement: str
    scenario: str
    protocol: str | None = None
    example: int | None = None


@dataclass(frozen=True)
class Known:
    """An entry with the place where it stands; `may_pass` where it need not show in the system that is judged."""

    entry: Entry
    file: str
    line: int
    is_own: bool
    """Whether it is the user's, and not ours."""
    may_pass: bool = False

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def need_not_show(self) -> bool:
        return self.may_pass or self.entry.intermittent is not None or self.entry.inconclusive is not None

    def is_about(self, asked: Asking) -> bool:
        """What an entry does not say, it holds for all of."""
        entry = self.entry
        return (
            entry.requirement in (ANY, asked.requirement)
            and _known_by(entry.scenario) in (None, _known_by(asked.scenario))
            and entry.example in (None, asked.example)
            and entry.protocol in (None, asked.protocol)
        )

    def holds_for(self, version: str) -> bool:
        """Whether its range holds the version; one without a range holds for all. A foreign build gets no release's excuse."""
        if self.entry.versions is None:
            return True
        try:
            return SpecifierSet(self.entry.versions).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return False


@dataclass(frozen=True)
class Expectations:
    """The entries that hold for one system in one version."""

    known: tuple[Known, ...] = ()

    def of(self, asked: Asking, exchanges: Callable[[], Sequence[Exchange]] = tuple) -> tuple[Known, ...]:
        """The entries about a scenario in which this was said, the user's first. What was said is only asked for where it matters."""
        about = [one for one in self.known if one.is_about(asked)]
        told = [one for one in about if one.entry.answered is None or one.entry.answered.shows_in(exchanges())]
        return tuple(sorted(told, key=lambda one: not one.is_own))


def load_for(system: str, version: str, exact: bool, register: Register, folder: Path | Traversable | None = None) -> Expectations:
    """The bundled entries of `<system>.yaml` whose range holds `version`; none where the system has no such file.

    Where the version is known to its release line only, they may pass. Raises DataFileError as `check` does.
    """
    path = (folder or _bundled()).joinpath(f"{system}.yaml")
    if not path.is_file():
        return Expectations()
    entries = checked(path, BundledEntry, register)
    found = [Known(entry, f"bundled {system}.yaml", line, is_own=False) for entry, line in zip(entries, lines_of(path), strict=True)]
    return Expectations(tuple(holding(found, version, exact)))


def check(register: Register) -> None:
    """Read every file that comes with the kit.

    Raises DataFileError when an entry names a requirement that is not tested, or a scenario that it does not have: such an entry
    would match nothing.
    """
    for path in _bundled().iterdir():
        checked(path, BundledEntry, register)


def everything() -> Iterator[tuple[str, int, BundledEntry]]:
    """All entries that come with the kit, with the names of their files and their lines."""
    for path in sorted(_bundled().iterdir(), key=lambda path: path.name):
        for line, entry in zip(lines_of(path), load(path, list[BundledEntry]), strict=True):
            yield path.name, line, entry


def _bundled() -> Traversable:
    return resources.files("fencepost.fixtures").joinpath("expectations")


AnEntry = TypeVar("AnEntry", bound=Entry)


def checked(path: Path | Traversable, kind: type[AnEntry], register: Register) -> list[AnEntry]:
    """The entries of a file.

    Raises DataFileError, with file, line and the nearest name, for an entry that could match nothing, or that stands twice.
    """
    entries: list[AnEntry] = load(path, list[kind])  # type: ignore[valid-type]  # the kind is a value here
    first: dict[str, int] = {}
    faults = []
    for index, entry in enumerate(entries):
        try:
            _check(path, index, entry, register)
        except DataFileError as error:
            faults.append(str(error))
        if entry.told in first:
            place, other = line_of(path, index), line_of(path, first[entry.told])
            faults.append(f"{path}:{place}: {entry.place}: this entry stands twice, first in line {other}; remove one")
        first.setdefault(entry.told, index)
    if faults:
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise DataFileError("; ".join(faults[:_MOST_FAULTS] + more))
    return entries


def _check(path: Path | Traversable, index: int, entry: Entry, register: Register) -> None:
    """Raises DataFileError for an entry that names what there is not."""

    def refuse(key: str, why: str) -> DataFileError:
        return DataFileError(f"{path}:{line_of(path, index, key)}: {why}")

    if entry.requirement == ANY:
        return
    row = register.by_id.get(entry.requirement)
    if row is None or not row.is_tested:
        tested = [row.id for row in register.rows() if row.is_tested]
        raise refuse("requirement", f"{entry.requirement} is not a tested requirement{hint(entry.requirement, tested)}")
    scenarios = {_known_by(scenario.name): scenario for _, scenario in scenarios_of(entry.requirement)}
    meant = scenarios.get(_known_by(entry.scenario))
    if entry.scenario is not None and meant is None:
        names = [scenario.name for scenario in scenarios.values()]
        raise refuse("scenario", f"{entry.requirement} has no scenario {entry.scenario!r}{hint(entry.scenario, names)}")
    if isinstance(entry, BundledEntry) and meant is not None and entry.scenario != meant.name:
        raise refuse("scenario", f"scenario {entry.scenario!r} of {entry.requirement} is called {meant.name!r}")
    if entry.example is not None:
        rows = len(meant.rows) if meant else 0
        if entry.example > rows:
            said = f"this scenario has {rows}" if entry.scenario else "say of which scenario"
            raise refuse("example", f"{entry.requirement} has no example {entry.example}; {said}")
    bound = protocols_of(entry.requirement, register)
    if entry.protocol is not None and entry.protocol not in bound:
        raise refuse("protocol", f"{entry.requirement} is not asked under {entry.protocol!r}; expected {' or '.join(bound)}")


def protocols_of(requirement: str, register: Register) -> tuple[str, ...]:
    """The protocols under which a requirement is asked."""
    return proposals.bundled().protocols_of(register.spec_of(requirement))


def holding(known: Iterable[Known], version: str, exact: bool) -> Iterator[Known]:
    """Those whose range holds the version; one that names a range may pass where the version is known to its release line only."""
    for one in known:
        if one.holds_for(version):
            yield replace(one, may_pass=one.entry.versions is not None and not exact)
