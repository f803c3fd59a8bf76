"""`fencepost explain`: a requirement, and the places of everything that implements or tests it."""

import json
import re
from collections.abc import Iterable
from importlib import resources

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fencepost.contract import clauses, gherkin, register, themes
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.register import Requirement

from . import traceability
from .requirement_list import as_json, is_provisional, status_of
from .traceability import SourcePlace

FORMS = ("table", "json")
_LIKE_AN_ID = re.compile(r"\d")


def show(named: str, form: str) -> int:
    """Print a page of the documentation, or what is known of a requirement. Raises UnknownName and WrongUsage."""
    name = f"{named.lower().removeprefix('docs/').removesuffix('.md')}.md"
    page = next((page for page in resources.files("fencepost.docs").iterdir() if page.name == name), None)
    if page is None:
        if not _LIKE_AN_ID.search(named):
            raise WrongUsage(
                f"{named}: expected the id of a requirement, such as KIP890-060, or a page of docs/, such as twins; "
                f"`fencepost list --find '{named}'` finds requirements by words"
            )
        return show_requirement(named.upper(), form)
    print(page.read_text(encoding="utf-8"), end="")
    return 0


def show_requirement(identifier: str, form: str) -> int:
    """Print all that the kit knows about one requirement. Raises UnknownName for an unknown id or form."""
    if form not in FORMS:
        raise UnknownName("format", form, FORMS)
    row = register.bundled()[identifier]
    if form == "json":
        print(json.dumps(as_json(row) | {"hops": traceability.of(row.id).as_json()}, indent=1))
        return 0
    console = Console(highlight=False, soft_wrap=True)
    _show_row(console, row)
    found = traceability.of(row.id)
    _show(console, "rule", found.rules)
    _show_clauses(console, row)
    _show_scenarios(console, row, found.scenarios)
    _show(console, "sentences", found.sentences)
    _show(console, "branches of the reference", found.branches, none=f'none has rule("{row.id}") yet' if row.is_tested else "")
    _show(console, "defects", found.defects)
    _show(console, "known deviations", found.deviations)
    return 0


def _show_row(console: Console, row: Requirement) -> None:
    console.print(
        Text(f"{row.id}  {row.level}, {row.source}, {status_of(row)}{', provisional' if is_provisional(row) else ''}", style="bold")
    )
    console.print(Text(row.statement))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    known = {
        "why": gherkin.why_of(row.id),
        "section": row.section,
        "themes": ", ".join(themes.themes_of(row.id)),
        "look at": row.check,
        "releases": row.varies,
        "question": row.question,
        "excluded": row.excluded,
    }
    for name, text in known.items():
        if text:
            table.add_row(name, Text(text))
    console.print(Padding(table, (1, 0)))
    if row.planned:
        console.print("No scenario tests it yet.")


def _show(console: Console, title: str, places: Iterable[SourcePlace], none: str = "") -> None:
    """Print the places below their title, if there are any, or that there are none."""
    shown = tuple(places)
    if shown or none:
        console.print(Text(title, style="bold"))
        if not shown:
            console.print(Text(f"  {none}"))
        for place in shown:
            console.print(Text(f"  {place.where}  {place.what}"))
        console.print()


def _show_clauses(console: Console, row: Requirement) -> None:
    """Print each clause with the scenarios that ask it, if there are several."""
    table = clauses.of(row.id)
    if table:
        console.print(Text("clauses", style="bold"))
    for fragment, asking in table.items():
        console.print(Text(f'  "{fragment}"'))
        for one in asking:
            console.print(Text(f"      {one}", style="dim"))
    if table:
        console.print()


def _show_scenarios(console: Console, row: Requirement, places: tuple[SourcePlace, ...]) -> None:
    if places:
        console.print(Text("scenarios", style="bold"))
    for place, (feature, scenario) in zip(places, gherkin.scenarios_of(row.id), strict=True):
        console.print(Text(f"  {place.where}  {place.what}"))
        for step in (*feature.background, *scenario.steps):
            console.print(Text(f"      {step.keyword} {step.text}", style="dim"))
        console.print()
