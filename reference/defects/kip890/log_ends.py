"""Defects in where a log begins and ends, and in the search for an offset by time."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.partition_log import Page, PartitionLog, ReadIsolation


@defect({"KIP890-362": seen("^success", what="answer to DeleteRecords")}, origin="textbook: an argument that is corrected silently")
class DeletionCutShort(PartitionLog):
    """DeleteRecords beyond the end of the log deletes what there is and is answered with success, though the log begins elsewhere."""

    def delete_before(self, offset: int) -> int:
        return super().delete_before(min(offset, self.high_watermark))


@defect({"KIP890-363": seen("^success", what="answer to Fetch")}, origin="textbook: an argument that is corrected silently")
class DeletedRecordsSkipped(PartitionLog):
    """A reader whose next record was deleted receives the first one that is left, and treats it as the one that it asked for."""

    def read(self, offset: int, isolation: ReadIsolation, max_bytes: int) -> Page:
        return super().read(max(offset, self.start_offset), isolation, max_bytes)


@defect(
    {"KIP890-364": seen(r"^offset [0-9]+ and timestamp -1", expected="^offset -1 ", what="answer to ListOffsets")},
    origin="textbook: no answer and an empty answer are not distinguished",
)
class NoRecordIsTheEnd(PartitionLog):
    """Where no record is as new as the requested time, ListOffsets answers with the end of the log."""

    def offset_at(self, timestamp: int, isolation: ReadIsolation) -> tuple[int, int] | None:
        return super().offset_at(timestamp, isolation) or (self.high_watermark, -1)
