"""Defects in where a log begins, where it ends, and what is found in it by its time."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import Isolation, Page, PartitionLog


class _DeletesAsFarAsItCan(PartitionLog):
    def delete_before(self, offset: int) -> int:
        return super().delete_before(min(offset, self.high_watermark))


class _GoesOnWhereTheLogBegins(PartitionLog):
    def read(self, offset: int, isolation: Isolation, max_bytes: int) -> Page:
        return super().read(max(offset, self.start_offset), isolation, max_bytes)


class _FindsTheEnd(PartitionLog):
    def offset_at(self, timestamp: int, isolation: Isolation) -> tuple[int, int] | None:
        return super().offset_at(timestamp, isolation) or (self.high_watermark, -1)


DELETION_CUT_SHORT = Defect(
    name="deletion-cut-short",
    breaks={"KIP890-362": Symptom(what="answer to DeleteRecords", seen="^success")},
    story="DeleteRecords beyond the end deletes what there is and says that it is done, though the log begins elsewhere.",
    origin="textbook: an argument that is put right in silence",
    parts=Parts(partition_log=_DeletesAsFarAsItCan),
)

DELETED_RECORDS_SKIPPED = Defect(
    name="deleted-records-skipped",
    breaks={"KIP890-363": Symptom(what="answer to Fetch", seen="^success")},
    story="A reader whose next record was deleted is given the first one that is left, and takes it for the one that it asked for.",
    origin="textbook: an argument that is put right in silence",
    parts=Parts(partition_log=_GoesOnWhereTheLogBegins),
)

NO_RECORD_IS_THE_END = Defect(
    name="no-record-is-the-end",
    breaks={"KIP890-364": Symptom(what="answer to ListOffsets", expected="^offset -1 ", seen=r"^offset [0-9]+ and timestamp -1")},
    story="Where no record is as new as the time that is asked for, ListOffsets answers the end of the log.",
    origin="textbook: no answer and an empty answer are not told apart",
    parts=Parts(partition_log=_FindsTheEnd),
)
