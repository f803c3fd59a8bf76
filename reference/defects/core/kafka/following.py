"""Defects of the Kafka reference in what readers are given who are there all along."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.partition_log import AbortedTxn, Page, PartitionLog, ReadIsolation


@defect(
    {"CORE-29": seen('^"early", "a1"', expected='^"early"$', what="follower of orders")},
    origin="textbook: a check at the door, and a window that is open",
)
class CoreKafkaOpenShownToFollowers(PartitionLog):
    """The last stable offset stops a consumer that begins at the start of a log, and not one that waits at its end for new records."""

    def read(self, offset: int, isolation: ReadIsolation, max_bytes: int) -> Page:
        if offset == self.start_offset or isolation is ReadIsolation.READ_UNCOMMITTED:
            return super().read(offset, isolation, max_bytes)
        page = super().read(offset, ReadIsolation.READ_UNCOMMITTED, max_bytes)
        return replace(page, aborted=self.aborted_in(offset, self.end_offset))


@defect(
    {"CORE-29": seen('^"early", "a1"', expected='^"early", "plain"$', what="follower of orders")},
    origin="textbook: the wrong side of a bound",
)
class CoreKafkaAbortedShownToFollowers(PartitionLog):
    """An answer lists the aborted transactions that begin after its first offset, and leaves out the one that begins at that offset."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        found = super().aborted_in(first, upper)
        return tuple(one for one in found if first == self.start_offset or one.first_offset > first)
