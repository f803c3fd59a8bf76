"""Defects in the list of aborted transactions that only transactions side by side show."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState
from fencepost.wire.kafka.batches import Batch


class _ListsTheFirstOfThoseThatOverlap(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:
        aborted = super().aborted_by(marker, before)
        overlap = aborted is not None and any(other.last_offset > aborted.first_offset for other in self._aborted)
        return None if overlap else aborted


OVERLAPPING_ABORT_NOT_LISTED = Defect(
    name="overlapping-abort-not-listed",
    breaks={
        "KIP890-139": Symptom(what="readers of payments-0", expected="^nothing$"),
        "CORE-09": Symptom(what="readers of orders", expected="^nothing$"),
    },
    story="Of two aborted transactions that overlap only the one that ended first is listed, and the other's records are handed out.",
    origin="textbook: an index of ranges that supposes that they do not overlap",
    parts=Parts(partition_log=_ListsTheFirstOfThoseThatOverlap),
)
