"""The offsets that groups have committed, as far as transactions go: they are records like any other, in a separate partition.

An offset that was committed in a transaction is *pending* until the marker comes, and only then what the group has committed. So the
offsets of a group become visible together with the records of the transaction. The offsets of a group are read from its log, at each
request and after a crash alike. The same log has the members of groups, as `group_records` describes.

Offsets that are committed outside of transactions count at once. `membership` decides which client is a member of a group, and so may
commit as one; a client that names no member id is not checked.

Source: "Implicitly Add Partitions to Transactions on Produce for New Clients (2)" on TxnOffsetCommit; "TxnOffsetCommit Requests".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, MarkerType, Record, encode

from . import group_records
from .group_records import StoredGroup
from .kafka_errors import Errors, RequestRefused
from .kafka_topics import OFFSETS_PARTITION, KafkaTopics
from .kafka_types import PartitionName, ProducerIdAndEpoch
from .membership import GroupMembers
from .partition_log import PartitionLog
from .verification import TransactionSupport, Verification

MAX_METADATA_BYTES = 4_096
"""`offset.metadata.max.bytes`, with Kafka's default."""

_COMPACTED_FROM = 100
"""A log of more offsets is compacted if as many batches as half of that are decided."""


@dataclass(frozen=True, slots=True)
class OffsetAndMetadata:
    """Where a group continues in a partition, and its metadata. `leader_epoch` is -1 if none was given."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@dataclass(frozen=True, slots=True)
class Sender:
    """The member of the group that a commit names; without a member id, none."""

    generation: int | None
    member: str
    instance: str | None


NO_MEMBER = Sender(None, "", None)


@dataclass(frozen=True, slots=True)
class _Stored:
    """An offset, and where in the log its record was first: of two for one partition the later record counts."""

    offset: OffsetAndMetadata
    at: int


@dataclass(frozen=True, slots=True)
class _Place:
    group: str
    partition: PartitionName


class GroupOffsets:
    """The offsets of all groups."""

    def __init__(self, topics: KafkaTopics, verification: Verification, membership: GroupMembers, clock: Clock) -> None:
        self._topics = topics
        self._verification = verification
        self._membership = membership
        self._clock = clock
        self._committed: dict[_Place, _Stored] = {}
        self._pending: dict[int, dict[_Place, _Stored]] = {}
        self._read_to = 0
        self._is_starting = True
        if OFFSETS_PARTITION in topics:
            self._catch_up()
        self._is_starting = False
        membership.store = self._store

    def commit_in_transaction(
        self,
        group: str,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        offsets: Mapping[PartitionName, OffsetAndMetadata],
        operation: TransactionSupport,
        sender: Sender = NO_MEMBER,
    ) -> dict[PartitionName, Errors]:
        """Decision: store offsets that shall count when the transaction commits; the verdict for each partition.

        Raises RequestRefused for the request as a whole.
        """
        if not group:
            rule("KIP890-056")
            raise RequestRefused(Errors.INVALID_GROUP_ID)
        verdicts = self.judge(offsets)
        records = self._records(group, offsets, verdicts)
        if not self.begins(records):
            return verdicts
        batch = Batch(
            records,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            transactional=True,
        )
        log = self._log()
        guard = self._verification.before_offset_commit(log, transactional_id, batch, operation)
        self.check_membership(group, sender)
        try:
            log.append(batch, encode(batch), guard, checks_sequence=False)
        except RequestRefused as refusal:
            raise self.refusal_of(refusal) from refusal
        self._compact(log)
        rule("KIP890-047")
        rule("CORE-22")
        return verdicts

    def begins(self, records: Sequence[Record]) -> bool:
        """Decision: whether a request has anything to store, and so anything to add to a transaction."""
        rule("KIP890-407")
        return bool(records)

    def refusal_of(self, refusal: RequestRefused) -> RequestRefused:
        """Decision: a client is answered with an error after which it asks the coordinator again, if the log does not accept its offsets,
        or the deletion of its group.
        """
        if refusal.error is not Errors.NOT_ENOUGH_REPLICAS:
            return refusal
        rule("KIP890-465")
        return RequestRefused(Errors.COORDINATOR_NOT_AVAILABLE, refusal.message)

    def check_membership(self, group: str, sender: Sender) -> None:
        """Decision: a client that names a member id must be that member. A sender without a member id is not checked.

        Raises RequestRefused: ILLEGAL_GENERATION when there is no such group, and as `GroupMembers.check`.
        """
        rule("KIP890-055")
        rule("KIP890-411")
        if not sender.member:
            return
        if not self._membership.has_members(group) and not self.partitions_of(group):
            raise RequestRefused(Errors.ILLEGAL_GENERATION, f"there is no group {group!r}")
        rule("KIP890-240")
        rule("KIP890-241")
        self._membership.check(group, sender.generation, sender.member, sender.instance)

    def commit(self, group: str, offsets: Mapping[PartitionName, OffsetAndMetadata], sender: Sender) -> dict[PartitionName, Errors]:
        """Store offsets that count at once; the verdict for each partition. Raises RequestRefused for the request as a whole."""
        self.check_plain(group, sender)
        verdicts = self.judge(offsets)
        if records := self._records(group, offsets, verdicts):
            self._compact(self._append(records))
        return verdicts

    def check_plain(self, group: str, sender: Sender) -> None:
        """Decision: outside of transactions a member is checked in the same way. Raises RequestRefused."""
        rule("KIP890-356")
        self.check_membership(group, sender)

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        """Decision: the offset that OffsetFetch answers, None for nothing.

        Raises RequestRefused: UNSTABLE_OFFSET_COMMIT when a stable one is required and a transaction may change it at any moment.
        """
        rule("KIP890-270")
        self._catch_up()
        place = _Place(group, partition)
        rule("KIP890-052")
        if require_stable and any(place in pending for pending in self._pending.values()):
            rule("CORE-34")
            raise RequestRefused(Errors.UNSTABLE_OFFSET_COMMIT)
        stored = self._committed.get(place)
        return None if stored is None else stored.offset

    def partitions_of(self, group: str) -> list[PartitionName]:
        """Decision: the partitions in which the group has committed, or is about to: the answer to a request for all."""
        rule("KIP890-358")
        return sorted(place.partition for place in self._places_of(group))

    def _places_of(self, group: str) -> list[_Place]:
        self._catch_up()
        return [place for place in set(self._committed).union(*self._pending.values()) if place.group == group]

    def delete(self, group: str) -> None:
        """Delete a group and all its offsets. Raises RequestRefused: as `check_may_go`."""
        places = self._places_of(group)
        self.check_may_go(group, places)
        gone = (*(Record(None, _key(place), self._clock.now) for place in places), group_records.tombstone_of(group, self._clock.now))
        self._append(gone)
        self._membership.forget(group)

    def forget_topic(self, name: str) -> None:
        """Decision: what groups have committed for a topic, or are about to, is deleted with the topic: a new one of that name has none."""
        rule("KIP890-409")
        if OFFSETS_PARTITION not in self._topics:
            return
        self._catch_up()
        places = set(self._committed).union(*self._pending.values())
        gone = sorted((place for place in places if place.partition.topic == name), key=_key)
        if gone:
            self._write(tuple(Record(None, _key(place), self._clock.now) for place in gone))

    def check_may_go(self, group: str, places: Sequence[_Place]) -> None:
        """Decision: a group that is deleted has no members. Raises RequestRefused: NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND when there is
        none.
        """
        rule("KIP890-357")
        if self._membership.has_members(group):
            raise RequestRefused(Errors.NON_EMPTY_GROUP)
        if not places:
            raise RequestRefused(Errors.GROUP_ID_NOT_FOUND)

    def judge(self, offsets: Mapping[PartitionName, OffsetAndMetadata]) -> dict[PartitionName, Errors]:
        """Decision: which offsets may be stored; one that may not does not prevent the others."""
        rule("KIP890-056")
        return {partition: self._verdict(partition, offset) for partition, offset in offsets.items()}

    def _verdict(self, partition: PartitionName, offset: OffsetAndMetadata) -> Errors:
        if partition not in self._topics:
            return Errors.UNKNOWN_TOPIC_OR_PARTITION
        return Errors.OFFSET_METADATA_TOO_LARGE if len(offset.metadata.encode()) > MAX_METADATA_BYTES else Errors.NONE

    def _records(
        self, group: str, offsets: Mapping[PartitionName, OffsetAndMetadata], verdicts: Mapping[PartitionName, Errors]
    ) -> tuple[Record, ...]:
        return tuple(self.record(group, partition, offset) for partition, offset in offsets.items() if verdicts[partition] is Errors.NONE)

    def _log(self) -> PartitionLog:
        self._topics.create_internal(OFFSETS_PARTITION.topic)
        return self._topics.log(OFFSETS_PARTITION)

    def record(self, group: str, partition: PartitionName, offset: OffsetAndMetadata) -> Record:
        """Decision: what the log stores of an offset."""
        value = json.dumps([offset.offset, offset.leader_epoch, offset.metadata])
        return Record(value.encode(), _key(_Place(group, partition)), self._clock.now)

    def _catch_up(self) -> None:
        """Read the log to its current end."""
        log = self._log()
        for entry in log.entries(self._read_to):
            self.take_in(entry.batch)
        self._read_to = log.end_offset

    def _compact(self, log: PartitionLog) -> None:
        """Compact a log that has become long."""
        if log.end_offset - log.start_offset > _COMPACTED_FROM:
            self._compact_above(log, _COMPACTED_FROM // 2)

    def compact(self) -> None:
        """Compact the log, if more than one batch of it is decided."""
        if OFFSETS_PARTITION in self._topics:
            self._compact_above(self._log(), 1)

    def _compact_above(self, log: PartitionLog, most: int) -> None:
        """A log with more decided batches gets one more batch of what all groups have, and drops what was before that. One that does not
        take the batch stays as it is until the next time.
        """
        if not log.is_worth_cutting(most):
            return
        self._catch_up()
        all_before = log.end_offset
        offsets = (self._moved(place, stored) for place, stored in self._committed.items())
        groups = (group_records.record_of(group, self._clock.now) for group in self._membership.durable())
        if kept := (*offsets, *groups):
            batch = Batch(kept)
            try:
                log.append(batch, encode(batch))
            except RequestRefused:
                return
        log.drop_before(all_before)

    def _moved(self, place: _Place, stored: _Stored) -> Record:
        """The record of an offset at a new place in the log, which includes where it was first."""
        record = self.record(place.group, place.partition, stored.offset)
        return replace(record, value=json.dumps([*json.loads(record.value or b""), stored.at]).encode())

    def take_in(self, batch: Batch) -> None:
        """Decision: offsets of a transaction are pending until its marker; others count at once."""
        if batch.marker is not None:
            self.decide(batch.producer_id, batch.marker.type)
            return
        places = self._pending.setdefault(batch.producer_id, {}) if batch.transactional else self._committed
        for position, record in enumerate(batch.records, batch.base_offset):
            group, *where = json.loads(record.key or b"")
            if not where:
                self._take_in_group(group, record.value)
                continue
            place = _Place(group, PartitionName(*where))
            if record.value is None:
                self.remove(place)
                continue
            rule("CORE-23")
            offset, leader_epoch, metadata, *moved_from = json.loads(record.value)
            places[place] = _Stored(OffsetAndMetadata(offset, leader_epoch, metadata), *moved_from or [position])

    def _store(self, group: StoredGroup) -> None:
        self._compact(self._write((group_records.record_of(group, self._clock.now),)))

    def _append(self, records: tuple[Record, ...]) -> PartitionLog:
        """Write what a client asks for outside of transactions. Raises RequestRefused: as `refusal_of`, and nothing has changed."""
        batch, log = Batch(records), self._log()
        try:
            log.append(batch, encode(batch))
        except RequestRefused as refusal:
            raise self.refusal_of(refusal) from refusal
        return log

    def _write(self, records: tuple[Record, ...]) -> PartitionLog:
        """Write what the broker itself has to say of groups."""
        batch, log = Batch(records), self._log()
        try:
            log.append(batch, encode(batch))
        except RequestRefused:  # temporary, such as an absent replica: the broker writes it again
            log.append(batch, encode(batch))
        return log

    def _take_in_group(self, name: str, value: bytes | None) -> None:
        """`membership` knows already, and better, what the broker has written in this life."""
        if not self._is_starting:
            return
        if value is None:
            self._membership.forget(name)
        else:
            self._membership.restore(group_records.read(name, value))

    def remove(self, place: _Place) -> None:
        """Decision: an offset is deleted with its group, also a pending one: a commit of its transaction does not restore it."""
        rule("KIP890-243")
        for places in (self._committed, *self._pending.values()):
            places.pop(place, None)

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        """Decision: with the marker, the offsets that are pending for the producer become those of the groups, or nothing."""
        decided = self._pending.pop(producer_id, {})
        if decision is MarkerType.COMMIT:
            rule("KIP890-053")
            rule("KIP890-400")
            rule("CORE-20")
            rule("CORE-39")
            self._committed |= {place: stored for place, stored in decided.items() if self.counts(stored, self._committed.get(place))}
        else:
            rule("KIP890-054")
            rule("CORE-21")
            rule("KIP890-205")

    def counts(self, decided: _Stored, committed: _Stored | None) -> bool:
        """Decision: whether an offset of a committed transaction replaces the committed one: not one that was committed after it."""
        if committed is None or committed.at < decided.at:
            return True
        rule("KIP890-242")
        return False


def _key(place: _Place) -> bytes:
    return json.dumps([place.group, place.partition.topic, place.partition.partition]).encode()
