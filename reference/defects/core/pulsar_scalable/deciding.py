"""Defects of scalable topics in deciding once."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.values import Action, Message, TxnId


class _KnowsOnlyWhatHasRecords(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if not self._records.participants(txn):
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"transaction {txn} has no operation records")
        super().end(txn, action, reply)


class _CollectsAtARepeatedEnd(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        was_over = self.is_over(txn)
        super().end(txn, action, reply)
        found = self._records.header(txn)
        if was_over and found is not None and not self._records.participants(txn):
            self._records.delete_header(txn, found[1])


class _HidesTheUnknown(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        is_known = message.txn is None or self._records.header(message.txn) is not None
        return is_known and super().is_shown(message)


class _GoesByTheHeader(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        found = None if message.txn is None else self._records.header(message.txn)
        return found is None or found[0].state is State.COMMITTED


class _AbortsWhatIsCommitted(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        committed = self.describe(txn).status.action is Action.COMMIT
        super().decide(txn, Action.COMMIT if committed else action)


class CommitsWhatIsAborted(MetadataCoordinator):
    """Whoever commits what is aborted is told that it is done."""

    def decide(self, txn: TxnId, action: Action) -> None:
        aborted = self.describe(txn).status.action is Action.ABORT
        super().decide(txn, Action.ABORT if aborted else action)


EMPTY_NOT_FOUND = Defect(
    name="core-scalable-empty-not-found",
    breaks={"CORE-10": Symptom(what="^answer$", expected="^success$", seen="TransactionNotFound")},
    story="Only a transaction with operation records is known, and one in which nothing was written cannot be ended.",
    origin="textbook: an empty list taken for a missing one",
    parts=MetadataParts(metadata_coordinator=_KnowsOnlyWhatHasRecords),
)

COMMITTED_DISAPPEARS = Defect(
    name="core-scalable-committed-disappears",
    breaks={"CORE-11": Symptom(expected='^"a1"$', seen="^nothing")},
    story="A commit that is asked for again finds nobody to tell and removes the header, and what has no header counts as aborted.",
    origin="apache/pulsar#25821: committed data was filtered when its header was collected; the proposal's text, Q5",
    parts=MetadataParts(metadata_coordinator=_CollectsAtARepeatedEnd, metadata_buffer=_HidesTheUnknown),
)

SECOND_ABORT_UNDOES_THE_FIRST = Defect(
    name="core-scalable-second-abort-undoes-the-first",
    breaks={"CORE-12": Symptom(seen='^"a1"$')},
    story="An abort that is asked for again finds nobody to tell and removes the header, which alone says that the messages are aborted.",
    origin="feared by readers of the proposal, Q5: what an abort hides outlives its header",
    parts=MetadataParts(metadata_coordinator=_CollectsAtARepeatedEnd, metadata_buffer=_GoesByTheHeader),
)

COMMITTED_IS_ABORTED = Defect(
    name="core-scalable-committed-is-aborted",
    breaks={"CORE-13": Symptom(expected="a refusal", seen="^success")},
    story="Whoever aborts a committed transaction is told that it is done.",
    origin="textbook: what has ended needs no end",
    parts=MetadataParts(metadata_coordinator=_AbortsWhatIsCommitted),
)

ABORTED_IS_COMMITTED = Defect(
    name="core-scalable-aborted-is-committed",
    breaks={"CORE-14": Symptom(expected="a refusal", seen="^success")},
    story="Whoever commits an aborted transaction is told that it is done, and its data is gone.",
    origin="textbook: what has ended needs no end",
    parts=MetadataParts(metadata_coordinator=CommitsWhatIsAborted),
)
