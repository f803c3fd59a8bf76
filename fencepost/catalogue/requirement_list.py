"""`fencepost list`: the register, for people and for programs."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fencepost.adapters import registry
from fencepost.console.phrases import counted
from fencepost.contract import clauses, editions, gherkin, proposals, register, themes
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.register import Requirement

from . import word_search
from .word_search import SearchedText

FORMS = ("table", "json", "markdown")


def status_of(row: Requirement) -> str:
    if row.excluded:
        return "excluded"
    return "planned" if row.planned else "tested"


def is_provisional(row: Requirement) -> bool:
    """Whether a requirement is tested and in no edition yet."""
    return editions.bundled().counting().is_provisional(row, register.bundled().spec_of(row.id))


def show_list(specs: Sequence[str], form: str, of_themes: Sequence[str] = (), words: str = "") -> int:
    """Print the rows of some proposals, or of all; with themes only the rows of one of these, with words only the rows that have all, or
    the nearest.
    """
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    registry.check_proposals()
    rows = register.bundled().rows(specs)
    if form == "markdown" and (of_themes or words):
        option = "--theme" if of_themes else "--find"
        raise WrongUsage(f"--format markdown is a page of whole proposals: leave out {option}, or use --format table or json")
    if of_themes:
        named = {requirement for theme in of_themes for requirement in themes.requirements_of(theme)}
        rows = tuple(row for row in rows if row.id in named)
        if not rows:
            raise WrongUsage(f"no requirement of {', '.join(specs)} has the theme {' or '.join(of_themes)}; see `fencepost list --themes`")
    remark = ""
    if words:
        found = word_search.find(words, {row.id: _searched(row) for row in rows})
        if not found.names or (form == "json" and not found.has_all):
            nearest = "; without --format json it shows the nearest" if found.names else ""
            raise WrongUsage(f"none of {counted(len(rows), 'requirement')} has all the words {words!r}: try fewer or other words{nearest}")
        rows = tuple(register.bundled()[identifier] for identifier in found.names)
        if not found.has_all:
            remark = "No requirement has all these words; the nearest are shown, best first." + (
                f" No requirement has the word {' or '.join(found.unknown)}." if found.unknown else ""
            )
    if form == "json":
        print(json.dumps([as_json(row) for row in rows], indent=1))
        return 0
    if form == "markdown":
        print(markdown(specs), end="")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "level", "source", "status"):
        table.add_column(column, no_wrap=True)
    table.add_column("statement")
    for row in rows:
        status = status_of(row) + (" *" if is_provisional(row) else "")
        table.add_row(row.id, row.level, row.source, status, Text(row.statement), style=None if row.is_tested else "dim")
    console = Console()
    console.print(table)
    counts = {name: sum(status_of(row) == name for row in rows) for name in ("tested", "planned", "excluded")}
    console.print(f"\n{counted(len(rows), 'requirement')}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if remark:
        console.print(Text(remark))
    if provisional := sum(map(is_provisional, rows)):
        console.print(f"* {provisional} provisional: in no edition yet, so judged without effect on the exit code")
    return 0


def markdown(specs: Sequence[str]) -> str:
    """The register as a page: `docs/` has it for each proposal, made by `fencepost list --format markdown`."""
    rows = register.bundled()
    lines: list[str] = []
    for spec in specs or rows.by_spec:
        members = rows.rows([spec])
        tested = sum(row.is_tested for row in members)
        lines += [f"# {proposals.bundled().title_of(spec)}: {tested} of {len(members)} requirements tested", ""]
        lines += ["Made by `make docs` from the register; do not edit.", ""]
        for row in members:
            lines += [
                f"## {row.id}",
                "",
                row.statement,
                "",
                f"{row.level}, {row.source}: {row.section}. {status_of(row).capitalize()}{', provisional' if is_provisional(row) else ''}."
                f"{_themes_in_words(row.id)}",
                "",
            ]
            reported = {
                "Why": gherkin.why_of(row.id),
                "Releases": row.varies,
                "Question": row.question,
                "Excluded": row.excluded,
                "When it fails": row.check,
            }
            lines += [f"- {name}: {text}" for name, text in reported.items() if text]
            placed = gherkin.scenarios_of(row.id)
            lines += [f"- `{feature.path}`: {scenario.name}" for feature, scenario in placed]
            lines += [f'- "{clause}": {asked}' for clause, (asked, *_) in clauses.of(row.id).items() if asked.startswith(clauses.NOT)]
            lines += [""]
    return "\n".join(lines)


def _searched(row: Requirement) -> SearchedText:
    scenarios = (scenario.name for _, scenario in gherkin.scenarios_of(row.id))
    reported = (row.section, row.check, row.question or "", row.varies or "", gherkin.why_of(row.id), *scenarios)
    return SearchedText(f"{row.id} {row.statement}", " ".join(reported))


def _themes_in_words(requirement: str) -> str:
    found = themes.themes_of(requirement)
    return f" {'Themes' if len(found) > 1 else 'Theme'}: {', '.join(found)}." if found else ""


def as_json(row: Requirement) -> dict[str, Any]:
    return row.model_dump() | {
        "status": status_of(row),
        "provisional": is_provisional(row),
        "why": gherkin.why_of(row.id),
        "themes": list(themes.themes_of(row.id)),
        "scenarios": [{"feature": feature.path, "name": scenario.name} for feature, scenario in gherkin.scenarios_of(row.id)],
        "clauses": clauses.of(row.id),
    }
