"""The pages of the runs: what each results folder shows, and each requirement that is not met, with its picture."""

from collections.abc import Collection
from dataclasses import dataclass

from fencepost.contract.register import Register
from fencepost.contract.verdict import Verdict
from fencepost.results import verdict_changes
from fencepost.results.compliance_document import RequirementEntry, ScenarioEntry

from . import addresses
from .page_writer import PageWriter
from .run_columns import RunColumn, RunColumns
from .sequence_pictures import SequencePicture, recorded

_MOST_PICTURES = 3
"""For each requirement; the other scenarios are described in words."""


@dataclass(frozen=True)
class RedRequirement:
    """A requirement that a run found not met."""

    row: RequirementEntry
    statement: str
    page: str
    requirement: str


@dataclass(frozen=True)
class RedScenario:
    """A scenario that gave it its verdict."""

    scenario: ScenarioEntry
    picture: SequencePicture | None


def write_all(site: PageWriter, register: Register, requirements: Collection[str], columns: RunColumns) -> None:
    """The pages of all runs; of requirements only those that have a page."""
    for column in columns.all:
        reds = [
            RedRequirement(row, register[row.id].statement, column.red(row.id), addresses.requirement(row.id))
            for row in column.run.requirements
            if row.id in requirements and (row.verdict.is_red or row.verdict is Verdict.KNOWN_DEVIATION)
        ]
        _write_run(site, register, frozenset(requirements), column, reds, columns.before(column))
        for red in reds:
            _write_red(site, column, red)


def _write_run(
    site: PageWriter,
    register: Register,
    requirements: Collection[str],
    column: RunColumn,
    reds: list[RedRequirement],
    before: RunColumn | None,
) -> None:
    totals = {verdict: len(column.run.having(verdict)) for verdict in Verdict}
    site.page(
        column.address,
        "run",
        column.name,
        column=column,
        totals={verdict: count for verdict, count in totals.items() if count},
        reds=reds,
        strange=column.strange(register),
        before=before,
        changes=verdict_changes.between(before.run, column.run) if before else None,
        named=verdict_changes.named,
        pages={name: addresses.requirement(name) for name in requirements},
    )


def _write_red(site: PageWriter, column: RunColumn, red: RedRequirement) -> None:
    decisive = red.row.decisive or red.row.scenarios
    shown = [
        RedScenario(scenario, recorded(column.results, red.row.id, scenario) if place < _MOST_PICTURES else None)
        for place, scenario in enumerate(decisive)
    ]
    site.page(red.page, "red", f"{red.row.id} on {column.name}", column=column, red=red, scenarios=shown)
