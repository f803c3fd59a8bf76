"""The value of an outcome that must be a success."""

from typing import TypeVar

from fencepost.contract.outcomes import Done, Outcome

T = TypeVar("T")


def value_of(outcome: Outcome[T]) -> T:
    """The value of an outcome that must be Done."""
    assert isinstance(outcome, Done), outcome
    return outcome.value
