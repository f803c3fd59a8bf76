"""Defects of scalable topics in inputs that move with the outcome."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.pulsar_types import TxnId

from .visibility import LooksOnlyWhenTold


@defect(
    {"CORE-22": seen("^nothing$", expected='^"i1"$', what="^place of workers")},
    origin="feared by readers of the proposal, Q14: what is sent can be lost, and no participant looks again",
    also=[LooksOnlyWhenTold],
)
class CoreScalableInputNotTold(MetadataCoordinator):
    """Only segments are notified of an end, and a subscription never looks by itself, so what it acknowledged stays pending for ever."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        for participant in self._records.participants(txn):
            if isinstance(participant, str):
                self._records.notify(participant, txn, decision)
