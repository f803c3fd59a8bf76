"""Evidence: what a Then step looked at, and how a step says that a system is wrong.

A check that looked at nothing has not passed, so every Then tells what it judged. Three ways to stop a scenario are kept
apart, for they blame different parties: `Violation` blames the system, `SetUpFailed` says that the system did not get as far
as the question, `NoAnswer` that nobody knows.
"""

from dataclasses import dataclass, field


class Violation(AssertionError):
    """The system did something else than the requirement says."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen


class SetUpFailed(Exception):
    """A Given was refused, so the question could not be put: inconclusive."""


class NoAnswer(Exception):
    """An answer did not come in time, so the system's act is not known: inconclusive."""


@dataclass
class Evidence:
    """The observations of one scenario."""

    observations: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.observations)

    def saw(self, what: str) -> None:
        """Note one observation that was judged and held."""
        self.observations.append(what)

    def expect(self, holds: bool, expected: str, seen: str) -> None:
        """Judge one observation: note it when it holds, raise Violation when it does not."""
        if not holds:
            raise Violation(expected, seen)
        self.saw(f"{expected}: {seen}")
