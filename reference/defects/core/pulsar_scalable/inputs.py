"""Defects of scalable topics in inputs that move with the outcome."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.core.pulsar.inputs import DeletesAlways, GivesBackAlways, OneForAll
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.values import TxnId

from .visibility import LooksOnlyWhenTold


class _TellsSegmentsOnly(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        for participant in self._records.participants(txn):
            if isinstance(participant, str):
                self._records.tell(participant, txn, decision)


INPUT_COMES_AGAIN = Defect(
    name="core-scalable-input-comes-again",
    breaks={"CORE-20": Symptom(seen='^"i1", "i2", "i3"$')},
    story="The end of a transaction gives back what it acknowledged, also when it was committed.",
    origin="textbook: pending acknowledgements that are only ever dropped",
    parts=MetadataParts(subscription=GivesBackAlways),
)

INPUT_LOST = Defect(
    name="core-scalable-input-lost",
    breaks={"CORE-21": Symptom(seen='^"i3"$')},
    story="The end of a transaction deletes what it acknowledged, also when it was aborted.",
    origin="textbook: pending acknowledgements that are only ever applied",
    parts=MetadataParts(subscription=DeletesAlways),
)

INPUT_NOT_TOLD = Defect(
    name="core-scalable-input-not-told",
    breaks={"CORE-22": Symptom(what="^place of workers", expected='^"i1"$', seen="^nothing$")},
    story="Only segments have an event for an end, and no subscription looks by itself: what it acknowledged is pending for ever.",
    origin="feared by readers of the proposal, Q14: what is told can be lost, and nobody looks again",
    parts=MetadataParts(metadata_coordinator=_TellsSegmentsOnly, participation=LooksOnlyWhenTold),
)

ONE_PLACE_FOR_ALL_GROUPS = Defect(
    name="core-scalable-one-place-for-all-groups",
    breaks={"CORE-23": Symptom(seen='^"i3"$')},
    story="A segment has one cursor, so that what one subscription acknowledges is gone for all.",
    origin="textbook: the wrong key",
    parts=MetadataParts(cursor=OneForAll),
)
