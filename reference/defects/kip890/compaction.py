"""Defects of the log cleaner: what a pass removes that is still needed, and what it lets take another record's place."""

from collections.abc import Iterable, Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.log_cleaner import Fates, LogCleaner, last_segment
from fencepost.reference.kafka.log_entries import AbortedTransaction, Entry
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.wire.kafka.batches import Batch, MarkerType, encode


def _aborts(batch: Batch) -> bool:
    return batch.marker is not None and batch.marker.type is MarkerType.ABORT


class _CountsRecordsAnew(LogCleaner):
    def cleaned_data(self, log: PartitionLog, entry: Entry, fates: Fates, newest: Mapping[bytes, int]) -> Entry | None:
        left = super().cleaned_data(log, entry, fates, newest)
        if left is None or left is entry or not left.batch.records:
            return left
        dense = Batch(
            left.batch.records,
            left.batch.base_offset,
            left.batch.producer_id,
            left.batch.producer_epoch,
            left.batch.base_sequence,
            transactional=left.batch.transactional,
        )
        return Entry(dense, encode(dense))


CLEANED_BATCH_LOSES_ITS_GAPS = Defect(
    name="cleaned-batch-loses-its-gaps",
    breaks={"KIP890-440": Symptom(what="^offsets of", seen='^moved: "a2"')},
    story="A batch that loses a record is written again with the rest from its base offset on, so records change their offsets.",
    origin="textbook: offsets that are counted, and not stored",
    parts=Parts(log_cleaner=_CountsRecordsAnew),
)


class _KeepsAbortedRecords(LogCleaner):
    def cleaned_data(self, log: PartitionLog, entry: Entry, fates: Fates, newest: Mapping[bytes, int]) -> Entry | None:
        return entry if self.was_aborted(entry, fates) else super().cleaned_data(log, entry, fates, newest)

    def cleaned_marker(self, log: PartitionLog, entry: Entry, *, has_data: bool) -> Entry | None:
        return super().cleaned_marker(log, entry, has_data=has_data and not _aborts(entry.batch))


ABORTED_BATCHES_KEPT_WITHOUT_MARKERS = Defect(
    name="aborted-batches-kept-without-markers",
    breaks={"KIP890-441": Symptom(what="^records that readers of", seen='"a1"')},
    story="When a cleaned segment is split, the aborted batches in it are kept, and their markers are dropped as if nothing was left.",
    origin="apache/kafka#23301: what the cleaner knew of aborted transactions was lost when a cleaned segment overflowed",
    parts=Parts(log_cleaner=_KeepsAbortedRecords),
)


class _RemovesRepeatedAborts(LogCleaner):
    def clean(self, log: PartitionLog) -> None:
        batches = [entry.batch for entry in log.entries(log.start_offset)]
        self._last = max((batch.base_offset for batch in batches if _aborts(batch)), default=None)
        super().clean(log)

    def cleaned_data(self, log: PartitionLog, entry: Entry, fates: Fates, newest: Mapping[bytes, int]) -> Entry | None:
        return entry if self.was_aborted(entry, fates) else super().cleaned_data(log, entry, fates, newest)

    def cleaned_marker(self, log: PartitionLog, entry: Entry, *, has_data: bool) -> Entry | None:
        if _aborts(entry.batch):
            return entry if entry.batch.base_offset == self._last else None
        return super().cleaned_marker(log, entry, has_data=has_data)


class _ListsWhereTheMarkerIs(PartitionLog):
    def aborted_with_data(self) -> list[AbortedTransaction]:
        markers = {entry.batch.base_offset for entry in self._entries if entry.batch.marker is not None}
        return [aborted for aborted in super().aborted_with_data() if aborted.last_offset in markers]


ABORT_MARKERS_SHARE_A_KEY = Defect(
    name="abort-markers-share-a-key",
    breaks={"KIP890-441": Symptom(what="^records that readers of", seen='^"a1", "b1"')},
    story="All ABORT markers have one key, so compaction keeps the last one, and the other aborted transactions become plain records.",
    origin="redpanda-data/redpanda#15672: abort markers were deduplicated by their key",
    parts=Parts(log_cleaner=_RemovesRepeatedAborts, partition_log=_ListsWhereTheMarkerIs),
)


class _IndexesTheCleanedPart(PartitionLog):
    def aborted_with_data(self) -> list[AbortedTransaction]:
        end = min(self.last_stable_offset, last_segment(self, self._entries))
        return [aborted for aborted in super().aborted_with_data() if aborted.last_offset < end]


ABORTED_INDEX_OF_CLEANED_PART = Defect(
    name="aborted-index-of-cleaned-part",
    breaks={"KIP890-441": Symptom(what="^records that readers of", expected='^"a1"', seen='^"a1", "b1"')},
    story="A pass writes a new index of aborted transactions from what it has cleaned, so those in the rest of the log are forgotten.",
    origin="redpanda-data/redpanda#7081: the ranges of aborted transactions were wrong in compacted segments",
    parts=Parts(partition_log=_IndexesTheCleanedPart),
)


class _CountsAborted(LogCleaner):
    def counts(self, entry: Entry, fates: Fates) -> bool:  # noqa: ARG002 - that is the defect
        return not entry.batch.control


ABORTED_RECORD_REPLACES_COMMITTED = Defect(
    name="aborted-record-replaces-committed",
    breaks={"KIP890-442": Symptom(what="^records that readers of", expected='^"b1"', seen="^nothing")},
    story="Aborted records count as the newest of their key too, so the committed one before them is removed, and then they are.",
    origin="textbook: a map of keys that is made without a look at markers",
    parts=Parts(log_cleaner=_CountsAborted),
)


