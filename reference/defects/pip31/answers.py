"""Defects of Pulsar in requests that nobody answers."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.values import Action, TxnId


class _NeverTellsOfTheEnd(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:  # noqa: ARG002 - which is never called
        super().end(txn, action, lambda: None)


END_IS_NOT_ANSWERED = Defect(
    name="pulsar-end-is-not-answered",
    breaks={"PIP31-148": Symptom(what="^answers$", seen="^END_TXN: no answer")},
    story="A transaction is ended as it was asked for, and nobody is told.",
    origin="textbook: a callback that is not called",
    parts=Parts(coordinator=_NeverTellsOfTheEnd),
)
