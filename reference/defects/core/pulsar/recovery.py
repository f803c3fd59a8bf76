"""Defects of the Pulsar reference in what survives a crash."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId, TxnStatus
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_log import PulsarTransactionLog


@defect({"CORE-24": seen("^nothing", expected='^"a1", "a2"$')}, origin="textbook: undecided data is not kept")
class CorePulsarOpenForgottenByCrash(PulsarTransactionLog):
    """Only decisions are in the transaction log, so a crash takes every open transaction from its writer."""

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is not TxnStatus.OPEN


@defect({"CORE-25": seen("^nothing", expected='^"a1"$')}, origin="textbook: acknowledging before writing")
class CorePulsarCommitForgottenByCrash(PulsarTransactionLog):
    """A commit is answered and is not in the transaction log, so a crash undoes what its writer was promised."""

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is not TxnStatus.COMMITTING


@defect({"CORE-26": seen('^"a1"$')}, origin="textbook: recovery that was only tried with commits")
class CorePulsarAbortCommittedByCrash(LogCoordinator):
    """A coordinator that starts commits every transaction that it finds decided, also where the decision is an abort."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(transaction, status=TxnStatus.COMMITTING) if transaction.status is TxnStatus.ABORTING else transaction


@defect({"CORE-27": expected("success", what="answer", error=".")}, origin="textbook: recovery of a database whose sessions end with it")
class CorePulsarOpenAbortedByCrash(LogCoordinator):
    """A coordinator that starts aborts every transaction that it finds open, as if the crash had ended its writer too."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        return replace(found, status=TxnStatus.ABORTING) if found.status is TxnStatus.OPEN else found


@defect(
    {"CORE-28": seen("^nothing", expected='^"a2"$', what="readers of payments")},
    origin="textbook: recovery that was only tried with one participant",
)
class CorePulsarFirstToldAfterCrash(LogCoordinator):
    """A coordinator that starts and finds a decided transaction sends a marker to its first partition only, and counts the transaction
    as complete."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        found = super().recovered(transaction)
        return replace(found, partitions=found.partitions[:1]) if found.status.is_decided else found


@defect({"CORE-28": seen("^nothing", expected='^"i1"$', what="place of workers in inputs")}, origin="found in this reference by a review")
class CorePulsarEndBeforeDeletion(PendingAcks):
    """A subscription records that a commit is over before it deletes the messages: after a crash in between, it redelivers the
    committed input."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        self.record_end(txn)
        return waiting
