"""From a requirement to everything about it, each with file and line: one hop from the promise to where it is tested, decided, broken on
purpose, and known to be broken.

* `rules`: the Rule of a feature that carries its id; `scenarios`: those of that Rule.
* `sentences`: the sentences of those scenarios, where each is implemented.
* `branches`: the places of the reference that decide it, which name it with `rule("ID")`.
* `defects`: the variants of the reference that break it; `deviations`: the entries about releases that are known to.
"""

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from fencepost.contract import gherkin, register
from fencepost.contract.gherkin import Feature, GherkinStep, Rule, Scenario
from fencepost.deviations import known_deviations
from fencepost.steps import vocabularies

_PREFIXES = {"defect": ("",), "pair": ("key-", "scalable-key-"), "core_pair": ("core-pulsar-", "core-scalable-")}
"""What the decorators of defects put before the name of the class."""


@dataclass(frozen=True)
class SourcePlace:
    """A place in a file of the kit, and what it is."""

    file: str
    line: int
    what: str

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Hops:
    """All places of one requirement."""

    rules: tuple[SourcePlace, ...]
    scenarios: tuple[SourcePlace, ...]
    sentences: tuple[SourcePlace, ...]
    branches: tuple[SourcePlace, ...]
    defects: tuple[SourcePlace, ...]
    deviations: tuple[SourcePlace, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def of(requirement: str) -> Hops:
    """The hops of a requirement. Raises UnknownName for an unknown id."""
    identifier = register.bundled()[requirement].id
    found = list(_rules(identifier))
    return Hops(
        rules=tuple(SourcePlace(_file(feature), rule.line, f"Rule: {rule.title}") for feature, rule in found),
        scenarios=tuple(
            SourcePlace(_file(feature), scenario.line, scenario.name) for feature, rule in found for scenario in rule.scenarios
        ),
        sentences=tuple(dict.fromkeys(place for feature, rule in found for place in _sentences(feature, rule))),
        branches=_branches().get(identifier, ()),
        defects=tuple(_defects(identifier)),
        deviations=_deviations().get(identifier, ()),
    )


def _rules(requirement: str) -> Iterator[tuple[Feature, Rule]]:
    for feature in gherkin.bundled():
        for rule in feature.rules:
            if gherkin.requirement_of(rule.tags) == requirement:
                yield feature, rule


def _file(feature: Feature) -> str:
    return f"features/{feature.path}"


def _sentences(feature: Feature, rule: Rule) -> Iterator[SourcePlace]:
    for scenario in rule.scenarios:
        for step in _said(feature, rule, scenario):
            sentence = vocabularies.sentence_of(feature.spec, step.kind, step.text)
            if sentence is not None:
                yield SourcePlace(_in_package(sentence.path), sentence.line, sentence.words)


def _said(feature: Feature, rule: Rule, scenario: Scenario) -> Iterator[GherkinStep]:
    """The steps as they are played, those of an outline with the values of each row."""
    yield from feature.background
    yield from rule.background
    yield from scenario.said


def _in_package(path: str) -> str:
    """A source file by its path inside the package: the same in a checkout and in an installed kit."""
    normal = path.replace("\\", "/")
    package = "/steps/"
    return package.removeprefix("/") + normal.rpartition(package)[2] if package in normal else normal


@functools.cache
def _branches() -> dict[str, tuple[SourcePlace, ...]]:
    """The calls of `rule` in the reference, by requirement."""
    found: defaultdict[str, list[SourcePlace]] = defaultdict(list)
    for file, text in _sources("reference"):
        if "rule(" in text:
            for requirement, line, inside in _calls_of_rule(ast.parse(text)):
                found[requirement].append(SourcePlace(file, line, inside))
    return {requirement: tuple(places) for requirement, places in found.items()}


def _calls_of_rule(node: ast.AST, inside: str = "") -> Iterator[tuple[str, int, str]]:
    """The requirements that each call names, with the line and the function; a branch may choose between two."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            inside = f"{inside}.{name}" if inside else name
        case ast.Call(func=ast.Name(id="rule"), args=arguments):
            for part in (part for argument in arguments for part in ast.walk(argument)):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value, part.lineno, inside
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from _calls_of_rule(child, inside)


def _defects(requirement: str) -> Iterator[SourcePlace]:
    from fencepost.reference.defects import DEFECTS

    for defect in DEFECTS.values():
        if requirement in defect.breaks:
            file, line = _lines_of_defects()[defect.name]
            yield SourcePlace(file, line, f"{defect.name}: {defect.story} ({defect.origin})")


@functools.cache
def _lines_of_defects() -> dict[str, tuple[str, int]]:
    """Where each variant is declared: the decorator above its class."""
    from fencepost.reference.defects.decorator import name_of

    return {
        f"{prefix}{name_of(node.name)}": (file, decorator.lineno)
        for file, text in _sources("reference/defects")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id in _PREFIXES
        for prefix in _PREFIXES[decorator.func.id]
    }


@functools.cache
def _deviations() -> dict[str, tuple[SourcePlace, ...]]:
    found: defaultdict[str, list[SourcePlace]] = defaultdict(list)
    for name, line, entry in known_deviations.everything():
        scenario = f", {entry.scenario}" if entry.scenario else ""
        found[entry.requirement].append(
            SourcePlace(f"fixtures/expectations/{name}", line, f"{name.removesuffix('.yaml')} {entry.versions}{scenario}: {entry.reason}")
        )
    return {requirement: tuple(places) for requirement, places in found.items()}


def _sources(package: str) -> Iterator[tuple[str, str]]:
    """The modules of a package, by their paths inside of the package."""
    waiting: list[tuple[str, Traversable]] = [(package, resources.files(f"fencepost.{package.replace('/', '.')}"))]
    while waiting:
        path, folder = waiting.pop()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.is_dir():
                waiting.append((f"{path}/{entry.name}", entry))
            elif entry.name.endswith(".py"):
                yield f"{path}/{entry.name}", entry.read_text(encoding="utf-8")
