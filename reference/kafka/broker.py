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
from .markers import WriteMarker
from .node import Address, Node, Parts
from .profile import Profile
from .settings import Settings
from .topics import FIRST_NODE

LOADING_MS = 100
"""Long enough for a client to meet a coordinator that is loading; it asks again after less."""


class ReferenceKafka:
    """One broker, node 1, with its disk, an empty one unless it is seeded. It is running when it is made.

    With more nodes, those behind the first lead partitions and can be paused. A crash is one of all of them.
    """

    def __init__(
        self,
        profile: Profile,
        parts: Parts = Parts(),  # noqa: B008 - it is immutable, as the others are
        settings: Settings = Settings(),  # noqa: B008
        disk: Disk | None = None,
        *,
        address: Address = Address(),  # noqa: B008
        now_ms: int = START,
        nodes: int = 1,
    ) -> None:
        self._profile = profile
        self._parts = parts
        self.settings = settings
        self._address = address
        clock = Clock(now_ms)
        self._machine = Machine(clock, disk or Disk(), parts.network(clock), CrashPoints(CRASH_POINTS))
        self._numbers = range(FIRST_NODE, FIRST_NODE + nodes)
        self._paused: set[int] = set()
        self._exercised: set[str] = set()
        self._node: Node | None = None
        self.restart()

    def handle(self, request: RequestPayload, principal: str = ANONYMOUS, number: int = FIRST_NODE) -> ResponsePayload | None:
        """Answer one request, of whoever has logged in on its connection to the node of that number.

        None means that there is no answer: the broker is down, the node is paused, or it does not serve that version.
        """
        response = None
        with self._running() as node:
            if node is not None and number not in self._paused:
                self._machine.network.deliver()
                node.here = number
                response = answer(node, request, principal)
                response = response and node.response_order.arrange(response)
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
        """Start with what is on disk. What was decided and not completed before the crash, gets its markers sent again."""
        self._start(loading_ms=0)

    def start_again(self) -> None:
        """The same, and the coordinator takes `LOADING_MS` to read its log, as one with a long log does."""
        self._start(LOADING_MS)

    def _start(self, loading_ms: int) -> None:
        if self._node is None:
            with self._running():
                self._node = Node(self._machine, self._profile, self._parts, self.settings, self._address, self._numbers)
                self._node.coordinator.load_for(loading_ms)

    def pause(self, node: int) -> None:
        """Let a node do nothing until `resume`: it answers nobody, and markers for it are on their way."""
        if node not in self._numbers[1:]:
            raise ValueError(f"node {node} cannot be paused: the reference has {len(self._numbers)}, and the first is never paused")
        self._paused.add(node)
        self._machine.network.hold(self._is_for_a_paused_node)

    def resume(self, node: int) -> None:
        """Let a paused node go on."""
        self._paused.discard(node)

    def _is_for_a_paused_node(self, content: object) -> bool:
        assert self._node is not None, "nothing is delivered while the broker is down"
        return isinstance(content, WriteMarker) and self._node.topics.leader_of(content.partition) in self._paused

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
