"""A client of scalable topics: its transactions are metadata-driven (PIP-471), and its topics are segments.

The admin calls of PIP-31's transactions do not cover segments. So the last message id shows how far a consumer may read, and a message to a
separate topic of the client shows a transaction's state, since the broker accepts it only if the transaction is open.
"""

from dataclasses import dataclass, field

from fencepost.adapters.common.shared_outcomes import without_value
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb

from .client import PulsarClient
from .probe import PulsarProbe
from .pulsar_values import (
    ConsumerHandle,
    EntryPosition,
    MessageId,
    PendingEnd,
    ProducerHandle,
    Received,
    ReportedStatus,
    SubscriptionHandle,
    SubType,
    TransactionId,
    TransactionMetadata,
    TxnAction,
)

_GONE = 404
_OVER = frozenset({pb.NotAllowedError})
"""The errors for a message whose transaction is not open."""
EXPIRED = "ExpiredTransaction"
"""The beginning of a refusal that a transaction key causes: its transaction was aborted, because a later connection has the key."""
_STATUS = {TxnAction.COMMIT: ReportedStatus.COMMITTED, TxnAction.ABORT: ReportedStatus.ABORTED}
_QUIET_S = 0.5
"""How long to watch a consumer that may have received all there is for it."""


@dataclass
class Ends:
    """The ends that the clients of one session requested, and those that were answered with success."""

    asked: dict[TransactionId, TxnAction] = field(default_factory=dict)
    answered: dict[TransactionId, TxnAction] = field(default_factory=dict)