class _PassesTheHighWatermark(LogCleaner):
    def first_uncleanable(self, log: PartitionLog, entries: list[Entry]) -> int:
        return last_segment(log, entries)


UNDECIDED_RECORDS_REPLACE_COMMITTED = Defect(
    name="undecided-records-replace-committed",
    breaks={"KIP890-443": Symptom(what="^records that readers of", expected='^"b1"', seen="^nothing")},
    story="A pass goes to the end of the last whole segment, so a committed record gives way to one of an open transaction.",
    origin="KAFKA-13194: the cleaner could pass beyond the high watermark",
    parts=Parts(log_cleaner=_PassesTheHighWatermark),
)


class _LooksMarkersUp(LogCleaner):
    def newest_of_keys(self, entries: Iterable[Entry], fates: Fates) -> Mapping[bytes, int]:
        self._newest = super().newest_of_keys(entries, fates)
        return self._newest

    def cleaned_marker(self, log: PartitionLog, entry: Entry, *, has_data: bool) -> Entry | None:
        newest = self._newest.get(entry.batch.records[0].key or b"", -1)
        return None if newest > entry.batch.base_offset else super().cleaned_marker(log, entry, has_data=has_data)


MARKER_REPLACED_BY_A_RECORD = Defect(
    name="marker-replaced-by-a-record",
    breaks={"KIP890-444": Symptom(what="^records that readers of", expected='^"a1", "b1"', seen='^"b1"')},
    story="A marker is looked up among the keys of records, so a newer record with the bytes of its key removes it.",
    origin="KAFKA-14055: a user key with the bytes of a marker's key had markers cleaned away",
    parts=Parts(log_cleaner=_LooksMarkersUp),
)


class _CountsMarkers(LogCleaner):
    def counts(self, entry: Entry, fates: Fates) -> bool:
        return entry.batch.control or super().counts(entry, fates)


RECORD_REPLACED_BY_A_MARKER = Defect(
    name="record-replaced-by-a-marker",
    breaks={"KIP890-444": Symptom(what="^records that readers of", expected='^"b1"', seen="^nothing")},
    story="The keys of markers are among those of records, so a record with the bytes of such a key gives way to the next marker.",
    origin="textbook: one map for the keys of all batches",
    parts=Parts(log_cleaner=_CountsMarkers),
)


class _ForgetsWithTheSegment(LogCleaner):
    def clean(self, log: PartitionLog) -> None:
        self._log = log.entries(log.start_offset)
        super().clean(log)

    def cleaned_marker(self, log: PartitionLog, entry: Entry, *, has_data: bool) -> Entry | None:
        before = [one.batch for one in self._log if one.batch.base_offset < entry.batch.base_offset]
        is_in_segment = bool(before) and before[-1].producer_id == entry.batch.producer_id
        return super().cleaned_marker(log, entry, has_data=has_data and is_in_segment)


MARKER_REMOVED_BEFORE_ITS_DATA = Defect(
    name="marker-removed-before-its-data",
    breaks={"KIP890-445": Symptom(what="^records that readers of", expected='^"a1"', seen="^nothing")},
    story="What the cleaner knows of a transaction ends with the segment, so a marker in a later one is removed while records are left.",
    origin="KAFKA-8351: the cleaner lost track of transactions that lie in several segments",
    parts=Parts(log_cleaner=_ForgetsWithTheSegment),
)


class _CountsWhatIsLeft(PartitionLog):
    _removed = 0

    def replace_cleaned(self, kept: Mapping[int, Entry]) -> None:
        self._removed += len(self._entries) - len(kept)
        super().replace_cleaned(kept)

    @property
    def last_stable_offset(self) -> int:
        return max(self.start_offset, super().last_stable_offset - self._removed)


STABLE_OFFSET_BACK_AFTER_A_PASS = Defect(
    name="stable-offset-back-after-a-pass",
    breaks={"KIP890-446": Symptom(what="^last stable offset of ledger-0 in", seen="^it went from")},
    story="The last stable offset is counted in batches that are there, so it goes back with each one that a pass removes.",
    origin="textbook: an offset that is taken for a number of records",
    parts=Parts(partition_log=_CountsWhatIsLeft),
)


class _KeepsNothingOfProducers(LogCleaner):
    def is_last_of_producer(self, log: PartitionLog, batch: Batch) -> bool:  # noqa: ARG002 - of none it is
        return False


PRODUCER_FORGOTTEN_WITH_ITS_RECORDS = Defect(
    name="producer-forgotten-with-its-records",
    breaks={"KIP890-447": Symptom(what="^records that readers of", expected='^"b1"$', seen='^"b1", "c1"')},
    story="A batch without records is removed, though it was the last one of its producer, which the next start then does not know.",
    origin="textbook: state that is read from records which no reader needs",
    parts=Parts(log_cleaner=_KeepsNothingOfProducers),
)


class _KeepsNoMarker(LogCleaner):
    def marker_retention_ms(self, log: PartitionLog) -> int:  # noqa: ARG002 - whatever the topic says
        return 0


MARKER_NOT_RETAINED = Defect(
    name="marker-not-retained",
    breaks={"KIP890-448": Symptom(what="^markers of A in archive-0", expected="^one for ABORT", seen="^COMMIT")},
    story="A marker is removed as soon as a pass finds nothing else of its transaction, whatever delete.retention.ms says.",
    origin="textbook: a time that is set for records, and not looked at for markers",
    parts=Parts(log_cleaner=_KeepsNoMarker),
)
