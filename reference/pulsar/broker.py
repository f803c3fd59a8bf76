"""The broker as others see it: connections and admin calls. `kernel.broker` has its life: time, crashes and restarts.

With more nodes than one, each owns some of the topics and coordinators. When a node dies the others go on, and what it owned moves to
them; the disk is the store that they share.
"""

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urlsplit

from fencepost.reference.kernel import broker as kernel
from fencepost.reference.kernel.clock import FIRST_NODE, START
from fencepost.reference.kernel.crash import Crash
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from . import admin
from .classic import Classic
from .connection import Connection
from .crash_points import CRASH_POINTS
from .errors import Error, Refused
from .kinds import Kinds, TransactionKind
from .node import Cluster, Node
from .ownership import Ownership
from .participants import EndOn
from .parts import Parts
from .profile import PulsarProfile

SERVICE_URL = "pulsar://reference:6650"


class ReferencePulsar(kernel.Broker[Node]):
    """Nodes, numbered from 1, with one disk. They are running when the broker is made.

    `kinds` are the kinds of transactions that it offers beside PIP-31's. The first node is at `service_url`, the others at the ports
    behind.
    """

    def __init__(
        self,
        profile: PulsarProfile,
        parts: Parts | None = None,
        service_url: str = SERVICE_URL,
        now_ms: int = START,
        *,
        kinds: Sequence[TransactionKind] = (),
        disk: Disk | None = None,
        nodes: int = 1,
    ) -> None:
        self._parts = parts or Parts()
        super().__init__(self._parts.network, CRASH_POINTS, disk, now_ms, nodes)
        self._profile = profile
        self._kinds = Kinds([Classic(profile, self._parts), *kinds])
        self._service_url = service_url
        self._ownership = Ownership()
        self._connections: list[tuple[int, Connection]] = []
        self.restart()

    def start_node(self, machine: Machine) -> Node:
        cluster = Cluster(self._nodes, self._ownership, partial(self._end_on, machine.node), self._service_urls())
        return Node(machine, self._profile, self._parts, self._kinds, cluster)

    def restart(self, number: int | None = None) -> None:
        self._ownership.join(self._machines if number is None else [number])
        super().restart(number)

    def node_crashed(self, number: int) -> None:
        self._ownership.leave(number)
        for connection in [connection for node, connection in self._connections if node == number]:
            connection.cut()
        self._connections = [(node, connection) for node, connection in self._connections if node != number]

    def connect(self, notify: Callable[[], None] = lambda: None, number: int = FIRST_NODE) -> Connection | None:
        """A new connection to a node; None while that is down. `notify` is called when there is something to take, or it has ended."""
        if (node := self._nodes.get(number)) is None:
            return None
        connection = Connection(node, lambda act: self.run(lambda _: act(), number), self._forget, notify)
        self._connections.append((number, connection))
        return connection

    def admin(self, request: AdminRequest, number: int = FIRST_NODE) -> AdminAnswer | None:
        """Answer an admin call to a node, which asks the owner where that is another; None while the node is down."""
        peers = [connection.peer for _, connection in self._connections]
        return self.run(lambda node: admin.answer(node, peers, request), number)

    def _forget(self, connection: Connection) -> None:
        number = next(node for node, known in self._connections if known is connection)
        self._connections.remove((number, connection))
        self.run(lambda _: connection.peer.leave(), number)

    def _end_on(self, asking: int, message: EndOn) -> None:
        """A node has a participant end its part. When the owner crashes over it, the one who asks hears nothing, and asks again."""
        node = self._nodes[asking]
        if message.topic not in node.topics.names:
            return
        owner = node.owner_of(message.topic)
        if owner is node:
            node.end_on(message)
            return
        try:
            owner.end_on(message)
        except Crash as crash:
            self.crash(crash.node)
            raise Refused(Error.SERVICE_NOT_READY, "the connection to the owner was lost") from crash

    def _service_urls(self) -> dict[int, str]:
        first = urlsplit(self._service_url)
        return {number: f"{first.scheme}://{first.hostname}:{(first.port or 0) + number - FIRST_NODE}" for number in self._machines}
