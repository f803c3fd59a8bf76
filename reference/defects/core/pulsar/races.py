"""Defects of the Pulsar reference in concurrent requests."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


@defect(
    {"CORE-36": seen('^"a1";', expected='^"a1", "a2"$', what="readers of orders")}, origin="textbook: a receipt for what was thrown away"
)
class CorePulsarAcknowledgedAndDropped(SidecarBuffer):
    """A broker drops and receipts a message whose transaction has just ended, since no reader could see it any more."""

    def publish(self, message: Message) -> Position:
        return self._ledger.last if message.txn in self._ended else super().publish(message)


@defect({"CORE-37": seen("success.*success", what="two ends at the same time")}, origin="textbook: a check, and then an act")
class CorePulsarBothDecidersWin(LogCoordinator):
    """Once a transaction is decided, the coordinator answers every end with success, whether it asks for a commit or an abort."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self.describe(txn).status.is_decided:
            reply()
        else:
            super().end(txn, action, reply)
