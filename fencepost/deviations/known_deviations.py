"""Known deviations: where a system is known to break a requirement, how that shows, and the evidence for it.

The scenario of an entry runs like any other. It must fail, and with the entry's symptom. If it passes, the entry is stale and therefore
red, unless the entry is `intermittent`, with how often it was seen in how many tries, or it has a range of versions and the exact version
of the system is not known, or is imitated by a profile of the reference. `run --verify-expectations N` measures these counts again.

A deviation whose cause shows in an answer, and that may appear in any scenario, is one entry about `any` requirement with that answer.

Fencepost's entries are bundled, and each holds for versions of a release; a user's are in separate files (`user_deviations.py`).
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
    """How often a deviation was seen that does not show each time. One that was never seen is not a deviation, and excuses nothing."""

    seen: int = Field(ge=1)
    tried: int

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        """Parse `3 of 20 runs`, as a user's file may have it."""
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
"""At most this many are listed; further ones are counted."""
ANY = "any"
"""The requirement of an entry that is about every requirement."""


class Answered(Row):
    """The answer that shows the cause: the scenario's last request whose name matches `to` was answered with a match of `said`.

    Both are regular expressions; the answer is searched as JSON.
    """

    to: Expression = Field(min_length=1)
    said: Expression = Field(min_length=1)

    def shows_in(self, exchanges: Sequence[Exchange]) -> bool:
        """Whether the system gave such an answer."""
        last = next((one for one in reversed(exchanges) if re.search(self.to, one.name)), None)
        return last is not None and re.search(self.said, json.dumps(last.answer, default=str)) is not None


class DeviationEntry(Row):
    """One known deviation; `symptom` must show in the violation, and `answered` in the exchanges.

    `inconclusive` instead of a symptom means that the scenario could not be judged, with an expression for the reason. Such an entry
    need not show, and excuses no violation.

    It holds for its whole requirement, or for one `scenario`, one `example` of that, and, if a scenario is asked under several protocols,
    one `protocol`. A scenario is recognised by its number, so that a user's file outlives a reworded title. With `answered` an entry may be
    about `any` requirement; then it is intermittent.
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
    def _any_has_a_cause(self) -> "DeviationEntry":
        if self.requirement == ANY and (self.answered is None or self.intermittent is None or self.scenario or self.example):
            raise ValueError(
                "an entry about any requirement must say `answered`, which is the cause, and `intermittent`; it names no scenario"
            )
        return self

    @model_validator(mode="after")
    def _shows_in_one_way(self) -> "DeviationEntry":
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
        """What the entry is about, for messages."""
        example = f" example {self.example}" if self.example else ""
        protocol = f" ({self.protocol})" if self.protocol else ""
        return f"{self.requirement}{f' {self.scenario}' if self.scenario else ''}{example}{protocol}"

    @property
    def sign(self) -> str:
        """How the deviation is recognised, for messages."""
        return str(self.symptom) if self.symptom else f"inconclusive '{self.inconclusive}'"

    def shows_in(self, violation: Mismatch | None) -> bool:
        """Whether its symptom shows; never for an entry without a symptom."""
        return self.symptom is not None and self.symptom.shows_in(violation)

    def knows_why(self, reason: str | None) -> bool:
        """Whether the entry declares the scenario inconclusive for this reason."""
        return self.inconclusive is not None and re.search(self.inconclusive, reason or "") is not None

    @property
    def reported(self) -> str:
        """What the entry excuses: two entries with the same are one too many."""
        return self.model_copy(update={"scenario": _known_by(self.scenario)}).model_dump_json(exclude={"reason", "link", "intermittent"})


class BundledEntry(DeviationEntry):
    """A bundled entry: about a release, with a link to its description."""

    versions: str
    link: str
    symptom: Symptom


def _known_by(scenario: str | None) -> str | None:
    """How a scenario is recognised: by its number, which stays when its title is reworded, or by its name if it has no number."""
    numbered = _NUMBER.match(scenario or "")
    return numbered[0] if numbered else scenario


@dataclass(frozen=True)
class Asking:
    """A scenario's requirement, name and protocol. `example` is the row of an outline, from 1; None for a scenario without."""

    requirement: str
    scenario: str
    protocol: str | None = None
    example: int | None = None


