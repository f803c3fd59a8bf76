"""Defects of the log cleaner: it removes what is still needed, or lets one record replace another wrongly."""

from collections.abc import Iterable, Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.log_cleaner import Fates, LogCleaner, last_segment
from fencepost.reference.kafka.log_entries import AbortedTxn, LogEntry
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.wire.kafka.batches import Batch, MarkerType, encode


def _aborts(batch: Batch) -> bool:
    return batch.marker is not None and batch.marker.type is MarkerType.ABORT


@defect({"KIP890-440": seen('"a2", "b1", "b2"', expected='"b1", "b2"')}, origin="textbook: a batch that is treated as its first record")
class FirstOfABatchReplaces(LogCleaner):
    """Only the first record of a batch replaces earlier records of its key, so compaction leaves two records of the other keys."""

    def newest_of_keys(self, entries: Iterable[LogEntry], fates: Fates) -> Mapping[bytes, int]:
        counting = [entry.batch for entry in entries if self.counts(entry, fates)]
        first = (next(zip(batch.offsets, batch.records, strict=False)) for batch in counting if batch.records)
        return {record.key: offset for offset, record in first if record.key is not None}


@defect({"KIP890-440": seen('^moved: "a2"', what="^offsets of")}, origin="textbook: offsets that are counted, and not stored")
class CleanedBatchLosesItsGaps(LogCleaner):
    """A batch that loses a record is written again with the rest from its base offset on, so records change their offsets."""

    def cleaned_data(self, log: PartitionLog, entry: LogEntry, fates: Fates, newest: Mapping[bytes, int]) -> LogEntry | None:
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
        return LogEntry(dense, encode(dense))


@defect(
    {"KIP890-441": seen('"a1"', what="^records that readers of")},
    origin="apache/kafka#23301: what the cleaner knew of aborted transactions was lost when a cleaned segment overflowed",
)
class AbortedBatchesKeptWithoutMarkers(LogCleaner):
    """When a cleaned segment is split, the aborted batches in it are kept, and their markers are dropped as if nothing was left."""

    def cleaned_data(self, log: PartitionLog, entry: LogEntry, fates: Fates, newest: Mapping[bytes, int]) -> LogEntry | None:
        return entry if self.was_aborted(entry, fates) else super().cleaned_data(log, entry, fates, newest)

    def cleaned_marker(self, log: PartitionLog, entry: LogEntry, *, has_data: bool) -> LogEntry | None:
        return super().cleaned_marker(log, entry, has_data=has_data and not _aborts(entry.batch))


class _ListsWhereTheMarkerIs(PartitionLog):
    def aborted_with_data(self, known: Iterable[AbortedTxn]) -> list[AbortedTxn]:
        markers = {entry.batch.base_offset for entry in self._entries if entry.batch.marker is not None}
        return [aborted for aborted in super().aborted_with_data(known) if aborted.last_offset in markers]


@defect(
    {"KIP890-441": seen('^"a1", "b1"', what="^records that readers of")},
    origin="redpanda-data/redpanda#15672: abort markers were deduplicated by their key",
    also=[_ListsWhereTheMarkerIs],
)
class AbortMarkersShareAKey(LogCleaner):
    """All ABORT markers have one key, so compaction keeps the last one, and the other aborted transactions become plain records."""

    def clean(self, log: PartitionLog) -> None:
        batches = [entry.batch for entry in log.entries(log.start_offset)]
        self._last = max((batch.base_offset for batch in batches if _aborts(batch)), default=None)
        super().clean(log)

    def cleaned_data(self, log: PartitionLog, entry: LogEntry, fates: Fates, newest: Mapping[bytes, int]) -> LogEntry | None:
        return entry if self.was_aborted(entry, fates) else super().cleaned_data(log, entry, fates, newest)

    def cleaned_marker(self, log: PartitionLog, entry: LogEntry, *, has_data: bool) -> LogEntry | None:
        if _aborts(entry.batch):
            return entry if entry.batch.base_offset == self._last else None
        return super().cleaned_marker(log, entry, has_data=has_data)


