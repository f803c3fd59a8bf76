"""The features as a reader sees them: files, rules, scenarios, steps, with their tags and lines.

Parsed by gherkin-official, the parser that pytest-bdd uses, so that what is listed and linted is what runs.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from gherkin.errors import ParserError
from gherkin.parser import Parser

from . import register
from .datafile import DataFileError

_NUMBER = re.compile(r"^\[[0-9]+] ")
_NEED = "needs:"


@dataclass(frozen=True)
class GherkinStep:
    """A step with the keyword as written and its kind: Given, When or Then, also for And."""

    keyword: str
    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Scenario:
    """A scenario or an outline. `tags` are those of its feature and then its own: one that stands at both is there twice. `rows` are the
    values of its Examples, by the names of their columns.
    """

    name: str
    tags: tuple[str, ...]
    description: str
    steps: tuple[GherkinStep, ...]
    examples_tags: tuple[str, ...]
    line: int
    rows: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def title(self) -> str:
        """Its name without its number."""
        return _NUMBER.sub("", self.name)

    @property
    def examples(self) -> tuple[tuple[GherkinStep, ...], ...]:
        """Its steps as they run, for each row of an outline; once for a scenario without rows."""
        return tuple(
            tuple(
                replace(step, text=functools.reduce(lambda text, cell: text.replace(f"<{cell[0]}>", cell[1]), row, step.text))
                for step in self.steps
            )
            for row in self.rows or ((),)
        )

    @property
    def said(self) -> Iterator[GherkinStep]:
        """Its steps as they run: those of an outline once for each row."""
        return (step for steps in self.examples for step in steps)


@dataclass(frozen=True)
class Rule:
    """A rule, which stands for one requirement. `why` is its description: the anomaly that it prevents."""

    title: str
    why: str
    tags: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    background: tuple[GherkinStep, ...]
    background_description: str
    line: int


@dataclass(frozen=True)
class Feature:
    """A feature file; `path` is relative to the folder of features, such as `kip890/ending.feature`."""

    path: str
    name: str
    description: str
    tags: tuple[str, ...]
    rules: tuple[Rule, ...]
    background: tuple[GherkinStep, ...]
    background_description: str
    stray_scenarios: tuple[Scenario, ...]

    @property
    def spec(self) -> str:
        return self.path.split("/", 1)[0]

    @property
    def said(self) -> Iterator[GherkinStep]:
        """All its steps as they run: those of a Background once, those of an outline once for each row."""
        yield from self.background
        for rule in self.rules:
            yield from rule.background
            for scenario in rule.scenarios:
                yield from scenario.said


def requirement_of(tags: tuple[str, ...] | frozenset[str] | set[str]) -> str | None:
    """The requirement that a rule's tags name: the one that is a proposal and digits."""
    return next((tag for tag in sorted(tags) if _looks_like_an_id(tag)), None)


def needs_in(tags: Iterable[str]) -> tuple[str, ...]:
    """The capabilities that these tags ask for, each as `@needs:...`, in their order."""
    return tuple(tag.removeprefix(_NEED) for tag in tags if tag.startswith(_NEED))


def _looks_like_an_id(tag: str) -> bool:
    head, _, tail = tag.rpartition("-")
    return bool(head) and head.isupper() and tail.isdigit()


def scenarios_of(requirement: str) -> Sequence[tuple[Feature, Scenario]]:
    """The bundled scenarios that test a requirement, each with its feature, in the order of the files."""
    return [(feature, scenario) for feature, rule in _rules(requirement) for scenario in rule.scenarios]


def _rules(requirement: str) -> Sequence[tuple[Feature, Rule]]:
    rows = register.bundled()
    return _rules_of(rows.spec_of(requirement)).get(requirement, ()) if requirement in rows.by_id else ()


@functools.cache
def _rules_of(spec: str) -> dict[str | None, list[tuple[Feature, Rule]]]:
    found: dict[str | None, list[tuple[Feature, Rule]]] = {}
    for feature in bundled_for(spec):
        for rule in feature.rules:
            found.setdefault(requirement_of(rule.tags), []).append((feature, rule))
    return found


