"""The calls of consumers.

A consumer gives the broker permits when it subscribes, and more as its messages are taken. If the broker closed it, or its connection is
lost, it subscribes again before its next use, as every client does; messages that it received before and that were not taken are dropped,
since the broker redelivers them. It redelivers those as well that were taken and not acknowledged: the user of the consumer gets them once
more, unless the connection was lost by a disturbance (`Attached.noted`), which leaves them out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

from .client import PulsarClient
from .connection import ClientConnection
from .message_annotations import Annotations
from .owed import NotRedelivered, Owed
from .pulsar_calls import PulsarCalls
from .pulsar_error_outcomes import OPENING
from .pulsar_values import ConsumerHandle, InitialPosition, MessageId, Received, SubscriptionHandle, SubType, TransactionId, is_segment
from .transaction_requests import about_transaction

PERMITS = 1000
_LOOK_S = 0.05
"""The longest wait for a message before the session's patience is checked again."""

_REDELIVERED_WITHIN_S = 3.0
"""How long a consumer waits for messages that may be redelivered to it, or not."""


@dataclass
class _Held:
    """A consumer as this client holds it: its broker, the messages that have come, and the number of permits used."""

    consumer: ConsumerHandle
    initial: InitialPosition
    durable: bool
    permits: int
    read_compacted: bool
    start: MessageId | None
    broker: str | None = None
    connection: ClientConnection | None = None
    used: int = 0
    unread: list[Received] = field(default_factory=list)
    owed: Owed = field(default_factory=Owed)
    again: set[MessageId] = field(default_factory=set)
    """The messages that were taken, and that are left out when they come on another connection."""
    due: dict[MessageId, str] = field(default_factory=dict)
    """The messages that have to come on this connection, with their values."""
    given: int = 0
    """The permits of `flow` that no message has used."""

    @property
    def topic(self) -> str:
        return self.consumer.subscription.topic

    @property
    def is_open(self) -> bool:
        return self.connection is not None and self.connection.lost is None and self.consumer.number not in self.connection.closed_consumers


