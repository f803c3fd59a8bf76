"""A running broker: the parts, put together again at each start from what is on disk."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from fencepost.reference.kernel.journal import Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.scalable.control import Control
from fencepost.reference.scalable.names import TOPIC_DOMAIN, is_segment, resolved

from .coordinator import TransactionCoordinator
from .kinds import Kinds, TransactionKind
from .node_segments import Clients, NodeSegments
from .ownership import TopicOwnership, coordinator_topic
from .participants import EndOn, EndOnParticipant
from .pulsar_parts import PulsarParts
from .pulsar_profile import PulsarProfile
from .pulsar_topics import PulsarTopics
from .pulsar_types import SubscriptionName, TxnId, namespace_of
from .server_errors import CommandRefused, ServerError
from .topic import PulsarTopic
from .transaction_key.claims import KeyedRequest
from .transaction_key.coordinator_keys import TransactionKeys
from .transaction_key.key import TransactionKey
from .transaction_key.key_topic import KeyTopics
from .transaction_key.node_keys import NodeKeys

SWEEP_INTERVAL_MS = 100
"""How often coordinators look for overdue transactions and participants without an answer, and topics for transactions that no coordinator
will end."""


CONTROL_INTERVAL_MS = 1_000
"""How often controllers do their periodic work, and look whether a topic has no controller."""


@dataclass(frozen=True)
class NodeCluster:
    """A node and the others, as it sees them."""

    nodes: Mapping[int, "PulsarNode"]
    """The nodes that are up."""
    ownership: TopicOwnership
    end_on: EndOnParticipant
    """Has a participant end its part, on the node that owns it."""
    service_urls: Mapping[int, str]
    clients: Clients
    key_topics: KeyTopics


class PulsarNode:
    """One life of a node, from its start to its crash. It has the topics and coordinators that it owns."""

    def __init__(self, machine: Machine, profile: PulsarProfile, parts: PulsarParts, kinds: Kinds, cluster: NodeCluster) -> None:
        self.machine = machine
        self.profile = profile
        self.answers = parts.answers()
        self.cluster = cluster
        self._parts = parts
        self._kinds = kinds
        self.topics: PulsarTopics[PulsarTopic] = parts.topics(machine.disk, self._check_owns, self._load)
        self._counts: Journal[int] = machine.disk.journal("coordinators")
        self._names: Journal[str] = machine.disk.journal("producer-names")
        self._policies: Journal[tuple[str, bool]] = machine.disk.journal("deduplication")
        self._coordinators: dict[tuple[TransactionKind, int], TransactionCoordinator] = {}
        self.segments = NodeSegments(lambda name: self.owner_of(name).topics, cluster.ownership, cluster.clients)
        self.control: Control | None = kinds.control(machine, self.segments)
        """The scalable topics; None on a broker without them."""
        self.keys: NodeKeys | None = None
        """The transaction keys; None if the release has none."""
        if profile.transaction_keys != "none":
            self.keys = parts.node_keys(machine, cluster.key_topics, parts.transaction_keys, profile.transaction_keys)
        self._start_coordinators()
        machine.every(SWEEP_INTERVAL_MS, self._sweep)
        if self.control is not None:
            machine.every(CONTROL_INTERVAL_MS, self._control)

    def new_producer_name(self) -> str:
        """A name that the cluster has not given before, neither before a restart nor on another node."""
        self._names.append(name := f"reference-{len(self._names)}")
        return name

    # -- Coordinators

    @property
    def coordinator_count(self) -> int:
        """How many an administrator wants of each kind, on all nodes together."""
        counts: list[int] = [1, *self._counts]
        return max(counts)

    def coordinators_of(self, *, scalable: bool) -> range:
        """The numbers of the coordinators of a kind."""
        return self._numbers_of(self._kinds.serving(scalable=scalable))

    def coordinator(self, tc_id: int, *, scalable: bool = False) -> TransactionCoordinator:
        """The coordinator that a request is meant for.

        Raises CommandRefused: TRANSACTION_COORDINATOR_NOT_FOUND when there is none of that number, or it is on another node, or not here
        yet.
        """
        kind = self._kinds.serving(scalable=scalable)
        if (coordinator := self._coordinators.get((kind, self.answers.coordinator_asked_for(tc_id, self._numbers_of(kind))))) is None:
            raise CommandRefused(ServerError.TRANSACTION_COORDINATOR_NOT_FOUND, f"there is no coordinator {tc_id} here; look it up again")
        return coordinator

    def set_coordinators(self, count: int) -> None:
        """Have that many. Raises CommandRefused: NOT_ALLOWED when there are more already."""
        if count < self.coordinator_count:
            rule("PIP31-176")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"there are {self.coordinator_count} coordinators, and cannot be {count}")
        self._counts.append(count)

    def keys_of(self, tc_id: int, *, scalable: bool) -> TransactionKeys:
        """The transaction keys of a coordinator. Raises CommandRefused: TRANSACTION_COORDINATOR_NOT_FOUND when it is not on this node."""
        assert self.keys is not None, "a release without transaction keys passes them over"
        return self.keys.of(tc_id, scalable=self._kinds.serving(scalable=scalable).scalable)

    def home_of(self, key: TransactionKey, *, scalable: bool) -> int:
        """The number of the coordinator that a transaction key belongs to."""
        assert self.keys is not None, "a release without transaction keys passes them over"
        kind = self._kinds.serving(scalable=scalable)
        return self.keys.home_of(key, self._numbers_of(kind), scalable=kind.scalable)

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, topic: str) -> None:
        """A participant takes nothing in a transaction that a later connection of its key has fenced.

        Raises CommandRefused: INVALID_TXN_STATUS.
        """
        if self.keys is not None:
            kind = self._kinds.of_topic(topic)
            self.keys.refuse_fenced(txn, doing, self._numbers_of(kind), scalable=kind.scalable)

    # -- Scalable topics

    @property
    def has_scalable_topics(self) -> bool:
        """Whether a kind of transactions is offered whose topics are segments. Without one, the broker has no scalable topics."""
        return self.control is not None

    @property
    def scalable(self) -> Control:
        """The scalable topics of a broker that has any."""
        assert self.control is not None, "a broker without scalable topics does not know the calls about them"
        return self.control

    def controller_of(self, topic: str) -> "PulsarNode":
        """The node that is the controller of a scalable topic. If there is none, the one that would own a topic of that name.

        Raises CommandRefused: TOPIC_NOT_FOUND; SERVICE_NOT_READY if the controller is not here, or is down.
        """
        number = self._controller_of(topic)
        if (found := self.cluster.nodes.get(number)) is None:
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"node {number}, the controller of {topic}, is down; try again")
        return found

    def controller_url_of(self, topic: str) -> str | None:
        """Where the controller of a scalable topic is; None if that is unknown now."""
        try:
            return self.cluster.service_urls.get(self._controller_of(topic))
        except CommandRefused:
            return None

    # -- Ownership

    def bring_up(self, name: str) -> PulsarTopic:
        """The topic of that name for a client, created if it does not exist.

        Raises CommandRefused: INVALID_TOPIC_NAME, SERVICE_NOT_READY if another node is the owner, TOPIC_NOT_FOUND for a segment of no
        layout and for a persistent topic whose name is a scalable one's.
        """
        self._kinds.of_topic(name)
        if self.control is not None and is_segment(name):
            segment, topic = self.control.topics.segment(name), self.topics.create(name)
            rule("PIP460-40")  # the controller is not asked
            if not segment.is_active:
                rule("PIP460-42")
                topic.seal()
            return topic
        is_new = name not in self.topics.names and not name.startswith(TOPIC_DOMAIN)
        if self.control is not None and is_new and self.control.topics.find(resolved(name)) is not None:
            raise CommandRefused(ServerError.TOPIC_NOT_FOUND, f"there is no topic {name}, but {resolved(name)}")
        rule("PIP460-49")
        return self.topics.create(name)

    def owner_of(self, topic: str) -> "PulsarNode":
        """The node that owns a topic, or may."""
        return self.cluster.nodes[self.cluster.ownership.owner_of(topic)]

    def service_url_of(self, topic: str) -> str:
        """Where clients find a topic."""
        return self.cluster.service_urls[self.cluster.ownership.owner_of(topic)]

    def assigned_url_of(self, topic: str) -> str:
        """The same for a topic that has its owner from now on, also if it is not used yet."""
        return self.cluster.service_urls[self.cluster.ownership.assign(topic)]

    def unload(self, topic: str) -> None:
        """Unload a topic; any node may own it then."""
        self.topics.unload(topic)
        self.cluster.ownership.release(topic)

    def delete(self, topic: str) -> None:
        """Delete a topic, with everything that it stored."""
        self.topics.delete(topic)
        self.cluster.ownership.release(topic)

    # -- Policies of namespaces

    def set_deduplication(self, namespace: str, enabled: bool) -> None:
        """Whether messages of the namespace's topics are deduplicated."""
        self._policies.append((namespace, enabled))

    def is_deduplicated(self, topic_name: str) -> bool:
        """Whether messages of that topic are."""
        return dict(self._policies).get(namespace_of(topic_name), False)

    # -- Participants

    def end_on(self, message: EndOn) -> None:
        """A participant on this node does its part. A deleted participant has none any more.

        Raises CommandRefused: TOPIC_TERMINATED when no marker can be written, SERVICE_NOT_READY when another node owns the topic.
        """
        if message.topic not in self.topics.names or not self._kinds.is_notified(message.participant):
            return
        found = self.topics.named(message.topic)
        match message.participant:
            case SubscriptionName(_, subscription):
                if subscription in found.subscriptions:
                    found.end_on_subscription(subscription, message.txn, message.action, message.low_watermark)
            case _:
                rule("PIP31-38")
                found.end(message.txn, message.action, message.low_watermark)

    # -- Inside

    def _start_coordinators(self) -> None:
        """Start this node's coordinators that are not here yet, also those that another node had until it crashed."""
        for kind in self._kinds:
            for tc_id in self._numbers_of(kind):
                if (kind, tc_id) not in self._coordinators and self._owns(coordinator_topic(tc_id)):
                    self._coordinators[kind, tc_id] = kind.coordinator(tc_id, self.machine, self.cluster.end_on)
                    if self.keys is not None:
                        self.keys.start(self._coordinators[kind, tc_id], tc_id, scalable=kind.scalable)

    def _numbers_of(self, kind: TransactionKind) -> range:
        return range(max(kind.parallelism, self.coordinator_count))

    def _sweep(self) -> None:
        self._start_coordinators()
        for coordinator in self._coordinators.values():
            coordinator.sweep()
        if self.keys is not None:
            self.keys.sweep()
        reported = [topic for topic in self.topics.loaded() if not topic.kind.scalable]  # those of the other kind ask its store themselves
        for topic in reported:
            topic.end_strays(partial(self._is_over, topic.kind))
            topic.end_stray_acknowledgements(partial(self._is_over, topic.kind))

    def _controller_of(self, topic: str) -> int:
        self.scalable.topics.layout(topic)  # nothing is stored of a missing topic
        return self.cluster.nodes[self.cluster.ownership.assign(topic)].scalable.topics.controller_of(topic)

    def _control(self) -> None:
        with contextlib.suppress(CommandRefused):  # the store is unavailable, and is asked again
            self.scalable.topics.sweep()
            self.scalable.sessions.sweep()

    def _is_over(self, kind: TransactionKind, txn: TxnId) -> bool:
        coordinator = self.owner_of(coordinator_topic(txn.tc_id))._coordinators.get((kind, txn.tc_id))
        return txn.tc_id not in self._numbers_of(kind) or (coordinator is not None and coordinator.is_over(txn))

    def _owns(self, topic: str) -> bool:
        return self.cluster.ownership.claim(topic, self.machine.node)

    def _check_owns(self, topic: str) -> None:
        self._kinds.of_topic(topic)
        if not self._owns(topic):
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"{topic} is on another broker; look it up again")

    def _load(self, name: str) -> PulsarTopic:
        return PulsarTopic(name, self.machine, self.profile, self._parts, self._kinds.of_topic(name))
