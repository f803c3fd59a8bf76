"""Defects of Pulsar in pending acknowledgements that a crash came over."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal, TransactionEnded
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused


class KnowsWhatWasPending(PendingAcks):
    """Knows which transactions have acknowledged something before the subscription was loaded."""

    def recover(self) -> None:
        super().recover()
        self._of_before = self.transactions()


@defect(
    {"PIP31-86": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
)
class ReplayedCommitTakesNothing(KnowsWhatWasPending):
    """After a crash a commit is answered with success, and finds no positions to delete: what was acknowledged in it is processed again."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        return PendingAck(txn) if txn in self._of_before and action is EndAction.COMMIT else waiting


@defect(
    {
        "PIP31-60": seen('^"i2", "i3"$', expected='^"i3"$', what="^received by workers$"),
        "PIP31-86": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for workers$"),
    },
    origin="textbook: a record for each transaction, which is written once",
)
class FirstAcknowledgementIsKept(PendingAckJournal):
    """If a transaction has acknowledged messages in several requests, a crash keeps only the first request, and the commit loses the
    others."""

    def must_be_durable(self, waiting: PendingAck) -> bool:
        return all(other.txn != waiting.txn for other in self.replay())


@defect(
    {"PIP31-86": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="textbook: handles of before the restart are searched for, and none is found",
)
class RecoveredAcknowledgementsStayPending(KnowsWhatWasPending):
    """Acknowledgements that were pending before a crash stay pending when their transaction ends: the messages are neither delivered
    nor deleted."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return PendingAck(txn) if txn in self._of_before else super().end(txn, action)


class CommitLeavesPending(PendingAcks):
    """What a commit should delete stays pending for ever where `leaves` says that."""

    def leaves(self, txn: TxnId) -> bool:
        raise NotImplementedError

    def recover(self) -> None:
        self._left: set[TxnId] = set()
        super().recover()

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        if action is EndAction.COMMIT and self.leaves(txn):
            self._left.add(txn)
        return PendingAck(txn) if txn in self._left else super().end(txn, action)


class EndTakesTheCumulative(PendingAckJournal):
    """Any end forgets a cumulative acknowledgement that is before it in the journal."""

    def replay(self) -> Sequence[PendingAck]:
        records = list(self._journal)
        last_end = max((number for number, record in enumerate(records) if isinstance(record, TransactionEnded)), default=-1)
        return [waiting for waiting in super().replay() if waiting.cumulative is None or records.index(waiting) > last_end]


@defect(
    {"PIP31-86": seen('^"i1", ("i2", )?"i3"$', expected='^("i2", )?"i3"$', what="^left for workers$")},
    origin="textbook: a log that is trimmed up to the newest record that is not needed, and not up to the oldest that is",
)
class EndTrimsPendingAcknowledgements(PendingAckJournal):
    """A transaction that ends takes out of the journal all that is before its end, also what an older one has that is open still."""

    def replay(self) -> Sequence[PendingAck]:
        records = list(self._journal)
        last_end = max((number for number, record in enumerate(records) if isinstance(record, TransactionEnded)), default=-1)
        return [waiting for waiting in super().replay() if records.index(waiting) > last_end]


@defect(
    {"PIP31-86": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: half of an id is compared, since there was one coordinator at first",
)
class ReplayComparesSequences(PendingAckJournal):
    """A replay treats pending acknowledgements as ended where a transaction of another coordinator with the same sequence
    number has ended.
    """

    def replay(self) -> Sequence[PendingAck]:
        ended = {record.txn.sequence for record in self._journal if isinstance(record, TransactionEnded)}
        return [waiting for waiting in super().replay() if waiting.txn.sequence not in ended]


@defect(
    {"PIP31-86": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for auditors$")},
    origin="red team: a map that is filled once for each transaction",
)
class FirstCumulativeIsRecovered(PendingAckJournal):
    """A start recovers the first of several cumulative acknowledgements of a transaction; its commit leaves the messages after that."""

    def replay(self) -> Sequence[PendingAck]:
        replayed = super().replay()
        first = {waiting.txn: waiting for waiting in reversed(replayed) if waiting.cumulative is not None}
        return [waiting for waiting in replayed if waiting.cumulative is None or first[waiting.txn] is waiting]


@defect(
    {"PIP31-86": seen('^"i2", "i3"$', expected='^"i2", since', what='^messages of "auditors"$')},
    origin="red team: the second of two kinds, which replaces the first",
)
class RecoveredCumulativeAlone(PendingAckJournal):
    """Where a transaction has acknowledged in both ways, a start recovers its cumulative acknowledgement alone."""

    def replay(self) -> Sequence[PendingAck]:
        replayed = super().replay()
        cumulative = {waiting.txn for waiting in replayed if waiting.cumulative is not None}
        return [waiting for waiting in replayed if waiting.cumulative is not None or waiting.txn not in cumulative]


@defect(
    {"PIP31-86": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="red team: a journal that is read by the kind of its records, and not in their order",
)
class EarlierEndsReplayedLast(PendingAckJournal):
    """After a crash the ends are replayed after the acknowledgements: an abort returns a message that another transaction has acknowledged
    since."""

    def replay(self) -> Sequence[PendingAck]:
        ended = {record.txn for record in self._journal if isinstance(record, TransactionEnded)}
        before = [record for record in self._journal if isinstance(record, PendingAck) and record.txn in ended]
        returned = {place for waiting in before for place in waiting.individual}
        return [
            replace(waiting, individual={place: units for place, units in waiting.individual.items() if place not in returned})
            for waiting in super().replay()
        ]


@defect(
    {"PIP31-86": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "auditors"$')},
    origin="red team: what stays pending looks like what is deleted where nothing else is asked",
)
class RecoveredCumulativeCommitStaysPending(CommitLeavesPending):
    """A cumulative acknowledgement that was pending before a crash stays pending when its transaction commits: the messages are neither
    delivered nor deleted."""

    def recover(self) -> None:
        super().recover()
        self._of_before = frozenset(self._cumulative)

    def leaves(self, txn: TxnId) -> bool:
        return txn in self._of_before


@defect(
    {"PIP31-86": seen('"i2", "i3"$', expected='^"i3"$', what="^left for auditors$")},
    origin="as Apache Pulsar's source reads: the store is written before the conflict is searched for",
)
class RefusedCumulativeIsReplayed(PendingAcks):
    """A cumulative acknowledgement that is refused is in the journal all the same, and after a crash takes the place of the accepted
    one."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        try:
            super().add_cumulative(txn, place)
        except CommandRefused:
            self._store.append(PendingAck(txn, cumulative=place))
            raise
