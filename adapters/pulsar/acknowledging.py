"""The calls about messages that consumers have received: acknowledgements, redelivery, and a subscription's position."""

from collections.abc import Callable, Sequence

from google.protobuf.message import Message

from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb

from .consumer_calls import ConsumerCalls, about
from .pulsar_error_outcomes import NOT_READY
from .pulsar_values import AckKind, ConsumerHandle, EntryPosition, MessageId, TransactionId
from .transaction_requests import about_transaction


class AcknowledgementCalls(ConsumerCalls):
    """Acknowledging and redelivering messages."""

    def acknowledge(
        self,
        consumer: ConsumerHandle,
        ids: Sequence[MessageId],
        *,
        kind: AckKind = AckKind.INDIVIDUAL,
        transaction: TransactionId | None = None,
        retry: bool = True,
    ) -> Outcome[None]:
        """ACK with a request id, and wait for ACK_RESPONSE. An id with a place in a batch acknowledges just that message."""

        def command(number: int) -> pb.CommandAck:
            return _ack(consumer, ids, kind, transaction, number)

        outcome = self._consumer_write(consumer, command, transaction, retry=retry)
        held = self._consumers[consumer.number]
        self._take_in(held)
        if isinstance(outcome, Done):
            held.owed.acknowledged(ids, kind, transaction)
        elif isinstance(outcome, Unknown):
            held.owed.perhaps_acknowledged(ids, kind)
        return outcome

    def acknowledge_unanswered(
        self,
        consumer: ConsumerHandle,
        ids: Sequence[MessageId],
        *,
        kind: AckKind = AckKind.INDIVIDUAL,
        transaction: TransactionId | None = None,
    ) -> Outcome[None]:
        """ACK without a request id, which is not answered. Done means only that it was sent."""
        match self._live(consumer):
            case Done(held):
                self._notify(held, _ack(consumer, ids, kind, transaction, None), transaction)
                held.owed.acknowledged(ids, kind, transaction)
                return Done(None)
            case trouble:
                return trouble

    def redeliver(self, consumer: ConsumerHandle, ids: Sequence[MessageId] = ()) -> Outcome[None]:
        """REDELIVER_UNACKNOWLEDGED_MESSAGES: these, or all unacknowledged ones. It is not answered."""
        match self._live(consumer):
            case Done(held):
                held.owed.given_back(ids)
                if not ids:
                    held.unread.clear()
                positions = [pb.MessageIdData(ledger_id=one.position.ledger, entry_id=one.position.entry) for one in ids]
                self._notify(held, pb.CommandRedeliverUnacknowledgedMessages(consumer_id=consumer.number, message_ids=positions))
                return Done(None)
            case trouble:
                return trouble

    def seek(self, consumer: ConsumerHandle, position: EntryPosition) -> Outcome[None]:
        """SEEK to an entry. The broker then closes the consumer, which subscribes again when it is next used."""

        def command(number: int) -> pb.CommandSeek:
            target = pb.MessageIdData(ledger_id=position.ledger, entry_id=position.entry)
            return pb.CommandSeek(consumer_id=consumer.number, request_id=number, message_id=target)

        self._consumers[consumer.number].owed.clear()
        return self._consumer_write(consumer, command)

    def last_message_id(self, consumer: ConsumerHandle) -> Outcome[MessageId]:
        """GET_LAST_MESSAGE_ID: the last message of the topic that consumers can receive."""
        return self._read(
            lambda: self._where(consumer),
            lambda number: pb.CommandGetLastMessageId(consumer_id=consumer.number, request_id=number),
            lambda answer: MessageId.of(answer.last_message_id),
            NOT_READY,
        )

    def unsubscribe(self, consumer: ConsumerHandle) -> Outcome[None]:
        """UNSUBSCRIBE: the subscription ends, with its state."""
        outcome = self._consumer_write(consumer, lambda number: pb.CommandUnsubscribe(consumer_id=consumer.number, request_id=number))
        if isinstance(outcome, Done):
            del self._consumers[consumer.number]
        return outcome

    def _consumer_write(
        self, consumer: ConsumerHandle, command: Callable[[int], Message], transaction: TransactionId | None = None, *, retry: bool = True
    ) -> Outcome[None]:
        known = {**about(consumer), **about_transaction(transaction)}
        return self._write(lambda: self._where(consumer), command, lambda _: None, NOT_READY, retry=retry, about=known)


def _ack(
    consumer: ConsumerHandle, ids: Sequence[MessageId], kind: AckKind, transaction: TransactionId | None, request: int | None
) -> pb.CommandAck:
    command = pb.CommandAck(
        consumer_id=consumer.number,
        ack_type=pb.CommandAck.AckType.Name(kind),
        message_id=[one.wire(kind) for one in ids],
        request_id=request,
    )
    if transaction is not None:
        command.txnid_most_bits, command.txnid_least_bits = transaction.coordinator_bits, transaction.sequence
    return command
