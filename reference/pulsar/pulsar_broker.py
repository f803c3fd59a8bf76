"""The broker as others see it: connections and admin calls. `kernel.reference_broker` has its life: time, crashes and restarts.

With several nodes, each owns some of the topics and coordinators. When a node crashes the others go on, and take over what it owned; the
disk is the store that they share.
"""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from fencepost.reference.kernel import reference_broker as kernel
from fencepost.reference.kernel.clock import FIRST_NODE, START
from fencepost.reference.kernel.crash import Crash
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.varied import varied
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from . import admin, closing, pulsar_release_bugs
from .api.peer import Peer
from .classic import Classic
from .connection import ServerConnection
from .kinds import TransactionKind
from .node import NodeCluster, PulsarNode
from .ownership import TopicOwnership
from .participants import EndOn
from .pulsar_parts import PulsarParts
from .pulsar_profile import PulsarProfile
from .server_errors import CommandRefused, ServerError
from .transaction_key.key_crash_points import CRASH_POINTS as POINTS_OF_KEYS
from .transaction_key.key_topic import KeyTopics

SERVICE_URL = "pulsar://reference:6650"


class ReferencePulsar(kernel.ReferenceBroker[PulsarNode]):
    """Nodes, numbered from 1, with one disk. They are running when the broker is made.

    `kinds` are the kinds of transactions that it offers in addition to PIP-31's. The first node is at `service_url`, the others at the
    following ports.
    """

    def __init__(
        self,
        profile: PulsarProfile,
        parts: PulsarParts,
        service_url: str = SERVICE_URL,
        now_ms: int = START,
        *,
        nodes: int,
        kinds: Sequence[TransactionKind] = (),
        disk: Disk | None = None,
    ) -> None:
        self._parts = varied(parts, pulsar_release_bugs.of(profile))
        self._kinds = parts.kinds([Classic(profile, self._parts), *kinds])
        crash_points = {point: what for kind in self._kinds for point, what in kind.crash_points.items()}
        if profile.transaction_keys != "none":
            crash_points |= POINTS_OF_KEYS
        super().__init__(self._parts.network, crash_points, disk or parts.disk(), now_ms, nodes)
        self.key_topics = KeyTopics(self._machine.disk, parts.key_topic)
        self._profile = profile
        self._service_url = service_url
        self._ownership = TopicOwnership()
        self._connections: dict[ServerConnection, int] = {}
        """The open connections, each with the number of its node."""
        self.restart()

    def start_node(self, machine: Machine) -> PulsarNode:
        self._ownership.join(machine.node)
        clients = closing.ConnectedClients(self._peers)
        end_on = partial(self._end_on, machine.node)
        cluster = NodeCluster(self._nodes, self._ownership, end_on, self._service_urls(), clients, self.key_topics)
        return PulsarNode(machine, self._profile, self._parts, self._kinds, cluster)

    def node_stops(self, node: PulsarNode) -> None:
        for topic in node.topics.loaded():
            node.topics.unload(topic.name)

    @property
    def has_something_to_deliver(self) -> bool:
        return True  # what is written elsewhere is delivered as well

    def before_delivery(self) -> None:
        for kind in self._kinds:
            kind.settle()

    def node_crashed(self, number: int) -> None:
        self._ownership.leave(number)
        for kind in self._kinds:
            kind.node_is_down(number)
        for connection in [connection for connection, node in self._connections.items() if node == number]:
            del self._connections[connection]
            connection.cut()

    def connect(self, number: int = FIRST_NODE) -> ServerConnection | None:
        """A new connection to a node; None while that is down."""
        if (node := self._nodes.get(number)) is None:
            return None
        connection = ServerConnection(node, lambda act: self.run(lambda _: act(), number), self.notify, self._forget, self._send_away)
        self._connections[connection] = number
        return connection

    def admin(self, request: AdminRequest, number: int = FIRST_NODE) -> AdminAnswer | None:
        """Answer an admin call to a node, which forwards it to the owner if that is another one; None while the node is down."""
        return self.run(lambda node: admin.answer(node, self._peers(), request), number)

    def length_of(self, topic: str) -> int:
        """How many entries of any kind the ledgers of a topic have on disk."""
        return len(self._machine.disk.journal(f"ledger {topic}"))

    def _peers(self) -> list[Peer]:
        return [connection.peer for connection in self._connections]

    def _forget(self, connection: ServerConnection) -> None:
        self.run(lambda _: connection.peer.leave(), self._connections.pop(connection))

    def _send_away(self, connection: ServerConnection) -> None:
        del self._connections[connection]
        connection.peer.leave()

    def _end_on(self, asking: int, message: EndOn) -> None:
        """A node has a participant end its part. If the owner crashes during that, a node that is still up retries."""
        try:
            self._nodes[asking].owner_of(message.topic).end_on(message)
        except Crash as crash:
            self.crash(crash.node)
            raise CommandRefused(ServerError.SERVICE_NOT_READY, "the connection to the owner was lost") from crash

    def _service_urls(self) -> dict[int, str]:
        first = urlsplit(self._service_url)
        return {number: f"{first.scheme}://{first.hostname}:{(first.port or 0) + number - FIRST_NODE}" for number in self._machines}
