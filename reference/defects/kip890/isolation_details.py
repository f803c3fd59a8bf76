"""Defects in what readers of committed data are told and handed."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, Entry, Isolation, PartitionLog
from fencepost.wire.kafka.batches import MarkerType


class _ListsWhatBeganInTheRange(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        return tuple(entry for entry in super().aborted_in(first, upper) if entry.first_offset >= first)


class _LeavesOutWhatWasAborted(PartitionLog):
    def is_handed_out(self, entry: Entry, isolation: Isolation) -> bool:
        at = entry.batch.base_offset
        aborted = (one.producer_id == entry.batch.producer_id for one in self.aborted_in(at, at + 1))
        return isolation is Isolation.READ_UNCOMMITTED or not any(aborted)


class _FindsUndecidedRecords(PartitionLog):
    def offset_at(self, timestamp: int, isolation: Isolation) -> tuple[int, int] | None:  # noqa: ARG002 - that is the defect
        return super().offset_at(timestamp, Isolation.READ_UNCOMMITTED)


class _ACommitDecidesAll(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        last = self.entries(self.end_offset - 1)[-1:]
        if last and last[0].batch.marker is not None and last[0].batch.marker.type is MarkerType.COMMIT:
            return None
        return super().first_unstable_offset()


ABORTED_BEFORE_THE_RANGE_NOT_LISTED = Defect(
    name="aborted-before-the-range-not-listed",
    breaks={"KIP890-139": Symptom(what="aborted transactions of payments-0", seen="^none$")},
    story="The list has the aborted transactions that begin in the range, and lacks those that reach into it.",
    origin="redpanda-data/redpanda#7043: where data and its index came from different places, aborted transactions were not listed",
    parts=Parts(partition_log=_ListsWhatBeganInTheRange),
)

ABORTED_LEFT_OUT_BY_THE_BROKER = Defect(
    name="aborted-left-out-by-the-broker",
    breaks={"KIP890-140": Symptom(seen="^a2 and 1 markers")},
    story="The broker leaves out aborted batches, with their markers, although clients do that by the list.",
    origin="textbook: filtering in two places",
    parts=Parts(partition_log=_LeavesOutWhatWasAborted),
)

LOOK_UP_FINDS_UNDECIDED = Defect(
    name="look-up-finds-undecided",
    breaks={"KIP890-143": Symptom(seen="^offset 0")},
    story="A look-up by time has no regard to the isolation level.",
    origin="KAFKA-5522: the isolation level was used for the latest offset only",
    parts=Parts(partition_log=_FindsUndecidedRecords),
)

A_COMMIT_DECIDES_ALL = Defect(
    name="a-commit-decides-all",
    breaks={"KIP890-144": Symptom(expected=r"go on from \['a1', 'b1'\]")},
    story="A commit shows everything before it, open transactions too, which disappears again when they are aborted.",
    origin="textbook: the last stable offset follows the last commit",
    parts=Parts(partition_log=_ACommitDecidesAll),
)
