"""A defect in what is reported of transactions that end in a later segment."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog


@defect(
    {"KIP890-145": seen("^none, beside batches at", what="aborted transactions of ledger-0")},
    origin="textbook: an index for each segment, without a look ahead",
)
class AbortInLaterSegmentMissed(PartitionLog):
    """Only the index of what is being read is searched, so aborted records are handed over when their marker comes later."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return tuple(transaction for transaction in super().aborted_in(first, upper) if transaction.last_offset < upper)