class ScalableProbe(PulsarProbe):
    """One client of a Pulsar system with scalable topics. Whole topics are named as elsewhere; `make_topic` returns a segment."""

    settles_later = True
    is_scalable = True

    def __init__(self, client: PulsarClient, time: Time, scratch: str, ends: Ends) -> None:
        super().__init__(client, time)
        self._scratch = scratch
        self._ends = ends
        self._scratch_producer: ProducerHandle | None = None

    def make_topic(self, name: str, namespace: str = "public/default") -> Outcome[str]:
        """A scalable topic of one segment, by the segment's name."""
        match self.make_segments(name, 1, namespace):
            case Done((segment, *_)):
                return Done(segment)
            case Done():
                return Unknown(f"{name} has no segment")
            case trouble:
                return trouble

    def unload_topic(self, topic: str) -> Outcome[None]:
        """Unload the namespace of a segment, with all topics in it: segments have no separate unload."""
        domain, _, rest = topic.partition("://")
        if domain != "segment":
            return super().unload_topic(topic)
        return self.unload_namespace("/".join(rest.split("/")[:2]))

    def terminate_topic(self, topic: str) -> Outcome[None]:
        """Terminate a segment alone; its layout keeps it as active."""
        return self.terminate_segment(topic) if topic.startswith("segment://") else super().terminate_topic(topic)

    def seal_topic(self, topic: str) -> Outcome[None]:
        """Split a segment in two."""
        whole, _, descriptor = topic.rpartition("/")
        return self.split(whole.replace("segment://", "topic://", 1), int(descriptor.rpartition("-")[2]))

    def coordinators(self) -> Outcome[int]:
        return self.scalable_coordinators().converted(len)

    def new_transaction(
        self, timeout_ms: int = 60_000, *, coordinator: int | None = None, retry: bool = True, scalable: bool = True
    ) -> Outcome[TransactionId]:
        return super().new_transaction(timeout_ms, coordinator=coordinator, retry=retry, scalable=scalable)

    def end(self, transaction: TransactionId, action: TxnAction, *, retry: bool = True) -> Outcome[None]:
        self._ends.asked[transaction] = action
        return self._noted(transaction, action, super().end(transaction, action, retry=retry))

    def begin_end(self, transaction: TransactionId, action: TxnAction) -> Outcome[PendingEnd]:
        self._ends.asked[transaction] = action
        return super().begin_end(transaction, action)

    def ended(self, pending: PendingEnd, *, within_s: float | None = None) -> Outcome[None]:
        return self._noted(pending.transaction, pending.action, super().ended(pending, within_s=within_s))

    def abort_as_administrator(self, transaction: TransactionId) -> Outcome[None]:
        """Send an END_TXN that the client's record of ends does not have: administrators have no other way."""
        return super().end(transaction, TxnAction.ABORT) if transaction.scalable else super().abort_as_administrator(transaction)

    def transaction(self, transaction: TransactionId, *, retry: bool = True) -> Outcome[TransactionMetadata]:
        """The state of a transaction; 404 for an unknown one.

        After an end that was answered with success, the state is its outcome. Otherwise the client sends a message in the transaction, to a
        topic that no client reads: the broker accepts it if the transaction is open. If it is over, the client sends an end, the opposite
        of the one that was requested, and the answer shows the outcome: if the opposite is the outcome already, participants get no second
        end.
        """
        if not transaction.scalable:
            return super().transaction(transaction, retry=retry)
        if (answered := self._ends.answered.get(transaction)) is not None:
            return Done(_standing(transaction, _STATUS[answered]))
        match self._write_in(transaction):
            case Done():
                return Done(_standing(transaction, ReportedStatus.OPEN))
            case Refused(code=pb.InvalidTxnStatus, message=str(message)) if message.startswith(EXPIRED):
                return Done(_standing(transaction, ReportedStatus.ABORTED))
            case Refused(code=code) if code in _OVER:
                return self._how_it_ended(transaction)
            case trouble:
                return trouble

    def receive_visible(self, consumer: ConsumerHandle, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """The messages that a consumer receives up to the sentinel, or up to the last message that any consumer can receive."""
        taken: list[Received] = []
        while True:
            limit = self.last_message_id(consumer)
            if not isinstance(limit, Done):
                return limit
            match self.receive(consumer, within_s=_QUIET_S):
                case Done(message):
                    taken.append(message)
                    if message.value == sentinel:
                        return Done(tuple(taken))
                case Unknown(lost=False):
                    if self.last_message_id(consumer) == limit:
                        return Done(tuple(taken))
                case trouble:
                    return trouble

    def receive_decided(self, consumer: ConsumerHandle, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """The messages that a consumer receives up to the sentinel, or until patience ends: without the sentinel, an end is missing."""
        taken: list[Received] = []
        for _ in self._time.attempts():
            match self.received(consumer):
                case Done(messages):
                    taken += messages
                case trouble:
                    return trouble
            if any(message.value == sentinel for message in taken):
                break
        return Done(tuple(taken))

    def mark_delete(self, subscription: SubscriptionHandle) -> Outcome[EntryPosition | None]:
        """The position up to which the subscription has acknowledged everything, from the answer to its consumer's GET_LAST_MESSAGE_ID."""
        match self.subscribe(subscription.topic, subscription.name, SubType.SHARED, permits=0):
            case Done(consumer):
                try:
                    return self._consumers_place(consumer)
                finally:
                    self.close_consumer(consumer)
            case trouble:
                return trouble

    def _consumers_place(self, consumer: ConsumerHandle) -> Outcome[EntryPosition | None]:
        return self._read(
            lambda: self._where(consumer),
            lambda number: pb.CommandGetLastMessageId(consumer_id=consumer.number, request_id=number),
            lambda answer: MessageId.of(answer.consumer_mark_delete_position).position,
            frozenset(),
        )

    def _noted(self, transaction: TransactionId, action: TxnAction, answer: Outcome[None]) -> Outcome[None]:
        if isinstance(answer, Done):
            self._ends.answered[transaction] = action
        return answer

    def _write_in(self, transaction: TransactionId) -> Outcome[None]:
        if self._scratch_producer is None:
            match self.make_topic(f"{self._scratch}-{self._client.name.replace(' ', '-')}"):
                case Done(topic):
                    pass
                case trouble:
                    return trouble
            match self.producer(topic):
                case Done(producer):
                    self._scratch_producer = producer
                case refusal:
                    return refusal
        return without_value(self.send(self._scratch_producer, "open?", transaction=transaction))

    def _how_it_ended(self, transaction: TransactionId) -> Outcome[TransactionMetadata]:
        asked = self._ends.asked.get(transaction, TxnAction.ABORT)
        opposite = TxnAction.COMMIT if asked is TxnAction.ABORT else TxnAction.ABORT
        match super().end(transaction, opposite):
            case Done():
                return Done(_standing(transaction, _STATUS[opposite]))
            case Refused(code=pb.TransactionNotFound):
                return Refused("Not Found", _GONE)
            case Refused():
                return Done(_standing(transaction, _STATUS[asked]))
            case trouble:
                return trouble


def _standing(transaction: TransactionId, status: ReportedStatus) -> TransactionMetadata:
    return TransactionMetadata(transaction, status, 0, frozenset(), frozenset())
