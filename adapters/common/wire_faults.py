"""Faults on the way between a client and a node, ordered beforehand: what becomes of the next request of a kind from a client.

The client sees the same in each case but one: its connection is lost, and it is left not knowing. What differs is what the node
has seen:

* a request is *lost*: the node never gets it;
* an answer is *lost*: the node has done what was asked, and said so;
* a request is *held up*: the node gets it when it is let go, long after the client has given up;
* a request *arrives twice*: the node gets it twice and the client gets the first answer, once both were given.

Only connections of the session's own are harmed, so every system offers this, whoever runs it.
"""

import threading
from collections.abc import Callable, Collection
from enum import Enum, auto

from fencepost.contract.errors import UnknownName, WrongUsage

WIRE_FAULTS = "wire-faults"
"""The capability."""

MAX_HELD = 64
"""How many requests are held up at most; each is a frame in memory."""


class Fault(Enum):
    """What becomes of a request."""

    LOSE_REQUEST = auto()
    LOSE_ANSWER = auto()
    ARRIVE_TWICE = auto()
    HOLD_UP = auto()


class Orders:
    """What was ordered and has not happened yet, for these kinds of requests. Given in one thread, taken in others."""

    def __init__(self, requests: Collection[str]) -> None:
        self._requests = requests
        self._ordered: dict[tuple[str, str], Fault] = {}
        self._held: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def order(self, client: str, request: str, fault: Fault) -> None:
        """This shall become of the client's next request of that kind. A later order takes the place of an earlier one.

        Raises UnknownName for a kind that there is none of.
        """
        if request not in self._requests:
            raise UnknownName("request", request, self._requests)
        with self._lock:
            self._ordered[client, request] = fault

    def take(self, client: str, request: str | None) -> Fault | None:
        """What shall become of the request that is there now; an order counts once. None is a request of no known kind."""
        if request is None:
            return None
        with self._lock:
            return self._ordered.pop((client, request), None)

    def outstanding(self) -> int:
        """How many orders have met no request yet."""
        with self._lock:
            return len(self._ordered)

    def hold(self, let_go: Callable[[], None]) -> None:
        """Keep what lets a held request go."""
        with self._lock:
            if len(self._held) >= MAX_HELD:
                raise WrongUsage(f"{MAX_HELD} requests are held up already; let them go first")
            self._held.append(let_go)

    def let_go(self) -> int:
        """Let all held requests go, in the order in which they were made, each before the next; how many there were."""
        with self._lock:
            held, self._held = self._held, []
        for let_go in held:
            let_go()
        return len(held)

    def forget(self) -> None:
        """Neither orders nor held requests any longer."""
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
