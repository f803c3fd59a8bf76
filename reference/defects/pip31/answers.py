"""Defects of Pulsar in requests that are never answered."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId


@defect({"PIP31-148": seen("^END_TXN: no answer", what="^answers$")}, origin="textbook: a callback that is not called")
class PulsarEndIsNotAnswered(LogCoordinator):
    """A transaction is ended as requested, and the client is not answered."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:  # noqa: ARG002 - which is never called
        super().end(txn, action, lambda: None)
