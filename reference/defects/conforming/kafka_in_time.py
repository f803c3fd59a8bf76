"""Conforming variants in timing: what is refused now and granted a moment later, whose clock stamps records, which numbers come next."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crc32c import crc32c

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.group_records import Joining
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.membership import GroupMembers
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import PREPARED, Decision
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.network import Network
from fencepost.wire.kafka.batches import Batch, encode

_REFUSED_AT_FIRST = 3
_FIRST_BLOCK = 2**40
_BLOCK = 1_000
_LEADERS_LONG_AGO = 23
_SHORTEST_SESSION_MS = 6_000

_HEAD = struct.Struct(">I")
_CRC, _BODY = slice(17, 21), slice(21, None)
_SECOND_BYTE_OF_ATTRIBUTES = 22
_STAMPED_BY_THE_LOG = 0x08


@defect(origin="every cluster in which the coordinator's partition is led by another node than a moment ago")
class NotCoordinatorAtFirst(KafkaCoordinator):
    """The first InitProducerId and the first EndTxn of each transactional id get NOT_COORDINATOR, and clients have to retry."""

    def __init__(self, *parts: Any) -> None:
        self._reported: set[tuple[str, str]] = set()
        super().__init__(*parts)

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        _send_away_at_first(self._reported, "InitProducerId", transactional_id)
        return super().init_producer_id(transactional_id, timeout_ms, expected)

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        _send_away_at_first(self._reported, "EndTxn", transactional_id)
        return super().end_transaction(transactional_id, producer, decision, api_version)


def _send_away_at_first(reported: set[tuple[str, str]], request: str, transactional_id: str) -> None:
    if transactional_id and (request, transactional_id) not in reported:
        reported.add((request, transactional_id))
        raise RequestRefused(Errors.NOT_COORDINATOR)


@defect(origin="every cluster in which a replica has just restarted")
class NotEnoughReplicasAtFirst(PartitionLog):
    """The first batch of a client for each partition gets NOT_ENOUGH_REPLICAS after the leader has asked the coordinator, and nothing is
    appended.

    What the group coordinator writes is not refused: the group coordinator has no such error for its clients.
    """

    _refused = False

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        if self.name != OFFSETS_PARTITION and not self._refused:
            self._refused = True
            raise RequestRefused(Errors.NOT_ENOUGH_REPLICAS)
        return super().append(batch, data, guard, checks_sequence=checks_sequence)


@defect(origin="topics with message.timestamp.type=LogAppendTime")
class LogAppendTime(PartitionLog):
    """Records have the time at which the log took them, and not the one that their producer gave them."""

    def write(self, batch: Batch, data: bytes) -> int:
        if self.compaction is not None:  # such a topic of the suite is made with message.timestamp.type=CreateTime
            return super().write(batch, data)
        stamped = replace(batch, records=tuple(replace(record, timestamp=self._clock.now) for record in batch.records))
        if batch.marker:
            return super().write(stamped, data)
        return super().write(stamped, _as_stamped_by_the_log(encode(stamped)))


def _as_stamped_by_the_log(data: bytes) -> bytes:
    """With the attribute that says so, and the checksum that follows."""
    changed = bytearray(data)
    changed[_SECOND_BYTE_OF_ATTRIBUTES] |= _STAMPED_BY_THE_LOG
    changed[_CRC] = _HEAD.pack(crc32c(bytes(changed[_BODY])))
    return bytes(changed)


@defect(origin="every cluster in which a leader has changed")
class AnotherLeaderEpoch(PartitionLog):
    """Batches and answers carry a leader epoch other than 0, for the partition has had many leaders."""

    def leader_epoch(self) -> int:
        return _LEADERS_LONG_AGO + super().leader_epoch()


@defect(origin="clusters of many brokers, each of which reserves a block of ids (KIP-730)")
class ProducerIdsWithGaps(KafkaTransactionLog):
    """Producer ids are large from the first on, and far from each other."""

    def new_producer_id(self) -> int:
        return _FIRST_BLOCK + _BLOCK * super().new_producer_id()


@defect(origin="every cluster, in which each leader has a separate connection")
class LastInFirstOut(Network):
    """What was sent last arrives first, so partitions get their markers, and the coordinator their answers, in another order."""

    def deliver(self) -> None:
        while (message := next((message for message in reversed(self._in_flight) if self._may_arrive(message)), None)) is not None:
            self._in_flight.remove(message)
            message.receive(message.content)


@defect(origin="brokers that raise the epoch when a partition moves, and not whenever its leader restarts")
class CoordinatorEpochStandsStill(KafkaTransactionLog):
    """A coordinator that restarts with no marker to send keeps its epoch, because no other node was the coordinator meanwhile."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        kept: Journal[int] = disk.journal("starts-that-kept-the-epoch")
        if self.earlier_starts and not any(transaction.state in PREPARED for transaction in self.replay().values()):
            kept.append(self.earlier_starts)
        self.coordinator_epoch -= len(kept)


@defect(origin="every broker that reads a long transaction log when it starts")
class CoordinatorTakesTimeToLoad(KafkaCoordinator):
    """The first requests after every start get COORDINATOR_LOAD_IN_PROGRESS, and clients have to retry."""

    _refused = 0

    def check_loaded(self) -> None:
        if self._refused < _REFUSED_AT_FIRST:
            self._refused += 1
            raise RequestRefused(Errors.COORDINATOR_LOAD_IN_PROGRESS)
        super().check_loaded()


@defect(origin="brokers whose shutdown waits for what they have sent")
class MarkersBeforeAStop(KafkaCoordinator):
    """A broker that stops cleanly first writes the markers that are in flight, and records the transactions that they complete."""

    def stop(self) -> None:
        super().stop()
        self._machine.network.deliver()


@defect(origin="a broker with the default of group.min.session.timeout.ms")
class ShortestSession(GroupMembers):
    """A member that wants a session of less than 6 s is refused INVALID_SESSION_TIMEOUT."""

    def check_fits(self, joining: Joining, others: Sequence[Joining]) -> None:
        if joining.session_timeout_ms < _SHORTEST_SESSION_MS:
            raise RequestRefused(Errors.INVALID_SESSION_TIMEOUT)
        super().check_fits(joining, others)
