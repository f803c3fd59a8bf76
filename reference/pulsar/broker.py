"""The broker as others see it: connections, admin calls, time, a crash and a restart.

Nothing happens between the calls. What is in flight between its parts arrives when somebody next speaks or when time passes. While
the broker is down nobody connects, and time passes all the same.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from fencepost.reference.kernel.clock import START, Clock
from fencepost.reference.kernel.crash import Crash, CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.reference.kernel.rules import recorded
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from . import admin
from .connection import Connection
from .crash_points import CRASH_POINTS
from .node import Node
from .parts import Parts
from .profile import PulsarProfile

T = TypeVar("T")
SERVICE_URL = "pulsar://reference:6650"


class ReferencePulsar:
    """One broker with its disk. It is running when it is made."""

    def __init__(self, profile: PulsarProfile, parts: Parts | None = None, service_url: str = SERVICE_URL, now_ms: int = START) -> None:
        self._profile = profile
        self._parts = parts or Parts()
        self._service_url = service_url
        clock = Clock(now_ms)
        self._machine = Machine(clock, Disk(), self._parts.network(clock), CrashPoints(CRASH_POINTS))
        self._exercised: set[str] = set()
        self._connections: list[Connection] = []
        self._node: Node | None = None
        self.restart()

    def connect(self, stirred: Callable[[], None] = lambda: None) -> Connection | None:
        """A new connection; None while the broker is down. `stirred` is told when there is something to take, or it has ended."""
        if self._node is None:
            return None
        connection = Connection(self, self._node, self._service_url, stirred)
        self._connections.append(connection)
        return connection

    def admin(self, request: AdminRequest) -> AdminAnswer | None:
        """Answer an admin call; None while the broker is down."""
        peers = [connection.peer for connection in self._connections]
        return self.run(lambda: None if self._node is None else admin.answer(self._node, peers, request))

    def advance(self, ms: float) -> None:
        """Let that many milliseconds pass. What is due within them happens in its order."""
        end = self.now_ms + int(ms)
        while True:
            with self._running():
                for _ in self._machine.clock.pass_until(end):
                    self._machine.network.deliver()
                return
            # There was a crash: the rest of the time passes without timers.

    def run(self, act: Callable[[], T]) -> T | None:
        """Do something as the broker; what is in flight arrives first. None when it crashed over it."""
        answers: list[T] = []
        with self._running():
            self._machine.network.deliver()
            answers.append(act())
        return answers[0] if answers else None

    def forget(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.remove(connection)
        self.run(connection.peer.leave)

    def crash(self) -> None:
        """Lose the power: everything that is not in a journal is gone, connections are, and the broker is down."""
        self._node = None
        self._machine.clock.stop_timers()
        self._machine.network.lose_all()
        for connection in self._connections:
            connection.cut()
        self._connections.clear()

    def restart(self) -> None:
        """Start with what is on disk. What was decided and is not complete is told to its participants again."""
        if self._node is None:
            with self._running():
                self._node = Node(self._machine, self._profile, self._parts)

    def crash_at(self, point: str) -> None:
        """Crash the next time that this point of `CRASH_POINTS` is reached."""
        self._machine.crash_points.arm(point)

    @property
    def is_up(self) -> bool:
        return self._node is not None

    @property
    def now_ms(self) -> int:
        """The virtual time, in milliseconds since 1970."""
        return self._machine.clock.now

    @property
    def network(self) -> Network:
        """The way from the coordinators to topics and subscriptions."""
        return self._machine.network

    @property
    def exercised(self) -> frozenset[str]:
        """The requirements whose branches were taken so far."""
        return frozenset(self._exercised)

    @contextmanager
    def _running(self) -> Iterator[None]:
        with recorded(self._exercised):
            try:
                yield
            except Crash:
                self.crash()
