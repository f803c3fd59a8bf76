"""Defects of Pulsar in cumulative acknowledgements in a transaction, and in their end."""

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.pending_through_crashes import CommitLeavesPending, EndTakesTheCumulative, KnowsWhatWasPending
from fencepost.reference.pulsar.buffer import MessagePosition, ReadView
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Subscription

_BEHIND_ALL = 2**20
"""A place after every message that one commit of a test has."""


@defect(
    {"PIP31-83": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="^left for auditors$")},
    origin="textbook: two forms of a request, of which the second was added later",
)
class CumulativeCommitTakesNothing(PendingAcks):
    """A commit deletes what was acknowledged individually, and forgets the position of a cumulative acknowledgement."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return replace(super().end(txn, action), cumulative=None)


@defect(
    {"PIP31-84": seen('^("i3"|TransactionConflict.*)$', what="^(left for auditors|answer to ACK)$")},
    origin="textbook: a field that only a commit clears",
)
class CumulativeOutlivesItsAbort(PendingAcks):
    """An abort leaves the cumulative acknowledgement pending: its messages are neither delivered nor acknowledged by another
    transaction."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        held = self._cumulative
        waiting = super().end(txn, action)
        if action is EndAction.ABORT:
            self._cumulative = held
        return waiting


@defect(
    {"PIP31-85": seen('^"i1", "i2", "i3"$', expected='^"i1", "i2",', what="^messages of .auditors.$")},
    origin="textbook: a table that is cleared where an entry should be removed",
)
class CumulativeEndForgetsOthers(PendingAcks):
    """With the end of a cumulative acknowledgement all that is pending is dropped, also what another transaction commits afterwards."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        is_cumulative = txn in self._cumulative
        waiting = super().end(txn, action)
        if is_cumulative:
            self._individual.clear()
        return waiting


@defect(
    {"PIP31-83": seen("^nothing$", expected='^"a2", "a3"$', what="^left for others$")},
    origin="textbook: an id of several parts, of which the first is compared",
)
class CumulativeTakesTheWholeCommit(PendingAcks):
    """A cumulative acknowledgement of one message of a committed transaction covers all its messages, since they are read at one marker."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        super().add_cumulative(txn, MessagePosition(place.position, _BEHIND_ALL) if place.number >= 0 else place)


@defect(
    {
        "PIP31-58": seen('^"i2", "i3"$', expected='"i1", "i2", "i3"$', what="^received by workers$"),
        "PIP31-84": seen('^"i3"$', expected='"i1", "i2", "i3"$', what="^received by auditors$"),
    },
    origin="found in this reference by a review",
)
class AbortGivesBackWhatConsumersHave(Subscription):
    """An abort gives back what the consumer has had, and not what was passed over since, as the one that came then was served."""

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        held = {place: units for place, units in wanted.items() if self._held.get(place)}
        if held:
            super().give_back(held)


@defect(
    {"PIP31-85": seen('^"i1", "i2"', expected='^"i2"', what='^messages of "auditors"$')},
    origin="textbook: a snapshot of one list, which is treated as both",
)
class AnyEndForgetsTheCumulative(EndTakesTheCumulative):
    """The end of any transaction on a subscription has its next start forget the cumulative acknowledgement of another one."""


@defect(
    {"PIP31-83": seen('^"i2", "i3"$', expected='^"i2"$', what="^left for auditors$")},
    origin="textbook: a choice of two, where there can be both",
)
class IndividualBesideCumulativeForgotten(PendingAcks):
    """Where a transaction has acknowledged in both ways, its commit deletes up to its position, and forgets the single
    messages after it.
    """

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        return replace(waiting, individual={}) if waiting.cumulative else waiting


class _TakesThemForEnded(Subscription):
    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:
        return [txn for txn in super().strays(is_over) if txn not in getattr(self.pending, "left_behind", ())]


@defect(
    {"PIP31-83": seen("^nothing$", expected='"b2", "b3"$', what="^left for others$")},
    origin="textbook: a position in a log of entries, where messages are meant",
)
class CumulativeTakesTheWholeBatch(Subscription):
    """A cumulative acknowledgement up to a message inside a batch covers the whole batch: its commit deletes messages that were not
    acknowledged."""

    def acknowledge_up_to_in(self, txn: TxnId, place: MessagePosition) -> None:
        batch = next(iter(self._buffer.after(place)), None)
        ends_within = batch is not None and place.number == sys.maxsize
        super().acknowledge_up_to_in(txn, batch.place if batch and ends_within else place)


