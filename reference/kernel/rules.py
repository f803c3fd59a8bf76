"""Which requirements the code fulfils, and where: `rule("KIP890-060")` is in the branch that fulfils KIP890-060.

Readers search for the id. A broker records the ids of the branches that a request takes, in its own set, so that a run knows which
requirements it has exercised; where `EXERCISED` has no set a call does nothing.
"""

from contextvars import ContextVar

EXERCISED: ContextVar[set[str] | None] = ContextVar("exercised", default=None)
"""Where ids are recorded now."""


def rule(requirement: str) -> None:
    """The branch with this call fulfils that requirement."""
    exercised = EXERCISED.get()
    if exercised is not None:
        exercised.add(requirement)
