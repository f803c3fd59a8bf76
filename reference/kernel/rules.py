"""Which requirements the code fulfils, and where: `rule("KIP890-060")` is in the branch that fulfils KIP890-060.

Readers search for the id. A broker records the ids of the branches that a request takes, in its own set, so that a run knows which
requirements it has exercised; outside of `Recorded` a call does nothing.
"""

from contextvars import ContextVar

_exercised: ContextVar[set[str] | None] = ContextVar("exercised", default=None)


def rule(requirement: str) -> None:
    """The branch with this call fulfils that requirement."""
    exercised = _exercised.get()
    if exercised is not None:
        exercised.add(requirement)


class Recorded:
    """A context that adds to `into` the requirements that are exercised inside."""

    __slots__ = ("_into", "_token")

    def __init__(self, into: set[str]) -> None:
        self._into = into

    def __enter__(self) -> None:
        self._token = _exercised.set(self._into)

    def __exit__(self, *_: object) -> None:
        _exercised.reset(self._token)
