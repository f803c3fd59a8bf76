"""The offsets that groups have committed, as far as transactions go: they are records like any other, in a partition of their own.

An offset that was committed in a transaction is *pending* until the marker comes, and only then what the group has committed. So the
offsets of a group become visible together with the records of the transaction. What a group has, is read off its log, when it is
asked for and after a crash alike.

Offsets that are committed outside of transactions count at once. Who is a member of a group, and so may commit as one, is for
`membership` to say; whoever does not say that it is a member, may be anybody.

Source: "Implicitly Add Partitions to Transactions on Produce for New Clients (2)" on TxnOffsetCommit; "TxnOffsetCommit Requests".
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, MarkerType, Record, encode

from .errors import Error, Refused
from .membership import Membership
from .partition_log import PartitionLog
from .topics import OFFSETS_PARTITION, Topics
from .values import ProducerIdAndEpoch, TopicPartition
from .verification import Operation, Verification

MAX_METADATA_BYTES = 4_096
"""`offset.metadata.max.bytes`, with Kafka's default."""

_EACH_BATCH_BEGINS_AT = 0
"""The group coordinator writes one batch after the other and counts none, and its sequence numbers are not compared."""

_NO_GENERATION = -1


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """Where a group goes on in a partition, and its metadata. `leader_epoch` is -1 where none was given."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    group: str
    partition: TopicPartition


class Groups:
    """The offsets of all groups."""

    def __init__(self, topics: Topics, verification: Verification, membership: Membership, clock: Clock, most_batches: int) -> None:
        self._topics = topics
        self._verification = verification
        self._membership = membership
        self._clock = clock
        self._most_batches = most_batches
        self._committed: dict[_Place, CommittedOffset] = {}
        self._pending: dict[int, dict[_Place, CommittedOffset]] = {}
        self._read_to = 0

    def commit_in_transaction(
        self,
        group: str,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        offsets: Mapping[TopicPartition, CommittedOffset],
        operation: Operation,
        generation: int = _NO_GENERATION,
        member: str = "",
    ) -> dict[TopicPartition, Error]:
        """Store offsets that shall count when the transaction commits; the verdict for each partition.

        Raises Refused for the request as a whole.
        """
        if not group:
            rule("KIP890-056")
            raise Refused(Error.INVALID_GROUP_ID)
        verdicts = self.judge(offsets)
        lawful = {partition: offset for partition, offset in offsets.items() if verdicts[partition] is Error.NONE}
        if not lawful:
            return verdicts
        batch = Batch(
            tuple(self.record(group, partition, offset) for partition, offset in lawful.items()),
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=_EACH_BATCH_BEGINS_AT,
            transactional=True,
        )
        log = self._log()
        guard = self._verification.before_offset_commit(log, transactional_id, batch, operation)
        self.check_membership(group, generation, member)
        log.append(batch, encode(batch), guard, checks_sequence=False)
        self._compact(log)
        rule("KIP890-047")
        rule("CORE-22")
        return verdicts

    def check_membership(self, group: str, generation: int, member: str) -> None:
        """Decision: who says that it is a member must be one. A sender with no generation does not say so, and may be anybody.

        Raises Refused: ILLEGAL_GENERATION when there is no such group or its generation is another, UNKNOWN_MEMBER_ID when it has no such
        member.
        """
        rule("KIP890-055")
        if generation <= _NO_GENERATION:
            return
        if not self._membership.has_members(group) and not self.partitions_of(group):
            raise Refused(Error.ILLEGAL_GENERATION, f"there is no group {group!r}")
        self._membership.check(group, generation, member)

    def commit(
        self, group: str, offsets: Mapping[TopicPartition, CommittedOffset], generation: int, member: str
    ) -> dict[TopicPartition, Error]:
        """Store offsets that count at once; the verdict for each partition. Raises Refused for the request as a whole."""
        if not group:
            raise Refused(Error.INVALID_GROUP_ID)
        self.check_membership(group, generation, member)
        verdicts = self.judge(offsets)
        lawful = {partition: offset for partition, offset in offsets.items() if verdicts[partition] is Error.NONE}
        if lawful:
            batch = Batch(tuple(self.record(group, partition, offset) for partition, offset in lawful.items()))
            log = self._log()
            log.append(batch, encode(batch))
            self._compact(log)
        return verdicts

    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        """Decision: the offset that OffsetFetch answers, None for nothing.

        Raises Refused: UNSTABLE_OFFSET_COMMIT when a stable one is required and a transaction may change it at any moment.
        """
        self._catch_up()
        place = _Place(group, partition)
        rule("KIP890-052")
        if require_stable and any(place in pending for pending in self._pending.values()):
            raise Refused(Error.UNSTABLE_OFFSET_COMMIT)
        return self._committed.get(place)

    def partitions_of(self, group: str) -> list[TopicPartition]:
        """The partitions in which the group has committed, or is about to."""
        self._catch_up()
        places = set(self._committed).union(*self._pending.values())
        return sorted(place.partition for place in places if place.group == group)

    def judge(self, offsets: Mapping[TopicPartition, CommittedOffset]) -> dict[TopicPartition, Error]:
        """Decision: which offsets may be stored; one that may not does not keep the others from it."""
        rule("KIP890-056")
        return {partition: self._verdict(partition, offset) for partition, offset in offsets.items()}

    def _verdict(self, partition: TopicPartition, offset: CommittedOffset) -> Error:
        if partition not in self._topics:
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        return Error.OFFSET_METADATA_TOO_LARGE if len(offset.metadata.encode()) > MAX_METADATA_BYTES else Error.NONE

    def _log(self) -> PartitionLog:
        self._topics.create_internal(OFFSETS_PARTITION.topic)
        return self._topics.log(OFFSETS_PARTITION)

    def record(self, group: str, partition: TopicPartition, offset: CommittedOffset) -> Record:
        """Decision: what of an offset is stored in the log."""
        key = json.dumps([group, partition.topic, partition.partition])
        value = json.dumps([offset.offset, offset.leader_epoch, offset.metadata])
        return Record(value.encode(), key.encode(), self._clock.now)

    def _catch_up(self) -> None:
        """Read on in the log, to where it ends now."""
        log = self._log()
        for entry in log.entries(self._read_to):
            self.take_in(entry.batch)
        self._read_to = log.end_offset

    def _compact(self, log: PartitionLog) -> None:
        """A log that has become long gets one more batch of what all groups have, and drops what was before that."""
        if len(log) > self._most_batches and log.may_drop_before(log.end_offset):
            self._catch_up()
            all_before = log.end_offset
            if self._committed:
                batch = Batch(tuple(self.record(place.group, place.partition, offset) for place, offset in self._committed.items()))
                log.append(batch, encode(batch))
            log.drop_before(all_before)

    def take_in(self, batch: Batch) -> None:
        """Decision: offsets of a transaction are pending until its marker; others count at once."""
        if batch.marker is not None:
            self.decide(batch.producer_id, batch.marker.type)
            return
        places = self._pending.setdefault(batch.producer_id, {}) if batch.transactional else self._committed
        for record in batch.records:
            group, topic, number = json.loads(record.key or b"")
            rule("CORE-23")
            places[_Place(group, TopicPartition(topic, number))] = CommittedOffset(*json.loads(record.value or b""))

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        """Decision: with the marker, the offsets that are pending for the producer become those of the groups, or nothing."""
        decided = self._pending.pop(producer_id, {})
        if decision is MarkerType.COMMIT:
            rule("KIP890-053")
            rule("CORE-20")
            self._committed |= decided
        else:
            rule("KIP890-054")
            rule("CORE-21")
