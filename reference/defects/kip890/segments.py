"""A defect in what is told of transactions that end in a later segment."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog


class _LooksNoFurtherThanIsRead(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        return tuple(transaction for transaction in super().aborted_in(first, upper) if transaction.last_offset < upper)


ABORT_IN_LATER_SEGMENT_MISSED = Defect(
    name="abort-in-later-segment-missed",
    breaks={"KIP890-145": Symptom(what="aborted transactions of ledger-0", seen="^none, beside batches at")},
    story="Only the index of what is being read is searched, so aborted records are handed over when their marker comes later.",
    origin="textbook: an index for each segment, without a look ahead",
    parts=Parts(partition_log=_LooksNoFurtherThanIsRead),
)
