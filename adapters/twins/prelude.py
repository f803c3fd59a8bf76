"""Transactions that the disturbances themselves make: their calls have to succeed, and their outcomes are checked."""

from collections.abc import Sequence
from typing import TypeVar

from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Session
from fencepost.contract.transactional_log import Writer

from .performer import CannotDisturb

T = TypeVar("T")

TIMEOUT_MS = 60_000
EXPIRES_MS, EXPIRED_MS = 1_000, 12_000
"""The timeout of a transaction that expires, and how long it is left alone."""


def done(outcome: Outcome[T], what: str) -> T:
    """The value of a call that the disturbance itself makes. Raises CannotDisturb: what cannot be done does not disturb."""
    if isinstance(outcome, Done):
        return outcome.value
    raise CannotDisturb(f"the disturbance could not be brought about: {what} ended with {outcome}")


def await_end(writer: Writer, session: Session, whose: str, where: str) -> None:
    """Wait until the writer's last transaction is over. Raises Violation if it never is."""
    for _ in session.time.attempts():
        if done(writer.is_over(), f"looking for the end of a transaction {where}"):
            return
    raise Violation("a transaction that is over", f"{whose} is not", what=f"end of a transaction {where}")


def expect(values: Sequence[str], seen: Outcome[Sequence[str]], what: str) -> None:
    """Raises Violation if these are not the values that were seen."""
    if not (isinstance(seen, Done) and list(seen.value) == list(values)):
        raise Violation(str(list(values)), str(seen), what=what)
