"""The producers and consumers that a session's clients have open on each topic.

A broker that unloads a topic answers on one connection, and notifies the clients whose producers and consumers it closes on other
connections. What they send before they receive the notification is lost, so a client that unloads waits until all have received it.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from fencepost.contract.ports import Time

from .connection import Connection

_LOOK_S = 0.05
_TOLD_WITHIN_S = 5.0
"""A broker notifies clients at once. If it never does, their next request shows it."""


class Held(Protocol):
    """A producer or a consumer, as its client holds it."""

    @property
    def topic(self) -> str: ...

    @property
    def connection(self) -> Connection | None: ...

    @property
    def is_open(self) -> bool:
        """False as soon as its client was notified that it is closed."""
        ...


class Attached:
    """All producers and consumers of a session's clients."""

    def __init__(self) -> None:
        self._holders: list[Callable[[], Iterable[Held]]] = []

    def add(self, holder: Callable[[], Iterable[Held]]) -> None:
        """Add a function that returns what a client holds."""
        self._holders.append(holder)

    def await_closed(self, is_meant: Callable[[str], bool], time: Time) -> None:
        """Wait until every client was notified that its producers and consumers on those topics are closed."""
        for held in [held for holder in self._holders for held in holder() if is_meant(held.topic)]:
            for _ in time.attempts(_TOLD_WITHIN_S):
                if held.connection is None or not held.is_open:
                    break
                held.connection.await_push(_LOOK_S)
