"""The calls of producers.

If the broker closed a producer, or its connection is lost, it is opened again under its name before its next message, as every client does.
Messages in flight then stay Unknown, but for one outside of transactions whose receipt the caller awaits (`send`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import BatchedMessage, encode_batch
from fencepost.wire.pulsar.frames import Payload

from .call_outcomes import read_answer
from .client import PulsarClient
from .connection import ClientConnection
from .message_annotations import NO_ANNOTATIONS, Annotations
from .pulsar_calls import PulsarCalls
from .pulsar_error_outcomes import OPENING, UNDECIDED, was_not_recovered
from .pulsar_recording import PulsarCall
from .pulsar_values import MessageId, PendingSend, ProducerHandle, TransactionId
from .transaction_requests import about_transaction


@dataclass(frozen=True)
class Routed:
    """The key by which a message is routed, its hash, and what else its producer adds to it."""

    key: str | None = None
    hash: int | None = None
    annotations: Annotations = NO_ANNOTATIONS


@dataclass
class _Held:
    """A producer as this client holds it: the connection on which it is open, and the next sequence id."""

    producer: ProducerHandle
    named_by_user: bool
    connection: ClientConnection | None
    next_sequence_id: int
    epoch: int = 0
    looks: bool = True
    """Whether it looks up first which broker serves its topic."""
    broker: str | None = None
    """The broker on which it is opened, whichever serves its topic."""

    @property
    def topic(self) -> str:
        return self.producer.topic

    @property
    def is_open(self) -> bool:
        return self.connection is not None and self.connection.lost is None and self.producer.number not in self.connection.closed_producers


class ProducerCalls(PulsarCalls):
    """A client's producers and what they send."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._producers: dict[int, _Held] = {}
        self._sending: dict[int, tuple[ClientConnection, PulsarCall]] = {}
        client.attached.add(self._producers.values, self._open_again)

    def producer(
        self,
        topic: str,
        *,
        name: str | None = None,
        retry: bool = True,
        looks: bool = True,
        broker: str | None = None,
        instead_of: ProducerHandle | None = None,
    ) -> Outcome[ProducerHandle]:
        """PRODUCER, for messages with and without a transaction. Under a name that was used before, sequence ids continue. Without `looks`
        it is opened at the service address, or at the service URL `broker`. `instead_of` is a producer that the broker has closed, whose
        number it takes over.
        """
        number = self._client.next_number() if instead_of is None else instead_of.number
        producer = ProducerHandle(topic, number, name or "")
        held = _Held(producer, name is not None, None, 0, looks=looks, broker=broker)
        match self._opened(held, retry=retry):
            case Done():
                held.next_sequence_id = held.producer.last_sequence_id + 1
                self._producers[producer.number] = held
                return Done(held.producer)
            case trouble:
                return trouble

    def send(
        self,
        producer: ProducerHandle,
        value: str,
        *,
        transaction: TransactionId | None = None,
        sequence_id: int | None = None,
        key: str | None = None,
        annotations: Annotations = NO_ANNOTATIONS,
        reopen: bool = True,
    ) -> Outcome[MessageId]:
        """SEND one message and wait for its receipt. `sequence_id` is the producer's next one unless it is given.

        If the broker closes the producer instead of answering a message outside of transactions, the producer opens again and sends it once
        more, as a client does: whether the message or the notice comes first is the broker's choice. It sends a message again too if the
        topic's transaction buffer was not recovered yet.
        """
        routed = Routed(key, None, annotations)
        is_repeated = reopen and transaction is None and sequence_id is None

        def attempt() -> Outcome[MessageId]:
            return self._posted(producer, [value], transaction, sequence_id, routed, batched=False, reopen=reopen).then(
                lambda pending: self._delivered(pending, value, routed) if is_repeated else self.receipt(pending)
            )

        return self._patiently(attempt, was_not_recovered, retry=reopen)

    def _delivered(self, pending: PendingSend, value: str, routed: Routed) -> Outcome[MessageId]:
        """The receipt of a message outside of transactions, which is sent once more if the broker closes its producer instead."""
        outcome = self.receipt(pending)
        if not (isinstance(outcome, Unknown) and self._is_closed(pending.producer)):
            return outcome
        return self._posted(pending.producer, [value], None, pending.sequence_id, routed, batched=False).then(self.receipt)

    def _is_closed(self, producer: ProducerHandle) -> bool:
        """Whether the broker has closed it on a connection that is still there."""
        connection = self._producers[producer.number].connection
        return connection is not None and connection.lost is None and producer.number in connection.closed_producers

    def send_batch(
        self, producer: ProducerHandle, values: Sequence[str], *, transaction: TransactionId | None = None, sequence_id: int | None = None
    ) -> Outcome[tuple[MessageId, ...]]:
        """SEND several messages in one entry and wait for its receipt; each has a place there. `sequence_id` is that of the first."""
        match self._posted(producer, values, transaction, sequence_id, Routed(), batched=True):
            case Done(pending):
                return self.receipt(pending).converted(
                    lambda entry: tuple(entry.in_batch(index, len(values)) for index in range(len(values)))
                )
            case trouble:
                return trouble

    def post(
        self,
        producer: ProducerHandle,
        value: str,
        *,
        transaction: TransactionId | None = None,
        sequence_id: int | None = None,
        key: str | None = None,
        hash: int | None = None,  # noqa: A002 - the protocol's word
        reopen: bool = True,
    ) -> Outcome[PendingSend]:
        """SEND one message without waiting; `receipt` waits for its receipt. Done means only that it is in flight.

        `hash` is the hash of the key, for the record. Without `reopen`, a producer that the broker has closed sends all the same, as one
        does that was not notified yet.
        """
        return self._posted(producer, [value], transaction, sequence_id, Routed(key, hash), batched=False, reopen=reopen)

    def receipt(self, pending: PendingSend, *, within_s: float | None = None) -> Outcome[MessageId]:
        """Wait for the receipt of a message in flight. After Unknown the caller can wait again: it may come later."""
        connection, call = self._sending[pending.number]
        match read_answer(connection.answer(call, self._within(within_s)), lambda answer: MessageId.of(answer.message_id)):
            case Refused(code=code) as refusal if code in UNDECIDED and not was_not_recovered(refusal):
                return Unknown(f"SEND was answered {refusal}, which leaves open whether it was done")
            case outcome:
                return outcome

    def close_producer(self, producer: ProducerHandle) -> Outcome[None]:
        """CLOSE_PRODUCER, if it is open."""
        held = self._producers.pop(producer.number)
        connection = held.connection
        if not held.is_open or connection is None:
            return Done(None)
        return self._write(
            lambda: Done(connection),
            lambda number: pb.CommandCloseProducer(producer_id=producer.number, request_id=number),
            lambda _: None,
            frozenset(),
        )

    def open_producers(self, topic: str) -> list[str]:
        """The producers of a topic, by their names, that were not notified that they are closed."""
        there = [held for held in self._producers.values() if held.producer.topic == topic]
        for held in there:
            if held.connection is not None:
                held.connection.drain()
        return [held.producer.name for held in there if held.is_open]

    def _posted(
        self,
        producer: ProducerHandle,
        values: Sequence[str],
        transaction: TransactionId | None,
        sequence_id: int | None,
        routed: Routed,
        *,
        batched: bool,
        reopen: bool = True,
    ) -> Outcome[PendingSend]:
        held = self._producers[producer.number]
        if held.connection is not None:
            held.connection.drain()
        usable = held.is_open or (not reopen and held.connection is not None and held.connection.lost is None)
        match Done(held.connection) if usable and held.connection else self._opened(held, retry=True):
            case Done(connection):
                pass
            case trouble:
                return trouble
        first = held.next_sequence_id if sequence_id is None else sequence_id
        held.next_sequence_id = max(held.next_sequence_id, first + len(values))
        metadata = pb.MessageMetadata(
            producer_name=held.producer.name, sequence_id=first, publish_time=round(self._time.now_ms()), partition_key=routed.key
        )
        routed.annotations.add_to(metadata)
        command = pb.CommandSend(producer_id=producer.number, sequence_id=first)
        if transaction is not None:  # in both: the broker publishes by the command, and dispatches by the metadata
            command.txnid_most_bits, command.txnid_least_bits = transaction.coordinator_bits, transaction.sequence
            metadata.txnid_most_bits, metadata.txnid_least_bits = transaction.coordinator_bits, transaction.sequence
        data = values[0].encode()
        if batched:
            metadata.num_messages_in_batch = command.num_messages = len(values)
            metadata.highest_sequence_id = command.highest_sequence_id = first + len(values) - 1
            data = encode_batch(BatchedMessage(value.encode(), first + index) for index, value in enumerate(values))
        pending = PendingSend(held.producer, len(self._sending), first, len(values))
        about = {"topic": producer.topic, **about_transaction(transaction), **({} if routed.hash is None else {"hash": routed.hash})}
        self._sending[pending.number] = (connection, connection.ask(command, Payload(metadata, data), about))
        return Done(pending)

    def _open_again(self, held: _Held) -> None:
        if not held.is_open:
            self._opened(held, retry=False)  # what hinders it is the answer to the next message, or over by then

    def _opened(self, held: _Held, *, retry: bool) -> Outcome[ClientConnection]:
        """Open the producer, for the first time or again, on the broker that serves its topic now."""
        topic, number, name = held.producer.topic, held.producer.number, held.producer.name
        on: list[ClientConnection] = []

        def locate() -> Outcome[ClientConnection]:
            if held.broker is not None:
                located = self._client.at(held.broker)
            else:
                located = self._client.owner(topic) if held.looks else self._client.connection()
            on[:] = [located.value] if isinstance(located, Done) else []
            return located

        def command(request: int) -> pb.CommandProducer:
            return pb.CommandProducer(
                topic=topic,
                producer_id=number,
                request_id=request,
                producer_name=name or None,
                user_provided_producer_name=held.named_by_user,
                epoch=held.epoch,
                txn_enabled=True,
            )

        def read(answer: Any) -> ClientConnection:
            held.producer = replace(held.producer, name=answer.producer_name, last_sequence_id=answer.last_sequence_id)
            held.connection = on[0]
            held.connection.closed_producers.discard(number)
            held.epoch += 1
            return held.connection

        return self._write(locate, command, read, OPENING, retry=retry)
