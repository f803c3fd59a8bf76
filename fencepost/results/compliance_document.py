"""Reads `compliance.json`: of this run, of an earlier one, or of another person's.

Only what is used here is declared. What a later release of the kit adds is ignored, and what an earlier one did not write yet has a
default. The published schema is `compliance.schema.json`.
"""

from collections import Counter
from datetime import UTC
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from fencepost.contract import editions, parity, register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.contract.parity import Parity
from fencepost.contract.verdict import Verdict

from .likely_causes import counted

FILE = "compliance.json"
RED = frozenset((Verdict.VIOLATED, Verdict.BLOCKED, Verdict.INCONCLUSIVE, Verdict.HARNESS_ERROR))
_UNASKED = (Verdict.NOT_RUN, Verdict.EXCLUDED)


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RecordedDeviation(_Read):
    """The entry of known deviations that a verdict is about; it is stale if the scenario passed."""

    stale: bool = False


class ScenarioEntry(_Read):
    """One scenario that ran."""

    feature: str
    name: str
    verdict: Verdict
    violation: Mismatch | None = None
    expectation: RecordedDeviation | None = None
    blocked_by: str | None = None
    seconds: float = 0.0


class RequirementEntry(_Read):
    """One requirement of the register."""

    id: str
    level: str
    source: str = ""
    verdict: Verdict
    reason: str | None
    scenarios: tuple[ScenarioEntry, ...] = ()
    selected: bool | None = None
    provisional: bool = False
    """Whether it is in no edition yet. Before there were editions, everything counted."""

    @property
    def is_asked(self) -> bool:
        """Whether any scenario ran on the system, or did not because of what the system does not offer."""
        return self.verdict not in _UNASKED

    @property
    def decisive(self) -> tuple[ScenarioEntry, ...]:
        """The scenarios that gave the requirement its verdict."""
        return tuple(scenario for scenario in self.scenarios if scenario.verdict is self.verdict)


class ImageEntry(_Read):
    """What a system was started from."""

    name: str
    digest: str | None = None


class SystemEntry(_Read):
    """What was judged. Version and profile are None if it never answered."""

    name: str
    version: str | None = None
    profile: str | None = None
    labels: dict[str, str] = {}
    image: ImageEntry | None = None
    defect: str | None = None
    known_as: str | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.version, self.defect and f"with the defect {self.defect}")))


class GateEntry(_Read):
    """Which verdicts prevent the run from conforming, and from how many on not offered does."""

    fail_on: frozenset[Verdict] = RED - {Verdict.BLOCKED}
    max_not_offered: int | None = None
    parity: bool = True
    """Whether parity rows count. They did before there was an option."""


class SideBySide(_Read):
    """How many scenarios ran concurrently at most."""

    most: int


class AnomalyEntry(_Read):
    """What a history shows (`--check`)."""

    requirement: str
    scenario: str
    anomaly: str
    red: bool
    witness: str


class Explained(_Read):
    """A requirement that a cause explains, with the scenarios that deviated so."""

    id: str
    scenarios: tuple[str, ...]


class CauseEntry(_Read):
    """What several red scenarios have in common; `requirement` is the one on which the others rest, if there is one."""

    title: str
    requirement: str | None
    explains: tuple[Explained, ...]

    def __str__(self) -> str:
        return counted(self.title, len(self.explains), sum(len(one.scenarios) for one in self.explains))


class HistoriesEntry(_Read):
    """All that the histories of the run show."""

    anomalies: tuple[AnomalyEntry, ...] = ()


