"""The laws of sentences hold for every sentence of every vocabulary, and each is seen broken by a bad one."""

from typing import Any

import pytest
from sentence_laws import (
    are_steps_of_a_feature,
    is_one_sentence_and_renders_to_itself,
    is_parsed_by_no_other,
    texts_of,
    values_come_back,
    values_of,
)

from fencepost.contract import gherkin
from fencepost.contract.gherkin import GherkinStep
from fencepost.steps import vocabularies
from fencepost.steps.sentence import Form, ValueType, Vocabulary, listed, text
from fencepost.steps.vocabularies import Speech

SPEECH = vocabularies.by_spec()
FORMS = {(sentence.vocabulary, form): spec for spec, one in SPEECH.items() for sentence in one.sentences for form in sentence.forms}
TYPES = {
    (value.type.pattern, value.type.parse, value.type.render): value.type
    for one in SPEECH.values()
    for sentence in one.sentences
    for form in sentence.forms
    for value in form.placeholders
}
WORD = text("word", "[a-z]+", "a word")
WORDS = listed("words", WORD, "words", separator=" and ")


def test_each_step_is_one_sentence_and_renders_to_itself() -> None:
    """A feature says nothing that its vocabularies could not have written."""
    for feature in gherkin.bundled():
        for step in feature.said if feature.spec in SPEECH else ():
            is_one_sentence_and_renders_to_itself(SPEECH[feature.spec], step)


@pytest.mark.parametrize("asked", SPEECH)
def test_what_a_sentence_writes_is_its_own_and_comes_back(asked: str) -> None:
    """For values that its types allow: the step names them, only this sentence parses it, and it can stand in a feature."""
    for form in [form for (_, form), spec in FORMS.items() if spec == asked]:
        written = list(values_of(form))
        for values in written:
            values_come_back(form, values)
            is_parsed_by_no_other(SPEECH[asked], form, values)
        are_steps_of_a_feature(form, written)


def test_what_a_type_parses_it_renders_to_the_same_text() -> None:
    """Whatever its pattern matches."""
    for kind in TYPES.values():
        for written in texts_of(kind):
            assert (kind.name, kind.render(kind.parse(written))) == (kind.name, written)


# --- each law seen broken


def speech_with(*words: str, types: tuple[ValueType[Any], ...] = (WORD, WORDS)) -> tuple[Speech, list[Form]]:
    """A vocabulary of these sentences about words."""

    def holds(word: str, words: tuple[str, ...], others: tuple[str, ...]) -> None:
        """It holds."""

    made = Vocabulary("made", types)
    for one in words:
        made.then(one)(holds)
    return Speech(made), [form for sentence in made for form in sentence.forms]


def step(words: str) -> GherkinStep:
    return GherkinStep("Then", "Then", words, 1)


def test_a_step_that_no_sentence_parses_breaks_the_law() -> None:
    """It is not in the vocabulary."""
    speech, _ = speech_with("it is {word}")

    is_one_sentence_and_renders_to_itself(speech, step("it is over"))
    with pytest.raises(AssertionError, match="it was over"):
        is_one_sentence_and_renders_to_itself(speech, step("it was over"))


def test_a_step_that_two_sentences_parse_breaks_the_law() -> None:
    """It is ambiguous which of them is meant."""
    speech, forms = speech_with("it is {word}", "{word} is over")

    with pytest.raises(AssertionError, match="it is over"):
        is_one_sentence_and_renders_to_itself(speech, step("it is over"))
    with pytest.raises(AssertionError, match="it is over"):
        is_parsed_by_no_other(speech, forms[0], {"word": "over"})


def test_a_type_that_renders_another_text_breaks_the_law() -> None:
    """A step that means the same as another, in other words, could never be written."""
    loud = ValueType("word", "[A-Za-z]+", "a word in any case", str.lower, str)
    speech, _ = speech_with("it is {word}", types=(loud,))

    is_one_sentence_and_renders_to_itself(speech, step("it is over"))
    with pytest.raises(AssertionError):
        is_one_sentence_and_renders_to_itself(speech, step("it is OVER"))


def test_values_that_run_into_each_other_break_the_law() -> None:
    """Two lists next to each other: the first takes values of the second."""
    _, (form,) = speech_with("{words} and {word}s")

    values_come_back(form, {"words": ("a",), "word": "b"})
    with pytest.raises(AssertionError):
        values_come_back(speech_with("{words} and {others:words}")[1][0], {"words": ("a",), "others": ("b", "c")})


def test_a_value_of_two_lines_breaks_the_law() -> None:
    """A step is one line of a feature."""
    lines = text("word", "[a-z\n]+", "words on several lines")
    _, (form,) = speech_with("it is {word}", types=(lines,))

    are_steps_of_a_feature(form, [{"word": "over"}])
    with pytest.raises((AssertionError, gherkin.DataFileError)):
        are_steps_of_a_feature(form, [{"word": "over\nnow"}])
