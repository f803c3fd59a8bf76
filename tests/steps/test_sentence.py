"""Sentences: what they parse and write, and which patterns are refused."""

from collections.abc import Callable

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.steps.sentence import SentenceError, ValueType, Vocabulary, choice, listed, number, quoted, text

WRITER = text("writer", "[A-Z]", "a writer")
COUNT = number("count", "how many")
VALUES = listed("values", quoted("value", "a value"), "values")
ORDER = choice("order", "in order", "in any order", meaning="an order")
TYPES = [WRITER, COUNT, VALUES, ORDER]


def made() -> Vocabulary:
    return Vocabulary("made", TYPES)


def sees(writer: str, values: tuple[str, ...], order: str | None) -> None:
    """It sees
    them."""


def silent(writer: str) -> None: ...


async def waits(writer: str) -> None:
    """It waits."""


def test_a_sentence_parses_to_typed_values_and_writes_them() -> None:
    """The written text equals the parsed one; a part that is left out is None."""
    vocabulary = made()
    vocabulary.then("{writer} sees {values}[ {order}]")(sees)
    (sentence,) = vocabulary
    (form,) = sentence.forms

    assert sentence.parse("Then", 'A sees "a", "b" in any order') == {"writer": "A", "values": ("a", "b"), "order": "in any order"}
    assert sentence.parse("Then", 'A sees "a"') == {"writer": "A", "values": ("a",), "order": None}
    assert form.render({"writer": "A", "values": ("a", "b"), "order": None}) == 'A sees "a", "b"'
    assert form.render({"writer": "A", "values": ("a",), "order": "in order"}) == 'A sees "a" in order'
    assert (sentence.parse("When", 'A sees "a"'), sentence.parse("Then", "A sees nothing")) == (None, None)


def test_a_sentence_knows_its_words_its_meaning_and_its_place() -> None:
    """What people are shown of it."""
    vocabulary = made()
    vocabulary.then("{writer} sees {values}[ {order}]")(sees)
    (sentence,) = vocabulary

    assert (sentence.vocabulary, sentence.name, sentence.meaning) == ("made", "sees", "It sees them.")
    assert sentence.words == "Then {writer} sees {values}[ {order}]"
    assert sentence.where.endswith(f"test_sentence.py:{sees.__code__.co_firstlineno}")


def test_an_act_has_two_forms_and_one_meaning() -> None:
    """As a Given it has happened, as a When it is asked."""
    vocabulary = made()
    act = vocabulary.act(given="{writer} has come", when="{writer} comes", meaning="It is there.")
    act.given(silent)
    act.when(silent)
    (sentence,) = vocabulary

    assert [(form.kind, form.words) for form in sentence.forms] == [("Given", "{writer} has come"), ("When", "{writer} comes")]
    assert (sentence.parse("Given", "A has come"), sentence.parse("When", "A has come")) == ({"writer": "A"}, None)
    assert sentence.meaning == "It is there."


def test_an_act_that_can_be_tried_has_a_third_form() -> None:
    """A Given that takes any outcome is the same sentence."""
    vocabulary = made()
    act = vocabulary.act(given="{writer} has come", tried="{writer} has tried to come", when="{writer} comes", meaning="It is there.")
    act.given(silent)
    act.when(silent)
    with pytest.raises(SentenceError, match="has no function for its Given"):
        list(vocabulary)
    act.tried(fulfils)
    (sentence,) = vocabulary

    assert sentence.words == "Given {writer} has come | Given {writer} has tried to come | When {writer} comes"
    found = vocabulary.find("Given", "A has tried to come")
    assert found is not None
    assert found.function is fulfils
    assert sentence.parse("Given", "A has tried to come") == {"writer": "A"}


def test_pytest_finds_the_function_that_fulfils_a_step() -> None:
    """By kind and text, also when a sentence came later."""
    vocabulary = made()
    assert vocabulary.find("When", "A comes") is None

    vocabulary.when("{writer} comes")(vocabulary.given("{writer} is there")(fulfils))

    found = vocabulary.find("When", "A comes")
    assert found is not None
    assert (found.function, found.form.words) == (fulfils, "{writer} comes")
    assert vocabulary.find("Given", "A comes") is None


def fulfils(writer: str) -> None:
    """It is there."""


@pytest.mark.parametrize(
    ("wrong", "reported"),
    [
        (
            lambda made: made.then("{writer} is silent")(silent),
            r"test_sentence.py:\d+: made: '{writer} is silent' has no meaning; expected a docstring",
        ),
        (
            lambda made: made.act("{writer} was", "{writer} is", "").when(silent),
            r"test_sentence.py:\d+: made: '{writer} is' has no meaning; expected",
        ),
        (lambda made: made.act("{writer} was", "{writer} is", "It is.").tried(fulfils), "'{writer} is' has no words for an attempt"),
        (lambda made: made.then("{who} comes"), "made: '{who} comes': no type 'who'; expected one of writer, count, values, order"),
        (lambda made: made.then("{writer} and {writer}"), "writer stands twice; write {other:type}"),
        (lambda made: made.then("{writer} comes[ again]"), r"the optional part \[ again\] has no value; expected a choice of one word"),
        (
            lambda made: made.then("{writer} takes {count}")(fulfils),
            r"test_sentence.py:\d+: .* no parameter for count; expected one for each value",
        ),
        (lambda made: made.then("{writer} waits")(waits), "is an async function, which would not be awaited"),
        (lambda _: ValueType("bad", "(?P<x>a)", "", str, str), "the type bad: .* has a group with a name"),
        (lambda _: text("bad", "(a", ""), "the type bad: .* is not a regular expression"),
    ],
)
def test_what_cannot_be_a_sentence_says_where_and_what_is_expected(wrong: Callable[[Vocabulary], object], reported: str) -> None:
    """The author learns it before anything runs, and it is not the system's fault."""
    with pytest.raises(SentenceError, match=reported) as caught:
        wrong(made())
    assert isinstance(caught.value, WrongUsage)


def test_an_act_without_one_of_its_functions_is_refused() -> None:
    """A Given without a function is not a sentence."""
    vocabulary = made()
    vocabulary.act("{writer} has come", "{writer} comes", "It is there.").when(silent)

    with pytest.raises(SentenceError, match=r"made: '\{writer\} comes' has no function for its Given"):
        list(vocabulary)


def test_numbers_and_lists_are_values_and_text() -> None:
    """Each type parses what it renders."""
    assert (COUNT.parse("20"), COUNT.render(20)) == (20, "20")
    assert (VALUES.parse('"a", "b c"'), VALUES.render(("a", "b c"))) == (("a", "b c"), '"a", "b c"')
    assert ORDER.pattern == "in any order|in order"