@defect(
    {
        "PIP31-83": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "auditors"$'),
        "PIP31-84": seen('^"i1", "i2"$', expected='^"i1", "i2", "i3"$', what="^left for auditors$"),
    },
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    also=[_TakesThemForEnded],
)
class IndividualBesideCumulativeStays(PendingAcks):
    """Where a transaction has acknowledged in both ways, its end is applied to its position, and single messages stay pending."""

    def recover(self) -> None:
        self.left_behind: set[TxnId] = set()
        super().recover()

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        held = dict(self._individual) if txn in self._cumulative else {}
        waiting = super().end(txn, action)
        if held:
            self._individual |= held
            self.left_behind.add(txn)
        return replace(waiting, individual={}) if held else waiting


@defect(
    {"PIP31-173": seen('^"i1", "i2", "i3"', expected='^"i1", (("i2", )?"i3"|"i2")', what="^left for (auditors|others)$")},
    origin="red team: a cursor that begins again at its mark",
)
class CumulativeAbortForgetsWhatIsDeleted(Subscription):
    """An abort of a cumulative acknowledgement has the cursor begin again at its mark, and what was deleted after that is redelivered."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT and self.pending.has_any_up_to(EARLIEST):  # only a cumulative one begins there
            self.cursor.seek(self.cursor.mark_delete)
        super().apply_outcome(txn, action)


class _CumulativeReplacesIndividual(PendingAcks):
    def recover(self) -> None:
        self.replaced: dict[TxnId, dict[MessagePosition, dict[int, TxnId]]] = {}
        super().recover()

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        super().add_cumulative(txn, place)
        self.replaced[txn] = {taken: owners for taken, owners in self._individual.items() if set(owners.values()) == {txn}}
        self._individual = {taken: owners for taken, owners in self._individual.items() if taken not in self.replaced[txn]}


@defect(
    {"PIP31-83": seen('^"i2", "i3"$', expected='^"i2", since', what='^messages of "auditors"$')},
    origin="red team: the second of two kinds, which replaces the first",
)
class CumulativeReplacesIndividual(_CumulativeReplacesIndividual):
    """A cumulative acknowledgement replaces what its transaction has acknowledged one by one; the commit leaves later ones of these."""


@defect(
    {"PIP31-84": seen('^"i1", "i2"$', expected='^"i1", "i2", "i3"$', what="^left for auditors$")},
    origin="red team: the second of two kinds, which replaces the first",
)
class AbortGivesBackTheCumulativeAlone(_CumulativeReplacesIndividual):
    """After an individual acknowledgement and a cumulative one of earlier messages, an abort redelivers up to the cumulative one alone."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        individual = {place: frozenset(owners) for place, owners in self.replaced.get(txn, {}).items()}
        waiting = super().end(txn, action)
        if action is EndAction.COMMIT:
            return replace(waiting, individual=individual | dict(waiting.individual))
        self._individual |= self.replaced.get(txn, {})
        return waiting


class CumulativeCommitLeavesPending(CommitLeavesPending):
    """What a transaction has acknowledged cumulatively."""

    def leaves(self, txn: TxnId) -> bool:
        return txn in self._cumulative


