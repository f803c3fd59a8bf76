"""Defects of Pulsar in acknowledgements that must last: after the refusal of another one, and after a crash."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import Cursor, Moved
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.subscription import Subscription


@defect(
    {"PIP31-61": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: a list of what a transaction asked for, which its abort releases",
)
class AbortReleasesWhatWasRefused(PendingAcks):
    """The abort of a transaction whose acknowledgement was refused releases the message, which another transaction has acknowledged."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            refused: dict[TxnId, Mapping[MessagePosition, Units]] = self.__dict__.setdefault("_refused", {})
            refused[txn] = wanted
            raise

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        ended = super().end(txn, action)
        refused: Mapping[MessagePosition, Units] = self.__dict__.get("_refused", {}).pop(txn, {})
        if action is EndAction.COMMIT:
            return ended
        for place in refused:
            self._individual.pop(place, None)
        return replace(ended, individual={**refused, **ended.individual})


@defect(
    {"PIP31-61": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="as Apache Pulsar's pending acknowledgements are written, by its source: the record precedes the comparison",
)
class RefusedAcknowledgementIsReplayed(PendingAcks):
    """An acknowledgement is recorded before it is compared: after a crash one that was refused is pending in the place of the granted
    one."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            self._store.append(PendingAck(txn, individual=dict(wanted)))
            raise


@defect(
    {"PIP31-60": seen('^"i1", "i3"$', expected='^"i3"$', what="^received by workers$")},
    origin="red team: a record for the subscription, which the newest transaction replaces",
)
class NewestTransactionsAcknowledgementsKept(PendingAckJournal):
    """A crash keeps the pending acknowledgements of the newest transaction on a subscription, and those of no other."""

    def replay(self) -> Sequence[PendingAck]:
        replayed = super().replay()
        newest = max((waiting.txn for waiting in replayed), default=None)
        return [waiting for waiting in replayed if waiting.txn == newest]


@defect(
    {"PIP31-59": seen('^"i1", "i[23]"$', expected='^"i1"$', what="^left for workers$")},
    origin="textbook: a record with room for one position",
)
class CursorSavesOneBeyond(Cursor):
    """A cursor saves its mark and one message after it that is acknowledged: after a crash the others are redelivered."""

    def save(self) -> None:
        self._journal.append(Moved(self.mark_delete, dict(list(self._beyond.items())[:1])))


class _CanRelease(PendingAcks):
    def release(self, wanted: Mapping[MessagePosition, Units]) -> None:
        kept = {
            place: {unit: owner for unit, owner in owners.items() if unit not in wanted.get(place, frozenset())}
            for place, owners in self._individual.items()
        }
        self._individual = {place: owners for place, owners in kept.items() if owners}


@defect(
    {"PIP31-61": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: an acknowledgement that is dropped, and has cleared the state of its message before",
    also=[_CanRelease],
)
class PlainAckReleasesThePending(Subscription):
    """A plain acknowledgement of a pending message deletes nothing and releases the message, which another transaction acknowledges."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge(wanted)
        if isinstance(self.pending, _CanRelease):
            self.pending.release(wanted)


@defect(
    {"PIP31-61": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: a refusal that takes back what the same transaction had before",
)
class AskingAgainReleasesThePending(PendingAcks):
    """A transaction that acknowledges its pending message once more is refused, and its first acknowledgement is lost with the second."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            for place in wanted:
                if txn in self._individual.get(place, {}).values():
                    del self._individual[place]
            raise


@defect(
    {"PIP31-59": seen('^"i2", "i3"$', expected='^"i2"$', what="^left for auditors$")},
    origin="red team: a position that replaces all that was deleted one by one",
)
class CumulativeAckForgetsLaterDeletions(Subscription):
    """A plain cumulative acknowledgement forgets which later messages are deleted, and they are redelivered."""

    def acknowledge_up_to(self, place: MessagePosition) -> None:
        self.cursor._beyond.clear()
        super().acknowledge_up_to(place)
