"""The log cleaner: of a compacted partition it keeps the newest record of each key.

A pass looks at what is decided and is not in the last segment, from the start of the log on. Records keep their offsets and their order.

* A record of an aborted transaction is removed, and replaces no other record.
* The marker of a transaction stays while a batch of it is left, and for `delete_retention_ms` after that: a log without it would be read
  as if the transaction was still open.
* The last batch of each producer stays, without its records if need be, and its last marker: what the partition knows of a producer is
  read from there.

Source: KIP-98, "Compacted Topics"; Apache Kafka's LogCleaner.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, MarkerType, encode

from .log_entries import CompactionPolicy, LogEntry
from .partition_log import PartitionLog

Fates = Mapping[int, MarkerType]
"""How the transaction of a batch has ended, by the batch's base offset; without undecided ones."""


class LogCleaner:
    """The cleaner of one broker, without state: every pass begins at the start of the log."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def clean(self, log: PartitionLog) -> None:
        """Decision: what one pass over the log of a compacted topic leaves."""
        entries = log.entries(log.start_offset)
        end = self.first_uncleanable(log, entries)
        cleanable = [entry for entry in entries if entry.batch.last_offset < end]
        fates = _fates(entries)
        newest = self.newest_of_keys(cleanable, fates)
        kept = {entry.batch.base_offset: entry for entry in entries}
        with_data: set[int] = set()
        for entry in cleanable:
            batch = entry.batch
            if batch.control:
                left = self.cleaned_marker(log, entry, has_data=batch.producer_id in with_data)
                with_data.discard(batch.producer_id)
            else:
                left = self.cleaned_data(log, entry, fates, newest)
            if left is None:
                del kept[batch.base_offset]
                continue
            kept[batch.base_offset] = left
            if batch.transactional and not batch.control:
                with_data.add(batch.producer_id)
        if list(kept.values()) != entries:
            log.replace_cleaned(kept)

    def first_uncleanable(self, log: PartitionLog, entries: list[LogEntry]) -> int:
        """Decision: a pass ends before the first offset that is not decided or not on all replicas, and leaves the last segment alone."""
        rule("KIP890-443")
        return min(log.last_stable_offset, last_segment(log, entries))

    def newest_of_keys(self, entries: Iterable[LogEntry], fates: Fates) -> Mapping[bytes, int]:
        """Decision: the offset of the newest record of each key."""
        counting = [entry.batch for entry in entries if self.counts(entry, fates)]
        placed = (placed for batch in counting for placed in zip(batch.offsets, batch.records, strict=True))
        return {record.key: offset for offset, record in placed if record.key is not None}

    def counts(self, entry: LogEntry, fates: Fates) -> bool:
        """Decision: whether the records of a batch replace older ones: those that are no control records and were not aborted."""
        rule("KIP890-442")
        rule("KIP890-444")
        return not entry.batch.control and not self.was_aborted(entry, fates)

    def was_aborted(self, entry: LogEntry, fates: Fates) -> bool:
        """Whether a batch is of an aborted transaction."""
        return entry.batch.transactional and fates.get(entry.batch.base_offset) is MarkerType.ABORT

    def cleaned_data(self, log: PartitionLog, entry: LogEntry, fates: Fates, newest: Mapping[bytes, int]) -> LogEntry | None:
        """Decision: what is left of a batch: of an aborted one no record, else the newest of each key; None if it may be removed."""
        rule("KIP890-440")
        batch = entry.batch
        placed = zip(batch.offsets, batch.records, strict=True)
        keeps = [index for index, (offset, record) in enumerate(placed) if record.key is None or newest.get(record.key, offset) <= offset]
        if self.was_aborted(entry, fates):
            keeps = []
        if not keeps and not self.is_last_of_producer(log, batch):
            return None
        cleaned = batch.keeping(keeps)
        return entry if len(keeps) == len(batch.records) else LogEntry(cleaned, encode(cleaned))

    def cleaned_marker(self, log: PartitionLog, entry: LogEntry, *, has_data: bool) -> LogEntry | None:
        """Decision: a marker stays while there is data before it, or nothing else says which epoch its producer has."""
        rule("KIP890-444")
        rule("KIP890-445")
        if has_data or self.is_last_of_producer(log, entry.batch):
            return entry
        if entry.removable_from is None:
            return replace(entry, removable_from=self._clock.now + self.marker_retention_ms(log))
        return None if entry.removable_from <= self._clock.now else entry

    def marker_retention_ms(self, log: PartitionLog) -> int:
        """Decision: how long a marker stays without its data: as long as readers may need that have read the data."""
        rule("KIP890-448")
        return log.compaction.delete_retention_ms if log.compaction else 0

    def is_last_of_producer(self, log: PartitionLog, batch: Batch) -> bool:
        """Decision: whether what the partition knows of the producer is read from this batch, or from this marker."""
        rule("KIP890-447")
        state = log.producers.get(batch.producer_id)
        if state is None or batch.producer_epoch != state.producer.epoch:
            return False
        return state.batches[-1].base_offset == batch.base_offset if state.batches else batch.control


def last_segment(log: PartitionLog, entries: Iterable[LogEntry]) -> int:
    """Where the active segment begins: with the last record that is so much newer than the first of its segment."""
    first = log.start_offset
    began: int | None = None
    for entry in entries:
        time = max((record.timestamp for record in entry.batch.records), default=entry.batch.max_timestamp)
        if began is None or time - began > (log.compaction or CompactionPolicy()).segment_ms:
            first, began = entry.batch.base_offset, time
    return first


def _fates(entries: Iterable[LogEntry]) -> Fates:
    fates: dict[int, MarkerType] = {}
    ended: dict[int, MarkerType] = {}
    for batch in reversed([entry.batch for entry in entries]):
        if batch.marker is not None:
            ended[batch.producer_id] = batch.marker.type
        elif batch.transactional and batch.producer_id in ended:
            fates[batch.base_offset] = ended[batch.producer_id]
    return fates
