"""Faults between a client and a node, ordered in advance for the next request of a kind from a client.

In all cases but one the client sees the same: its connection is lost, and the outcome is unknown. The cases differ in what the node has
received:

* a request is *lost*: the node never gets it;
* an answer is *lost*: the node has done the request, and has answered;
* a request is *held up*: the node gets it when it is let go, long after the client has given up;
* a request *arrives twice*: the node gets it twice, and the client gets the first answer, after both were given.

Only connections of the session are affected, so every system offers this, even if fencepost did not start it.
"""

import threading
from collections.abc import Callable, Collection
from enum import Enum, auto

from fencepost.contract.errors import UnknownName, WrongUsage

WIRE_FAULTS = "wire-faults"
"""The capability."""

MAX_HELD = 64
"""The most requests that are held at a time; each is a frame in memory."""


class Fault(Enum):
    """The fault that a request meets."""

    LOSE_REQUEST = auto()
    LOSE_ANSWER = auto()
    ARRIVE_TWICE = auto()
    HOLD_UP = auto()


class Orders:
    """The orders that are still to be met, for these kinds of requests. One thread gives them, others take them."""

    def __init__(self, requests: Collection[str]) -> None:
        self._requests = requests
        self._ordered: dict[tuple[str, str], Fault] = {}
        self._held: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def order(self, client: str, request: str, fault: Fault) -> None:
        """Order this fault for the client's next request of that kind. A later order replaces an earlier one.

        Raises UnknownName for an unknown kind.
        """
        if request not in self._requests:
            raise UnknownName("request", request, self._requests)
        with self._lock:
            self._ordered[client, request] = fault

    def take(self, client: str, request: str | None) -> Fault | None:
        """The fault for the present request; an order counts once. `request` is None for an unknown kind."""
        if request is None:
            return None
        with self._lock:
            return self._ordered.pop((client, request), None)

    def outstanding(self) -> int:
        """The number of orders that have met no request yet."""
        with self._lock:
            return len(self._ordered)

    def hold(self, let_go: Callable[[], None]) -> None:
        """Keep a function that lets a held request go."""
        with self._lock:
            if len(self._held) >= MAX_HELD:
                raise WrongUsage(f"{MAX_HELD} requests are delayed already; release them first")
            self._held.append(let_go)

    def let_go(self) -> int:
        """Let all held requests go, in the order in which they were made, each before the next; returns their number."""
        with self._lock:
            held, self._held = self._held, []
        for let_go in held:
            let_go()
        return len(held)

    def forget(self) -> None:
        """Drop all orders and held requests."""
        with self._lock:
            self._ordered.clear()
            self._held.clear()


class OrderedFaults:
    """The port `WireFaults`: each call gives an order."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    def lose_request(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.LOSE_REQUEST)

    def lose_answer(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.LOSE_ANSWER)

    def arrive_twice(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.ARRIVE_TWICE)

    def hold_up(self, client: str, request: str) -> None:
        self._orders.order(client, request, Fault.HOLD_UP)

    def outstanding(self) -> int:
        return self._orders.outstanding()

    def let_go(self) -> int:
        return self._orders.let_go()