@dataclass(frozen=True)
class LocatedDeviation:
    """An entry with its file and line; `may_pass` if it need not show in the system that is judged."""

    entry: DeviationEntry
    file: str
    line: int
    is_own: bool
    """Whether it is the user's, and not bundled."""
    may_pass: bool = False

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def need_not_show(self) -> bool:
        return self.may_pass or self.entry.intermittent is not None or self.entry.inconclusive is not None

    def is_about(self, asked: Asking) -> bool:
        """Whether it is about this scenario: a field that the entry leaves out matches everything."""
        entry = self.entry
        return (
            entry.requirement in (ANY, asked.requirement)
            and _known_by(entry.scenario) in (None, _known_by(asked.scenario))
            and entry.example in (None, asked.example)
            and entry.protocol in (None, asked.protocol)
        )

    def holds_for(self, version: str) -> bool:
        """Whether its range contains the version; without a range it holds for all. A foreign build is not excused by a release's entry."""
        if self.entry.versions is None:
            return True
        try:
            return SpecifierSet(self.entry.versions).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return False


@dataclass(frozen=True)
class Expectations:
    """The entries that hold for one system in one version."""

    known: tuple[LocatedDeviation, ...] = ()

    def of(self, asked: Asking, exchanges: Callable[[], Sequence[Exchange]] = tuple) -> tuple[LocatedDeviation, ...]:
        """The entries about a scenario with these exchanges, the user's first. `exchanges` is only called if an entry needs it."""
        about = [one for one in self.known if one.is_about(asked)]
        reported = [one for one in about if one.entry.answered is None or one.entry.answered.shows_in(exchanges())]
        return tuple(sorted(reported, key=lambda one: not one.is_own))


def load_for(system: str, version: str, exact: bool, register: Register, folder: Path | Traversable | None = None) -> Expectations:
    """The bundled entries of `<system>.yaml` whose range contains `version`; none if the system has no such file.

    If only the release line of the version is known, they may pass. Raises DataFileError as `checked` does.
    """
    path = (folder or _bundled()).joinpath(f"{system}.yaml")
    if not path.is_file():
        return Expectations()
    entries = checked(path, BundledEntry, register)
    found = [
        LocatedDeviation(entry, f"bundled {system}.yaml", line, is_own=False) for entry, line in zip(entries, lines_of(path), strict=True)
    ]
    return Expectations(tuple(holding(found, version, exact)))


def everything() -> Iterator[tuple[str, int, BundledEntry]]:
    """All bundled entries, with the names of their files and their lines."""
    for path in sorted(_bundled().iterdir(), key=lambda path: path.name):
        for line, entry in zip(lines_of(path), load(path, list[BundledEntry]), strict=True):
            yield path.name, line, entry


def _bundled() -> Traversable:
    return resources.files("fencepost.fixtures").joinpath("expectations")


AnEntry = TypeVar("AnEntry", bound=DeviationEntry)


def checked(path: Path | Traversable, kind: type[AnEntry], register: Register) -> list[AnEntry]:
    """The entries of a file.

    Raises DataFileError, with file, line and the nearest name, for an entry that could match nothing, or is there twice.
    """
    entries: list[AnEntry] = load(path, list[kind])  # type: ignore[valid-type]  # the kind is a value here
    first: dict[str, int] = {}
    faults = []
    for index, entry in enumerate(entries):
        try:
            _check(path, index, entry, register)
        except DataFileError as error:
            faults.append(str(error))
        if entry.reported in first:
            place, other = line_of(path, index), line_of(path, first[entry.reported])
            faults.append(f"{path}:{place}: {entry.place}: this entry appears twice, first in line {other}; remove one")
        first.setdefault(entry.reported, index)
    if faults:
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise DataFileError("; ".join(faults[:_MOST_FAULTS] + more))
    return entries


def _check(path: Path | Traversable, index: int, entry: DeviationEntry, register: Register) -> None:
    """Raises DataFileError for an entry with an unknown name."""

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
        raise refuse("protocol", f"{entry.requirement} is not tested under {entry.protocol!r}; expected {' or '.join(bound)}")


def protocols_of(requirement: str, register: Register) -> tuple[str, ...]:
    """The protocols under which a requirement is asked."""
    return proposals.bundled().protocols_of(register.spec_of(requirement))


def holding(known: Iterable[LocatedDeviation], version: str, exact: bool) -> Iterator[LocatedDeviation]:
    """Those whose range contains the version; an entry with a range may pass if only the release line of the version is known."""
    for one in known:
        if one.holds_for(version):
            yield replace(one, may_pass=one.entry.versions is not None and not exact)
