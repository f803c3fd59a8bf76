"""Defects of Pulsar in input and output that belong together."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, TxnId


class _NeverDeletes(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:  # noqa: ARG002 - that is the defect
        super().apply_outcome(txn, Action.ABORT)


PULSAR_COMMIT_KEEPS_INPUT = Defect(
    name="pulsar-commit-keeps-input",
    breaks={"PIP31-03": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A commit shows the output, and gives the input back as an abort does.",
    origin="textbook: both ends of a transaction only clear the pending state",
    parts=Parts(subscription=_NeverDeletes),
)


class _KeepsPending(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        return super().end(txn, action) if action is Action.COMMIT else Waiting(txn)


PULSAR_ABORT_KEEPS_INPUT = Defect(
    name="pulsar-abort-keeps-input",
    breaks={"PIP31-04": Symptom(what="^left for workers$", expected='^"i1", "i2"$', seen='^"i2"$')},
    story="An abort hides the output, and leaves the acknowledgements pending: the input is lost for its subscription.",
    origin="textbook: an abort that thinks only of messages",
    parts=Parts(pending_acks=_KeepsPending),
)
