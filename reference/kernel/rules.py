"""Which requirements the code fulfils, and where: `rule("KIP890-060")` stands in the branch that fulfils KIP890-060.

Readers search for the id. A broker that is asked something records what the branches say, in a set of its own, so that a run can
tell which requirements it has exercised; outside of `recorded` a call does nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_exercised: ContextVar[set[str] | None] = ContextVar("exercised", default=None)


def rule(requirement: str) -> None:
    """The branch in which this stands fulfils that requirement."""
    exercised = _exercised.get()
    if exercised is not None:
        exercised.add(requirement)


@contextmanager
def recorded(into: set[str]) -> Iterator[None]:
    """Add to `into` the requirements that are exercised inside."""
    token = _exercised.set(into)
    try:
        yield
    finally:
        _exercised.reset(token)
