"""The compliance matrix as people read it: requirements by proposal, systems and versions in order, and why something is not met."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from fencepost.contract import gherkin, parity, proposals, register, themes
from fencepost.pipeline.compliance.facts import UNJUDGED, VERDICTS, Cell, ConformanceState, JudgedSystem, SystemColumn

STATES = {
    ConformanceState.CONFORMS: "conforms",
    ConformanceState.DOES_NOT: "does not conform",
    ConformanceState.NO_VERDICT: "no verdict",
    ConformanceState.INCOMPLETE: "not complete",
    ConformanceState.PARTIAL: "tested in part",
}
WORDS = {verdict: verdict.replace("_", " ") for verdict in VERDICTS}


@dataclass(frozen=True)
class MatrixCell:
    """A cell of the matrix; without `cell` the runs of that column do not know the requirement."""

    column: SystemColumn
    cell: Cell | None

    @property
    def verdict(self) -> str:
        return self.cell.verdict if self.cell else "not_run"

    @property
    def anomalies(self) -> tuple[str, ...]:
        return self.cell.anomalies if self.cell else ()

    @property
    def looks(self) -> str:
        """The verdict whose colour it has: an anomaly is as red as a violation."""
        return "violated" if self.anomalies else self.verdict

    @property
    def words(self) -> str:
        return WORDS[self.verdict] + (", anomaly" if self.anomalies else "")

    @property
    def is_judged(self) -> bool:
        return self.verdict not in UNJUDGED

    @property
    def marks(self) -> str:
        """What else is to be known of a verdict: an earlier run than the latest gave it, or one that was not complete."""
        if self.cell is None or not self.is_judged:
            return ""
        earlier = "†" if self.cell.run.name != self.column.standing.latest.name else ""
        return earlier + ("" if self.cell.run.complete else "‡")

    @property
    def asks_why(self) -> bool:
        """Whether there is more to say than the verdict: it is not met, or met with a note."""
        return bool(self.why) and self.is_judged

    @property
    def why(self) -> str:
        """All that there is to say."""
        if self.cell is None:
            return ""
        reason = self.cell.reason or ("" if self.verdict == "met" else "no reason was given")
        found = f"found in its histories: {'; '.join(self.anomalies)}" if self.anomalies else ""
        return "; ".join(part for part in (reason, found) if part)


@dataclass(frozen=True)
class RequirementRow:
    """A requirement, over all columns. `prevents` is the anomaly that it keeps away, as its Rule describes it.

    `is_parity` says that it speaks of one implementation, and of no proposal.
    """

    requirement: str
    level: str
    is_parity: bool
    statement: str
    prevents: str
    entries: tuple[MatrixCell, ...]

    @property
    def is_judged(self) -> bool:
        return any(entry.is_judged for entry in self.entries)

    @property
    def is_plain(self) -> bool:
        """Whether every system that was judged meets it, with nothing to add."""
        return not self.reasons

    @property
    def reasons(self) -> list[MatrixCell]:
        return [entry for entry in self.entries if entry.asks_why]


@dataclass(frozen=True)
class ThemeRows:
    """Requirements of a proposal that belong together, and which a page folds."""

    name: str
    lines: tuple[RequirementRow, ...]

    @property
    def odd(self) -> int:
        """How many of them have more to say than that they are met."""
        return sum(not line.is_plain for line in self.lines)

    @property
    def is_plain(self) -> bool:
        return self.odd == 0


@dataclass(frozen=True)
class ProposalView:
    """The requirements of one proposal."""

    title: str
    lines: tuple[RequirementRow, ...]

    @property
    def judged(self) -> list[RequirementRow]:
        return [line for line in self.lines if line.is_judged]

    @property
    def themes(self) -> list[ThemeRows]:
        """The judged requirements, each under its first theme."""
        lines = {line.requirement: line for line in self.judged}
        return [ThemeRows(name, tuple(lines[one] for one in of)) for name, of in themes.folded(lines).items()]

    @property
    def rest(self) -> list[RequirementRow]:
        return [line for line in self.lines if not line.is_judged]


class Matrix(NamedTuple):
    """Requirements by systems and versions."""

    columns: tuple[SystemColumn, ...]
    proposals: tuple[ProposalView, ...]

    @property
    def reasons(self) -> list[RequirementRow]:
        """The requirements of which there is more to say than that they are met."""
        return [line for proposal in self.proposals for line in proposal.judged if not line.is_plain]


def matrix(shown: Sequence[SystemColumn]) -> Matrix:
    """The matrix of these columns; requirements in the order of the register, those that it does not know after them."""
    columns = tuple(sorted(shown, key=lambda column: order(column.standing.system)))
    known = register.bundled()
    cells = {name: cell for column in columns for name, cell in column.cells.items()}
    names = [name for name in known.by_id if name in cells] + sorted(name for name in cells if name not in known.by_id)
    lines: dict[str, list[RequirementRow]] = {}
    for name in names:
        row = known.by_id.get(name)
        title = proposals.bundled().title_of(known.spec_of(name)) if row else name.rpartition("-")[0] or name
        statement = row.statement if row else "(not in the register of this release)"
        entries = tuple(MatrixCell(column, column.cells.get(name)) for column in columns)
        lines.setdefault(title, []).append(
            RequirementRow(
                name, cells[name].level, row is not None and row.source == parity.SOURCE, statement, gherkin.why_of(name), entries
            )
        )
    return Matrix(columns, tuple(ProposalView(title, tuple(members)) for title, members in lines.items()))


def by_system(columns: Iterable[SystemColumn]) -> dict[str, list[SystemColumn]]:
    """The columns of each system, in the order in which they come; a broken variant is compared only with itself."""
    systems: dict[str, list[SystemColumn]] = {}
    for column in columns:
        systems.setdefault(column.standing.system.family, []).append(column)
    return systems


def order(system: JudgedSystem) -> tuple[str, str, bool, Version, str, str]:
    """Systems by name, broken ones after the conforming one; versions as versions: 4.10 comes after 4.9, and what is no version last."""
    try:
        version, odd = Version(system.version or ""), False
    except InvalidVersion:
        version, odd = Version("0"), True
    return system.name, system.defect or "", odd, version, system.version or "", system.profile or ""
