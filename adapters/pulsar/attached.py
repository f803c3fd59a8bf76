"""The producers and consumers that a session's clients have open on each topic.

A broker that unloads a topic answers on one connection, and notifies the clients whose producers and consumers it closes on other
connections. What they send before they receive the notification is lost, so a client that unloads waits until all have received it.

A client of the kit opens what was closed at its next use. Libraries do so by themselves at once, which `noted` gives a disturbance.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from fencepost.contract.ports import Time

from .connection import ClientConnection
from .owed import NotRedelivered
from .pulsar_values import SubscriptionHandle, TransactionId

_LOOK_S = 0.05
_NOTIFIED_WITHIN_S = 5.0
"""A broker notifies clients at once. If it never does, their next request shows it."""


class Held(Protocol):
    """A producer or a consumer, as its client holds it."""

    @property
    def topic(self) -> str: ...

    @property
    def connection(self) -> ClientConnection | None: ...

    @property
    def is_open(self) -> bool:
        """False as soon as its client was notified that it is closed."""
        ...


H = TypeVar("H", bound=Held)


class Attached:
    """All producers and consumers of a session's clients."""

    def __init__(self) -> None:
        self._holders: list[Callable[[], Iterable[Held]]] = []
        self._noting: list[Callable[[], Sequence[Callable[[], NotRedelivered | None]]]] = []
        self._ended: list[Callable[[TransactionId, bool], None]] = []
        self.subscriptions: set[tuple[TransactionId, SubscriptionHandle]] = set()
        """What clients have added to transactions, whose ends reach no other subscription."""
        self._owed: list[Callable[[], Iterable[NotRedelivered]]] = []

    def add(
        self,
        holder: Callable[[], Iterable[H]],
        open_again: Callable[[H], NotRedelivered | None],
        ended: Callable[[TransactionId, bool], None] = lambda *_: None,
        owed: Callable[[], Iterable[NotRedelivered]] = tuple,
    ) -> None:
        """Add a function that returns what a client holds, one that opens one of these again, and returns what the broker owed it then and
        did not redeliver, one that learns of each end of a transaction, and whether it was an abort, and one that returns what aborts have
        returned and what is not redelivered.
        """

        def noted() -> Sequence[Callable[[], NotRedelivered | None]]:
            return [partial(open_again, held) for held in holder() if _is_open(held)]

        self._holders.append(holder)
        self._noting.append(noted)
        self._ended.append(ended)
        self._owed.append(owed)

    @property
    def held(self) -> Iterable[Held]:
        """All that clients hold, whether it is open or not."""
        return (held for holder in self._holders for held in holder())

    def owed(self) -> Sequence[NotRedelivered]:
        """What aborts have returned, and brokers do not redeliver to consumers that are attached."""
        return [lost for owed in self._owed for lost in owed()]

    def ended(self, transaction: TransactionId, is_aborted: bool) -> None:
        """The end of a transaction was answered with success."""
        for learn in self._ended:
            learn(transaction, is_aborted)

    def noted(self) -> Callable[[], Sequence[NotRedelivered]]:
        """Note what is open now. The returned function opens it again, as client libraries do when they have lost a connection, and returns
        what brokers owed consumers and did not redeliver.
        """
        those = [each for noted in self._noting for each in noted()]

        def open_again() -> Sequence[NotRedelivered]:
            return [lost for each in those if (lost := each()) is not None]

        return open_again

    def await_closed(self, is_meant: Callable[[str], bool], time: Time) -> None:
        """Wait until every client was notified that its producers and consumers on those topics are closed."""
        for held in [held for held in self.held if is_meant(held.topic)]:
            for _ in time.attempts(_NOTIFIED_WITHIN_S):
                if held.connection is None or not held.is_open:
                    break
                held.connection.await_push(_LOOK_S)


def _is_open(held: Held) -> bool:
    if held.connection is not None:
        held.connection.drain()
    return held.is_open
