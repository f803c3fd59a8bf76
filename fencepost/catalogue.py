"""`fencepost list` and `fencepost explain`: the register and the features, for people and for programs."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fencepost.contract.errors import UnknownName
from fencepost.contract.register import Requirement

from .contract import gherkin, register

if TYPE_CHECKING:
    from fencepost.reference.defects import Defect

FORMS = ("table", "json", "markdown")


def status_of(row: Requirement) -> str:
    if row.excluded:
        return "excluded"
    return "planned" if row.planned else "tested"


def show_list(specs: Sequence[str], form: str) -> int:
    """Print the rows of some proposals, or of all."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    rows = register.bundled().rows(specs)
    if form == "json":
        print(json.dumps([_as_json(row) for row in rows], indent=1))
        return 0
    if form == "markdown":
        print(markdown(specs), end="")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "level", "source", "status"):
        table.add_column(column, no_wrap=True)
    table.add_column("statement")
    for row in rows:
        table.add_row(row.id, row.level, row.source, status_of(row), Text(row.statement), style=None if row.is_tested else "dim")
    console = Console()
    console.print(table)
    counts = {name: sum(status_of(row) == name for row in rows) for name in ("tested", "planned", "excluded")}
    console.print(f"\n{len(rows)} requirements: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    return 0


def markdown(specs: Sequence[str]) -> str:
    """The register as a page: what `docs/` has of each proposal, by `fencepost list --format markdown`."""
    rows = register.bundled()
    lines: list[str] = []
    for spec in specs or rows.by_spec:
        members = rows.rows([spec])
        tested = sum(row.is_tested for row in members)
        lines += [f"# {register.title_of(spec)}: {tested} of {len(members)} requirements tested", ""]
        lines += ["Made by `make docs` from the register; do not edit.", ""]
        for row in members:
            lines += [
                f"## {row.id}",
                "",
                row.statement,
                "",
                f"{row.level}, {row.source}: {row.section}. {status_of(row).capitalize()}.",
                "",
            ]
            told = {"Releases": row.varies, "Question": row.question, "Excluded": row.excluded, "When it fails": row.check}
            lines += [f"- {name}: {text}" for name, text in told.items() if text]
            placed = gherkin.scenarios_of(gherkin.bundled(), row.id)
            lines += [f"- `{feature.path}`: {scenario.name}" for feature, scenario in placed]
            lines += [""]
    return "\n".join(lines)


def show_requirement(identifier: str) -> int:
    """Print all that the kit knows of one requirement."""
    row = register.bundled()[identifier]
    console = Console(highlight=False)
    console.print(Text(f"{row.id}  {row.level}, {row.source}, {status_of(row)}", style="bold"))
    console.print(Text(row.statement))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    told = {
        "section": row.section,
        "look at": row.check,
        "releases": row.varies,
        "question": row.question,
        "excluded": row.excluded,
    }
    for name, text in told.items():
        if text:
            table.add_row(name, Text(text))
    console.print(Padding(table, (1, 0)))
    for feature, scenario in gherkin.scenarios_of(gherkin.bundled(), row.id):
        console.print(Text(f"{feature.path}:{scenario.line}  {scenario.name}", style="bold"))
        for step in (*feature.background, *scenario.steps):
            console.print(Text(f"    {step.keyword} {step.text}"))
        console.print()
    if row.planned:
        console.print("No scenario tests it yet.")
    for defect in _defects_of(row.id):
        console.print(Text(f"proved by the defect {defect.name}: {defect.story} ({defect.origin})"))
    return 0


def _defects_of(requirement: str) -> "list[Defect]":
    from fencepost.reference.defects import DEFECTS

    return [defect for defect in DEFECTS.values() if requirement in defect.breaks]


def _as_json(row: Requirement) -> dict[str, Any]:
    return row.model_dump() | {
        "status": status_of(row),
        "scenarios": [
            {"feature": feature.path, "name": scenario.name} for feature, scenario in gherkin.scenarios_of(gherkin.bundled(), row.id)
        ],
    }
