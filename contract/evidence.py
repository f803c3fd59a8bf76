"""Evidence: what a Then step looked at, and how a step reports that a system is wrong.

A check that looked at nothing has not passed, so every Then notes what it judged. Three ways to stop a scenario are kept
apart, since they blame different parties: `Violation` blames the system, `SetUpFailed` means that the system did not get as far
as the question, `NoAnswer` that the outcome is unknown.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mismatch:
    """A violation as data.

    `what` names the observation in stable words, such as "answer to EndTxn"; `expected` and `seen` are what it should have been and
    what it was. `error` and `code` are the protocol's, if the system refused.
    """

    expected: str
    seen: str
    what: str
    error: str | None = None
    code: int | None = None

    def __str__(self) -> str:
        return f"{self.what}: expected {self.expected}; seen {self.seen}"


class Violation(AssertionError):
    """The system does something else than the requirement says. `mismatch` has the message as data.

    `requirement` is given where a violation is not of what its scenario is about: a disturbance has found it by itself.
    """

    def __init__(
        self, expected: str, seen: str, *, what: str, error: str | None = None, code: int | None = None, requirement: str | None = None
    ) -> None:
        self.mismatch = Mismatch(expected, seen, what, error, code)
        self.requirement = requirement
        super().__init__(str(self.mismatch))


def sent_what_is_not_allowed(what: str) -> Violation:
    """The violation of a system that sent what its protocol does not allow."""
    return Violation("what its protocol allows", what, what="message of the system")


class SetUpFailed(Exception):
    """A Given was refused, so the question could not be put: inconclusive. `error` and `code` are the protocol's, of the refusal."""

    def __init__(self, said: str, *, error: str | None = None, code: int | None = None) -> None:
        self.error, self.code = error, code
        super().__init__(said)


class NeverBack(SetUpFailed):
    """A broker that was down does not serve again. A scenario about the restart itself judges that."""


class PointNotReached(SetUpFailed):
    """A broker that was to crash at a point of its work did not come to it. So it works in another way, which may be right."""


class NoAnswer(Exception):
    """An answer did not arrive in time, so the system's act is not known: inconclusive."""


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

    def expect(self, holds: bool, expected: str, seen: str, *, what: str, error: str | None = None, code: int | None = None) -> None:
        """Judge one observation: note it when it holds, raise Violation when it does not."""
        if not holds:
            raise Violation(expected, seen, what=what, error=error, code=code)
        self.saw(f"{what}: {expected}: {seen}")
