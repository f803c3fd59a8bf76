"""The topics of the broker, each with its id and the logs of its partitions; the list of current and deleted topics is journalled.

Two are the broker's internal topics: `__consumer_offsets`, where groups keep their offsets, and `__transaction_state`. They are created
when a client first looks for a coordinator, and clients cannot write to them. Each has one partition.
"""

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_types import PartitionName, journal_of
from .partition_log import CompactionPolicy, PartitionLog

OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"
INTERNAL = frozenset({OFFSETS_TOPIC, TRANSACTIONS_TOPIC})
OFFSETS_PARTITION = PartitionName(OFFSETS_TOPIC, 0)

TRANSACTIONS_PARTITION = PartitionName(TRANSACTIONS_TOPIC, 0)

FIRST_NODE = 1
"""The node that leads the partitions of the internal topics, and so coordinates, unless they are moved."""

MOST_PARTITIONS = 10_000
"""As many as Apache Kafka makes for one request."""

_FIRST_LEADER = 0
"""How many leaders a partition had before its first one."""

_IDS = uuid.uuid5(uuid.NAMESPACE_OID, "fencepost topics")
"""The namespace of topic ids: one id for each name and entry of the journal."""

_CONFORMING_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")


@dataclass(frozen=True)
class Deleted:
    """The journal's record of a deleted topic."""

    name: str


@dataclass(frozen=True)
class KafkaTopic:
    """A topic."""

    name: str
    topic_id: uuid.UUID
    leaders: tuple[int, ...]
    """The node that leads each partition."""

    leaders_before: tuple[int, ...]
    """How many other leaders each partition had before."""

    followers: tuple[tuple[int, ...], ...]
    """The other nodes that have a replica of each partition, besides its leader."""

    compaction: CompactionPolicy | None = None
    """How it is compacted; None if it is not."""

    @property
    def partitions(self) -> int:
        return len(self.leaders)

    @property
    def is_internal(self) -> bool:
        return self.name in INTERNAL