@defect(
    {"KIP890-441": seen('^"a1", "b1"', expected='^"a1"', what="^records that readers of")},
    origin="redpanda-data/redpanda#7081: the ranges of aborted transactions were wrong in compacted segments",
)
class AbortedIndexOfCleanedPart(PartitionLog):
    """A pass writes a new index of aborted transactions from what it has cleaned, so those in the rest of the log are forgotten."""

    def aborted_with_data(self, known: Iterable[AbortedTxn]) -> list[AbortedTxn]:
        end = min(self.last_stable_offset, last_segment(self, self._entries))
        return [aborted for aborted in super().aborted_with_data(known) if aborted.last_offset < end]


@defect(
    {"KIP890-441": seen('"b2"', what="^records that readers of")},
    origin="found by a mutant: the first of several aborted transactions speaks for all",
)
class FirstAbortedAloneKept(PartitionLog):
    """A pass keeps the first of the aborted transactions that it knows, if its data is left, and forgets the others."""

    def aborted_with_data(self, known: Iterable[AbortedTxn]) -> list[AbortedTxn]:
        return super().aborted_with_data(list(known)[:1])


@defect(
    {"KIP890-442": seen("^nothing", expected='^"b1"', what="^records that readers of")},
    origin="textbook: a map of keys that is made without a look at markers",
)
class AbortedRecordReplacesCommitted(LogCleaner):
    """Aborted records count as the newest of their key too, so the committed one before them is removed, and then they are."""

    def counts(self, entry: LogEntry, fates: Fates) -> bool:  # noqa: ARG002 - that is the defect
        return not entry.batch.control


@defect(
    {"KIP890-443": seen("^nothing", expected='^"b1"', what="^records that readers of")},
    origin="KAFKA-13194: the cleaner could pass beyond the high watermark",
)
class UndecidedRecordsReplaceCommitted(LogCleaner):
    """A pass goes to the end of the last whole segment, so a record of an open transaction replaces a committed one."""

    def first_uncleanable(self, log: PartitionLog, entries: list[LogEntry]) -> int:
        return last_segment(log, entries)


@defect(
    {"KIP890-444": seen('^"b1"', expected='^"a1", "b1"', what="^records that readers of")},
    origin="KAFKA-14055: a user key with the bytes of a marker's key had markers cleaned away",
)
class MarkerReplacedByARecord(LogCleaner):
    """A marker is looked up among the keys of records, so a newer record with the bytes of its key removes it."""

    def newest_of_keys(self, entries: Iterable[LogEntry], fates: Fates) -> Mapping[bytes, int]:
        self._newest = super().newest_of_keys(entries, fates)
        return self._newest

    def cleaned_marker(self, log: PartitionLog, entry: LogEntry, *, has_data: bool) -> LogEntry | None:
        newest = self._newest.get(entry.batch.records[0].key or b"", -1)
        return None if newest > entry.batch.base_offset else super().cleaned_marker(log, entry, has_data=has_data)


@defect(
    {"KIP890-444": seen("^nothing", expected='^"b1"', what="^records that readers of")},
    origin="textbook: one map for the keys of all batches",
)
class RecordReplacedByAMarker(LogCleaner):
    """The cleaner reads the keys of markers as keys of records, so a record with the bytes of such a key is replaced by the next marker."""

    def counts(self, entry: LogEntry, fates: Fates) -> bool:
        return entry.batch.control or super().counts(entry, fates)


@defect(
    {"KIP890-445": seen("^nothing", expected='^"a1"', what="^records that readers of")},
    origin="KAFKA-8351: the cleaner lost track of transactions that lie in several segments",
)
class MarkerRemovedBeforeItsData(LogCleaner):
    """What the cleaner knows of a transaction ends with the segment, so a marker in a later segment is removed while records are left."""

    def clean(self, log: PartitionLog) -> None:
        self._log = log.entries(log.start_offset)
        super().clean(log)

    def cleaned_marker(self, log: PartitionLog, entry: LogEntry, *, has_data: bool) -> LogEntry | None:
        before = [one.batch for one in self._log if one.batch.base_offset < entry.batch.base_offset]
        is_in_segment = bool(before) and before[-1].producer_id == entry.batch.producer_id
        return super().cleaned_marker(log, entry, has_data=has_data and is_in_segment)


