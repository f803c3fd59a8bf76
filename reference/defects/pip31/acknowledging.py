"""Defects of Pulsar in acknowledgements, message by message, that wait for the end of their transaction."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import ClassVar
from weakref import WeakKeyDictionary

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.batches import DropsWhatIsOfThatBatch
from fencepost.reference.pulsar.buffer import MessagePosition, Readable, ReadView
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor, Moved
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionType, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_responses import TransactionResponses


@defect(
    {"PIP31-54": seen('"i1"', expected='^"i2", "i3"$', what="^received by workers$")},
    origin="textbook: a state that only the acknowledging path knows",
)
class PendingIsGivenOut(PendingAcks):
    """Redelivery goes by what is deleted, so that a message that an open transaction has acknowledged is processed twice."""

    def units_at(self, place: MessagePosition) -> Units:  # noqa: ARG002 - it does not look
        return frozenset()


@defect(
    {"PIP31-54": seen("not even the sentinel", expected='^"i3"$', what="^received by workers$")},
    origin="apache/pulsar#21177: filtered messages still consumed permits",
)
class PendingSpendsPermits(Subscription):
    """Messages that are withheld use up the permits of the consumer that does not get them, which then waits for ever."""

    def detach(self, consumer: Consumer) -> None:
        super().detach(consumer)
        if not self.consumers:
            self._read_position = self.cursor.mark_delete
            self._held.clear()

    def is_withheld(self, readable: Readable) -> bool:
        for consumer in self.consumers[:1]:
            consumer.permits -= len(self.pending.units_at(readable.place))
        return super().is_withheld(readable)


@defect(
    {"PIP31-57": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
)
class PlainAckDeletesPending(Subscription):
    """A plain acknowledgement moves the cursor over a message that is pending, and the abort cannot give it back."""

    def without_pending(self, place: MessagePosition, units: Units) -> Units:  # noqa: ARG002 - it does not look at what is pending
        return units


@defect(
    {"PIP31-58": seen("^nothing$", expected='^"i1"$', what="^received by workers$")},
    origin="textbook: an end that only commits are notified of",
)
class AbortGivesNothingBack(PendingAcks):
    """The pending state outlives the abort, so that what the transaction had acknowledged is never redelivered to the subscription."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return PendingAck(txn) if action is EndAction.ABORT else super().end(txn, action)


@defect(
    {"PIP31-58": seen('^"i1", "i2"$', expected='^"i2"$', what="^received by workers$")},
    origin="apache/pulsar#14327, apache/pulsar#19451: an abort redelivered what was pending in another transaction",
)
class AbortGivesOthersBack(Subscription):
    """An abort redelivers what another transaction has acknowledged and may still commit."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        for other in self.pending.transactions() - {txn} if action is EndAction.ABORT else ():
            super().apply_outcome(other, action)
        super().apply_outcome(txn, action)


@defect(
    {"PIP31-58": seen('^"i1"(, "i1")?, "i2", "i3"$', expected='^"i1"$', what="^received by workers$")},
    origin="apache/pulsar#25107: an abort after acknowledgements caused duplicate consumption",
)
class AbortGivesAllBack(Subscription):
    """An abort delivers again what a consumer is busy with and the transaction never touched."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        super().apply_outcome(txn, action)
        if action is EndAction.ABORT:
            self.give_back({place: frozenset(owners) for place, owners in self._held.items()})


class _LooksForNoStrays(Subscription):
    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:  # noqa: ARG002 - that is the defect
        return []


