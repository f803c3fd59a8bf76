"""Clients for tests of the Pulsar reference: the kit's own probe, with nothing but a function call between it and the broker."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message as Command
from succeeded import value_of

from fencepost.adapters.common.address import Address
from fencepost.adapters.pulsar.attached import Attached
from fencepost.adapters.pulsar.client import PulsarClient
from fencepost.adapters.pulsar.inprocess import InProcessAdmin, InProcessPulsarTransport
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_recording import PulsarRecorder
from fencepost.adapters.pulsar.pulsar_values import (
    ConsumerHandle,
    InitialPosition,
    MessageId,
    ProducerHandle,
    Received,
    SubType,
    TransactionId,
    TxnAction,
)
from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.pulsar.kinds import TransactionKind
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import frame_of

TOPIC = "persistent://public/default/orders"
OTHER = "persistent://public/default/payments"
_STEP_MS = 20
_PORT_BEFORE = 6649
"""The port before that of node 1."""


class VirtualTime:
    """The broker's clock; waiting moves it."""

    patience_s = 2.0

    def __init__(self, broker: ReferencePulsar) -> None:
        self._broker = broker

    def now_ms(self) -> float:
        return self._broker.now_ms

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        for number in itertools.count(1):
            yield number
            if number * _STEP_MS > 1000 * (self.patience_s if patience is None else patience):
                return
            self._broker.advance(_STEP_MS)


class AtNode:
    """One node of a broker, as a client's transport has it."""

    def __init__(self, broker: ReferencePulsar, number: int) -> None:
        self._broker = broker
        self._number = number
        self.advance = broker.advance

    def connect(self) -> ServerConnection | None:
        return self._broker.connect(number=self._number)

    def admin(self, request: AdminRequest) -> AdminAnswer | None:
        return self._broker.admin(request, self._number)


class World:
    """A broker, and clients by their names; those that are new begin at the node `service`."""

    def __init__(
        self, profile: str = "seed", parts: PulsarParts | None = None, *, nodes: int = 1, kinds: Sequence[TransactionKind] = ()
    ) -> None:
        self.broker = ReferencePulsar(PulsarProfile.load(profile), parts or PulsarParts(), nodes=nodes, kinds=kinds)
        self.service = 1
        self.time = VirtualTime(self.broker)
        self._recorder = PulsarRecorder(self.time.now_ms)
        self._attached = Attached()
        self._probes: dict[str, PulsarProbe] = {}

    def probe(self, name: str = "app") -> PulsarProbe:
        if name not in self._probes:
            client = PulsarClient(
                name,
                Address("reference", _PORT_BEFORE + self.service),
                lambda _client, address: InProcessPulsarTransport(AtNode(self.broker, address.port - _PORT_BEFORE)),
                InProcessAdmin(AtNode(self.broker, self.service)),
                self._recorder,
                self._attached,
                10.0,
            )
            self._probes[name] = PulsarProbe(client, self.time)
        return self._probes[name]

    def ask(self, command: Command, number: int = 1) -> Any:
        """The answer to one command, on a separate connection."""
        connection = self.broker.connect(number)
        assert connection is not None
        connection.handle(frame_of(command))
        answer = connection.take()
        assert answer is not None, "there was no answer"
        return answer.body

    def administer(self, method: str, path: str, **query: str) -> AdminAnswer:
        """The answer to one admin call."""
        answer = self.broker.admin(AdminRequest(method, path, query))
        assert answer is not None
        return answer

    def producer(self, topic: str = TOPIC, name: str = "app") -> ProducerHandle:
        return value_of(self.probe(name).producer(topic))

    def consumer(
        self, topic: str = TOPIC, subscription: str = "sub", *, kind: SubType = SubType.SHARED, name: str = "app"
    ) -> ConsumerHandle:
        return value_of(self.probe(name).subscribe(topic, subscription, kind, initial=InitialPosition.EARLIEST))

    def begin(self, *topics: str, timeout_ms: int = 60_000) -> TransactionId:
        txn = value_of(self.probe().new_transaction(timeout_ms))
        if topics:
            value_of(self.probe().add_topics(txn, topics))
        return txn

    def send(self, producer: ProducerHandle, value: str, txn: TransactionId | None = None) -> MessageId:
        return value_of(self.probe().send(producer, value, transaction=txn))

    def end(self, txn: TransactionId, action: TxnAction) -> None:
        value_of(self.probe().end(txn, action))
        self.broker.advance(200)

    def values(self, consumer: ConsumerHandle, name: str = "app") -> list[str]:
        """What has come for a consumer, by now."""
        return [message.value for message in self.messages(consumer, name)]

    def messages(self, consumer: ConsumerHandle, name: str = "app") -> tuple[Received, ...]:
        self.broker.advance(200)
        return value_of(self.probe(name).received(consumer))


T = TypeVar("T")
