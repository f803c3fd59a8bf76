"""The place of one broker among those that a system in containers starts, and what the system asks of the broker."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from .node_logs import Closing


class StartableBroker(Protocol):
    """One broker, in containers."""

    def start(self) -> None:
        """Start it and wait until it serves; sessions that need it get the errors."""
        ...

    @property
    def offer(self) -> object:
        """The broker's offer, once it serves. Raises SystemUnreachable, and WrongUsage if it is closed."""
        ...

    @property
    def died(self) -> str | None:
        """Why it will never serve again after it was down; None if it does."""
        ...

    def give_up(self, why: str) -> None:
        """Note that it does not serve any more."""
        ...

    def log_during(self, session: Closing) -> Callable[[], str]:
        """A function that returns what it wrote while the session was open."""
        ...

    def close(self) -> None:
        """Remove its containers; may be called at any moment and twice."""
        ...


B = TypeVar("B", bound=StartableBroker)


@dataclass(eq=False)
class BrokerPlace(Generic[B]):
    """A broker with its place in the line; it holds containers from `begun` on, until it has been removed and its start has ended."""

    configuration: str
    broker: B
    begun: bool = False
    starting: bool = False
    leaving: bool = False
    is_closed: bool = False
    sessions: int = 0
    is_taken: bool = False
    is_spent: bool = False
    is_dead: bool = False
    in_vain: int = 0
    """How many of its last sessions, one after the other, ended without an answer."""

    @property
    def is_idle(self) -> bool:
        return not (self.sessions or self.leaving)