@defect(
    {"PIP31-83": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "auditors"$')},
    origin="red team: a check that looks once cannot distinguish what stays pending from what is deleted",
)
class PulsarCumulativeCommitPending(CumulativeCommitLeavesPending):
    """A commit of a cumulative acknowledgement leaves its messages pending for ever: they are withheld and never deleted."""


@defect(
    {"PIP31-84": seen('^"i2", "i3"$', expected='"i1", "i2", "i3"$', what="^left for auditors$")},
    origin="red team: the second of a kind is undone, and not the first",
)
class AbortDeletesUpToTheFirst(Subscription):
    """When a transaction has acknowledged cumulatively twice, its abort redelivers only what the second acknowledgement added."""

    def acknowledge_up_to_in(self, txn: TxnId, place: MessagePosition) -> None:
        super().acknowledge_up_to_in(txn, place)
        self._earlier = (*getattr(self, "_earlier", ()), (txn, place))

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        places = [place for owner, place in getattr(self, "_earlier", ()) if owner == txn]
        if action is EndAction.ABORT and len(places) > 1:
            self.cursor.acknowledge_up_to(places[0], self._buffer)
        super().apply_outcome(txn, action)


@defect(
    {"PIP31-63": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="textbook: one field, written without being read",
)
class CumulativeIsReplaced(PendingAcks):
    """A second transaction takes the place of the first one, whose commit then deletes nothing."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._keep(PendingAck(txn, cumulative=place))


@defect(
    {"PIP31-64": seen('^"i3"$', expected='^at least "i1"$', what="^left for auditors$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class CumulativeTakesThePending(PendingAcks):
    """A cumulative acknowledgement commits over a message that is pending in another transaction, whose abort finds nothing."""

    def covers_anothers(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002 - it does not look at single messages
        return False


@defect(
    {"PIP31-121": seen("^A and B$", expected="^at most one$", what="^who has taken i[12] of auditors$")},
    origin="red team: one direction of a comparison",
)
class PulsarIndividualUnderCumulativeCommits(PendingAcks):
    """A single message is not compared with the cumulative acknowledgement of another transaction, and both commits succeed."""

    def lies_under_another(self, txn: TxnId, place: MessagePosition) -> bool:  # noqa: ARG002 - it does not look at cumulative ones
        return False


@defect(
    {"PIP31-121": seen("^[AB] and [AB]$", expected="^at most one$", what="^who has taken i[12] of auditors$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class PulsarBothKindsCommit(CumulativeTakesThePending, PulsarIndividualUnderCumulativeCommits):
    """An acknowledgement is compared with those of its kind only: a message and all up to it are taken by two transactions."""


@defect(
    {"PIP31-63": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: half of an id is compared",
)
class CumulativeConflictBySequenceAlone(PendingAcks):
    """A transaction takes over what a transaction with the same number at another coordinator has acknowledged cumulatively."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._cumulative = {txn if owner.sequence == txn.sequence else owner: held for owner, held in self._cumulative.items()}
        super().add_cumulative(txn, place)


class NotesWhatWasAsked(PendingAcks):
    """Keeps for each transaction up to where it requested to acknowledge cumulatively, whether or not that was refused."""

    @functools.cached_property
    def _asked(self) -> dict[TxnId, MessagePosition]:
        return {}

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._asked[txn] = place
        super().add_cumulative(txn, place)


@defect(
    {"PIP31-64": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for auditors$")},
    origin="red team: a transaction is noted for what it requested, and not for what was granted",
)
class RefusedCumulativeReleasesTheIndividual(NotesWhatWasAsked):
    """The abort of a transaction whose cumulative acknowledgement was refused releases what others have acknowledged below it."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        asked = self._asked.get(txn)
        if action is EndAction.ABORT and asked is not None and waiting.cumulative is None:
            self._individual = {place: owners for place, owners in self._individual.items() if place > asked}
        return waiting


@defect(
    {"PIP31-83": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="^left for auditors$")},
    origin="red team: a transaction is noted for what it requested, and not for what was granted",
)
class RefusedCumulativeReleasesTheOther(NotesWhatWasAsked):
    """A transaction whose cumulative acknowledgement was refused ends, and with it the acknowledgement of the transaction that caused the
    refusal.
    """

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        if txn in self._asked and txn not in self._cumulative:
            self._cumulative = {}
        return super().end(txn, action)


@defect(
    {"PIP31-63": seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")},
    origin="red team: a conflict that is searched for among the requests of this start",
)
class RecoveredCumulativeIsReplaced(KnowsWhatWasPending):
    """After a crash a transaction replaces the cumulative acknowledgement of another one, which was pending before."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        self._cumulative = {owner: held for owner, held in self._cumulative.items() if owner not in self._of_before}
        super().add_cumulative(txn, place)


class _ForgetsTheCumulative(PendingAcks):
    def forget_cumulative(self) -> None:
        self._cumulative = {}


@defect(
    {"PIP31-83": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="^left for auditors$")},
    origin="red team: a position that belongs to the consumer that sent it",
    also=[_ForgetsTheCumulative],
)
class LeavingReleasesTheCumulative(Subscription):
    """When its only consumer leaves, a subscription forgets up to where a transaction has acknowledged, and the commit deletes nothing."""

    def detach(self, consumer: Consumer) -> None:
        if self.consumers == [consumer] and isinstance(self.pending, _ForgetsTheCumulative):
            self.pending.forget_cumulative()
        super().detach(consumer)


@defect(
    {"PIP31-83": seen('^"i3"$', expected="^nothing$", what="^left for auditors$")},
    origin="found by a mutant: a cursor that keeps one range beyond its position",
)
class CumulativeKeepsOneBeyond(Cursor):
    """A cumulative acknowledgement keeps the first of the messages beyond it that are acknowledged one by one, and forgets the others."""

    def acknowledge_up_to(self, place: MessagePosition, buffer: ReadView) -> None:
        if place > self.mark_delete:
            self._beyond = dict(sorted(self._beyond.items())[:1])
        super().acknowledge_up_to(place, buffer)
