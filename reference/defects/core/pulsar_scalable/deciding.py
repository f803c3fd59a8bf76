"""Defects of scalable topics in deciding once."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {"CORE-10": seen("TransactionNotFound", expected="^success$", what="^answer$")},
    origin="textbook: an empty list treated as a missing one",
)
class CoreScalableEmptyNotFound(MetadataCoordinator):
    """Only a transaction with operation records is known, and one in which nothing was written cannot be ended."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if not self._records.participants(txn):
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"transaction {txn} has no operation records")
        super().end(txn, action, reply)


class _CollectsAtARepeatedEnd(MetadataCoordinator):
    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        was_over = self.is_over(txn)
        super().end(txn, action, reply)
        found = self._records.header(txn)
        if was_over and found is not None and not self._records.participants(txn):
            self._records.delete_header(txn, found[1])


@defect(
    {"CORE-11": seen("^nothing", expected='^"a1"$')},
    origin="apache/pulsar#25821: committed data was filtered when its header was collected; the proposal's text, Q5",
    also=[_CollectsAtARepeatedEnd],
)
class CoreScalableCommittedDisappears(MetadataBuffer):
    """A repeated commit finds no participant to notify and removes the header, and a message without a header counts as aborted."""

    def is_shown(self, message: Message) -> bool:
        is_known = message.txn is None or self._records.header(message.txn) is not None
        return is_known and super().is_shown(message)


@defect(
    {"CORE-12": seen('^"a1"$')},
    origin="feared by readers of the proposal, Q5: what an abort hides outlives its header",
    also=[_CollectsAtARepeatedEnd],
)
class CoreScalableSecondAbortUndoesTheFirst(MetadataBuffer):
    """A repeated abort finds no participant to notify and removes the header, which alone records that the messages are aborted."""

    def is_shown(self, message: Message) -> bool:
        found = None if message.txn is None else self._records.header(message.txn)
        return found is None or found[0].state is HeaderState.COMMITTED


@defect({"CORE-13": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CoreScalableCommittedIsAborted(MetadataCoordinator):
    """A client that aborts a committed transaction is answered that it is done."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        committed = self.describe(txn).status.action is EndAction.COMMIT
        super().decide(txn, EndAction.COMMIT if committed else action)


class MetadataCommitsWhatIsAborted(MetadataCoordinator):
    """A client that commits an aborted transaction is answered that it is done."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        aborted = self.describe(txn).status.action is EndAction.ABORT
        super().decide(txn, EndAction.ABORT if aborted else action)


@defect({"CORE-14": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CoreScalableAbortedIsCommitted(MetadataCommitsWhatIsAborted):
    """A client that commits an aborted transaction is answered that it is done, and its data is gone."""
