"""What the last look notes of a call: its value, or a word for what came instead. Any other error is raised."""

from typing import Any

import pytest

from fencepost.adapters.twins.performer import said
from fencepost.contract.errors import AccessRefused, Malformed, NotOffered, SystemUnreachable
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown


def raising(error: BaseException) -> Outcome[Any]:
    raise error


@pytest.mark.parametrize(
    ("outcome", "noted"),
    [(Done(7), 7), (Done(None), None), (Refused("NOT_COORDINATOR", 16), "NOT_COORDINATOR"), (Unknown("it took too long"), "no answer")],
)
def test_an_outcome_is_noted(outcome: Outcome[Any], noted: object) -> None:
    """A refusal by its error alone, since its other fields may have numbers that a disturbance changes."""
    assert said(lambda: outcome) == noted


@pytest.mark.parametrize("error", [NotOffered("sealing: node 1 has none"), Malformed("3 results for one name")])
def test_what_a_system_does_not_offer_and_what_it_may_not_send_are_noted(error: Exception) -> None:
    """Both are what a client finds: a disturbance that brings one of them about has made a difference."""
    assert said(lambda: raising(error)) == type(error).__name__


@pytest.mark.parametrize(
    "error",
    [
        KeyError("a"),
        AttributeError("b"),
        AssertionError("c"),
        NoAnswer("d"),
        SystemUnreachable("e"),
        AccessRefused("f"),
        KeyboardInterrupt(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_no_answer_can_be_is_raised(error: BaseException) -> None:
    """An error of the kit would be the same word in both plays, so the look would have compared nothing."""
    with pytest.raises(type(error)):
        said(lambda: raising(error))
