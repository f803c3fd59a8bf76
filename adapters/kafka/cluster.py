"""The nodes that one client knows: it looks one up when it needs it, and forgets it when it proves wrong.

A request has a target: any node, the coordinator of a key, or the leader of a partition. Looking a target up is a separate request and may
be refused, for example with COORDINATOR_NOT_AVAILABLE while the broker creates the first coordinator.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeAlias, TypeVar

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import Malformed
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.kafka.entities import request

from .kafka_error_outcomes import refused
from .kafka_recording import KafkaRecorder
from .kafka_values import TopicPartition
from .offer import KafkaOffer
from .transport import Answer, Connect, ConnectAs, KafkaTransport, without_login

T = TypeVar("T")

METADATA_VERSIONS = (4, 12)
"""The lowest and the highest version that is sent: v4 is the first that need not create topics, v12 the first with only topic ids."""

NO_NODE = -1
"""The number for a node that Metadata does not name."""


class CoordinatorKind(IntEnum):
    """The key type of FindCoordinator."""

    GROUP = 0
    TRANSACTION = 1


@dataclass(frozen=True)
class AnyNode:
    """Any node: every node answers the request alike."""


@dataclass(frozen=True)
class ClusterNode:
    """The node at that address."""

    address: Address


@dataclass(frozen=True)
class CoordinatorOf:
    """The node that coordinates a group or a transactional id."""

    kind: CoordinatorKind
    key: str


@dataclass(frozen=True)
class LeaderOf:
    """The node that leads a partition."""

    partition: TopicPartition


Target: TypeAlias = AnyNode | ClusterNode | CoordinatorOf | LeaderOf


@dataclass(frozen=True)
class TopicMetadata:
    """A topic in an answer to Metadata. `leaders` lacks the partitions that have no leader now."""

    topic_id: uuid.UUID | None
    leaders: dict[int, Address]
    partitions: int
    name: str
    leader_epochs: dict[int, int]
    """The leader epochs, if this version of Metadata has them."""


@dataclass(frozen=True)
class Nodes:
    """The nodes of a cluster, numbered from 1 as scenarios name them, whatever ids the cluster gives them.

    Node 1 is the one that clients begin with, and that faults concern; the others follow in the order of their ids. If no node advertises
    the bootstrap address, the node with the lowest id is node 1. A node keeps its number while Metadata does not name it.
    """

    _ids: tuple[int, ...] = ()
    _addresses: dict[int, Address] = field(default_factory=dict)

    def seen(self, addresses: dict[int, Address], bootstrap: Address) -> "Nodes":
        """These nodes and those of another answer to Metadata, the addresses by the nodes' ids; new nodes get the next numbers."""
        first = min((node_id for node_id, address in addresses.items() if address == bootstrap), default=None)
        new = sorted(addresses.keys() - set(self._ids), key=lambda node_id: (node_id != first, node_id))
        return Nodes((*self._ids, *new), self._addresses | addresses)

    @property
    def numbers(self) -> list[int]:
        """The numbers, from 1."""
        return list(range(1, len(self._ids) + 1))

    def id_of(self, number: int) -> int:
        """The id of the node with that number; if there is none, an id that no node has."""
        return self._ids[number - 1] if number <= len(self._ids) else max(self._ids, default=0) + number

    def number_of(self, node_id: int) -> int:
        """The number of the node with that id; -1 if Metadata has never named it."""
        return self._ids.index(node_id) + 1 if node_id in self._ids else NO_NODE

    def address_of(self, number: int) -> Address:
        """The address of the node with that number. Raises SetUpFailed if there is none."""
        if number > len(self._ids):
            raise SetUpFailed(f"Metadata names no node {number}, only {len(self._ids)} with the ids {', '.join(map(str, self._ids))}")
        return self._addresses[self._ids[number - 1]]

    def number_at(self, address: Address) -> int:
        """The number of the node that advertises that address; the lowest if several do."""
        return next((number for number in self.numbers if self.address_of(number) == address), NO_NODE)


