"""Defects of Pulsar in the end of a cumulative acknowledgement."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.pending_through_crashes import EndTakesTheCumulative
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, TxnId

_BEHIND_ALL = 2**20
"""Behind every message that one commit of a test has."""


class _CommitsTheIndividualOnly(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        return replace(super().end(txn, action), cumulative=None)


class _AbortKeepsTheCumulative(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        held = self._cumulative
        waiting = super().end(txn, action)
        if action is Action.ABORT:
            self._cumulative = held
        return waiting


class _AbortForgetsEverybody(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        is_cumulative = txn in self._cumulative
        waiting = super().end(txn, action)
        if is_cumulative:
            self._individual.clear()
        return waiting


CUMULATIVE_COMMIT_TAKES_NOTHING = Defect(
    name="cumulative-commit-takes-nothing",
    breaks={"PIP31-83": Symptom(what="^left for auditors$", expected='^"i3"$', seen='^"i1", "i2", "i3"$')},
    story="A commit deletes what was acknowledged one by one, and forgets the position up to which all was.",
    origin="textbook: two forms of a request, of which the second was added later",
    parts=Parts(pending_acks=_CommitsTheIndividualOnly),
)

CUMULATIVE_OUTLIVES_ITS_ABORT = Defect(
    name="cumulative-outlives-its-abort",
    breaks={"PIP31-84": Symptom(what="^(left for auditors|answer to ACK)$", seen='^("i3"|TransactionConflict.*)$')},
    story="An abort leaves the cumulative acknowledgement pending: nobody gets the messages, and nobody may acknowledge them.",
    origin="textbook: a field that only a commit clears",
    parts=Parts(pending_acks=_AbortKeepsTheCumulative),
)

CUMULATIVE_END_FORGETS_OTHERS = Defect(
    name="cumulative-end-forgets-others",
    breaks={"PIP31-85": Symptom(what="^messages of .auditors.$", expected='^"i1", "i2",', seen='^"i1", "i2", "i3"$')},
    story="With the end of a cumulative acknowledgement all that is pending is dropped, also what another transaction commits afterwards.",
    origin="textbook: a table that is cleared where an entry should be removed",
    parts=Parts(pending_acks=_AbortForgetsEverybody),
)


class _TakesTheWholeCommit(PendingAcks):
    def add_cumulative(self, txn: TxnId, place: Place) -> None:
        super().add_cumulative(txn, Place(place.position, _BEHIND_ALL) if place.number >= 0 else place)


CUMULATIVE_TAKES_THE_WHOLE_COMMIT = Defect(
    name="cumulative-takes-the-whole-commit",
    breaks={"PIP31-83": Symptom(what="^left for others$", expected='^"a2", "a3"$', seen="^nothing$")},
    story="Everything up to one message of a committed transaction takes all of its messages, for they stand at one marker.",
    origin="textbook: an id of several parts, of which the first is compared",
    parts=Parts(pending_acks=_TakesTheWholeCommit),
)


class _GivesBackWhatConsumersHave(Subscription):
    def give_back(self, wanted: Mapping[Place, Units]) -> None:
        held = {place: units for place, units in wanted.items() if self._held.get(place)}
        if held:
            super().give_back(held)


ABORT_GIVES_BACK_WHAT_CONSUMERS_HAVE = Defect(
    name="abort-gives-back-what-consumers-have",
    breaks={
        "PIP31-58": Symptom(what="^received by workers$", expected='"i1", "i2", "i3"$', seen='^"i2", "i3"$'),
        "PIP31-84": Symptom(what="^received by auditors$", expected='"i1", "i2", "i3"$', seen='^"i3"$'),
    },
    story="An abort gives back what the consumer has had, and not what was passed over since, as the one that came then was served.",
    origin="found in this reference by a review",
    parts=Parts(subscription=_GivesBackWhatConsumersHave),
)

ANY_END_FORGETS_THE_CUMULATIVE = Defect(
    name="any-end-forgets-the-cumulative",
    breaks={"PIP31-85": Symptom(what='^messages of "auditors"$', expected='^"i2"', seen='^"i1", "i2"')},
    story="The end of any transaction on a subscription has its next start forget the cumulative acknowledgement of another one.",
    origin="textbook: a snapshot of one list, which is taken for both",
    parts=Parts(pending_ack_journal=EndTakesTheCumulative),
)


class _CommitsTheCumulativeOnly(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        waiting = super().end(txn, action)
        return replace(waiting, individual={}) if waiting.cumulative else waiting


class _LeavesTheIndividualPending(PendingAcks):
    def recover(self) -> None:
        self.left_behind: set[TxnId] = set()
        super().recover()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        held = dict(self._individual) if txn in self._cumulative else {}
        waiting = super().end(txn, action)
        if held:
            self._individual |= held
            self.left_behind.add(txn)
        return replace(waiting, individual={}) if held else waiting


class _TakesThemForEnded(Subscription):
    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:
        return [txn for txn in super().strays(is_over) if txn not in getattr(self.pending, "left_behind", ())]


class _TakesTheBatchThatItEndsIn(Subscription):
    def acknowledge_up_to_in(self, txn: TxnId, place: Place) -> None:
        batch = next(iter(self._buffer.after(place)), None)
        ends_within = batch is not None and place.number == sys.maxsize
        super().acknowledge_up_to_in(txn, batch.place if batch and ends_within else place)


INDIVIDUAL_BESIDE_CUMULATIVE_FORGOTTEN = Defect(
    name="individual-beside-cumulative-forgotten",
    breaks={"PIP31-83": Symptom(what="^left for auditors$", expected='^"i2"$', seen='^"i2", "i3"$')},
    story="Where a transaction has acknowledged in both ways, its commit deletes up to its position, and forgets single messages behind.",
    origin="textbook: a choice of two, where there can be both",
    parts=Parts(pending_acks=_CommitsTheCumulativeOnly),
)

INDIVIDUAL_BESIDE_CUMULATIVE_STAYS = Defect(
    name="individual-beside-cumulative-stays",
    breaks={
        "PIP31-83": Symptom(what='^pending in "auditors"$', expected="^nothing$", seen="^something of 1 transactions$"),
        "PIP31-84": Symptom(what="^left for auditors$", expected='^"i1", "i2", "i3"$', seen='^"i1", "i2"$'),
    },
    story="Where a transaction has acknowledged in both ways, its end is applied to its position, and single messages stay pending.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(pending_acks=_LeavesTheIndividualPending, subscription=_TakesThemForEnded),
)

CUMULATIVE_TAKES_THE_WHOLE_BATCH = Defect(
    name="cumulative-takes-the-whole-batch",
    breaks={"PIP31-83": Symptom(what="^left for others$", expected='"b2", "b3"$', seen="^nothing$")},
    story="Everything up to a message in the middle of a batch takes the whole batch: its commit deletes what nobody has acknowledged.",
    origin="textbook: a position in a log of entries, where messages are meant",
    parts=Parts(subscription=_TakesTheBatchThatItEndsIn),
)
