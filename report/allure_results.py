"""Allure's result files: one JSON file for what it calls a test result, under the names that Allure 2 and 3 both read.

They are written here, and not by allure-pytest: that writes a file for each fixture of each scenario, and each attachment is
another. A result is written whole and then moved into place, so that a reader or a kill never meets half of one.
"""

import functools
import json
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from fencepost.contract import gherkin, proposals, themes
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict

Node: TypeAlias = dict[str, Any]
"""A result, or a step of one, as Allure has it in JSON."""

STATUS = {
    Verdict.MET: "passed",
    Verdict.VIOLATED: "failed",
    Verdict.INCONCLUSIVE: "broken",
    Verdict.BLOCKED: "broken",
    Verdict.HARNESS_ERROR: "broken",
    Verdict.KNOWN_DEVIATION: "failed",
    Verdict.NOT_OFFERED: "skipped",
}
"""Allure knows five; the verdict itself begins the message, which makes the report's categories."""

_SEVERITY = {"MUST": "critical", "SHOULD": "normal", "MAY": "minor"}


def labels(register: Register, result: ScenarioResult, tags: tuple[str, ...] = ()) -> list[Node]:
    """Where a result stands in the report (proposal, theme, requirement), and what it can be filtered by."""
    row = register[result.requirement]
    named = {
        "epic": proposals.bundled().title_of(register.spec_of(row.id)),
        "feature": _titles(register.spec_of(row.id)).get(result.feature, result.feature),
        "story": f"{row.id} {row.statement}",
        "severity": _SEVERITY[row.level],
    }
    found = [*named.items(), *(("tag", tag) for tag in (row.id, row.level, row.source, *themes.themes_of(row.id), *tags))]
    return [{"name": name, "value": value} for name, value in found]


@functools.cache
def _titles(spec: str) -> dict[str, str]:
    """The titles of a proposal's features, by their files."""
    return {feature.path: feature.name for feature in gherkin.bundled_for(spec)}


def full_name(result: ScenarioResult) -> str:
    """What distinguishes a result from every other of its run."""
    return f"{result.feature}: {result.run}"


def message(result: ScenarioResult) -> str:
    """What a reader sees first."""
    seen = result.violation
    reported = f"{seen.what}\nexpected: {seen.expected}\nseen: {seen.seen}" if seen else result.reason or ""
    if result.verdict is Verdict.KNOWN_DEVIATION:
        reported += f"\nknown: {result.reason}"
    text = f"{result.verdict.words.capitalize()}: {reported.removeprefix('blocked ')}"
    return f"Provisional: {text}" if result.verdict.is_red and not result.fails else text


def same(name: str) -> str:
    """The id by which Allure recognises a scenario in another run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def unnoted(name: str) -> None:
    """The names of files interest no reader."""


class AllureWriter:
    """Writes into one folder of results. `note` gets the name of each file before it is written."""

    def __init__(self, folder: Path, note: Callable[[str], None] = unnoted) -> None:
        self._folder, self._note = folder, note
        folder.mkdir(parents=True, exist_ok=True)

    def result(self, result: Mapping[str, Any]) -> None:
        """Write one result; `uuid` is made here."""
        made = str(uuid.uuid4())
        self._put(f"{made}-result.json", json.dumps({"uuid": made, **result}, ensure_ascii=False))

    def page(self, name: str, html: str) -> Node:
        """Write a page, as an attachment of a result."""
        return self._attachment(name, html, "html", "text/html")

    def picture(self, name: str, svg: str) -> Node:
        """Write a picture, likewise."""
        return self._attachment(name, svg, "svg", "image/svg+xml")

    def _attachment(self, name: str, text: str, ending: str, kind: str) -> Node:
        source = f"{uuid.uuid4()}-attachment.{ending}"
        self._put(source, text)
        return {"name": name, "source": source, "type": kind}

    def environment(self, facts: Mapping[str, str]) -> None:
        """Write what the report's overview says of the run, as Java properties."""
        lines = (f"{_escaped(name)} = {' '.join(value.split())}" for name, value in facts.items())
        self._put("environment.properties", "\n".join(lines) + "\n")

    def _put(self, name: str, text: str) -> None:
        path = self._folder / name
        self._note(name)
        half = path.with_name(f".{name}.tmp")
        try:
            half.write_text(text, encoding="utf-8")
            half.replace(path)
        except OSError:
            half.unlink(missing_ok=True)
            raise


def _escaped(name: str) -> str:
    return name.replace(" ", "\\ ")
