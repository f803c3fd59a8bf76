"""What a report shows, as plain values. Nothing here needs Spark, so that a page can be drawn without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from fencepost.contract.parity import Parity

VERDICTS = ("met", "violated", "known_deviation", "not_offered", "blocked", "inconclusive", "harness_error", "not_run", "excluded")
RED = ("violated", "blocked", "inconclusive", "harness_error")
UNJUDGED = ("not_run", "excluded")
STRETCHES = 48
Counts = Mapping[str, int]


class ConformanceState(StrEnum):
    """What the latest runs of a system in a version show together."""

    CONFORMS = "conforms"
    DOES_NOT = "does_not_conform"
    NO_VERDICT = "no_verdict"
    INCOMPLETE = "incomplete"
    PARTIAL = "partial"


@dataclass(frozen=True, order=True)
class JudgedSystem:
    """What was judged. The version is None if the system never answered.

    A reference that was broken on purpose has the name of its `defect`, and is another system than the honest one.
    """

    name: str
    version: str | None
    profile: str | None
    defect: str | None = None

    def __str__(self) -> str:
        words = f"{self.name} {self.version or '(version not known)'}"
        words = f"{words} as {self.profile}" if self.profile and not self._goes_without_saying else words
        return words if self.defect is None else f"{words}, with the defect {self.defect}"

    @property
    def family(self) -> str:
        """What it is compared with over versions and over time: the whole name, except that each defect is apart."""
        return self.name if self.defect is None else f"{self.name} with the defect {self.defect}"

    @property
    def _goes_without_saying(self) -> bool:
        """Whether the profile is that of the version's own line: kafka-4.3 for kafka 4.3.1."""
        return f"{self.name}-{self.version}.".startswith(f"{self.profile}.")


@dataclass(frozen=True)
class Run:
    """One run, as far as a report shows it.

    `image` is what the system was started from, its name and digest; `labels` are `KEY=VALUE`; `known_as` is the release of which the
    user declared it a build.
    """

    name: str
    started: datetime
    complete: bool
    image: str | None = None
    labels: tuple[str, ...] = ()
    known_as: str | None = None

    @property
    def reported(self) -> tuple[str, ...]:
        """What the user, and Docker, reported in addition."""
        known_as = () if self.known_as is None else (f"known as {self.known_as}",)
        return (*(() if self.image is None else (self.image,)), *known_as, *self.labels)

    @property
    def beside(self) -> str:
        """The same, to be appended: one line each."""
        return "".join(f"\n{one}" for one in self.reported)


@dataclass(frozen=True)
class SystemStanding:
    """A system in a version: the verdict of the latest run that judged it on each requirement, counted.

    `counts` has the verdicts by the proposal's part of the ids. `borrowed` counts the verdicts from an earlier run than the latest,
    `unfinished`: one came from a run that was not complete; `whole`: for each proposal one came from a run of all its requirements.
    `anomalies` counts the requirements in whose histories a check found some. `images` has the images of all its runs, the latest first:
    a rebuilt image is the same system as long as its version is. `parity` counts the rows that only one implementation has.
    """

    system: JudgedSystem
    runs: int
    incomplete: int
    latest: Run
    counts: Mapping[str, Counts]
    borrowed: int
    unfinished: bool
    whole: bool
    anomalies: int = 0
    images: tuple[str, ...] = ()
    parity: Parity = field(default_factory=Parity)
    provisional: Counts = field(default_factory=dict)
    """How many provisional requirements have each verdict. `counts` leaves them out."""
    edition: str = ""
    """The Fencepost edition by which the system was judged, several with commas; empty for results from before there were editions."""

    @cached_property
    def totals(self) -> dict[str, int]:
        """How many requirements have each verdict."""
        return {verdict: sum(counts.get(verdict, 0) for counts in self.counts.values()) for verdict in VERDICTS}

    @property
    def reds(self) -> dict[str, int]:
        """How many requirements that count have each red verdict: no parity rows, and of provisional rows harness errors only."""
        odd = {
            "violated": -self.parity.differ,
            "inconclusive": -self.parity.unknown,
            "harness_error": self.provisional.get("harness_error", 0),
        }
        return {verdict: number for verdict in RED if (number := self.totals[verdict] + odd.get(verdict, 0))}

    @property
    def beside(self) -> str:
        """Notes on the state: the edition, odd parity rows, and red provisional rows."""
        red = ", ".join(f"{self.provisional[verdict]} {verdict.replace('_', ' ')}" for verdict in RED if self.provisional.get(verdict))
        provisional = f"of {sum(self.provisional.values())} provisional rows {red}" if red else ""
        return "; ".join(filter(None, (self.edition and f"edition {self.edition}", str(self.parity), provisional)))

    @property
    def judged(self) -> int:
        return sum(count for verdict, count in self.totals.items() if verdict not in UNJUDGED)

    @property
    def due(self) -> int:
        """The honest denominator: all requirements, except excluded ones, of the proposals of which any was judged."""
        asked = [counts for counts in self.counts.values() if any(verdict not in UNJUDGED for verdict in counts)]
        return sum(count for counts in asked for verdict, count in counts.items() if verdict != "excluded")

    @property
    def state(self) -> ConformanceState:
        """One violation decides, whatever else is missing; a system that met nothing does not conform.

        Inconclusive results and harness errors say nothing against the system.

        A parity row, which only one implementation has, belongs to no proposal: if only such rows differ, the system conforms.
        """
        if self.anomalies or "violated" in self.reds:
            return ConformanceState.DOES_NOT
        if self.reds:
            return ConformanceState.NO_VERDICT
        if self.unfinished or not self.latest.complete or not self.judged:
            return ConformanceState.INCOMPLETE
        if not self.totals["met"]:
            return ConformanceState.DOES_NOT
        return ConformanceState.CONFORMS if self.whole else ConformanceState.PARTIAL


@dataclass(frozen=True)
class Cell:
    """The verdict on a requirement by the latest run that judged it, and the reason as far as a page can hold it.

    `anomalies` are those that a check found in the histories of the requirement's scenarios in that run: red, whatever the verdict is.
    """

    requirement: str
    level: str
    verdict: str
    reason: str | None
    run: Run
    anomalies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moment:
    """A run in the course of time: the last one of its stretch. All the time of a system has `STRETCHES`, equally long."""

    stretch: int
    run: Run
    totals: Counts


@dataclass(frozen=True)
class SystemColumn:
    """A system and version that is shown in full. `span` is all the time of its family, of which a stretch is a part."""

    standing: SystemStanding
    cells: Mapping[str, Cell]
    moments: tuple[Moment, ...]
    span: tuple[datetime, datetime] | None = None


@dataclass(frozen=True)
class ReportSummary:
    """What all the runs say. Every system and version has its standing; the `columns` are those that ran last."""

    runs: int
    incomplete: int
    standings: tuple[SystemStanding, ...]
    columns: tuple[SystemColumn, ...]

    @property
    def reported(self) -> str:
        """How much that is: `3 runs of 1 system and version; 1 run is not complete`."""
        of = len(self.standings)
        systems = "1 system and version" if of == 1 else f"{of} systems and versions"
        whole = "all are complete" if not self.incomplete else f"{self.incomplete} {'is' if self.incomplete == 1 else 'are'} not complete"
        return f"{self.runs} run{'' if self.runs == 1 else 's'} of {systems}; {whole}"
