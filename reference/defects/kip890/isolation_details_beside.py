"""Defects in the list of aborted transactions that only transactions side by side show."""

from fencepost.reference.defects.decorator import defect, expected
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState
from fencepost.wire.kafka.batches import Batch


@defect(
    {"KIP890-139": expected("^nothing$", what="readers of payments-0"), "CORE-09": expected("^nothing$", what="readers of orders")},
    origin="textbook: an index of ranges that supposes that they do not overlap",
)
class OverlappingAbortNotListed(PartitionLog):
    """If two aborted transactions overlap, a partition lists only the one that ended first and hands out the records of the other."""

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        aborted = super().aborted_by(marker, before)
        overlap = aborted is not None and any(other.last_offset > aborted.first_offset for other in self._aborted)
        return None if overlap else aborted
