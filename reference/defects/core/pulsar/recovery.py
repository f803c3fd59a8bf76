"""Defects of the Pulsar reference in what survives a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Action, Status, TxnId


class _ForgetsTheOpen(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.OPEN


class _AnswersBeforeItWrites(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.COMMITTING


class _CommitsWhatItFinds(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, status=Status.COMMITTING) if transaction.status is Status.ABORTING else transaction


class _AbortsTheOpenItFinds(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, status=Status.ABORTING) if found.status is Status.OPEN else found


class _TellsTheFirstOfThoseItFinds(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, partitions=found.partitions[:1]) if found.status.is_decided else found


class EndsBeforeItDeletes(PendingAcks):
    """That a transaction has ended is durable before what it acknowledged is deleted."""

    def end(self, txn: TxnId, action: Action) -> Waiting:
        waiting = super().end(txn, action)
        self.record_end(txn)
        return waiting


OPEN_FORGOTTEN_BY_CRASH = Defect(
    name="core-pulsar-open-forgotten-by-crash",
    breaks={"CORE-24": Symptom(expected='^"a1", "a2"$', seen="^nothing")},
    story="Only decisions are in the transaction log, so a crash takes every open transaction from its writer.",
    origin="textbook: what is not decided held for not worth keeping",
    parts=Parts(transaction_log=_ForgetsTheOpen),
)

COMMIT_FORGOTTEN_BY_CRASH = Defect(
    name="core-pulsar-commit-forgotten-by-crash",
    breaks={"CORE-25": Symptom(expected='^"a1"$', seen="^nothing")},
    story="A commit is answered and is not in the transaction log, so a crash undoes what its writer was promised.",
    origin="textbook: acknowledging before writing",
    parts=Parts(transaction_log=_AnswersBeforeItWrites),
)

ABORT_COMMITTED_BY_CRASH = Defect(
    name="core-pulsar-abort-committed-by-crash",
    breaks={"CORE-26": Symptom(seen='^"a1"$')},
    story="A coordinator that starts commits whatever it finds decided, an abort too.",
    origin="textbook: recovery that was only tried with commits",
    parts=Parts(coordinator=_CommitsWhatItFinds),
)

OPEN_ABORTED_BY_CRASH = Defect(
    name="core-pulsar-open-aborted-by-crash",
    breaks={"CORE-27": Symptom(what="answer", expected="success", error=".")},
    story="A coordinator that starts aborts whatever it finds open, as if its writer had gone with the crash.",
    origin="textbook: recovery of a database whose sessions end with it",
    parts=Parts(coordinator=_AbortsTheOpenItFinds),
)

FIRST_TOLD_AFTER_CRASH = Defect(
    name="core-pulsar-first-told-after-crash",
    breaks={"CORE-28": Symptom(what="readers of payments", expected='^"a2"$', seen="^nothing")},
    story="A coordinator that starts tells what it finds decided to the first of those who took part, and takes it for complete.",
    origin="textbook: recovery that was only tried with one participant",
    parts=Parts(coordinator=_TellsTheFirstOfThoseItFinds),
)

END_BEFORE_DELETION = Defect(
    name="core-pulsar-end-before-deletion",
    breaks={"CORE-28": Symptom(what="place of workers in inputs", expected='^"i1"$', seen="^nothing")},
    story="A subscription writes down that a commit is over, and then deletes: after a crash in between, the committed input comes again.",
    origin="found in this reference by a review",
    parts=Parts(pending_acks=EndsBeforeItDeletes),
)
