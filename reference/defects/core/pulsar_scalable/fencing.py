"""Defects of scalable topics in transactions that their client did not end: they ended by a timeout, or on another connection."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId

from .deciding import MetadataCommitsWhatIsAborted

_SECOND_MS = 1_000


@defect(
    {"CORE-15": seen("^not over", what="transaction of A")},
    origin="apache/pulsar#10306: what a client had acknowledged stayed pending after the client was killed",
)
class CoreScalableNeverExpires(MetadataCoordinator):
    """A transaction that its writer abandoned is open for ever."""

    def abort_timed_out(self) -> None:
        return


@defect({"CORE-16": seen("^success", expected="a refusal")}, origin="textbook: units")
class CoreScalableSecondsForMilliseconds(MetadataCoordinator):
    """A timeout in milliseconds is read as one in seconds, so that a late commit finds its transaction open."""

    def new(self, timeout_ms: int) -> TxnId:
        return super().new(timeout_ms * _SECOND_MS)


@defect({"CORE-17": seen('^"late"')}, origin="textbook: a producer without an open transaction is treated as unknown")
class CoreScalableLateWriteShown(MetadataBuffer):
    """A topic stores a message of an ended transaction as a message outside of transactions, so every reader receives it."""

    def publish(self, message: Message) -> Position:
        is_late = message.txn is not None and self.participation.state_of(message.txn) is not HeaderState.OPEN
        return super().publish(replace(message, txn=None) if is_late else message)


@defect(
    {"CORE-19": seen("^nothing", expected='^"plain"$')},
    origin="feared by readers of the proposal, Q7: the operation record that comes after the end, and its deletion",
)
class CoreScalableLateWriteOpensAgain(MetadataBuffer):
    """A message of an ended transaction opens it again in a segment that has already applied the end and applies it only once, so
    readers wait."""

    ended: frozenset[TxnId] = frozenset()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:  # noqa: ARG002 - it refuses none
        return

    def check_again(self, txn: TxnId) -> None:  # noqa: ARG002 - nor does it look again
        return

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn not in self.ended:
            self.ended |= {txn}
            super().end(txn, action, low_watermark)


@defect({"CORE-18": seen("^success", expected="a refusal")}, origin="textbook: what has ended needs no end")
class CoreScalableLostTransactionIsCommitted(MetadataCommitsWhatIsAborted):
    """A commit is answered with success although another client has aborted the transaction."""
