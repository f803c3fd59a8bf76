"""Defects of scalable topics in what survives a crash."""

from collections.abc import Sequence

from fencepost.reference.defects.core.pulsar.recovery import CorePulsarEndBeforeDeletion
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.metadata.store import IndexEntry
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId


@defect({"CORE-24": seen("^nothing", expected='^"a1", "a2"$')}, origin="textbook: undecided data is not kept")
class CoreScalableOpenForgottenByCrash(MetadataBuffer):
    """A segment that is loaded assumes that the writers of its open transactions are gone, and aborts these, whatever their headers say."""

    found: frozenset[TxnId] = frozenset()

    def recover(self) -> None:
        super().recover()
        self.found = frozenset(self._open)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, EndAction.ABORT if txn in self.found else action, low_watermark)


@defect({"CORE-25": seen('^"not even what was written last"$', expected='^"a1"$')}, origin="textbook: acknowledging before writing")
class CoreScalableCommitForgottenByCrash(MetadataCoordinator):
    """A commit is answered before it is in the header, so a crash undoes what its writer was promised."""

    asked: tuple[tuple[TxnId, EndAction], ...] = ()

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        self.describe(txn)
        self.asked += ((txn, action),)
        reply()

    def abort_timed_out(self) -> None:
        asked, self.asked = self.asked, ()
        for txn, action in asked:
            self.decide(txn, action)
        super().abort_timed_out()


@defect(
    {"CORE-26": seen('^"a1"$', expected="^nothing$")},
    origin="feared by readers of the proposal, Q5: what says that a message is aborted when its operation records are deleted",
)
class CoreScalableAbortForgottenByCrash(MetadataBuffer):
    """A segment keeps in memory only which transactions are aborted, and after a crash treats each one that is not open as committed."""

    def recover(self) -> None:
        super().recover()
        self._aborted = {}
        self._open = {txn: first for txn, first in self._open.items() if self.participation.state_of(txn) is HeaderState.OPEN}
        self._waiting &= self._open.keys()


@defect({"CORE-27": expected("success", what="answer", error=".")}, origin="textbook: recovery of a database whose sessions end with it")
class CoreScalableOpenAbortedByCrash(MetadataCoordinator):
    """A coordinator aborts every transaction that was begun before it started, as if the crash had ended its writer too."""

    given: frozenset[TxnId] = frozenset()

    def new(self, timeout_ms: int) -> TxnId:
        txn = super().new(timeout_ms)
        self.given |= {txn}
        return txn

    def decide(self, txn: TxnId, action: EndAction) -> None:
        if txn not in self.given:
            super().decide(txn, EndAction.ABORT)
        super().decide(txn, action)


@defect(
    {"CORE-28": seen('^"a[12]"$', expected="^nothing$", what="readers of")},
    origin="apache/pulsar#25821: a review feared what is aborted and not applied yet when a segment is loaded",
)
class CoreScalableAbortedShownAfterCrash(TransactionRecords):
    """Operation records of writes have no index by their segment, and one that is loaded finds nothing that was open in it."""

    def operation_indexes(self, txn: TxnId, operation: OperationRecord) -> Sequence[IndexEntry]:
        return [entry for entry in super().operation_indexes(txn, operation) if entry.index != paths.WRITES_BY_SEGMENT]


@defect(
    {"CORE-28": seen("^nothing", expected='^"i1"$', what="place of workers in inputs")},
    origin="found in this reference by a review",
    also=[CorePulsarEndBeforeDeletion],
)
class CoreScalableEndBeforeDeletion(PendingAckRecords):
    """A subscription deletes its operation records before the acknowledged messages: after a crash in between, it redelivers the input."""

    def end(self, txn: TxnId, action: EndAction) -> None:
        self._records.delete_operations(txn, self._name)
        super().end(txn, action)
