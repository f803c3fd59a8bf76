"""Which transitions of a coordinator's state machine were taken, for a search that reports what it has reached."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable


class Transition(NamedTuple):
    """From one state to another, by their names."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.before} to {self.after}"


@runtime_checkable
class HasTransitions(Protocol):
    """A system whose coordinator reports by `take` which transitions it takes."""

    transitions: frozenset[Transition]
    """All that there are."""


_watched: ContextVar[set[Transition] | None] = ContextVar("watched", default=None)


def take(before: Enum, after: Enum) -> None:
    """Report that a transaction goes from one state to another, and that this is stored."""
    taken = _watched.get()
    if taken is not None:
        taken.add(Transition(before.value, after.value))


@contextmanager
def watched() -> Iterator[set[Transition]]:
    """Collects the transitions that any coordinator takes in this thread until the block ends."""
    taken: set[Transition] = set()
    token = _watched.set(taken)
    try:
        yield taken
    finally:
        _watched.reset(token)
