"""Scenarios as a page shows them: each step with what its sentence means, and where that sentence stands."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fencepost.contract.gherkin import Feature, GherkinStep, Rule, Scenario, needs_in, requirement_of
from fencepost.contract.gherkin import bundled as features
from fencepost.steps import vocabularies
from fencepost.steps.sentence import Sentence

from . import addresses


@dataclass(frozen=True)
class StepView:
    """A step; `meaning` is empty and `address` None for a step of an outline, whose values decide which sentence it is.

    `note` names its meaning on the page: a page has each meaning once, at the first step that has it.
    """

    keyword: str
    text: str
    meaning: str
    address: str | None
    note: str = ""
    is_first: bool = False


@dataclass(frozen=True)
class ScenarioView:
    """A scenario with the steps of its backgrounds; `heads` and `rows` are its table of examples."""

    name: str
    description: str
    file: str
    needs: tuple[str, ...]
    steps: tuple[StepView, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def scenarios_of(requirement: str) -> list[ScenarioView]:
    """The scenarios of a requirement, in the order of its Rule."""
    notes: dict[str, str] = {}
    views = (_view(feature, rule, scenario) for feature, rule in rules_of(requirement) for scenario in rule.scenarios)
    return [replace(view, steps=tuple(_with_note(step, notes) for step in view.steps)) for view in views]


def _with_note(step: StepView, notes: dict[str, str]) -> StepView:
    if not step.meaning:
        return step
    is_first = step.meaning not in notes
    return replace(step, note=notes.setdefault(step.meaning, f"m{len(notes) + 1}"), is_first=is_first)


def rules_of(requirement: str) -> Iterator[tuple[Feature, Rule]]:
    """The Rules that stand for a requirement."""
    for feature in features():
        for rule in feature.rules:
            if requirement_of(rule.tags) == requirement:
                yield feature, rule


def anchor(sentence: Sentence) -> str:
    """Where a sentence stands on the page of its vocabulary."""
    return addresses.slug(f"{sentence.name}-{sentence.line}")


def _view(feature: Feature, rule: Rule, scenario: Scenario) -> ScenarioView:
    asked = scenario.examples[0] if scenario.rows else scenario.steps
    backgrounds = (*feature.background, *rule.background)
    pairs = [*((step, step) for step in backgrounds), *zip(scenario.steps, asked, strict=True)]
    return ScenarioView(
        scenario.name,
        scenario.description,
        f"features/{feature.path}:{scenario.line}",
        needs_in(scenario.tags),
        tuple(_step(feature.spec, shown, said) for shown, said in pairs),
        tuple(name for name, _ in scenario.rows[0]) if scenario.rows else (),
        tuple(tuple(cell for _, cell in row) for row in scenario.rows),
    )


def _step(spec: str, shown: GherkinStep, said: GherkinStep) -> StepView:
    """`shown` is the step as its file has it, `said` the same with the values of the first row."""
    sentence = vocabularies.sentence_of(spec, said.kind, said.text)
    if sentence is None:
        return StepView(shown.keyword, shown.text, "", None)
    return StepView(shown.keyword, shown.text, sentence.meaning, f"{addresses.vocabulary(sentence.vocabulary)}#{anchor(sentence)}")
