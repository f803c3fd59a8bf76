"""The log of one partition: batches in the order of their offsets, and how far they may be read.

What all replicas have is durable, and below the high watermark; a leader without followers has all of that. The *last stable offset* is
where readers of committed data stop: the first offset of the oldest open transaction, or the high watermark if none is open. Below it
everything is decided. Aborted records stay in the log; readers get the list of aborted transactions and leave them out themselves.

All else that a partition knows follows from its log, and is rebuilt from it after a crash. A log that drops its oldest batches puts a
snapshot into its journal of what followed from them.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fencepost.reference.kernel.journal import AppendRefused, Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, EndTransactionMarker, MarkerType, encode, marker_batch

from .guards import Guards
from .kafka_errors import Errors, RequestRefused
from .kafka_types import PartitionName, ProducerIdAndEpoch, journal_of
from .log_entries import AbortedTxn, CompactionPolicy, LogEntry, Page, ReadIsolation, Snapshot
from .markers import TransactionMarker
from .producer_state import EpochStanding, ProducerState, ProducerStates
from .replication import Replication
from .transaction import Decision

__all__ = ["AbortedTxn", "CompactionPolicy", "LogEntry", "Page", "PartitionLog", "ReadIsolation", "Snapshot"]

_OFFSET = struct.Struct(">q")
_LENGTH = slice(8, 12)
_LEADER_EPOCH = struct.Struct(">i")
_REST = slice(16, None)
"""A batch begins with its base offset, its length and the leader epoch; the first and the last are the leader's to fill in."""

NO_PRODUCER_ID = -1
"""The producer id of a batch without a producer, which is part of no transaction."""

_HIGH_WATERMARK = -1
"""The offset by which DeleteRecords means the high watermark."""


