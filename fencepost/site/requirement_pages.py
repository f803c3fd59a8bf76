"""The page of a requirement: all that stands for it, and how each system does."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fencepost.catalogue import traceability
from fencepost.catalogue.requirement_list import status_of
from fencepost.contract import gherkin, proposals, themes
from fencepost.contract.register import Register, Requirement
from fencepost.contract.verdict import Verdict
from fencepost.deviations import known_deviations

from . import addresses, bug_page, requirement_twins
from .book import Book, Excerpt
from .certificates import Certificates
from .page_writer import PageWriter, SearchEntry
from .requirement_twins import FittingDisturbance
from .run_columns import RunColumn, RunColumns
from .scenario_steps import scenarios_of
from .sequence_pictures import SequencePicture


@dataclass(frozen=True)
class RunStanding:
    """How one run does; `red` is the page that shows why, where it is not met."""

    column: RunColumn
    verdict: Verdict
    reason: str | None
    red: str | None


@dataclass(frozen=True)
class Deviation:
    """An entry of known deviations; `scenario` has its example and its protocol, where the entry names them."""

    system: str
    versions: str
    scenario: str
    reason: str
    link: str
    frequency: str
    symptom: str
    is_intermittent: bool


def write_all(
    site: PageWriter,
    register: Register,
    specs: Sequence[str],
    columns: RunColumns,
    certificates: Certificates,
    book: Book,
    pictures: Mapping[str, SequencePicture],
) -> None:
    """The pages of all requirements of these proposals."""
    twins = requirement_twins.of_requirements(register, specs)
    for spec in specs:
        rows = register.by_spec[spec]
        for place, row in enumerate(rows):
            before = rows[place - 1] if place else None
            after = rows[place + 1] if place + 1 < len(rows) else None
            _write(site, register, row, columns, certificates, book, pictures.get(row.id), twins.get(row.id, []), before, after)


def _write(
    site: PageWriter,
    register: Register,
    row: Requirement,
    columns: RunColumns,
    certificates: Certificates,
    book: Book,
    picture: SequencePicture | None,
    twins: Sequence[FittingDisturbance],
    before: Requirement | None,
    after: Requirement | None,
) -> None:
    spec = register.spec_of(row.id)
    scenarios = scenarios_of(row.id)
    why = gherkin.why_of(row.id)
    found = traceability.of(row.id)
    site.page(
        addresses.requirement(row.id),
        "requirement",
        f"{row.id}: {row.statement}",
        found_by=entry_of(row),
        row=row,
        edition=addresses.edition_of(spec),
        proposal=proposals.bundled()[spec],
        proposal_address=addresses.proposal(spec),
        status=status_of(row),
        why=why,
        themes=themes.themes_of(row.id),
        rests_on=[(base, addresses.requirement(base) if book.links_to(base) else None) for base in row.rests_on],
        scenarios=scenarios,
        picture=picture,
        excerpts=_excerpts(book, found, addresses.requirement(row.id).count("/")),
        defects=found.defects,
        twins=twins,
        certificates=certificates.of_requirement(row.id),
        deviations=deviations_of(row.id),
        bugs=[(bug.id, f"{bug_page.ADDRESS}#{bug_page.anchor(bug)}") for bug in bug_page.caught_by(row.id)],
        standings=[standing(column, row.id) for column in columns.all],
        before=before and (before.id, addresses.requirement(before.id)),
        after=after and (after.id, addresses.requirement(after.id)),
    )


def entry_of(row: Requirement) -> SearchEntry:
    """The texts by which a search finds a requirement: its id and statement, its section, why it is there, what its scenarios are about,
    and what the proposal leaves open. The section comes first: who types a heading finds its requirements.
    """
    titles = [scenario.title for _, scenario in gherkin.scenarios_of(row.id)]
    words = " ".join([row.section, gherkin.why_of(row.id), *titles, row.question or ""])
    return SearchEntry(f"{row.id} {row.statement}", addresses.requirement(row.id), "requirement", words)


def _excerpts(book: Book, found: traceability.Hops, depth: int) -> list[Excerpt]:
    return [excerpt for place in found.branches if (excerpt := book.excerpt(place.file, place.line, place.what, depth))]


def standing(column: RunColumn, requirement: str) -> RunStanding:
    """How a run does on a requirement."""
    row = column.rows.get(requirement)
    verdict = column.verdict(requirement)
    has_page = verdict.is_red or verdict is Verdict.KNOWN_DEVIATION
    reason = row.reason if row else "this run's version of Fencepost does not have it"
    return RunStanding(column, verdict, reason, column.red(requirement) if has_page else None)


def deviations_of(requirement: str) -> list[Deviation]:
    """What releases are known to do about it."""
    return [as_deviation(name, entry) for name, entry in entries() if entry.requirement == requirement]


@functools.cache
def entries() -> tuple[tuple[str, known_deviations.BundledEntry], ...]:
    """All bundled entries with the names of their files; to read these takes a while."""
    return tuple((name, entry) for name, _, entry in known_deviations.everything())


def as_deviation(file: str, entry: known_deviations.BundledEntry) -> Deviation:
    """An entry of one of the bundled files."""
    frequency = str(entry.intermittent) if entry.intermittent else "each time"
    where = (
        entry.scenario,
        f"example {entry.example}" if entry.example else None,
        f"tested as {entry.protocol}" if entry.protocol else None,
    )
    return Deviation(
        system=file.removesuffix(".yaml"),
        versions=entry.versions,
        scenario=", ".join(part for part in where if part),
        reason=entry.reason,
        link=entry.link,
        frequency=frequency,
        symptom=entry.sign,
        is_intermittent=entry.intermittent is not None,
    )
