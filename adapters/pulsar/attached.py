"""What a session's clients have open on each topic.

A broker that unloads a topic answers on one connection, and tells the clients whose producers and consumers it closes on others. What
they send before they are told is lost, so whoever unloads waits until they are.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from fencepost.contract.ports import Time

from .connection import Connection

_LOOK_S = 0.05
_TOLD_WITHIN_S = 5.0
"""A broker tells at once. One that never does is found by what becomes of the next request."""


class Held(Protocol):
    """A producer or a consumer, as its client holds it."""

    @property
    def topic(self) -> str: ...

    @property
    def connection(self) -> Connection | None: ...

    @property
    def is_open(self) -> bool:
        """False from when its client was told that it is closed."""
        ...


class Attached:
    """All that a session's clients hold."""

    def __init__(self) -> None:
        self._holders: list[Callable[[], Iterable[Held]]] = []

    def add(self, holder: Callable[[], Iterable[Held]]) -> None:
        """Somebody who can say what they hold."""
        self._holders.append(holder)

    def await_closed(self, is_meant: Callable[[str], bool], time: Time) -> None:
        """Wait until every client was told that what it has open on those topics is closed."""
        for held in [held for holder in self._holders for held in holder() if is_meant(held.topic)]:
            for _ in time.attempts(_TOLD_WITHIN_S):
                if held.connection is None or not held.is_open:
                    break
                held.connection.await_push(_LOOK_S)
