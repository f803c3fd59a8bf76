"""Defects in which aborted transactions are reported where they end in a later segment."""

import itertools

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog


@defect(
    {"KIP890-145": seen("^none, next to batches at", what="aborted transactions of ledger-0")},
    origin="textbook: an index for each segment, without a look ahead",
)
class AbortInLaterSegmentMissed(PartitionLog):
    """Only the index of the segment that is read is searched, so aborted records are returned when their marker comes later."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return tuple(transaction for transaction in super().aborted_in(first, upper) if transaction.last_offset < upper)


@defect(
    {"KIP890-145": seen("^none, next to batches at", what="aborted transactions of ledger-0")},
    origin="red team: an index in the order of the markers, searched as one in the order of the first offsets",
)
class AbortBehindAShorterOneMissed(PartitionLog):
    """The search ends at the first aborted transaction that begins after what is read, though a longer one may come after it."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        after = (transaction for transaction in self._aborted if transaction.last_offset >= first)
        return tuple(itertools.takewhile(lambda transaction: transaction.first_offset < upper, after))


@defect(
    {"KIP890-145": seen("^none, next to batches at", what="aborted transactions of ledger-0")},
    origin="red team: a search by the first offset, which begins at the last one before",
)
class AbortBeforeAShorterOneMissed(PartitionLog):
    """The search begins at the last aborted transaction that began before what is read, though a longer one may still go on."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        known = super().aborted_in(first, upper)
        began = [transaction.first_offset for transaction in self._aborted if transaction.first_offset <= first]
        return tuple(transaction for transaction in known if transaction.first_offset >= max(began, default=first))
