"""Checks the form of features, so that no scenario is lost and each names the requirement that it tests.

pytest-bdd drops the first of two scenarios with the same name, reads a misspelt first step as prose, and does not pass on tags on
Examples; all three would be silently green. The other checks are the house's form: a Rule per requirement with the register's words,
numbered scenarios, one When, an observation after it, and the words of docs/house-style.md. `sentence_lint` checks the steps, and
`contract/clauses.py` that a scenario asks each clause.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from fencepost.contract import clauses, gherkin
from fencepost.contract import register as registers
from fencepost.contract.capabilities import ALONE, CAPABILITIES
from fencepost.contract.gherkin import Feature, Rule, Scenario, needs_in, requirement_of
from fencepost.contract.register import Register
from fencepost.contract.themes import THEMES
from fencepost.steps import vocabularies
from fencepost.steps.vocabularies import Speech

from . import sentence_lint
from .house_words import faults_in

LONGEST = 7
_NUMBERED = re.compile(r"\[(\d+)] \S.*")
_HEADER = re.compile(r"\S+: \[\d+] ")


@cache
def faults_of_bundled(spec: str) -> tuple[str, ...]:
    """Every fault of the bundled features of a proposal, and of its clauses."""
    of_features = lint(gherkin.bundled_for(spec), registers.bundled(), {spec: vocabularies.speech_of(spec)})
    return (*of_features, *clauses.faults_of_bundled(spec))


def lint(features: Iterable[Feature], register: Register, speech: Mapping[str, Speech]) -> list[str]:
    """Every fault, as `file:line: what`; an empty list if there is none. `speech` has the sentences of each proposal."""
    features = tuple(features)
    faults = [fault for feature in features for fault in _faults(feature, register)]
    seen: dict[str, str] = {}
    for feature in features:
        for rule in feature.rules:
            identifier = requirement_of(rule.tags)
            if identifier and identifier in seen:
                faults.append(f"{feature.path}:{rule.line}: {identifier} has a Rule already, in {seen[identifier]}")
            seen.setdefault(identifier or "", feature.path)
    specs = {feature.spec for feature in features}
    for row in register.rows(spec for spec in register.by_spec if spec in specs):
        if row.is_tested and row.id not in seen:
            faults.append(f"{register.spec_of(row.id)}: {row.id} is neither planned nor excluded, and no Rule carries its tag")
    return [*faults, *sentence_lint.lint(features, speech)]


def _faults(feature: Feature, register: Register) -> Iterator[str]:
    def at(line: int, what: str) -> str:
        return f"{feature.path}:{line}: {what}"

    for scenario in feature.stray_scenarios:
        yield at(scenario.line, "a scenario outside of a Rule stands for no requirement")
    for tag in feature.tags:
        if not needs_in([tag]):
            yield at(1, f"@{tag} on a Feature; only a capability that all of its scenarios need stands there, as @needs:...")
    scenarios = [scenario for rule in feature.rules for scenario in rule.scenarios]
    for tag in sorted(set.intersection(*(set(scenario.tags) for scenario in scenarios)) if len(scenarios) > 1 else ()):
        if needs_in([tag]) and tag not in feature.tags:
            yield at(1, f"every scenario has @{tag}; expected it once, on the Feature")
    if feature.background_description:
        yield at(1, f"prose in a Background, perhaps a misspelt step: {feature.background_description.splitlines()[0]!r}")
    yield from (at(1, what) for text in (feature.name, feature.description) for what in faults_in(text))
    names: dict[str, int] = {}
    for rule in feature.rules:
        for line, what in _faults_of_rule(rule, register):
            yield at(line, what)
        for scenario in rule.scenarios:
            if scenario.name in names:
                yield at(
                    scenario.line, f"{scenario.name!r} stands in line {names[scenario.name]} too; pytest-bdd would run only one of them"
                )
            names[scenario.name] = scenario.line


def _faults_of_rule(rule: Rule, register: Register) -> Iterator[tuple[int, str]]:
    identifier = requirement_of(rule.tags)
    if identifier is None or identifier not in register.by_id:
        yield rule.line, f"a Rule needs the tag of a registered requirement; it has {_shown(rule.tags)}"
        return
    row = register[identifier]
    if not row.is_tested:
        yield rule.line, f"{identifier} is {'planned' if row.planned else 'excluded'} in the register, and has a Rule"
    if set(rule.tags) - set(THEMES) != {identifier, row.level}:
        themes = ", ".join(f"@{theme}" for theme in THEMES)
        must = f"@{identifier} @{row.level}, and its themes out of {themes}"
        yield rule.line, f"the tags of this Rule must be {must}; they are {_shown(rule.tags)}"
    if rule.title != row.statement:
        yield rule.line, f"the title must be the statement of {identifier}: {row.statement!r}"
    if not rule.why:
        yield rule.line, f"{identifier} needs a description below its Rule: one or two sentences about the anomaly that it prevents"
    elif swallowed := _HEADER.search(rule.why):
        yield rule.line, f"{swallowed[0]!r} in the description of {identifier}: a misspelt header, which gherkin takes for prose"
    yield from ((rule.line, what) for text in (rule.title, rule.why) for what in faults_in(text))
    if rule.background_description:
        yield rule.line, f"prose in a Background, perhaps a misspelt step: {rule.background_description.splitlines()[0]!r}"
    if not rule.scenarios:
        yield rule.line, f"{identifier} has a Rule without scenarios"
    for number, scenario in enumerate(rule.scenarios, 1):
        for what in _faults_of_scenario(scenario, number):
            yield scenario.line, what


def _faults_of_scenario(scenario: Scenario, number: int) -> Iterator[str]:
    numbered = _NUMBERED.fullmatch(scenario.name)
    if not numbered or int(numbered[1]) != number:
        yield f"scenario {number} of its Rule must be called '[{number}] ...'; it is called {scenario.name!r}"
    yield from faults_in(scenario.title)
    if scenario.description:
        yield f"prose in a scenario, perhaps a misspelt step: {scenario.description.splitlines()[0]!r}"
    if scenario.examples_tags:
        yield f"tags on Examples reach no hook of pytest-bdd: {_shown(scenario.examples_tags)}"
    for tag in scenario.tags:
        capability = tag.removeprefix("needs:")
        if scenario.tags.count(tag) > 1:
            yield f"@{tag} stands on the Feature too, or twice; expected it once"
        if tag != ALONE and (capability == tag or capability not in CAPABILITIES):
            yield f"@{tag} is not known; a scenario may have {', '.join('@needs:' + name for name in CAPABILITIES)}, or @{ALONE}"
    kinds = [step.kind for step in scenario.steps]
    if kinds != sorted(kinds, key=("Given", "When", "Then").index):
        yield "steps must go from Given over When to Then, once"
    if kinds.count("When") != 1:
        yield f"a scenario has one When; this one has {kinds.count('When')}"
    if "Then" not in kinds:
        yield "a scenario without a Then judges nothing"
    if len(kinds) > LONGEST:
        yield f"{len(kinds)} steps; more than {LONGEST} hide what is tested"


def _shown(tags: Iterable[str]) -> str:
    return " ".join(f"@{tag}" for tag in tags) or "none"
