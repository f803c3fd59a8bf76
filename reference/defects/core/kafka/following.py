"""Defects of the Kafka reference in what readers are given who are there all along."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, Isolation, Page, PartitionLog


class _StopsOnlyWhoBegins(PartitionLog):
    def read(self, offset: int, isolation: Isolation, max_bytes: int) -> Page:
        if offset == self.start_offset or isolation is Isolation.READ_UNCOMMITTED:
            return super().read(offset, isolation, max_bytes)
        page = super().read(offset, Isolation.READ_UNCOMMITTED, max_bytes)
        return replace(page, aborted=self.aborted_in(offset, self.end_offset))


class _ListsAbortsThatBeginLater(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        found = super().aborted_in(first, upper)
        return tuple(one for one in found if first == self.start_offset or one.first_offset > first)


OPEN_SHOWN_TO_FOLLOWERS = Defect(
    name="core-kafka-open-shown-to-followers",
    breaks={"CORE-29": Symptom(what="follower of orders", expected='^"early"$', seen='^"early", "a1"')},
    story="The last stable offset stops who begins at the start of a log, and not who waits at its end for what comes.",
    origin="textbook: a check at the door, and a window that is open",
    parts=Parts(partition_log=_StopsOnlyWhoBegins),
)

ABORTED_SHOWN_TO_FOLLOWERS = Defect(
    name="core-kafka-aborted-shown-to-followers",
    breaks={"CORE-29": Symptom(what="follower of orders", expected='^"early", "plain"$', seen='^"early", "a1"')},
    story="An answer lists the aborted transactions that begin behind its first offset, and leaves out the one that begins right there.",
    origin="textbook: the wrong side of a bound",
    parts=Parts(partition_log=_ListsAbortsThatBeginLater),
)