class Cluster:
    """One client's connections, and the nodes that it knows."""

    def __init__(
        self,
        client: str,
        bootstrap: Address,
        connect: Connect,
        recorder: KafkaRecorder,
        offer: KafkaOffer,
        deadline_s: float,
        connect_as: ConnectAs = without_login,
    ) -> None:
        self._client = client
        self._bootstrap = bootstrap
        self._connect = connect
        self._connect_as = connect_as
        self._recorder = recorder
        self._offer = offer
        self._deadline_s = deadline_s
        self._transports: dict[Address, KafkaTransport] = {}
        self._found: dict[Target, Address] = {}
        self._nodes = Nodes()
        self.only_asked: Address | None = None
        """The node that gets every request; None if each request goes to its target."""
        self._meanwhile: Callable[[], object] = lambda: None

    def call(self, address: Address, message: Any) -> Done[Any] | Unknown:
        """Send a request to that node, and return its answer unread."""
        wait = self.send(address, message)
        self._meanwhile()
        return wait()

    def send(self, address: Address, message: Any) -> Answer:
        """Send a request to that node; the returned function waits for the answer."""
        return self._recorder.send(self._client, address, self._transport(address), message, self._deadline_s)

    def is_listened_to(self) -> bool:
        """Whether the bootstrap node would read a request now."""
        listens = self._transport(self._bootstrap).is_listened_to()
        self._recorder.looks.append(listens)
        return listens

    @contextmanager
    def hurried(self, deadline_s: float, meanwhile: Callable[[], object] = lambda: None) -> Iterator[None]:
        """In the block, no answer is awaited longer than `deadline_s`, and `meanwhile` is called after each request is sent."""
        before = self._deadline_s, self._meanwhile
        self._deadline_s, self._meanwhile = deadline_s, meanwhile
        try:
            yield
        finally:
            self._deadline_s, self._meanwhile = before

    def learn_from(self, other: "Cluster") -> None:
        """Take over the nodes that the other client has found; those that this one has found stay."""
        self._found = other._found | self._found

    def known(self, target: Target) -> Address | None:
        """The node of the target, if it has been found."""
        return self._found.get(target) if self.only_asked is None else self.only_asked

    def locate(self, target: Target) -> Outcome[Address]:
        """The node of the target; looked up if it is not known."""
        if (known := self.known(target)) is not None:
            return Done(known)
        match target:
            case AnyNode():
                return Done(self._bootstrap)
            case ClusterNode(address):
                return Done(address)
            case CoordinatorOf(kind, key):
                outcome = self._find_coordinator(kind, key)
            case LeaderOf(partition):
                return self._find_leader(partition)
        if isinstance(outcome, Done):
            self._found[target] = outcome.value
        return outcome

    def forget(self, target: Target) -> None:
        """The node was the wrong one, or it is gone: it is looked up again before the next request."""
        self._found.pop(target, None)

    def brokers(self) -> Outcome[dict[int, Address]]:
        """The nodes by their ids."""
        return self._metadata(None, lambda answer: Done(_addresses(answer)))

    def nodes(self) -> Outcome[Nodes]:
        """The nodes by their numbers."""
        return self._metadata(None, lambda _: Done(self._nodes))

    def topic(self, name: str, *, create: bool = False) -> Outcome[TopicMetadata]:
        """The topic's id and leaders, as the bootstrap node knows them now; the node may create the topic if `create` is true. Requests go
        to these leaders from now on, as those of any client do.
        """
        outcome = self._metadata(name, lambda answer: _topic(answer, name), create=create)
        if isinstance(outcome, Done):
            self._found |= {LeaderOf(TopicPartition(name, one)): leader for one, leader in outcome.value.leaders.items()}
        return outcome

    def log_in_as(self, user: str) -> None:
        """Use connections of that user from now on."""
        self.close()
        self._connect = self._connect_as(user)

    def close(self) -> None:
        """Close the connections. The next request opens a new one, to a node that is known already."""
        for transport in self._transports.values():
            transport.close()
        self._transports.clear()

    def _transport(self, address: Address) -> KafkaTransport:
        if address not in self._transports:
            self._transports[address] = self._connect(self._client, address)
        return self._transports[address]

    def _find_coordinator(self, kind: CoordinatorKind, key: str) -> Outcome[Address]:
        version = self._offer.highest("find_coordinator", 1, 6)
        if version < 4:
            message = request("find_coordinator", version, key=key, key_type=kind)
        else:
            message = request("find_coordinator", version, key_type=kind, coordinator_keys=[key])
        match self.call(self._bootstrap, message):
            case Done(answer):
                found = [answer] if version < 4 else [coordinator for coordinator in answer.coordinators if coordinator.key == key]
                if len(found) != 1:
                    raise Malformed(f"FindCoordinator v{version} answered {len(found)} coordinators for the one key {key!r}")
                if found[0].error_code != 0:
                    return refused(found[0].error_code, found[0].error_message)
                return Done(Address(found[0].host, found[0].port))
            case Unknown() as unknown:
                return unknown

    def _find_leader(self, partition: TopicPartition) -> Outcome[Address]:
        match self.topic(partition.topic):
            case Done(topic) if partition.partition in topic.leaders:
                return Done(topic.leaders[partition.partition])
            case Done(topic) if partition.partition < topic.partitions:
                return Refused("LEADER_NOT_AVAILABLE", 5, f"Metadata names no leader of {partition}")
            case Done(topic):
                return Refused("UNKNOWN_TOPIC_OR_PARTITION", 3, f"Metadata names {topic.partitions} partitions of {partition.topic}")
            case trouble:
                return trouble

    def _metadata(self, topic: str | None, read: Callable[[Any], Outcome[T]], *, create: bool = False) -> Outcome[T]:
        version = self._offer.highest("metadata", *METADATA_VERSIONS)
        fields: dict[str, Any] = {"topics": [] if topic is None else [{"name": topic}], "allow_auto_topic_creation": create}
        if topic is not None and version >= 10:
            fields["topics"][0]["topic_id"] = None
        if version >= 8:
            fields["include_topic_authorized_operations"] = False
        if 8 <= version <= 10:
            fields["include_cluster_authorized_operations"] = False
        match self.call(self._bootstrap, request("metadata", version, **fields)):
            case Done(answer):
                self._nodes = self._nodes.seen(_addresses(answer), self._bootstrap)
                return read(answer)
            case Unknown() as unknown:
                return unknown


def _addresses(answer: Any) -> dict[int, Address]:
    return {int(broker.node_id): Address(broker.host, broker.port) for broker in answer.brokers}


def _topic(answer: Any, name: str) -> Outcome[TopicMetadata]:
    topics = [topic for topic in answer.topics if topic.name == name]
    if len(topics) != 1:
        raise Malformed(f"Metadata v{answer.__version__} answered {len(topics)} topics for the one name {name!r}")
    topic = topics[0]
    if topic.error_code != 0:
        return refused(topic.error_code)
    addresses = _addresses(answer)
    leaders = {
        int(partition.partition_index): addresses[partition.leader_id]
        for partition in topic.partitions
        if partition.error_code == 0 and partition.leader_id in addresses
    }
    epochs = {int(one.partition_index): int(one.leader_epoch) for one in topic.partitions if hasattr(one, "leader_epoch")}
    return Done(TopicMetadata(getattr(topic, "topic_id", None), leaders, len(topic.partitions), topic.name, epochs))
