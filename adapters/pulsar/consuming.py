"""The calls of consumers.

A consumer gives the broker permits when it subscribes, and more as its messages are taken. If the broker closed it, or its connection is
lost, it subscribes again before its next use, as every client does; messages that it received before and that were not taken are dropped,
since the broker redelivers them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message

from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.ack_sets import holds
from fencepost.wire.pulsar.batches import count_of, entries, is_batch
from fencepost.wire.pulsar.frames import Frame
from fencepost.wire.pulsar.reading import MalformedFrame

from .calls import Calls
from .client import Client
from .connection import Connection
from .errors import OPENING
from .transaction_requests import about_transaction
from .values import Consumer, InitialPosition, MessageId, Received, Subscription, SubscriptionType, TxnId, is_segment

PERMITS = 1000
_LOOK_S = 0.05
"""The longest wait for a message before the session's patience is checked again."""


@dataclass
class _Held:
    """A consumer as this client holds it: its broker, the messages that have come, and the number of permits used."""

    consumer: Consumer
    initial: InitialPosition
    durable: bool
    permits: int
    read_compacted: bool
    start: MessageId | None
    broker: str | None = None
    connection: Connection | None = None
    used: int = 0
    unread: list[Received] = field(default_factory=list)

    @property
    def topic(self) -> str:
        return self.consumer.subscription.topic

    @property
    def is_open(self) -> bool:
        return self.connection is not None and self.connection.lost is None and self.consumer.number not in self.connection.closed_consumers


