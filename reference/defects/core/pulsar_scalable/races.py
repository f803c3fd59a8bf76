"""Defects of scalable topics in concurrent requests."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId


@defect(
    {"CORE-36": seen('^"a1";', expected='^"a1", "a2"$', what="readers of orders")}, origin="textbook: a receipt for what was thrown away"
)
class CoreScalableAcknowledgedAndDropped(MetadataBuffer):
    """A broker drops and receipts a message whose transaction has just ended, since no reader could see it any more."""

    def publish(self, message: Message) -> Position:
        is_late = message.txn is not None and self.participation.state_of(message.txn) is not HeaderState.OPEN
        return self._ledger.last if is_late else super().publish(message)


@defect({"CORE-37": seen("success.*success", what="two ends at the same time")}, origin="textbook: a check, and then an act")
class CoreScalableBothDecidersWin(MetadataCoordinator):
    """A coordinator answers every end of a decided transaction with success, also one that asks for the opposite of the decision."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.is_over(txn):
            reply()
        else:
            super().end(txn, action, reply)
