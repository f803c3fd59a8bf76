"""Defects of scalable topics in inputs that move with the outcome."""

from fencepost.reference.defects.core.pulsar.inputs import DeletesAlways, GivesBackAlways, OneForAll
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.values import TxnId

from .visibility import LooksOnlyWhenTold


@defect(
    {"CORE-22": seen("^nothing$", expected='^"i1"$', what="^place of workers")},
    origin="feared by readers of the proposal, Q14: what is told can be lost, and nobody looks again",
    also=[LooksOnlyWhenTold],
)
class CoreScalableInputNotTold(MetadataCoordinator):
    """Only segments have an event for an end, and no subscription looks by itself: what it acknowledged is pending for ever."""

    def tell(self, txn: TxnId, decision: State) -> None:
        for participant in self._records.participants(txn):
            if isinstance(participant, str):
                self._records.tell(participant, txn, decision)


@defect({"CORE-20": seen('^"i1", "i2", "i3"$')}, origin="textbook: pending acknowledgements that are only ever dropped", of=MetadataParts)
class CoreScalableInputComesAgain(GivesBackAlways):
    """The end of a transaction gives back what it acknowledged, also when it was committed."""


@defect({"CORE-21": seen('^"i3"$')}, origin="textbook: pending acknowledgements that are only ever applied", of=MetadataParts)
class CoreScalableInputLost(DeletesAlways):
    """The end of a transaction deletes what it acknowledged, also when it was aborted."""


@defect({"CORE-23": seen('^"i3"$')}, origin="textbook: the wrong key", of=MetadataParts)
class CoreScalableOnePlaceForAllGroups(OneForAll):
    """A segment has one cursor, so that what one subscription acknowledges is gone for all."""
