"""The broker as others see it: requests in, answers out, time, a crash and a restart.

Nothing happens between the calls. What is in flight, such as markers, arrives when the next request comes or when time passes, so a
crash right after an answer finds it undelivered. While the broker is down it answers nothing, and time passes all the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.reference.kernel.clock import START, Clock
from fencepost.reference.kernel.crash import Crash, CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.reference.kernel.rules import recorded

from .api import answer, refusal
from .authorizer import ANONYMOUS
from .crash_points import CRASH_POINTS
from .node import Address, Node, Parts
from .profile import Profile
from .settings import Settings

LOADING_MS = 100
"""Long enough for a client to meet a coordinator that is loading; it asks again after less."""


class ReferenceKafka:
    """One broker, node 1, with its disk, an empty one unless it has a past. It is running when it is made."""

    def __init__(
        self,
        profile: Profile,
        parts: Parts = Parts(),  # noqa: B008 - it is immutable, as the others are
        settings: Settings = Settings(),  # noqa: B008
        disk: Disk | None = None,
        *,
        address: Address = Address(),  # noqa: B008
        now_ms: int = START,
    ) -> None:
        self._profile = profile
        self._parts = parts
        self.settings = settings
        self._address = address
        clock = Clock(now_ms)
        self._machine = Machine(clock, disk or Disk(), parts.network(clock), CrashPoints(CRASH_POINTS))
        self._exercised: set[str] = set()
        self._node: Node | None = None
        self.restart()

    def handle(self, request: RequestPayload, principal: str = ANONYMOUS) -> ResponsePayload | None:
        """Answer one request, of whoever has logged in on its connection.

        None means that the connection is closed instead: the broker is down, or does not serve that version.
        """
        response = None
        with self._running() as node:
            if node is not None:
                self._machine.network.deliver()
                response = answer(node, request, principal)
                response = response and node.manner.put(response)
        return response

    def refuse(self, api: str | None) -> ResponsePayload | None:
        """Answer a request of a version that cannot even be read; None means that the connection is closed."""
        response = None
        with self._running() as node:
            if node is not None:
                response = refusal(node, api)
        return response

    def advance(self, ms: int) -> None:
        """Let that many milliseconds pass. What is due within them happens in its order."""
        end = self.now_ms + ms
        while True:
            with self._running():
                for _ in self._machine.clock.pass_until(end):
                    self._machine.network.deliver()
                return
            # There was a crash: the rest of the time passes without timers.

    def crash(self) -> None:
        """Lose the power: everything that is not in a journal is gone, and the broker is down."""
        self._node = None
        self._machine.clock.stop_timers()
        self._machine.network.lose_all()

    def restart(self) -> None:
        """Start with what is on disk. What was decided and not completed before the crash, is told to all partitions again."""
        self._start(loading_ms=0)

    def start_again(self) -> None:
        """The same, and the coordinator takes `LOADING_MS` to read its log, as one with a long log does."""
        self._start(LOADING_MS)

    def _start(self, loading_ms: int) -> None:
        if self._node is None:
            with self._running():
                self._node = Node(self._machine, self._profile, self._parts, self.settings, self._address)
                self._node.coordinator.load_for(loading_ms)

    def crash_at(self, point: str) -> None:
        """Crash the next time that this point of `CRASH_POINTS` is reached; whoever waits for an answer then gets none."""
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
        """The way between coordinator and partitions, for scenarios that hold, drop, duplicate or reorder what is in flight."""
        return self._machine.network

    @property
    def exercised(self) -> frozenset[str]:
        """The requirements whose branches were taken so far, in this life and earlier ones."""
        return frozenset(self._exercised)

    @contextmanager
    def _running(self) -> Iterator[Node | None]:
        """Run the broker's code: note the rules it fulfils, and end in a crash where a scenario wants one."""
        with recorded(self._exercised):
            try:
                yield self._node
            except Crash:
                self.crash()