class Compliance(_Read):
    """A run."""

    schema_version: Literal[1]
    fencepost: str
    complete: bool
    started: AwareDatetime
    seconds: float
    system: SystemEntry
    requirements: tuple[RequirementEntry, ...]
    histories: HistoriesEntry | None = None
    causes: tuple[CauseEntry, ...] = ()
    stopped: str | None = None
    gate: GateEntry = GateEntry()
    concurrency: SideBySide | None = None
    """None if one scenario was played after the other."""
    editions: dict[str, str | None] = {}
    """The edition of each proposal that was judged, by the proposal's folder; none in older results."""

    @property
    def anomalies(self) -> tuple[AnomalyEntry, ...]:
        """The anomalies that prevent the run from conforming."""
        return tuple(one for one in self.histories.anomalies if one.red) if self.histories else ()

    @property
    def failing(self) -> dict[Verdict, int]:
        """The verdicts that prevent the run from conforming, with how many requirements have each."""
        count = Counter(row.verdict for row in self.requirements if self.counts(row))
        most = self.gate.max_not_offered
        too_many = most is not None and count[Verdict.NOT_OFFERED] > most
        return {
            one: count[one] for one in Verdict if count[one] and (one in self.gate.fail_on or (too_many and one is Verdict.NOT_OFFERED))
        }

    @property
    def are_stale(self) -> bool:
        """Whether each harness error is an entry of known deviations that is out of date."""
        errors = [one.expectation for row in self.requirements for one in row.scenarios if one.verdict is Verdict.HARNESS_ERROR]
        return bool(errors) and all(one is not None and one.stale for one in errors)

    @property
    def parity(self) -> Parity:
        """How many rows about one implementation were asked, and how many are odd."""
        return Parity.of(row.verdict for row in self.requirements if row.source == parity.SOURCE and not row.provisional)

    def counts(self, row: RequirementEntry) -> bool:
        """Whether this row can prevent the run from conforming."""
        if row.provisional:
            return row.verdict is Verdict.HARNESS_ERROR
        return self.gate.parity or row.source != parity.SOURCE or row.verdict not in parity.MAY_DIFFER

    @property
    def cited(self) -> str:
        """The editions that the run was judged by, to be written after "conforms": ` (Fencepost edition 2026.12)`."""
        asked = {row.id.rpartition("-")[0] for row in self.requirements if row.is_asked and not row.provisional}
        known = register.bundled()
        specs = [spec for spec in self.editions if any(row.id.rpartition("-")[0] in asked for row in known.by_spec.get(spec, ()))]
        names = {self.editions[spec] for spec in specs or self.editions}
        if len(names) == 1:
            return editions.of(names.pop())
        return f" ({editions.cited((spec, self.editions[spec]) for spec in specs or self.editions)})" if names else ""

    @property
    def asks_only_provisional(self) -> bool:
        """Whether no requirement that was asked is in the edition, so that there is nothing to conclude."""
        asked = [row for row in self.requirements if row.is_asked]
        return bool(asked) and all(row.provisional for row in asked)

    @property
    def unreached(self) -> int:
        """How many selected requirements an unfinished run did not reach."""
        return 0 if self.complete else sum(row.verdict is Verdict.NOT_RUN and bool(row.selected) for row in self.requirements)

    @property
    def asked(self) -> frozenset[str]:
        """The requirements that were asked, by id."""
        return frozenset(row.id for row in self.requirements if row.is_asked)

    @property
    def began(self) -> str:
        """The start of the run, to the minute: `2026-11-22 12:07 UTC`."""
        return f"{self.started.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {row.id: row.verdict for row in self.requirements}

    def having(self, *verdicts: Verdict) -> tuple[RequirementEntry, ...]:
        """The requirements with one of these verdicts, in the order of the register."""
        return tuple(row for row in self.requirements if row.verdict in verdicts)

    def counted(self, *verdicts: Verdict) -> tuple[RequirementEntry, ...]:
        """The same without provisional ones."""
        return tuple(row for row in self.having(*verdicts) if not row.provisional)

    @property
    def provisional(self) -> dict[Verdict, int]:
        """How many asked provisional requirements have each verdict, the worst first."""
        count = Counter(row.verdict for row in self.requirements if row.provisional and row.is_asked)
        return {verdict: count[verdict] for verdict in Verdict if count[verdict]}


def read(path: Path) -> Compliance:
    """The run in this results folder, or in this compliance.json. Raises WrongUsage with the fault and what was expected."""
    file = path / FILE if path.is_dir() else path
    wanted = f"expected the results folder of a run, or its {FILE}"
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        why = f"holds no {FILE}" if path.is_dir() else "does not exist"
        raise WrongUsage(f"{path} {why}; {wanted}") from None
    except OSError as error:
        raise WrongUsage(f"{file} cannot be read: {error.strerror}") from error
    try:
        return Compliance.model_validate_json(text)
    except ValidationError as error:
        raise WrongUsage(f"{file} is not the result of a run: {_first(error)}; {wanted}") from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    said = first["msg"].replace("Input should be", "expected")
    said = said[:1].lower() + said[1:]
    return f"{place}: {said}" if place else said


def read_two(left: Path, right: Path) -> tuple[Compliance, Compliance]:
    """Two runs that are to be compared. Raises WrongUsage as `read` does, and where both names are of one run."""
    if left.resolve() == right.resolve():
        raise WrongUsage(f"LEFT and RIGHT are both {left}, the same run: name the results of two runs")
    return read(left), read(right)