@defect(
    {"KIP890-446": seen("^it went from", what="^last stable offset of ledger-0 in")},
    origin="textbook: an offset that is treated as a number of records",
)
class StableOffsetBackAfterAPass(PartitionLog):
    """The last stable offset is counted in batches that are left, so each pass that removes a batch moves it back."""

    _removed = 0

    def replace_cleaned(self, kept: Mapping[int, LogEntry]) -> None:
        self._removed += len(self._entries) - len(kept)
        super().replace_cleaned(kept)

    @property
    def last_stable_offset(self) -> int:
        return max(self.start_offset, super().last_stable_offset - self._removed)


@defect(
    {"KIP890-447": seen('^"b1", "c1"', expected='^"b1"$', what="^records that readers of")},
    origin="textbook: state that is read from records which no reader needs",
)
class ProducerForgottenWithItsRecords(LogCleaner):
    """A batch without records is removed, though it was the last one of its producer, which the next start then does not know."""

    def is_last_of_producer(self, log: PartitionLog, batch: Batch) -> bool:  # noqa: ARG002 - of none it is
        return False


@defect(
    {"KIP890-447": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="^answer to WriteTxnMarkers")},
    origin="red team: a last batch that is searched for among those with records",
)
class EpochForgottenWithItsMarker(LogCleaner):
    """The last marker of a producer is removed with its records, though nothing else in the log has the producer's epoch."""

    def is_last_of_producer(self, log: PartitionLog, batch: Batch) -> bool:
        return not batch.control and super().is_last_of_producer(log, batch)


@defect(
    {"KIP890-448": seen("^COMMIT", expected="^one for ABORT", what="^markers of A in archive-0")},
    origin="textbook: a time that is set for records, and not looked at for markers",
)
class MarkerNotRetained(LogCleaner):
    """A marker is removed as soon as a pass finds no record of its transaction, whatever delete.retention.ms says."""

    def marker_retention_ms(self, log: PartitionLog) -> int:  # noqa: ARG002 - whatever the topic says
        return 0


class _MixesUp(LogCleaner):
    """It does not look at the producer of a marker."""

    def clean(self, log: PartitionLog) -> None:
        batches = [entry.batch for entry in log.entries(log.start_offset)]
        self._markers = [(batch.base_offset, batch.marker.type) for batch in batches if batch.marker is not None]
        super().clean(log)

    def newest_of_keys(self, entries: Iterable[LogEntry], fates: Fates) -> Mapping[bytes, int]:
        return super().newest_of_keys(entries, self.mixed_up(fates))

    def cleaned_data(self, log: PartitionLog, entry: LogEntry, fates: Fates, newest: Mapping[bytes, int]) -> LogEntry | None:
        return super().cleaned_data(log, entry, self.mixed_up(fates), newest)

    def mixed_up(self, fates: Fates) -> Fates:
        return {offset: self.fate(self._first_after(offset), fate) for offset, fate in fates.items()}

    def fate(self, first: MarkerType, own: MarkerType) -> MarkerType:
        raise NotImplementedError

    def _first_after(self, offset: int) -> MarkerType:
        return next(marker for at, marker in self._markers if at > offset)


@defect(
    {"KIP890-442": seen('^"a2"', expected='^"a1", "a2"', what="^records that readers of")},
    origin="red team: aborted transactions are known by their place, and not by their owner",
)
class AbortDecidesForAllOpen(_MixesUp):
    """An ABORT marker makes the cleaner take all that is open there for aborted, so it removes what another transaction commits later."""

    def fate(self, first: MarkerType, own: MarkerType) -> MarkerType:
        return first if first is MarkerType.ABORT else own


@defect(
    {"KIP890-442": seen('^"b2"', expected='^"b1", "b2"', what="^records that readers of")},
    origin="red team: aborted transactions are known by their place, and not by their owner",
)
class CommitDecidesForAllOpen(_MixesUp):
    """A COMMIT marker makes the cleaner take all that is open there for committed, so an aborted record replaces a committed one."""

    def fate(self, first: MarkerType, own: MarkerType) -> MarkerType:
        return first if first is MarkerType.COMMIT else own