def why_of(requirement: str) -> str:
    """The anomaly that a requirement prevents, as its Rule describes it; empty if it has no Rule."""
    return next((rule.why for _, rule in _rules(requirement)), "")


@functools.cache
def bundled() -> tuple[Feature, ...]:
    """The features that the kit includes."""
    return tuple(feature for proposal in _proposals(resources.files("fencepost.features")) for feature in bundled_for(proposal.name))


@functools.cache
def bundled_for(spec: str) -> tuple[Feature, ...]:
    """Those of one proposal; to read all of them takes as long as to play a hundred scenarios."""
    return tuple(_in(resources.files("fencepost.features") / spec))


def read(folder: Path | Traversable) -> Iterator[Feature]:
    """Parse every feature of every proposal under `folder`. Raises DataFileError with file and line."""
    for proposal in _proposals(folder):
        yield from _in(proposal)


def _proposals(folder: Path | Traversable) -> list[Path | Traversable]:
    return sorted((entry for entry in folder.iterdir() if entry.is_dir()), key=lambda entry: entry.name)


def _in(proposal: Path | Traversable) -> Iterator[Feature]:
    for path in sorted(proposal.iterdir(), key=lambda entry: entry.name):
        if path.name.endswith(".feature"):
            yield parse(f"{proposal.name}/{path.name}", path.read_text(encoding="utf-8"))


def parse(path: str, text: str) -> Feature:
    """One feature from its text."""
    try:
        document: Any = Parser().parse(text)
    except ParserError as error:
        raise DataFileError(f"{path}: {error}") from error
    feature = document.get("feature")
    if not feature:
        raise DataFileError(f"{path}:1: no Feature in it")
    rules, stray, tags = [], [], _tags(feature)
    background: tuple[GherkinStep, ...] = ()
    description = ""
    for child in feature["children"]:
        match child:
            case {"rule": rule}:
                rules.append(_rule(rule, tags))
            case {"background": found}:
                background, description = _steps(found["steps"]), found["description"].strip()
            case {"scenario": scenario}:
                stray.append(_scenario(scenario, tags))
    return Feature(path, feature["name"], _flow(feature["description"]), tags, tuple(rules), background, description, tuple(stray))


def _rule(rule: Any, of_feature: tuple[str, ...]) -> Rule:
    background: tuple[GherkinStep, ...] = ()
    description = ""
    scenarios = []
    for child in rule["children"]:
        match child:
            case {"background": found}:
                background, description = _steps(found["steps"]), found["description"].strip()
            case {"scenario": scenario}:
                scenarios.append(_scenario(scenario, of_feature))
    return Rule(rule["name"], _flow(rule["description"]), _tags(rule), tuple(scenarios), background, description, rule["location"]["line"])


def _scenario(scenario: Any, of_feature: tuple[str, ...]) -> Scenario:
    return Scenario(
        scenario["name"],
        (*of_feature, *_tags(scenario)),
        scenario["description"].strip(),
        _steps(scenario["steps"]),
        tuple(tag for table in scenario["examples"] for tag in _tags(table)),
        scenario["location"]["line"],
        tuple(row for table in scenario["examples"] for row in _rows(table)),
    )


def _rows(table: Any) -> Iterator[tuple[tuple[str, str], ...]]:
    names = [cell["value"] for cell in table["tableHeader"]["cells"]] if table.get("tableHeader") else []
    for row in table["tableBody"]:
        yield tuple(zip(names, (cell["value"] for cell in row["cells"]), strict=True))


def _steps(steps: Any) -> tuple[GherkinStep, ...]:
    kinds = {"Context": "Given", "Action": "When", "Outcome": "Then"}
    found: list[GherkinStep] = []
    for step in steps:
        kind = kinds.get(step["keywordType"]) or (found[-1].kind if found else "Given")
        found.append(GherkinStep(step["keyword"].strip(), kind, step["text"], step["location"]["line"]))
    return tuple(found)


def _tags(node: Any) -> tuple[str, ...]:
    return tuple(tag["name"].removeprefix("@") for tag in node["tags"])


def _flow(description: str) -> str:
    return " ".join(description.split())
