"""The laws of sentences, each as an assertion, and values for sentences to write."""

import functools
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from fencepost.contract import gherkin
from fencepost.contract.gherkin import Step
from fencepost.steps.sentence import Form, Optionally, Placeholder, ValueType
from fencepost.steps.vocabularies import Speech


def is_one_sentence_and_renders_to_itself(speech: Speech, step: Step) -> None:
    """A step is parsed by exactly one sentence, and written by it as it stands."""
    parsing = speech.parsing(step.kind, step.text)
    assert len(parsing) == 1, f"{step.kind} {step.text!r}: {[sentence.where for sentence in parsing]}"
    form = next(form for form in parsing[0].forms if form.kind == step.kind)
    values = form.parse(step.text)
    assert values is not None
    assert form.render(values) == step.text


def values_come_back(form: Form, values: Mapping[str, Any]) -> None:
    """What a sentence writes, it parses to the values that it wrote."""
    assert form.parse(form.render(values)) == values, form.render(values)


def is_nobody_elses(speech: Speech, form: Form, values: Mapping[str, Any]) -> None:
    """What a sentence writes, no other sentence of the proposal parses."""
    parsing = speech.parsing(form.kind, form.render(values))
    assert len(parsing) == 1, f"{form.kind} {form.render(values)!r}: {[sentence.where for sentence in parsing]}"


def is_a_step_of_a_feature(form: Form, values: Mapping[str, Any]) -> None:
    """What a sentence writes can stand in a feature, and is read there as it was written."""
    step = form.render(values)
    keywords = {"Given": "", "When": "Given a world\n", "Then": "When it turns\n"}[form.kind]
    feature = gherkin.parse("made/some.feature", f"Feature: F\nRule: R\nScenario: S\n{keywords}{form.kind} {step}\n")
    assert [one.text for one in feature.said][-1:] == [step]


@functools.cache
def texts_of(kind: ValueType[Any]) -> st.SearchStrategy[str]:
    """Whatever the pattern of a type matches."""
    return st.from_regex(kind.pattern, fullmatch=True)


@functools.cache
def values_of(form: Form) -> st.SearchStrategy[dict[str, Any]]:
    """Values for all placeholders of a form; an optional part is there or not."""
    groups = [(part.parts, True) if isinstance(part, Optionally) else ((part,), False) for part in form.parts]
    strategies = [_values(tuple(one for one in parts if isinstance(one, Placeholder)), left_out) for parts, left_out in groups]
    return st.tuples(*strategies).map(lambda found: {name: value for one in found for name, value in one.items()})


def _values(placeholders: tuple[Placeholder, ...], may_be_left_out: bool) -> st.SearchStrategy[dict[str, Any]]:
    there = st.fixed_dictionaries({one.name: texts_of(one.type).map(one.type.parse) for one in placeholders})
    return st.one_of(there, st.just({one.name: None for one in placeholders})) if may_be_left_out and placeholders else there
