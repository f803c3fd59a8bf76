"""Defects of Pulsar in acknowledgements of a batch's messages, in transactions."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, TxnId


class _EndsTheWholeEntry(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        everybodys = {place: frozenset(owners) for place, owners in self._individual.items() if txn in owners.values()}
        waiting = super().end(txn, action)
        return replace(waiting, individual=everybodys) if action is Action.COMMIT else waiting


class _AnEntryIsOneMessage(PendingAcks):
    def is_pending(self, place: Place, units: Units) -> bool:
        return bool(units) and place in self._individual


COMMIT_TAKES_THE_ENTRY = Defect(
    name="commit-takes-the-entry",
    breaks={"PIP31-66": Symptom(what="^left for workers$", expected='^"b2", "b3"$', seen='^"b3"$')},
    story="A commit acknowledges what another transaction has of the same entry, and its abort gives nothing back.",
    origin="apache/pulsar#16032: two transactions that acknowledge messages of one batch",
    parts=Parts(pending_acks=_EndsTheWholeEntry),
)

ENTRY_IS_ONE_MESSAGE = Defect(
    name="entry-is-one-message",
    breaks={"PIP31-66": Symptom(what="^answer to ACK$", expected="^success$", error="TransactionConflict")},
    story="The first transaction that acknowledges a message of a batch has the whole entry.",
    origin="textbook: a state for each entry",
    parts=Parts(pending_acks=_AnEntryIsOneMessage),
)
