"""Defects of scalable topics in what survives a crash."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.core.pulsar.recovery import EndsBeforeItDeletes
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import IndexEntry
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.values import Action, TxnId


class AbortsWhatItFinds(MetadataBuffer):
    """What is open when a segment is loaded is aborted there, however it ends."""

    found: frozenset[TxnId] = frozenset()

    def recover(self) -> None:
        super().recover()
        self.found = frozenset(self._open)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, Action.ABORT if txn in self.found else action, low_watermark)


class _AnswersBeforeItWrites(MetadataCoordinator):
    asked: tuple[tuple[TxnId, Action], ...] = ()

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        self.describe(txn)
        self.asked += ((txn, action),)
        reply()

    def abort_timed_out(self) -> None:
        asked, self.asked = self.asked, ()
        for txn, action in asked:
            self.decide(txn, action)
        super().abort_timed_out()


class _ForgetsWhatIsAborted(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._aborted = {}
        self._open = {txn: first for txn, first in self._open.items() if self.participation.state_of(txn) is State.OPEN}
        self._waiting &= self._open.keys()


class _AbortsTheOpenOfOthers(MetadataCoordinator):
    given: frozenset[TxnId] = frozenset()

    def new(self, timeout_ms: int) -> TxnId:
        txn = super().new(timeout_ms)
        self.given |= {txn}
        return txn

    def decide(self, txn: TxnId, action: Action) -> None:
        if txn not in self.given:
            super().decide(txn, Action.ABORT)
        super().decide(txn, action)


class _FindsOnlyAcknowledgements(TransactionRecords):
    def operation_indexes(self, txn: TxnId, operation: Operation) -> Sequence[IndexEntry]:
        return [entry for entry in super().operation_indexes(txn, operation) if entry.index != paths.WRITES_BY_SEGMENT]


class _DeletesItsRecordsFirst(PendingAckRecords):
    def end(self, txn: TxnId, action: Action) -> None:
        self._records.delete_operations(txn, self._name)
        super().end(txn, action)


OPEN_FORGOTTEN_BY_CRASH = Defect(
    name="core-scalable-open-forgotten-by-crash",
    breaks={"CORE-24": Symptom(expected='^"a1", "a2"$', seen="^nothing")},
    story="A segment that is loaded takes the writers of what it finds open for gone, and aborts that, whatever its header says.",
    origin="textbook: what is not decided held for not worth keeping",
    parts=MetadataParts(metadata_buffer=AbortsWhatItFinds),
)

COMMIT_FORGOTTEN_BY_CRASH = Defect(
    name="core-scalable-commit-forgotten-by-crash",
    breaks={"CORE-25": Symptom(expected='^"a1"$', seen='^"not even what was written last"$')},
    story="A commit is answered before it is in the header, so a crash undoes what its writer was promised.",
    origin="textbook: acknowledging before writing",
    parts=MetadataParts(metadata_coordinator=_AnswersBeforeItWrites),
)

ABORT_FORGOTTEN_BY_CRASH = Defect(
    name="core-scalable-abort-forgotten-by-crash",
    breaks={"CORE-26": Symptom(expected="^nothing$", seen='^"a1"$')},
    story="A segment knows in memory only what is aborted, and after a crash takes what is not open for committed.",
    origin="feared by readers of the proposal, Q5: what says that a message is aborted when its operation records are deleted",
    parts=MetadataParts(metadata_buffer=_ForgetsWhatIsAborted),
)

OPEN_ABORTED_BY_CRASH = Defect(
    name="core-scalable-open-aborted-by-crash",
    breaks={"CORE-27": Symptom(what="answer", expected="success", error=".")},
    story="A coordinator aborts whatever was begun before its own start, as if its writer had gone with the crash.",
    origin="textbook: recovery of a database whose sessions end with it",
    parts=MetadataParts(metadata_coordinator=_AbortsTheOpenOfOthers),
)

ABORTED_SHOWN_AFTER_CRASH = Defect(
    name="core-scalable-aborted-shown-after-crash",
    breaks={"CORE-28": Symptom(what="readers of", expected="^nothing$", seen='^"a[12]"$')},
    story="Operation records of writes have no index by their segment, and one that is loaded finds nothing that was open in it.",
    origin="apache/pulsar#25821: a review feared what is aborted and not applied yet when a segment is loaded",
    parts=MetadataParts(transaction_records=_FindsOnlyAcknowledgements),
)

END_BEFORE_DELETION = Defect(
    name="core-scalable-end-before-deletion",
    breaks={"CORE-28": Symptom(what="place of workers in inputs", expected='^"i1"$', seen="^nothing")},
    story="A subscription deletes its operation records, and then what was acknowledged: after a crash in between, the input comes again.",
    origin="found in this reference by a review",
    parts=MetadataParts(pending_acks=EndsBeforeItDeletes, pending_ack_records=_DeletesItsRecordsFirst),
)
