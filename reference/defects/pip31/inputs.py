"""Defects of Pulsar in input and output that belong together."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.subscription import Subscription


@defect(
    {"PIP31-03": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="textbook: both ends of a transaction only clear the pending state",
)
class PulsarCommitKeepsInput(Subscription):
    """A commit shows the output, and gives the input back as an abort does."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, EndAction.ABORT)


@defect(
    {"PIP31-04": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="textbook: an abort that thinks only of messages",
)
class PulsarAbortKeepsInput(PendingAcks):
    """An abort hides the output, and leaves the acknowledgements pending: the input is lost for its subscription."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return super().end(txn, action) if action is EndAction.COMMIT else PendingAck(txn)
