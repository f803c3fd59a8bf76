"""Values that are one of several phrases."""

from dataclasses import dataclass

import pytest

from fencepost.steps.phrase import phrases
from fencepost.steps.sentence_types import SentenceError, number, text

NAME = text("name", "[a-z]+", "a name")
COUNT = number("count", "how many")


@dataclass(frozen=True)
class Named:
    """An event by its name, perhaps with a count."""

    name: str
    count: int | None


@dataclass(frozen=True)
class Nothing:
    """No event."""


def test_a_value_is_parsed_to_the_class_of_its_phrase() -> None:
    """Each phrase has a class, whose fields are the values of the phrase; a value is written as it was parsed."""
    event = phrases("event", (NAME, COUNT), "an event", {"no event": Nothing, "{name}[ after {count} others]": Named})

    for written, value in (("no event", Nothing()), ("split", Named("split", None)), ("split after 2 others", Named("split", 2))):
        assert event.parse(written) == value
        assert event.render(value) == written
    assert event.written == "no event | {name}[ after {count} others]"


def test_a_phrase_that_cannot_be_parsed_is_refused() -> None:
    """A type that is unknown, or a class of two phrases, is an error where the type is made."""
    with pytest.raises(SentenceError, match=r"the type event: .\{who\}.: no type .who.; expected one of name"):
        phrases("event", (NAME,), "an event", {"{who}": Named})
    with pytest.raises(SentenceError, match="the type event: two phrases have one class; expected a class for each"):
        phrases("event", (), "an event", {"no event": Nothing, "nothing": Nothing})
