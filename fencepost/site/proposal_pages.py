"""The page of a proposal, the matrix of all requirements, and the home page."""

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.contract import proposals, themes
from fencepost.contract.register import Register, Requirement

from . import addresses
from .certificates import Certificates
from .page_writer import PageWriter, SearchEntry
from .requirement_pages import RunStanding, standing
from .run_columns import RunColumns, Tally


@dataclass(frozen=True)
class RequirementLine:
    """A requirement in a list."""

    row: Requirement
    address: str
    standings: tuple[RunStanding, ...]

    @property
    def is_plain(self) -> bool:
        """Whether every run that asked it found it met."""
        return all(one.verdict.value in ("met", "not_run", "excluded") for one in self.standings)


@dataclass(frozen=True)
class ProposalSummary:
    """A proposal in short; `tallies` has one for each run."""

    spec: str
    title: str
    address: str
    edition: str
    tested: int
    rows: int
    tallies: tuple[Tally, ...]


def summaries(register: Register, specs: Sequence[str], columns: RunColumns) -> list[ProposalSummary]:
    """The proposals in short."""
    return [
        ProposalSummary(
            spec,
            proposals.bundled().title_of(spec),
            addresses.proposal(spec),
            addresses.edition_of(spec),
            sum(row.is_tested for row in register.by_spec[spec]),
            len(register.by_spec[spec]),
            tuple(column.tally([row.id for row in register.by_spec[spec]]) for column in columns.all),
        )
        for spec in specs
    ]


def lines_of(rows: Sequence[Requirement], columns: RunColumns) -> list[RequirementLine]:
    """Requirements with how every run does on them."""
    return [RequirementLine(row, addresses.requirement(row.id), tuple(standing(column, row.id) for column in columns.all)) for row in rows]


def write_all(site: PageWriter, register: Register, specs: Sequence[str], columns: RunColumns, certificates: Certificates) -> None:
    """The pages of these proposals, and the matrix."""
    for spec in specs:
        rows = register.by_spec[spec]
        tested = [row for row in rows if not row.excluded]
        by_theme = {
            theme: [line for line in lines_of(tested, columns) if theme in themes.themes_of(line.row.id)] for theme in themes.THEMES
        }
        title = proposals.bundled().title_of(spec)
        site.page(
            addresses.proposal(spec),
            "proposal",
            title,
            found_by=SearchEntry(title, addresses.proposal(spec), "proposal"),
            proposal=proposals.bundled()[spec],
            edition=addresses.edition_of(spec),
            lines=lines_of(tested, columns),
            by_theme={theme: lines for theme, lines in by_theme.items() if lines},
            about_theme=themes.THEMES,
            certificates=certificates.of_proposal(spec),
            excluded=lines_of([row for row in rows if row.excluded], columns),
        )
    if columns.all:
        reported = [
            (
                proposals.bundled().title_of(spec),
                addresses.proposal(spec),
                {
                    theme: lines_of([register[one] for one in of], columns)
                    for theme, of in themes.folded(row.id for row in register.by_spec[spec]).items()
                },
            )
            for spec in specs
        ]
        site.page("matrix.html", "matrix", "All requirements and runs", columns=columns.all, proposals=reported)