class ConsumerCalls(PulsarCalls):
    """A client's consumers, and what they receive and acknowledge."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._consumers: dict[int, _Held] = {}
        client.attached.add(self._consumers.values, self._attach_again, self._ended, self._not_redelivered)

    def subscribe(
        self,
        topic: str,
        subscription: str,
        type: SubType = SubType.SHARED,  # noqa: A002 - the protocol's word
        *,
        initial: InitialPosition = InitialPosition.EARLIEST,
        durable: bool = True,
        read_compacted: bool = False,
        permits: int = PERMITS,
        start: MessageId | None = None,
        retry: bool = True,
        broker: str | None = None,
    ) -> Outcome[ConsumerHandle]:
        """SUBSCRIBE, and FLOW with the permits. They are renewed as messages are taken; with 0 only `flow` gives any.

        A subscription that is not durable may begin after the message `start`. The request goes to the broker that serves the topic, or to
        the one at the service URL `broker`.
        """
        consumer = ConsumerHandle(SubscriptionHandle(topic, subscription), self._client.next_number(), type)
        held = _Held(consumer, initial, durable, permits, read_compacted, start, broker)
        match self._subscribed(held, retry=retry):
            case Done():
                self._consumers[consumer.number] = held
                return Done(consumer)
            case trouble:
                return trouble

    def subscribe_again(self, consumer: ConsumerHandle) -> Outcome[None]:
        """SUBSCRIBE with the id of an existing consumer, as a client does that has not received the answer."""
        return self._subscribed(self._consumers[consumer.number], retry=False)

    def flow(self, consumer: ConsumerHandle, permits: int) -> Outcome[None]:
        """FLOW: permits for so many more messages. It is not answered."""
        match self._live(consumer):
            case Done(held):
                held.given += permits
                self._notify(held, pb.CommandFlow(consumer_id=consumer.number, message_permits=permits))
                return Done(None)
            case trouble:
                return trouble

    def receive(self, consumer: ConsumerHandle, *, within_s: float | None = None) -> Outcome[Received]:
        """The next message, awaited as long as the session is patient. Unknown means only that none has come."""
        for _ in self._time.attempts(within_s):
            match self._live(consumer):
                case Done(held) if held.unread:
                    return Done(held.unread.pop(0))
                case Done(_Held(connection=ClientConnection() as connection)):
                    connection.await_push(_LOOK_S)
                case Refused() | Unknown() as trouble:
                    return trouble
        return Unknown(f"no message came for {consumer.subscription}")

    def received(self, consumer: ConsumerHandle) -> Outcome[tuple[Received, ...]]:
        """All messages that have come and were not yet taken, without waiting. An empty result proves nothing."""
        match self._live(consumer):
            case Done(held):
                self._take_in(held)
                taken, held.unread = tuple(held.unread), []
                return Done(taken)
            case trouble:
                return trouble

    def is_active(self, consumer: ConsumerHandle) -> Outcome[bool | None]:
        """The broker's last notification, on a failover subscription, whether this consumer is active. None if there was none."""
        match self._live(consumer):
            case Done(_Held(connection=ClientConnection() as connection)):
                return Done(connection.active.get(consumer.number))
            case Done():
                return Done(None)
            case trouble:
                return trouble

    def is_at_end(self, consumer: ConsumerHandle) -> Outcome[bool]:
        """Whether the broker has notified the consumer that the terminated topic has no more messages for it."""
        return self._live(consumer).converted(lambda held: held.connection is not None and consumer.number in held.connection.at_end)

    def is_subscribed(self, consumer: ConsumerHandle) -> bool:
        """Whether a consumer was not notified that it is closed."""
        held = self._consumers[consumer.number]
        self._take_in(held)
        return held.is_open

    def receive_until(self, consumer: ConsumerHandle, value: str) -> Outcome[tuple[Received, ...]]:
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

    def close_consumer(self, consumer: ConsumerHandle) -> Outcome[None]:
        """CLOSE_CONSUMER, if it is open; the subscription stays. A consumer whose connection is lost is closed by that."""
        held = self._consumers.pop(consumer.number)
        connection = held.connection
        if not held.is_open or connection is None:
            return Done(None)
        closed = self._write(
            lambda: Done(connection),
            lambda number: pb.CommandCloseConsumer(consumer_id=consumer.number, request_id=number),
            lambda _: None,
            frozenset(),
        )
        return closed if connection.lost is None else Done(None)

    # --- what the groups that use consumers share -------------------------------------------------------------------------------

    def _live(self, consumer: ConsumerHandle) -> Outcome[_Held]:
        """The consumer, subscribed again if needed, with the messages that have come for it."""
        held = self._consumers[consumer.number]
        self._take_in(held)
        if held.is_open:
            return Done(held)
        held.unread.clear()
        return self._subscribed(held, retry=True).converted(lambda _: held)

    def _attach_again(self, held: _Held) -> NotRedelivered | None:
        """Subscribe again, and leave out what comes because of that and was taken before. What `flow` gave is given again.

        Returns what had to come and did not: all that was delivered and is not acknowledged.
        """
        self._take_in(held)
        if held.is_open:
            return None
        due = held.owed.due
        held.due = dict(due) if self._owes(held) else {}
        held.again = held.owed.delivered.keys() - {message.id for message in held.unread}
        held.unread.clear()
        if not isinstance(self._subscribed(held, retry=False), Done):
            return None  # it subscribes before its next use
        if held.given + len(due) and not held.permits:
            held.given += len(due)
            self._notify(held, pb.CommandFlow(consumer_id=held.consumer.number, message_permits=held.given))
        if self._owes(held):
            is_lost = self._awaits_in_vain(held, held.due)
        else:
            self._awaits_in_vain(held, held.again, _REDELIVERED_WITHIN_S)
            is_lost = False
        held.again.clear()
        return _missing(held, due, held.due) if is_lost else None

    def _not_redelivered(self) -> Iterator[NotRedelivered]:
        for held in list(self._consumers.values()):
            due = dict(held.owed.aborted)
            if not due or not held.permits or not self._owes(held):
                continue
            if self._awaits_in_vain(held, held.owed.aborted):
                yield _missing(held, due, held.owed.aborted)

    def _owes(self, held: _Held) -> bool:
        """Whether all that a consumer has not acknowledged is redelivered to it: its subscription is durable and has no other consumer, and
        no message goes by a compaction.
        """
        others = (one for one in self._client.attached.held if isinstance(one, _Held) and one is not held)
        is_alone = all(one.consumer.subscription != held.consumer.subscription for one in others)
        return held.durable and not held.read_compacted and is_alone

    def _awaits_in_vain(self, held: _Held, due: Collection[MessageId], within_s: float | None = None) -> bool:
        """Wait until all that is due has come, which is removed from it when it comes. Whether some has not, although it is attached."""
        for _ in self._time.attempts(within_s):
            self._take_in(held)
            connection = held.connection
            if not due or connection is None or not held.is_open:
                return False
            connection.await_push(_LOOK_S)
        return bool(due)

    def _ended(self, transaction: TransactionId, is_aborted: bool) -> None:
        for held in self._consumers.values():
            if (transaction, held.consumer.subscription) in self._client.attached.subscriptions:
                self._take_in(held)
                held.owed.ended(transaction, is_aborted=is_aborted)

    def _where(self, consumer: ConsumerHandle) -> Outcome[ClientConnection]:
        match self._live(consumer):
            case Done(_Held(connection=ClientConnection() as connection)):
                return Done(connection)
            case Done():
                return Unknown(f"the consumer of {consumer.subscription} is not connected", lost=True)
            case trouble:
                return trouble

    def _notify(self, held: _Held, command: Message, transaction: TransactionId | None = None) -> None:
        assert held.connection is not None
        held.connection.notify(command, about={**about(held.consumer), **about_transaction(transaction)})

    def _subscribed(self, held: _Held, *, retry: bool) -> Outcome[None]:
        """Subscribe, for the first time or again, on the broker that serves the topic now."""
        consumer = held.consumer
        on: list[ClientConnection] = []

        def locate() -> Outcome[ClientConnection]:
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
            held.given = max(0, held.given - _permits_used(frame))
            for message in _messages(frame, held.topic):
                held.owed.came(message)
                held.due.pop(message.id, None)
                if message.id in held.again:
                    held.again.remove(message.id)
                else:
                    held.unread.append(message)
        if held.is_open and held.permits and held.used * 2 >= held.permits:
            self._notify(held, pb.CommandFlow(consumer_id=held.consumer.number, message_permits=held.used))
            held.used = 0


def about(consumer: ConsumerHandle) -> dict[str, str]:
    """What the frames of a consumer do not have, for the record."""
    return {"topic": consumer.subscription.topic, "subscription": consumer.subscription.name}


def _missing(held: _Held, due: Mapping[MessageId, str], left: Collection[MessageId]) -> NotRedelivered:
    """What was due, and what of that came; those that are `left` did not."""
    seen = ", ".join(f'"{value}"' for one, value in due.items() if one not in left) or "nothing"
    return NotRedelivered(f"the consumer of {held.consumer.subscription}", ", ".join(f'"{value}"' for value in due.values()), seen)


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
    except MalformedPulsarFrame as error:
        raise Malformed(f"a MESSAGE cannot be read: {error}") from error
    entry_id = MessageId.of(command.message_id)
    transaction = None
    if metadata.HasField("txnid_most_bits"):
        transaction = TransactionId(metadata.txnid_most_bits, metadata.txnid_least_bits, scalable=is_segment(topic))
    batched, annotations = is_batch(metadata), Annotations.of(metadata)
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
            annotations,
        )
        for index, entry in enumerate(found)
        if not command.ack_set or holds(command.ack_set, index)
    ]
