"""The laws of sentences, each as an assertion, and values for sentences to write."""

import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.contract import gherkin
from fencepost.contract.gherkin import GherkinStep
from fencepost.steps.phrase import Optionally, Placeholder
from fencepost.steps.sentence import Form, ValueType
from fencepost.steps.vocabularies import Speech

TEXTS, VALUES = 20, 12
"""How many texts a pattern is asked of, and how many values a sentence."""


def is_one_sentence_and_renders_to_itself(speech: Speech, step: GherkinStep) -> None:
    """A step is parsed by exactly one sentence, and written by it as it stands."""
    parsing = speech.parsing(step.kind, step.text)
    assert len(parsing) == 1, f"{step.kind} {step.text!r}: {[sentence.where for sentence in parsing]}"
    form = next(form for form in parsing[0].forms if form.kind == step.kind and form.parse(step.text) is not None)
    values = form.parse(step.text)
    assert values is not None
    assert form.render(values) == step.text


def values_come_back(form: Form, values: Mapping[str, Any]) -> None:
    """What a sentence writes, it parses to the values that it wrote."""
    assert form.parse(form.render(values)) == values, form.render(values)


def is_parsed_by_no_other(speech: Speech, form: Form, values: Mapping[str, Any]) -> None:
    """What a sentence writes, no other sentence of the proposal parses."""
    parsing = speech.parsing(form.kind, form.render(values))
    assert len(parsing) == 1, f"{form.kind} {form.render(values)!r}: {[sentence.where for sentence in parsing]}"


def are_steps_of_a_feature(form: Form, written: Sequence[Mapping[str, Any]]) -> None:
    """What a sentence writes can stand in a feature, and is read there as it was written."""
    steps = [form.render(values) for values in written]
    keywords = {"Given": "", "When": "Given a world\n", "Then": "When it turns\n"}[form.kind]
    scenarios = (f"Scenario: S{number}\n{keywords}{form.kind} {step}\n" for number, step in enumerate(steps))
    feature = gherkin.parse("made/some.feature", f"Feature: F\nRule: R\n{''.join(scenarios)}")
    assert [scenario.examples[0][-1].text for rule in feature.rules for scenario in rule.scenarios] == steps


def texts_of(kind: ValueType[Any]) -> tuple[str, ...]:
    """Some of what the pattern of a type matches."""
    return _matching(kind.pattern)


@functools.cache
def _matching(pattern: str) -> tuple[str, ...]:
    """Texts that match, which are found once: to search for them takes longer than any of them."""
    found: dict[str, None] = {}

    @settings(max_examples=TEXTS, deadline=None, database=None)
    @given(st.from_regex(pattern, fullmatch=True))
    def find(text: str) -> None:
        found[text] = None

    find()
    return tuple(found)


def values_of(form: Form) -> Iterator[dict[str, Any]]:
    """Values for all placeholders of a form, again and again other ones; an optional part is there or not."""
    if not form.placeholders:
        yield {}
        return
    chance = random.Random(form.words)
    for _ in range(VALUES):
        values: dict[str, Any] = {}
        for part in form.parts:
            parts, is_there = (part.parts, chance.random() < 0.5) if isinstance(part, Optionally) else ((part,), True)
            for one in parts:
                if isinstance(one, Placeholder):
                    values[one.name] = one.type.parse(chance.choice(texts_of(one.type))) if is_there else None
        yield values
