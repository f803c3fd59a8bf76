"""Defects of Pulsar in batches that are sent in a transaction, and in acknowledgements of a batch's messages in one."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.pending_through_crashes import CommitLeavesPending
from fencepost.reference.pulsar.buffer import MessagePosition, Readable, ReadView
from fencepost.reference.pulsar.cursor import Cursor, Moved
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal, TransactionEnded
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription


@defect(
    {"PIP31-66": seen('^"b3"$', expected='^"b2", "b3"$', what="^left for workers$")},
    origin="apache/pulsar#16032: two transactions that acknowledge messages of one batch",
)
class CommitTakesTheEntry(PendingAcks):
    """A commit acknowledges what another transaction has of the same entry, and its abort gives nothing back."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        everybodys = {place: frozenset(owners) for place, owners in self._individual.items() if txn in owners.values()}
        waiting = super().end(txn, action)
        return replace(waiting, individual=everybodys) if action is EndAction.COMMIT else waiting


@defect({"PIP31-66": expected("^success$", what="^answer to ACK$", error="TransactionConflict")}, origin="textbook: a state for each entry")
class EntryIsOneMessage(PendingAcks):
    """The first transaction that acknowledges a message of a batch has the whole entry."""

    def is_pending(self, place: MessagePosition, units: Units) -> bool:
        return bool(units) and place in self._individual


@defect(
    {"PIP31-66": seen('^"b1", "b2", "b3"$', expected='^"b2", "b3"$', what="^left for workers$")},
    origin="textbook: a state in memory that is finer than the one on disk",
)
class PartOfABatchIsNotSaved(Cursor):
    """A cursor saves whole entries only: after a crash, the part of a batch that a commit deleted is redelivered."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units], buffer: ReadView) -> None:
        self._units = {readable.place: readable.message.units for readable in buffer.after(self.mark_delete)}
        super().acknowledge(wanted, buffer)

    def save(self) -> None:
        sizes = getattr(self, "_units", {})
        whole = {place: units for place, units in self._beyond.items() if len(units) >= sizes.get(place, 1)}
        self._journal.append(Moved(self.mark_delete, whole))


class DropsWhatIsOfThatBatch(Subscription):
    """A plain acknowledgement does nothing in a batch of which something is pending."""

    def without_pending(self, place: MessagePosition, units: Units) -> Units:
        return frozenset() if self.pending.units_at(place) else super().without_pending(place, units)


class AsksWhetherTheEntryIsDeleted(Subscription):
    """Whether an entry is deleted decides over all its messages: those of a batch that are deleted already are delivered while others are
    left.
    """

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, {place: units - self.cursor.acknowledged(place, units) or units for place, units in wanted.items()})


@defect(
    {"PIP31-66": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="red team: a check that looks once cannot distinguish what stays pending from what is deleted",
)
class PulsarBatchCommitPending(CommitLeavesPending):
    """A commit of any but the first message of a batch leaves the message pending for ever: it is withheld and never deleted."""

    def leaves(self, txn: TxnId) -> bool:
        return any(number > 0 and owner == txn for owners in self._individual.values() for number, owner in owners.items())


@defect(
    {"PIP31-66": seen('"70"', expected='^"1", "10"', what='^messages of "packers"$')},
    origin="textbook: one number of 64 bits for the messages of a batch, which is shifted too far",
)
class BatchesHaveSixtyFourMessages(PendingAcks):
    """An acknowledgement of the seventieth message of a batch is kept as one of the sixth, and its commit deletes that."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().add_individual(txn, {place: frozenset(unit % 64 for unit in units) for place, units in wanted.items()})


@defect(
    {"PIP31-66": seen('^"b1", "b2", "b3"$', expected='^"b1", "b2"$', what="^left for workers$")},
    origin="red team: a set of bits that is cut one too short when it is written",
)
class LastOfABatchIsNotSaved(Cursor):
    """A cursor saves all but the last message of a batch: after a crash, the last one is redelivered although a commit deleted it."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units], buffer: ReadView) -> None:
        self._lasts = {readable.place: readable.message.units - 1 for readable in buffer.after(self.mark_delete)}
        super().acknowledge(wanted, buffer)

    def save(self) -> None:
        lasts = {place: last for place, last in getattr(self, "_lasts", {}).items() if last > 0}
        self._journal.append(Moved(self.mark_delete, {place: units - {lasts.get(place)} for place, units in self._beyond.items()}))


@defect(
    {"PIP31-66": seen("^success$", expected="^a refusal with TransactionConflict", what="^answer to ACK$")},
    origin="red team: a state for each entry is cleared where one for each message should be",
)
class AbortReleasesTheEntry(PendingAcks):
    """An abort releases all that is pending of an entry, also what another transaction has acknowledged of the same batch."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        for place in waiting.individual if action is EndAction.ABORT else ():
            self._individual.pop(place, None)
        return waiting


@defect(
    {"PIP31-66": seen('^"b1", "b2", "b3"$', expected='^"b1", "b3"$', what="^received by workers$")},
    origin="red team: the same on disk",
)
class AbortIsReplayedForTheEntry(PendingAckJournal):
    """When pending acknowledgements are replayed, an abort removes all that is pending of its entries."""

    def replay(self) -> Sequence[PendingAck]:
        aborted = {record.txn for record in self._journal if isinstance(record, TransactionEnded) and record.action is EndAction.ABORT}
        touched = {
            place for record in self._journal if isinstance(record, PendingAck) and record.txn in aborted for place in record.individual
        }
        return [waiting for waiting in super().replay() if touched.isdisjoint(waiting.individual)]


def _without_its_transaction(message: Message) -> Message:
    return message if message.batch_size is None else replace(message, txn=None)


class _MarksSingleMessages(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))


@defect(
    {"PIP31-82": seen('^"a1", "a2", "a4", "a5", "a3"$', expected='^"a1", "a2", "a3"', what="^readers of orders$")},
    origin="textbook: a second path into the log, which batches take",
    also=[_MarksSingleMessages],
)
class BatchIsOutsideOfItsTransaction(SidecarBuffer):
    """A batch is shown at once and for good, since the broker looks for a transaction only in the metadata of single messages."""

    def publish(self, message: Message) -> Position:
        return super().publish(_without_its_transaction(message))


@defect(
    {"PIP31-66": seen('^"b1", "b2", "b3"$', expected='^"b2", "b3"$', what="^received by workers$")},
    origin="red team: a redelivery of entries, where the delivery to a new consumer leaves out what is withheld",
)
class RequestRedeliversTheBatch(Subscription):
    """A consumer that requests redelivery receives the whole batch, also the message that is pending."""

    _is_asked = False

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        self._is_asked = True
        super().redeliver(consumer, places)
        self._is_asked = False

    def offer(self, readable: Readable) -> bool:
        withheld = self.withheld_units(readable)
        went = super().offer(readable)
        if went and self._is_asked and withheld:
            self.consumers[0].deliver(Delivery(readable, 1, frozenset(range(readable.message.units)) - withheld))
        return went