class ConsumerCalls(Calls):
    """A client's consumers, and what they receive and acknowledge."""

    def __init__(self, client: Client, time: Time) -> None:
        super().__init__(client, time)
        self._consumers: dict[int, _Held] = {}
        client.attached.add(self._consumers.values)

    def subscribe(
        self,
        topic: str,
        subscription: str,
        type: SubscriptionType = SubscriptionType.SHARED,  # noqa: A002 - the protocol's word
        *,
        initial: InitialPosition = InitialPosition.EARLIEST,
        durable: bool = True,
        read_compacted: bool = False,
        permits: int = PERMITS,
        start: MessageId | None = None,
        retry: bool = True,
        broker: str | None = None,
    ) -> Outcome[Consumer]:
        """SUBSCRIBE, and FLOW with the permits. They are renewed as messages are taken; with 0 only `flow` gives any.

        A subscription that is not durable may begin after the message `start`. The request goes to the broker that serves the topic, or to
        the one at the service URL `broker`.
        """
        consumer = Consumer(Subscription(topic, subscription), self._client.next_number(), type)
        held = _Held(consumer, initial, durable, permits, read_compacted, start, broker)
        match self._subscribed(held, retry=retry):
            case Done():
                self._consumers[consumer.number] = held
                return Done(consumer)
            case trouble:
                return trouble

    def subscribe_again(self, consumer: Consumer) -> Outcome[None]:
        """SUBSCRIBE with the id of an existing consumer, as a client does that has not received the answer."""
        return self._subscribed(self._consumers[consumer.number], retry=False)

    def flow(self, consumer: Consumer, permits: int) -> Outcome[None]:
        """FLOW: permits for so many more messages. It is not answered."""
        match self._live(consumer):
            case Done(held):
                self._notify(held, pb.CommandFlow(consumer_id=consumer.number, message_permits=permits))
                return Done(None)
            case trouble:
                return trouble

    def receive(self, consumer: Consumer, *, within_s: float | None = None) -> Outcome[Received]:
        """The next message, awaited as long as the session is patient. Unknown means only that none has come."""
        for _ in self._time.attempts(within_s):
            match self._live(consumer):
                case Done(held) if held.unread:
                    return Done(held.unread.pop(0))
                case Done(_Held(connection=Connection() as connection)):
                    connection.await_push(_LOOK_S)
                case Refused() | Unknown() as trouble:
                    return trouble
        return Unknown(f"no message came for {consumer.subscription}")

    def received(self, consumer: Consumer) -> Outcome[tuple[Received, ...]]:
        """All messages that have come and were not yet taken, without waiting. An empty result proves nothing."""
        match self._live(consumer):
            case Done(held):
                self._take_in(held)
                taken, held.unread = tuple(held.unread), []
                return Done(taken)
            case trouble:
                return trouble

    def is_active(self, consumer: Consumer) -> Outcome[bool | None]:
        """The broker's last notification, on a failover subscription, whether this consumer is active. None if there was none."""
        match self._live(consumer):
            case Done(_Held(connection=Connection() as connection)):
                return Done(connection.active.get(consumer.number))
            case Done():
                return Done(None)
            case trouble:
                return trouble

    def is_at_end(self, consumer: Consumer) -> Outcome[bool]:
        """Whether the broker has notified the consumer that the terminated topic has no more messages for it."""
        match self._live(consumer):
            case Done(held):
                return Done(held.connection is not None and consumer.number in held.connection.at_end)
            case trouble:
                return trouble

    def is_subscribed(self, consumer: Consumer) -> bool:
        """Whether a consumer was not notified that it is closed."""
        held = self._consumers[consumer.number]
        self._take_in(held)
        return held.is_open

    def receive_until(self, consumer: Consumer, value: str) -> Outcome[tuple[Received, ...]]:
        """The messages up to and including the first with `value`. To show that a message is absent, send a later one and wait for that."""
        taken: list[Received] = []
        while not taken or taken[-1].value != value:
            match self.receive(consumer):
                case Done(message):
                    taken.append(message)
                case Unknown(reason, lost):
                    seen = ", ".join(message.value for message in taken) or "nothing"
                    return Unknown(f"{value} was waited for, and what came was {seen}; {reason}", lost)
                case refusal:
                    return refusal
        return Done(tuple(taken))

    def close_consumer(self, consumer: Consumer) -> Outcome[None]:
        """CLOSE_CONSUMER, if it is open; the subscription stays."""
        held = self._consumers.pop(consumer.number)
        connection = held.connection
        if not held.is_open or connection is None:
            return Done(None)
        return self._write(
            lambda: Done(connection),
            lambda number: pb.CommandCloseConsumer(consumer_id=consumer.number, request_id=number),
            lambda _: None,
            frozenset(),
        )

    # --- what the groups that use consumers share -------------------------------------------------------------------------------

    def _live(self, consumer: Consumer) -> Outcome[_Held]:
        """The consumer, subscribed again if needed, with the messages that have come for it."""
        held = self._consumers[consumer.number]
        self._take_in(held)
        if held.is_open:
            return Done(held)
        held.unread.clear()
        match self._subscribed(held, retry=True):
            case Done():
                return Done(held)
            case trouble:
                return trouble

    def _where(self, consumer: Consumer) -> Outcome[Connection]:
        match self._live(consumer):
            case Done(_Held(connection=Connection() as connection)):
                return Done(connection)
            case Done():
                return Unknown(f"the consumer of {consumer.subscription} is not connected", lost=True)
            case trouble:
                return trouble

    def _notify(self, held: _Held, command: Message, transaction: TxnId | None = None) -> None:
        assert held.connection is not None
        held.connection.notify(command, about={**about(held.consumer), **about_transaction(transaction)})

    def _subscribed(self, held: _Held, *, retry: bool) -> Outcome[None]:
        """Subscribe, for the first time or again, on the broker that serves the topic now."""
        consumer = held.consumer
        on: list[Connection] = []

        def locate() -> Outcome[Connection]:
            located = self._client.owner(consumer.subscription.topic) if held.broker is None else self._client.at(held.broker)
            on[:] = [located.value] if isinstance(located, Done) else []
            return located

        def command(request: int) -> pb.CommandSubscribe:
            return pb.CommandSubscribe(
                topic=consumer.subscription.topic,
                subscription=consumer.subscription.name,
                sub_type=pb.CommandSubscribe.SubType.Name(consumer.type),
                consumer_id=consumer.number,
                request_id=request,
                consumer_name=f"{self._client.name}-{consumer.number}",
                durable=held.durable,
                read_compacted=held.read_compacted,
                initial_position=pb.CommandSubscribe.InitialPosition.Name(held.initial),
                start_message_id=None if held.start is None else held.start.wire(),
            )

        def read(_: Any) -> None:
            held.connection = on[0]
            held.connection.closed_consumers.discard(consumer.number)
            held.connection.at_end.discard(consumer.number)
            held.connection.consumers[consumer.number] = about(consumer)
            held.used = 0
            if held.permits:
                self._notify(held, pb.CommandFlow(consumer_id=consumer.number, message_permits=held.permits))

        return self._write(locate, command, read, OPENING, retry=retry, about=about(consumer))

    def _take_in(self, held: _Held) -> None:
        """Read messages from the frames that have come, and return the permits that they used."""
        if held.connection is None:
            return
        held.connection.drain()
        inbox = held.connection.inboxes[held.consumer.number]
        while inbox:
            frame = inbox.popleft()
            held.used += _permits_used(frame)
            held.unread += _messages(frame, held.topic)
        if held.is_open and held.permits and held.used * 2 >= held.permits:
            self._notify(held, pb.CommandFlow(consumer_id=held.consumer.number, message_permits=held.used))
            held.used = 0


def about(consumer: Consumer) -> dict[str, str]:
    """What the frames of a consumer do not have, for the record."""
    return {"topic": consumer.subscription.topic, "subscription": consumer.subscription.name}


def _permits_used(frame: Frame) -> int:
    assert frame.payload is not None
    return count_of(frame.payload.metadata)


def _messages(frame: Frame, topic: str) -> list[Received]:
    """The messages in a MESSAGE; of a batch only those that are not acknowledged yet, if the broker reports which those are.

    The frame does not have the transaction's kind; the topic shows it.
    """
    assert frame.payload is not None
    command, metadata = frame.body, frame.payload.metadata
    try:
        found = entries(frame.payload)
    except MalformedFrame as error:
        raise Malformed(f"a MESSAGE cannot be read: {error}") from error
    entry_id = MessageId.of(command.message_id)
    transaction = None
    if metadata.HasField("txnid_most_bits"):
        transaction = TxnId(metadata.txnid_most_bits, metadata.txnid_least_bits, scalable=is_segment(topic))
    batched = is_batch(metadata)
    return [
        Received(
            MessageId(entry_id.position, index, len(found)) if batched else entry_id,
            (entry.value or b"").decode(errors="replace"),
            command.redelivery_count,
            metadata.producer_name,
            entry.sequence_id,
            transaction,
            entry.key,
            topic,
        )
        for index, entry in enumerate(found)
        if not command.ack_set or holds(command.ack_set, index)
    ]