class PartitionLog:
    """One partition, as its leader has it."""

    compaction: CompactionPolicy | None = None
    """How it is compacted; None if it is not."""

    retained_batches: int | None = None
    """How many decided batches it has at most; then it keeps as many offsets as half of that. None for no bound."""

    leaders_before: int
    """How many other nodes led it before, set before anything is written."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        self.name = name
        self.producers = producer_states()
        self.guards = Guards()
        self.replication = Replication()
        self.start_offset = 0
        self._clock = machine.clock
        self._journal: Journal[LogEntry | Snapshot] = machine.disk.journal(journal_of(name))
        self._entries: list[LogEntry] = []
        self._aborted: list[AbortedTxn] = []
        self._replay()

    # -- Writing

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        """Decision: whether a batch of a client, or of the group coordinator, enters the log. Returns its base offset.

        `guard` is that of the verification, for a transaction that is not open here yet; the group coordinator's batches have no sequence
        numbers. A batch that repeats an earlier one gets that one's offset and is not appended again.

        Raises RequestRefused: INVALID_PRODUCER_EPOCH when a newer epoch has been here, INVALID_TXN_STATE when the batch is not part of a
        transaction that was verified or added here, or is outside of the one that is open; and as `check_shape` and
        `ProducerStates.check_sequence`.
        """
        self.check_shape(batch)
        if batch.producer_id == NO_PRODUCER_ID:
            return self.write(batch, data)
        if checks_sequence and (known := self.producers.duplicate_of(batch)) is not None:
            rule("KIP890-112")
            rule("CORE-38")
            return known.base_offset
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        standing, attempt = self.producers.standing(producer), self.guards.current(producer)
        if standing is EpochStanding.FENCED:
            rule("CORE-17")
            rule("CORE-19")
            rule("KIP890-367")
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH, f"epoch {producer.epoch} is older than that of the log")
        if not batch.transactional and self.has_open_transaction(batch.producer_id):
            rule("KIP890-107")
            raise RequestRefused(Errors.INVALID_TXN_STATE, "a record outside of transactions, of a producer with an open transaction here")
        if batch.transactional and standing is EpochStanding.NEW and (attempt is None or attempt.guard != guard):
            rule("KIP890-118")
            rule("CORE-19")
            raise RequestRefused(Errors.INVALID_TXN_STATE, "Record was not part of an ongoing transaction")
        if checks_sequence:
            rule("KIP890-108")
            is_of_new_client = attempt is not None and attempt.bumps_epoch
            may_begin_anywhere = self.may_begin_anywhere(is_of_new_client=is_of_new_client)
            self.producers.check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)
        offset = self.write(batch, data)
        if batch.transactional:
            rule("CORE-36")
            self.guards.end(batch.producer_id)
        return offset

    def may_begin_anywhere(self, *, is_of_new_client: bool) -> bool:
        """Decision: whether a first batch may have any sequence number, where nothing is known of its producer: only an old client's."""
        return not is_of_new_client

    def has_open_transaction(self, producer_id: int) -> bool:
        """Decision: whether a transaction of this producer is open here."""
        state = self.producers.get(producer_id)
        return state is not None and state.has_open_transaction

    def append_marker(self, marker: TransactionMarker) -> None:
        """Decision: append the control record that ends a transaction. Raises RequestRefused: as `ProducerStates.check_marker`."""
        self.producers.check_marker(marker)
        kind = MarkerType.COMMIT if marker.decision is Decision.COMMIT else MarkerType.ABORT
        rule("KIP890-122" if marker.transaction_version >= 2 else "KIP890-123")
        batch = self.control_batch(EndTransactionMarker(kind, marker.coordinator_epoch), marker.producer)
        state = self.producers.get(batch.producer_id)
        self.write(batch, encode(batch))
        self.replication.ending(state)
        self.guards.end(batch.producer_id)

    def control_batch(self, marker: EndTransactionMarker, producer: ProducerIdAndEpoch) -> Batch:
        """Decision: the marker as a batch of the log: a transactional control batch."""
        rule("KIP890-125")
        return marker_batch(marker, producer.producer_id, producer.epoch, self._clock.now)

    def check_shape(self, batch: Batch) -> None:
        """Decision: what a client may write. Raises RequestRefused: INVALID_RECORD for a control batch, no records, or an offset."""
        if batch.control:
            rule("KIP890-115")
            raise RequestRefused(Errors.INVALID_RECORD, "only the broker writes control records")
        rule("KIP890-365")
        if not batch.records or batch.base_offset != 0 or batch.offset_deltas is not None:
            raise RequestRefused(Errors.INVALID_RECORD, "a batch needs records, 0 for its base offset, and no gaps")
        if self.compaction is not None and any(record.key is None for record in batch.records):
            raise RequestRefused(Errors.INVALID_RECORD, "a record of a compacted topic needs a key")

    def write(self, batch: Batch, data: bytes) -> int:
        """Decision: the offset, the leader epoch and the timestamps with which the leader stores a batch. Returns the offset.

        Raises RequestRefused: NOT_ENOUGH_REPLICAS when the disk does not accept it, and nothing has changed.
        """
        rule("CORE-04")
        rule("CORE-07")
        offset = self.end_offset
        leader_epoch = self.leader_epoch()
        stored = replace(batch, base_offset=offset, partition_leader_epoch=leader_epoch)
        entry = LogEntry(stored, _OFFSET.pack(offset) + data[_LENGTH] + _LEADER_EPOCH.pack(leader_epoch) + data[_REST])
        try:
            self._journal.append(entry)
        except AppendRefused as refusal:
            raise RequestRefused(Errors.NOT_ENOUGH_REPLICAS, "the log does not take the batch") from refusal
        self.apply(entry)
        if self.retained_batches is not None and self.is_worth_cutting(self.retained_batches):
            self.drop_before(self.end_offset - self.retained_batches // 2)
        return offset

    def apply(self, entry: LogEntry) -> None:
        """Decision: what follows from a batch or marker in the log, when it is written and when it is replayed.

        The only way in which a log changes.
        """
        batch = entry.batch
        self._entries.append(entry)
        if batch.producer_id == NO_PRODUCER_ID:
            return
        before = self.producers.apply(batch)
        if batch.marker is None:
            return
        if (aborted := self.aborted_by(batch, before)) is not None:
            self._aborted.append(aborted)

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        """Decision: the transaction that a marker in the log aborts; `before` is what was known of its producer."""
        if before is None or not before.has_open_transaction:
            rule("KIP890-133")
            return None
        if marker.marker is None or marker.marker.type is not MarkerType.ABORT:
            return None
        rule("CORE-08")
        return AbortedTxn(marker.producer_id, before.transaction_start, marker.base_offset)

    def leader_epoch(self) -> int:
        """Decision: the leader epoch of batches from their append on: how many leaders there were before."""
        return self.leaders_before

    def offset_after(self, batch: Batch) -> int:
        """Decision: the offset that the next record gets."""
        return batch.last_offset + 1

    # -- Dropping the oldest

    def is_worth_cutting(self, most: int) -> bool:
        """Whether more batches than that are decided."""
        return self._index(self.last_stable_offset) > most

    def drop_before(self, offset: int) -> None:
        """Drop the batches before that offset, as far as they are decided."""
        self._start_at(max(min(offset, self.last_stable_offset), self.start_offset))

    def delete_before(self, offset: int) -> int:
        """Decision: DeleteRecords drops what is before that offset, decided or not, and begins there; -1 is for the high watermark.

        Transactions that began before it stay open. Returns where the log starts. Raises RequestRefused: OFFSET_OUT_OF_RANGE when the
        offset is beyond the high watermark.
        """
        rule("KIP890-233")
        rule("KIP890-362")
        offset = self.high_watermark if offset == _HIGH_WATERMARK else offset
        if not 0 <= offset <= self.high_watermark:
            raise RequestRefused(Errors.OFFSET_OUT_OF_RANGE)
        rule("KIP890-232")
        self._start_at(max(offset, self.start_offset))
        return self.start_offset

    def replace_cleaned(self, kept: Mapping[int, LogEntry]) -> None:
        """Decision: the log is what the cleaner has left, by the base offsets; the rest is deleted. What is known of producers stays."""
        rule("KIP890-446")
        self._entries = [kept[entry.batch.base_offset] for entry in self._entries if entry.batch.base_offset in kept]
        self._aborted = self.aborted_with_data(self._aborted)
        left = (self._left_of(record, kept) for record in self._journal)
        self._journal.replace([record for record in left if record is not None])

    def _left_of(self, record: LogEntry | Snapshot, kept: Mapping[int, LogEntry]) -> LogEntry | Snapshot | None:
        """A snapshot from before the pass is read after it, so it forgets the same aborted transactions."""
        if isinstance(record, Snapshot):
            return replace(record, aborted=tuple(self.aborted_with_data(record.aborted)))
        return kept.get(record.batch.base_offset)

    def aborted_with_data(self, known: Iterable[AbortedTxn]) -> list[AbortedTxn]:
        """Decision: which of the known aborted transactions a Fetch lists after a pass: those of which a batch is left."""
        rule("KIP890-441")
        return [
            aborted
            for aborted in known
            if any(
                entry.batch.producer_id == aborted.producer_id and aborted.first_offset <= entry.batch.last_offset < aborted.last_offset
                for entry in self._entries
            )
        ]

    def put_down(self) -> None:
        """A clean stop leaves a snapshot, from which the next start goes on."""
        rule("KIP890-265")
        rule("KIP890-266")
        rule("KIP890-268")
        snapshot = Snapshot(self.start_offset, self.producers_put_down(), self.aborted_put_down())
        self._journal.replace([*self._entries, snapshot])

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        """Decision: what a clean stop stores of producers: all that is known of them, as the log would show it."""
        return self.producers.all()

    def aborted_put_down(self) -> tuple[AbortedTxn, ...]:
        """Decision: what a clean stop stores of aborted transactions: all of those in the log, of any life."""
        rule("KIP890-216")
        return tuple(self._aborted)

    def _start_at(self, first: int) -> None:
        """What is left is read again, so that the log shows now what it will show after a crash."""
        snapshot = Snapshot(first, self.producers.all(), tuple(self._aborted_from(first)))
        self._journal.replace([*self._entries[self._index(first) :], snapshot])
        self._entries = []
        self._replay()

    def _replay(self) -> None:
        for record in self._journal:
            if isinstance(record, Snapshot):
                self.start_offset = record.start_offset
                self.producers.restore(record.producers)
                self._aborted = list(record.aborted)
            else:
                rule("KIP890-094")
                rule("KIP890-111")
                rule("CORE-24")
                rule("CORE-32")
                rule("CORE-40")
                self.apply(record)

    # -- Reading

    def start_reported_to_producers(self) -> int:
        """Decision: the log start offset in the answer to Produce, whether or not the batch is refused."""
        rule("KIP890-120")
        return self.start_offset

    @property
    def end_offset(self) -> int:
        """The offset of the next batch."""
        return self.offset_after(self._entries[-1].batch) if self._entries else self.start_offset

    @property
    def high_watermark(self) -> int:
        return self.replication.high_watermark(self.end_offset)

    @property
    def last_stable_offset(self) -> int:
        """Decision: where committed data ends: before the first undecided offset, and never beyond the high watermark."""
        first_unstable = self.first_unstable_offset()
        return self.high_watermark if first_unstable is None else min(first_unstable, self.high_watermark)

    def last_stable_offset_for(self, isolation: ReadIsolation) -> int:  # noqa: ARG002 - it is the same for both
        """Decision: the last stable offset in the answer to a Fetch of that isolation level, though only READ_COMMITTED needs it."""
        return self.last_stable_offset

    def first_unstable_offset(self) -> int | None:
        """Decision: the first undecided offset, which is that of the oldest open transaction; None if everything is decided."""
        open_transactions = self.producers.open_transactions() + self.replication.undecided()
        if not open_transactions:
            rule("KIP890-135")
            rule("CORE-06")
            return None
        rule("KIP890-137")
        rule("CORE-02")
        rule("CORE-35")
        rule("CORE-05")
        rule("KIP890-144")
        rule("KIP890-142")
        rule("CORE-09")
        return max(min(open_transactions), self.start_offset)

    def latest_offset(self, isolation: ReadIsolation) -> int:
        """Decision: the end of the log for a reader of that isolation level."""
        rule("KIP890-138")
        rule("KIP890-141")
        return self.last_stable_offset if isolation is ReadIsolation.READ_COMMITTED else self.high_watermark

    def read(self, offset: int, isolation: ReadIsolation, max_bytes: int) -> Page:
        """Decision: a Fetch gets the batches from the one that holds `offset` on: at least one if there is one, and otherwise not more
        than `max_bytes`.

        Raises RequestRefused: OFFSET_OUT_OF_RANGE when the log does not have that offset.
        """
        rule("KIP890-363")
        if not self.start_offset <= offset <= self.end_offset:
            raise RequestRefused(Errors.OFFSET_OUT_OF_RANGE)
        end = self.latest_offset(isolation)
        pieces: list[bytes] = []
        size = 0
        upper = offset
        for entry in self.entries(offset):
            if not self.is_handed_out(entry, isolation):
                continue
            if entry.batch.base_offset >= end or (pieces and size + len(entry.data) > max_bytes):
                break
            pieces.append(entry.data)
            size += len(entry.data)
            upper = entry.batch.last_offset + 1
        aborted = self.aborted_in(offset, upper) if isolation is ReadIsolation.READ_COMMITTED else None
        return Page(b"".join(pieces), aborted)

    def entries(self, offset: int) -> list[LogEntry]:
        """Decision: the order in which readers get the log: by offsets, from the batch that holds `offset` on, or else the next one."""
        return self._entries[self._index(offset) :]

    def _index(self, offset: int) -> int:
        return bisect_left(self._entries, offset, key=lambda entry: entry.batch.last_offset)

    def offset_at(self, timestamp: int, isolation: ReadIsolation) -> tuple[int, int] | None:
        """Decision: offset and timestamp of the first record that is not older; None if there is none that such a reader may see."""
        rule("KIP890-364")
        for entry in self._entries:
            for offset, record in zip(entry.batch.offsets, entry.batch.records, strict=True):
                if record.timestamp >= timestamp:
                    if offset >= self.latest_offset(isolation):
                        rule("KIP890-143")
                        return None
                    return offset, record.timestamp
        return None

    def is_handed_out(self, entry: LogEntry, isolation: ReadIsolation) -> bool:  # noqa: ARG002 - to no reader's isolation does it matter
        """Decision: whether a reader that comes that far gets this batch: always, for readers leave out by themselves what was aborted."""
        rule("KIP890-140")
        return True

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        """Decision: the aborted transactions with anything from `first` on and below `upper`, however far after that their marker is.

        A broker keeps such an index for each segment of the log, and has to look ahead. Here there is one for the whole log.
        """
        rule("KIP890-139")
        rule("CORE-03")
        rule("CORE-29")
        rule("KIP890-145")
        overlapping = (transaction for transaction in self._aborted_from(first) if transaction.first_offset < upper)
        return tuple(sorted(overlapping, key=lambda transaction: transaction.first_offset))

    def _aborted_from(self, first: int) -> list[AbortedTxn]:
        return self._aborted[bisect_left(self._aborted, first, key=lambda transaction: transaction.last_offset) :]
