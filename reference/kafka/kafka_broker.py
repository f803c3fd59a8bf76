"""The broker as others see it: requests in, answers out. `kernel.reference_broker` has its life: time, crashes and restarts."""

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.reference.kernel import reference_broker as kernel
from fencepost.reference.kernel.clock import START
from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.varied import varied
from fencepost.wire.kafka.entities import api_of

from . import kafka_release_bugs
from .api import answer, refusal
from .api.data import await_coordinator
from .authorizer import ANONYMOUS
from .broker_settings import Settings
from .kafka_crash_points import CRASH_POINTS
from .kafka_profile import Profile
from .kafka_topics import FIRST_NODE, TRANSACTIONS_TOPIC
from .kafka_types import PartitionName, journal_of
from .markers import WriteMarker
from .node import AdvertisedListener, KafkaNode, KafkaParts
from .replication import Replicas
from .sent import SentRequest

_FOR_EVER_MS = 2**40

LOADING_MS = 100
"""Long enough for a client to find the coordinator loading; its retries are more frequent."""


class ReferenceKafka(kernel.ReferenceBroker[KafkaNode]):
    """One broker, node 1, with its disk, an empty one unless it is seeded. It is running when it is made.

    With more nodes, those after the first lead partitions and can be paused. A crash is one of all of them.
    """

    def __init__(
        self,
        profile: Profile,
        parts: KafkaParts = KafkaParts(),  # noqa: B008 - it is immutable, as the others are
        settings: Settings = Settings(),  # noqa: B008
        disk: Disk | None = None,
        *,
        address: AdvertisedListener = AdvertisedListener(),  # noqa: B008
        now_ms: int = START,
        nodes: int = 1,
    ) -> None:
        super().__init__(parts.network, CRASH_POINTS, disk or parts.disk(), now_ms)
        self._profile = profile
        self._parts = varied(parts, kafka_release_bugs.of(profile))
        self.settings = settings
        self._address = address
        self._numbers = range(FIRST_NODE, FIRST_NODE + nodes)
        self._paused: set[int] = set()
        self._replicas = Replicas(parts.replication)
        self._waiting: list[SentRequest] = []
        """Requests that leaders keep until the coordinator's node is resumed."""

        self._loading_ms = 0
        self.restart()

    def start_node(self, machine: Machine) -> KafkaNode:
        node = KafkaNode(machine, self._profile, self._parts, self.settings, self._address, self._replicas, self._numbers)
        node.coordinator.load_for(self._loading_ms)
        return node

    def node_stops(self, node: KafkaNode) -> None:
        node.coordinator.stop()
        for log in node.topics.logs():
            log.put_down()

    def handle(self, request: RequestPayload, principal: str = ANONYMOUS, number: int = FIRST_NODE) -> ResponsePayload | None:
        """Answer one request of the principal that has logged in on its connection to the node of that number.

        None means that there is no answer: the broker is down, the node is paused, or it does not serve that version.
        """
        return None if number in self._paused else self.run(lambda node: self._answer(node, request, principal, number))

    def send(self, request: RequestPayload, principal: str = ANONYMOUS, number: int = FIRST_NODE) -> SentRequest:
        """Hand over a request whose answer is read later.

        A leader keeps Produce while the node of the coordinator that it asks is paused, and until the answer is read at the latest.
        """
        sent = SentRequest(lambda: self.handle(request, principal, number))
        if bool(self._paused) and self.run(lambda node: self._waits(node, request, number)):
            self._waiting.append(sent)
        else:
            sent.read()
        return sent

    def refuse(self, api: str | None) -> ResponsePayload | None:
        """Answer a request of a version that cannot even be read; None means that the connection is closed."""
        return self.run(lambda node: refusal(node, api))

    def start_again(self) -> None:
        """A restart, after which the coordinator takes `LOADING_MS` to read its log, as one with a long log does."""
        self._loading_ms = LOADING_MS
        self.restart()
        self._loading_ms = 0

    def refuse_append(self, topic: str, number: int) -> None:
        """Let the disk refuse one append to partition 0 of an internal topic: this number of them from now on."""
        self._journal_of(topic).refused_in = number

    def append_is_to_be_refused(self, topic: str) -> bool:
        """Whether that append is still to come."""
        return bool(self._journal_of(topic).refused_in)

    def _journal_of(self, topic: str) -> Journal[object]:
        return self._machine.disk.journal(topic if topic == TRANSACTIONS_TOPIC else journal_of(PartitionName(topic, 0)))

    def pause(self, node: int) -> None:
        """Pause a node until `resume`: it answers no request, and markers for it are in flight or lost.

        Records in partitions of which it has a replica are not written until it resumes.
        If the coordinator is on it, the other nodes see the coordinator as loading.
        """
        if node not in self._numbers[1:]:
            raise ValueError(f"node {node} cannot be paused: the reference has {len(self._numbers)}, and the first is never paused")
        self._paused.add(node)
        running = self._nodes.get(FIRST_NODE)
        for log in running.topics.followed_by(node) if running else ():
            log.replication.hold(node, log.end_offset)
        self._keep_coordinator_away(node, _FOR_EVER_MS)
        self.network.hold(self._is_for_a_paused_node)

    def resume(self, node: int) -> None:
        """Resume a paused node. Connections to it have ended meanwhile, so the timer sends again what was in flight."""
        self.network.drop(self._is_for_a_paused_node)
        self._paused.discard(node)
        self._replicas.let_go(node)
        self._keep_coordinator_away(node, 0)
        waiting, self._waiting = self._waiting, []
        for sent in waiting:
            sent.read()

    def node_crashed(self, number: int) -> None:  # noqa: ARG002 - all nodes crash at once
        """No client waits for an answer any more."""
        for sent in self._waiting:
            sent.lose()
        self._waiting.clear()

    def _waits(self, node: KafkaNode, request: RequestPayload, number: int) -> bool:
        coordinator = node.directory.coordinator
        if api_of(request) != "produce" or number in self._paused or coordinator not in self._paused:
            return False
        node.here = number
        return await_coordinator(node, request)

    def _keep_coordinator_away(self, number: int, duration_ms: int) -> None:
        node = self._nodes.get(FIRST_NODE)
        if node is not None and node.directory.coordinator == number:
            node.coordinator.load_for(duration_ms)

    def _answer(self, node: KafkaNode, request: RequestPayload, principal: str, number: int) -> ResponsePayload | None:
        node.here = number
        response = answer(node, request, principal)
        return response and node.response_order.arrange(response)

    def _is_for_a_paused_node(self, content: object) -> bool:
        topics = self._nodes[FIRST_NODE].topics
        return isinstance(content, WriteMarker) and content.partition in topics and topics.leader_of(content.partition) in self._paused