@defect(
    {"PIP31-59": seen('"i1"', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="textbook: the half of an end that is easy to see",
)
class CommitDeletesNothing(Subscription):
    """A commit ends the pending state without moving the cursor, and the message is delivered again."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT:
            super().apply_outcome(txn, action)
        else:
            self.pending.end(txn, action)


@defect(
    {"PIP31-59": seen('^"i1", "i2", "i3"$', expected='^"i1", "i3"$', what="^left for workers$")},
    origin="textbook: as durable as a plain acknowledgement",
)
class CommitDeletesInMemory(Cursor):
    """The cursor is written later than the commit is answered, and a crash in between brings the messages back."""

    def save(self) -> None:
        pass


@defect(
    {"PIP31-60": seen('"i1"', expected='^"i2", "i3"$', what="^received by workers$")},
    origin="seen on Apache Pulsar 5.0.0-M1, on topics that are segments",
)
class PendingInMemory(PendingAckJournal):
    """Pending acknowledgements are in memory only; after a crash other consumers get the messages, while the transaction is still open."""

    def must_be_durable(self, waiting: PendingAck) -> bool:  # noqa: ARG002 - whatever it is
        return False


@defect(
    {"PIP31-61": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="textbook: a state that hangs on a connection",
)
class LeavingEndsPending(Subscription):
    """With its consumer, what a transaction acknowledged leaves the pending state, as if it were aborted."""

    def detach(self, consumer: Consumer) -> None:
        for txn in self.pending.transactions():
            self.pending.end(txn, EndAction.ABORT)
        super().detach(consumer)


@defect(
    {"PIP31-61": seen('"i1"', expected='^"i3"$', what="^left for workers$")},
    origin="apache/pulsar#15530: the low watermark of pending acknowledgements aborted the wrong transaction",
)
class NewerEndEndsOlder(Subscription):
    """The end of a newer transaction counts as the low watermark, and older open ones lose what they have pending."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, max(low_watermark, txn.sequence))


@defect(
    {"PIP31-62": seen('^"i1", "i2"$', expected='^"i2"$', what="^received by workers$")},
    origin="textbook: two ways to ask for redelivery, and one that checks",
)
class AskingEndsPending(Subscription):
    """A client that requests redelivery of a message gets it, also one that an open transaction has acknowledged."""

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        for txn in self.pending.transactions() if places else ():
            self.pending.end(txn, EndAction.ABORT)
        super().redeliver(consumer, places)


class _KnowsTheOthers(Subscription):
    """A subscription that knows all of its topic that have had a consumer."""

    _siblings: ClassVar[WeakKeyDictionary[ReadView, list[Subscription]]] = WeakKeyDictionary()

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        super().attach(consumer, kind)
        together = self._siblings.setdefault(self._buffer, [])
        together += [] if self in together else [self]


@defect(
    {"PIP31-65": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for others$")},
    origin="textbook: a state kept at the topic",
)
class CommitDeletesOnAll(_KnowsTheOthers):
    """A commit deletes on every subscription of the topic what the transaction acknowledged on one."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        held = self.pending.end(txn, action)
        for one in self._siblings.get(self._buffer, [self]) if action is EndAction.COMMIT else ():
            one.acknowledge(held.individual)


@defect(
    {"PIP31-65": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by others$")},
    origin="textbook: a state kept at the topic",
)
class AbortReleasesOnAll(_KnowsTheOthers):
    """An abort releases a message on every subscription of the topic, also where another transaction has acknowledged it."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        held = self.pending.transactions()
        super().apply_outcome(txn, action)
        for one in self._siblings.get(self._buffer, ()) if action is EndAction.ABORT and txn in held else ():
            for other in one.pending.transactions():
                one.pending.end(other, action)


@defect(
    {"PIP31-65": seen('"i1", "i2", "i3"', expected="^nothing$", what="^received by others$")},
    origin="red team: the dispatchers of a topic, all of which an abort starts again",
)
class AbortRedeliversOnAll(_KnowsTheOthers):
    """An abort on one subscription redelivers what the consumers of every other one have and still process."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        super().apply_outcome(txn, action)
        for one in self._siblings.get(self._buffer, ()) if action is EndAction.ABORT else ():
            if one is not self:
                one.give_back({place: frozenset(owners) for place, owners in one._held.items()})


@defect(
    {"PIP31-67": seen("^none, though a later request", expected="^one$", what="^answer to ACK$")},
    origin="textbook: an exception that ends where no client is notified",
)
class AcknowledgementRefusedInSilence(TransactionResponses):
    """An acknowledgement that is refused is not answered, and its client waits for ever before it ends the transaction."""

    def answers_acknowledgement(self, *, is_refusal: bool) -> bool:
        return not is_refusal


@defect(
    {"PIP31-67": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="textbook: an error that ends in a log file",
)
class ConflictIsSwallowed(Subscription):
    """The answer says success also where the acknowledgement was refused, and the client commits without it."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().acknowledge_in(txn, wanted)
        except CommandRefused:
            return


@defect(
    {"PIP31-54": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="^received by auditors$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
)
class CoveredIsGivenOut(PendingAcks):
    """A subscription withholds only messages that were acknowledged one by one, and redelivers those below a pending cumulative
    acknowledgement."""

    def covers(self, place: MessagePosition) -> bool:  # noqa: ARG002 - only single messages are withheld
        return False


@defect(
    {"PIP31-58": seen("^nothing$", expected='^"i1"$', what="^received by workers$")},
    origin="apache/pulsar#10306: messages in pending ack status after the timeout",
    also=[_LooksForNoStrays],
)
class TimeOutLeavesPending(LogCoordinator):
    """A transaction whose client is gone reaches its timeout, and its messages stay pending for ever."""

    def decide(self, transaction: PulsarTransaction, action: EndAction, reply: Reply | None) -> None:
        super().decide(transaction if reply else replace(transaction, subscriptions=()), action, reply)


@defect(
    {"PIP31-61": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: a counter that is updated by events, and not built from what was recovered",
)
class RecoveredTransactionsCountAsOver(LogCoordinator):
    """A coordinator that restarts computes its low watermark without the open transactions that it found, so the end of a newer one
    ends them."""

    _last_before = -1

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        self._last_before = super().last_given(replayed)
        return self._last_before

    @property
    def low_watermark(self) -> int:
        incomplete = [txn.sequence for txn, known in self._transactions.items() if not known.status.is_complete]
        return min((sequence for sequence in incomplete if sequence > self._last_before), default=self.last_sequence + 1) - 1


@defect(
    {"PIP31-57": seen('"b1", "b2", "b3"', expected='"b1", "b3", "i1"', what="^left for packers$")},
    origin="textbook: a state for each entry",
)
class PlainBesidePendingDropped(DropsWhatIsOfThatBatch):
    """While one message of a batch is pending, plain acknowledgements of the others are passed over, and they are processed twice."""


@defect(
    {"PIP31-57": seen('^"i1", "i2", "i3"$', expected='^("i1"|"i2"), "i3"$', what="^left for workers$")},
    origin="red team: a check of the whole request, where each message is due",
)
class PlainRequestWithPendingDropped(Subscription):
    """A plain acknowledgement that names a pending message is dropped as a whole, and its other messages are processed twice."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units]) -> None:
        if all(self.without_pending(place, units) for place, units in wanted.items()):
            super().acknowledge(wanted)


@defect(
    {"PIP31-61": seen("^success$", expected="^a refusal with TransactionConflict", what="^answer to ACK$")},
    origin="red team: an abort clears the table of what is pending",
)
class AbortReleasesAll(PendingAcks):
    """When a transaction aborts, others may acknowledge what any transaction has pending on the subscription."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        if action is EndAction.ABORT:
            self._individual.clear()
        return waiting


@defect(
    {"PIP31-59": seen('"i1"', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="red team: an abort that is replayed by its message, after a later commit",
)
class AbortOutlivesALaterCommit(Subscription):
    """After a crash a subscription redelivers what an aborted transaction had acknowledged, also where another one has committed it
    since."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        before, returned = Moved(self.cursor.mark_delete), dict(self._redelivery_counts)
        held = {place for place, owners in self.pending._individual.items() if txn in owners.values()}
        super().apply_outcome(txn, action)
        if action is EndAction.COMMIT and held & returned.keys():
            self.cursor._journal.append(before)


@defect(
    {"PIP31-59": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by workers$")},
    origin="red team: a request that is deferred while a message is pending",
)
class CommitCarriesOutARedelivery(Subscription):
    """A consumer that asked for redelivery while a message was pending receives the message when the transaction commits."""

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        asked: set[MessagePosition] = self.__dict__.setdefault("_asked", set())
        asked.update(place for place in (places or self._held_by(consumer)) if self.pending.units_at(place))
        super().redeliver(consumer, places)

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        super().apply_outcome(txn, action)
        asked: set[MessagePosition] = self.__dict__.pop("_asked", set())
        for readable in self._buffer.after(EARLIEST) if action is EndAction.COMMIT else ():
            for consumer in self.consumers[:1] if readable.place in asked else ():
                consumer.deliver(Delivery(readable, 1, frozenset()))


@defect(
    {"PIP31-57": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="red team: what was acknowledged in a transaction that aborted counted as acknowledged",
)
class DroppedPlainAckIsRemembered(Subscription):
    """A plain acknowledgement that was dropped counts as made: when it is sent again after the abort, it is taken for a repetition."""

    def without_pending(self, place: MessagePosition, units: Units) -> Units:
        dropped: set[tuple[MessagePosition, int]] = self.__dict__.setdefault("_dropped", set())
        known = frozenset(unit for unit in units if (place, unit) in dropped)
        free = super().without_pending(place, units)
        dropped.update((place, unit) for unit in units - free)
        return free - known