class KafkaTopics:
    """All topics. `open_log` opens the log of a partition, as it is on disk."""

    def __init__(self, disk: Disk, open_log: Callable[[PartitionName], PartitionLog]) -> None:
        self._disk = disk
        self._journal: Journal[KafkaTopic | Deleted] = disk.journal("topics")
        self._open_log = open_log
        self._by_name: dict[str, KafkaTopic] = {}
        self._by_id: dict[uuid.UUID, KafkaTopic] = {}
        self._logs: dict[str, list[PartitionLog]] = {}
        there = {entry.name: entry for entry in self._journal}
        for topic in there.values():
            if isinstance(topic, KafkaTopic):
                self._open(topic)

    def create(
        self, name: str, leaders: Sequence[int], followers: Sequence[tuple[int, ...]] = (), compaction: CompactionPolicy | None = None
    ) -> KafkaTopic:
        """Create a topic that may be created, whose partitions are led by these nodes, with replicas on those as well."""
        topic_id = uuid.uuid5(_IDS, f"{name}, {len(self._journal)}")
        before = tuple(_FIRST_LEADER for _ in leaders)
        topic = KafkaTopic(name, topic_id, tuple(leaders), before, tuple(followers) or tuple(() for _ in leaders), compaction)
        self._journal.append(topic)
        self._open(topic)
        return topic

    def move(self, partition: PartitionName, node: int) -> None:
        """Let another node lead an existing partition, and be the only one that has it."""
        topic, number = self._by_name[partition.topic], partition.partition
        leaders, before, followers = list(topic.leaders), list(topic.leaders_before), list(topic.followers)
        leaders[number], before[number], followers[number] = node, before[number] + 1, ()
        moved = replace(topic, leaders=tuple(leaders), leaders_before=tuple(before), followers=tuple(followers))
        self._journal.append(moved)
        self._by_name[topic.name] = self._by_id[topic.topic_id] = moved
        self._logs[topic.name][number] = self.log_of_new_leader(partition)
        self._logs[topic.name][number].leaders_before = before[number]
        self._logs[topic.name][number].compaction = topic.compaction

    def log_of_new_leader(self, partition: PartitionName) -> PartitionLog:
        """Decision: what a new leader knows of its partition: all that follows from the log, as the old one did."""
        rule("KIP890-263")
        return self._open_log(partition)

    def delete(self, topic: KafkaTopic) -> None:
        """Decision: a topic is deleted with all that its partitions hold. Its id is never given again."""
        rule("KIP890-368")
        self._journal.append(Deleted(topic.name))
        del self._by_name[topic.name], self._by_id[topic.topic_id], self._logs[topic.name]
        for number in range(topic.partitions):
            self.forget(PartitionName(topic.name, number))

    def forget(self, partition: PartitionName) -> None:
        """Decision: what is left of a partition that was deleted: nothing, so that a new topic of that name begins empty."""
        rule("KIP890-231")
        self._disk.erase(lambda journal: journal == journal_of(partition))

    def check_new(self, name: str, partitions: int) -> None:
        """Decision: whether such a new topic is allowed.

        Raises RequestRefused: INVALID_TOPIC_EXCEPTION when the name is invalid, TOPIC_ALREADY_EXISTS when there is such a topic,
        INVALID_PARTITIONS when there are too few or too many.
        """
        rule("KIP890-372")
        if not _CONFORMING_NAME.fullmatch(name) or name in (".", ".."):
            raise RequestRefused(Errors.INVALID_TOPIC_EXCEPTION, f"{name!r} is no name for a topic")
        if name in self._by_name:
            raise RequestRefused(Errors.TOPIC_ALREADY_EXISTS, f"there is a topic {name!r} already")
        if partitions < 1:
            raise RequestRefused(Errors.INVALID_PARTITIONS, f"{partitions} partitions, a topic needs at least one")
        if partitions > MOST_PARTITIONS:
            raise RequestRefused(Errors.INVALID_PARTITIONS, f"{partitions} partitions, a topic may have {MOST_PARTITIONS}")

    def create_internal(self, name: str) -> bool:
        """Create one of the internal topics; False when it exists already."""
        if name in self._by_name:
            return False
        self.create(name, [FIRST_NODE])
        return True

    def all(self) -> tuple[KafkaTopic, ...]:
        """All topics, in the order in which they were created."""
        return tuple(self._by_name.values())

    def may_be_written_to(self, name: str | None) -> bool:
        """Decision: whether clients may write there: only the broker writes to its internal topics."""
        rule("KIP890-256")
        return name not in INTERNAL

    def named(self, name: str) -> KafkaTopic | None:
        return self._by_name.get(name)

    def with_id(self, topic_id: uuid.UUID | None) -> KafkaTopic | None:
        """Decision: the topic that a request names by its id; None for an id that no topic has, or that only a deleted one had."""
        rule("KIP890-250")
        rule("KIP890-251")
        rule("KIP890-252")
        rule("KIP890-360")
        return None if topic_id is None else self._by_id.get(topic_id)

    def log(self, partition: PartitionName) -> PartitionLog:
        """The log of a partition. Raises RequestRefused: UNKNOWN_TOPIC_OR_PARTITION when there is none."""
        if partition not in self:
            raise RequestRefused(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        return self._logs[partition.topic][partition.partition]

    def leader_of(self, partition: PartitionName) -> int:
        """The node that leads an existing partition."""
        return self._by_name[partition.topic].leaders[partition.partition]

    def is_led_by(self, partition: PartitionName, node: int) -> bool:
        """Decision: whether that node answers for the partition: only its leader does."""
        rule("KIP890-373")
        return self.leader_of(partition) == node

    def followed_by(self, node: int) -> list[PartitionLog]:
        """The logs of the partitions of which this node has a replica, and that it does not lead."""
        return [log for log in self.logs() if node in self._by_name[log.name.topic].followers[log.name.partition]]

    def logs(self) -> tuple[PartitionLog, ...]:
        """The logs of all partitions."""
        return tuple(log for logs in self._logs.values() for log in logs)

    def __contains__(self, partition: PartitionName) -> bool:
        return partition.partition in range(len(self._logs.get(partition.topic, ())))

    def _open(self, topic: KafkaTopic) -> None:
        self._by_name[topic.name] = topic
        self._by_id[topic.topic_id] = topic
        self._logs[topic.name] = [self._open_log(PartitionName(topic.name, number)) for number in range(topic.partitions)]
        for log, before in zip(self._logs[topic.name], topic.leaders_before, strict=True):
            log.leaders_before = before
            log.compaction = topic.compaction
