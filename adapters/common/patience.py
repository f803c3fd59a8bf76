"""How long to wait, and how a request is repeated."""

from collections.abc import Callable
from typing import TypeVar

from fencepost.contract.outcomes import Outcome, Unknown
from fencepost.contract.ports import Time
from fencepost.contract.waiting import ENOUGH_S

T = TypeVar("T")

ANSWER_WITHIN_S = 30.0
"""The longest time for one request; a healthy broker answers every request of the suite within a second."""

PATIENCE_S = ENOUGH_S
"""How long to wait for an expected event, unless the caller sets another time."""


def answer_within_s(time: Time) -> float:
    """How long a session waits for one answer: as long as it is patient, and at most ANSWER_WITHIN_S."""
    return min(ANSWER_WITHIN_S, time.patience_s)


def patiently(time: Time, attempt: Callable[[], Outcome[T]], is_for_later: Callable[[Outcome[T]], bool]) -> Outcome[T]:
    """The outcome of the first attempt that is not `is_for_later`; that of the last one if the session's patience is over before."""
    outcome: Outcome[T] | None = None
    for _ in time.attempts():
        outcome = attempt()
        if not is_for_later(outcome):
            break
    return Unknown("the session's patience is over before the first attempt") if outcome is None else outcome
