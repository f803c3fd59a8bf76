"""Defects of Pulsar in acknowledgements of a batch's messages, in transactions."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.cumulative_ends import CommitLeavesPending
from fencepost.reference.pulsar.buffer import MessagePosition, ReadView
from fencepost.reference.pulsar.cursor import Cursor, Moved
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, TxnId


@defect(
    {"PIP31-66": seen('^"b3"$', expected='^"b2", "b3"$', what="^left for workers$")},
    origin="apache/pulsar#16032: two transactions that acknowledge messages of one batch",
)
class CommitTakesTheEntry(PendingAcks):
    """A commit acknowledges what another transaction has of the same entry, and its abort gives nothing back."""

    def end(self, txn: TxnId, action: Action) -> Waiting:
        everybodys = {place: frozenset(owners) for place, owners in self._individual.items() if txn in owners.values()}
        waiting = super().end(txn, action)
        return replace(waiting, individual=everybodys) if action is Action.COMMIT else waiting


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
    """Of a batch, what is deleted already is passed over where not all of it is."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, {place: units - self.cursor.acknowledged(place, units) or units for place, units in wanted.items()})


@defect(
    {"PIP31-66": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="red team: what stays pending looks like what is deleted to who does not look again",
)
class PulsarBatchCommitPending(CommitLeavesPending):
    """A commit of any but the first message of a batch leaves the message pending for ever: it is withheld and never deleted."""

    def leaves(self, txn: TxnId) -> bool:
        return any(number > 0 and owner == txn for owners in self._individual.values() for number, owner in owners.items())
