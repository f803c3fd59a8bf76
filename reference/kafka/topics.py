"""The topics of the broker, each with its id and the logs of its partitions; which topics there are is journalled.

Two are the broker's own: `__consumer_offsets`, where groups keep their offsets, and `__transaction_state`. They come up when somebody
first looks for a coordinator, and clients cannot write to them. Each has one partition.
"""

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.journal import Disk, Journal

from .errors import Error, Refused
from .partition_log import PartitionLog
from .values import TopicPartition

OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"
INTERNAL = frozenset({OFFSETS_TOPIC, TRANSACTIONS_TOPIC})
OFFSETS_PARTITION = TopicPartition(OFFSETS_TOPIC, 0)

FIRST_NODE = 1
"""The node that coordinates, and leads the partitions of the broker's own topics."""

MOST_PARTITIONS = 10_000
"""As many as Apache Kafka makes for one request."""

_LAWFUL_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")


@dataclass(frozen=True)
class Topic:
    """A topic."""

    name: str
    topic_id: uuid.UUID
    leaders: tuple[int, ...]
    """The node that leads each partition."""

    @property
    def partitions(self) -> int:
        return len(self.leaders)

    @property
    def is_internal(self) -> bool:
        return self.name in INTERNAL


class Topics:
    """All topics. `open_log` opens the log of a partition, as it is on disk."""

    def __init__(self, disk: Disk, open_log: Callable[[TopicPartition], PartitionLog]) -> None:
        self._journal: Journal[Topic] = disk.journal("topics")
        self._open_log = open_log
        self._by_name: dict[str, Topic] = {}
        self._by_id: dict[uuid.UUID, Topic] = {}
        self._logs: dict[TopicPartition, PartitionLog] = {}
        for topic in self._journal:
            self._open(topic)

    def create(self, name: str, leaders: Sequence[int]) -> Topic:
        """Make a topic whose partitions are led by these nodes. Raises Refused: as `check_new`."""
        self.check_new(name, len(leaders))
        topic = Topic(name, uuid.UUID(int=len(self._journal) + 1), tuple(leaders))
        self._journal.append(topic)
        self._open(topic)
        return topic

    def check_new(self, name: str, partitions: int) -> None:
        """Raises Refused: INVALID_TOPIC_EXCEPTION when that is no name, TOPIC_ALREADY_EXISTS when there is such a topic, INVALID_PARTITIONS
        when there are too few or too many.
        """
        if not _LAWFUL_NAME.fullmatch(name) or name in (".", ".."):
            raise Refused(Error.INVALID_TOPIC_EXCEPTION, f"{name!r} is no name for a topic")
        if name in self._by_name:
            raise Refused(Error.TOPIC_ALREADY_EXISTS, f"there is a topic {name!r} already")
        if partitions < 1:
            raise Refused(Error.INVALID_PARTITIONS, f"{partitions} partitions, a topic needs at least one")
        if partitions > MOST_PARTITIONS:
            raise Refused(Error.INVALID_PARTITIONS, f"{partitions} partitions, a topic may have {MOST_PARTITIONS}")

    def create_internal(self, name: str) -> bool:
        """Make one of the broker's own topics; False when it is there already."""
        if name in self._by_name:
            return False
        self.create(name, [FIRST_NODE])
        return True

    def all(self) -> tuple[Topic, ...]:
        """In the order in which they were made."""
        return tuple(self._by_name.values())

    def named(self, name: str) -> Topic | None:
        return self._by_name.get(name)

    def with_id(self, topic_id: uuid.UUID | None) -> Topic | None:
        return None if topic_id is None else self._by_id.get(topic_id)

    def log(self, partition: TopicPartition) -> PartitionLog:
        """The log of a partition. Raises Refused: UNKNOWN_TOPIC_OR_PARTITION when there is none."""
        if (log := self._logs.get(partition)) is None:
            raise Refused(Error.UNKNOWN_TOPIC_OR_PARTITION)
        return log

    def leader_of(self, partition: TopicPartition) -> int:
        """The node that leads a partition that there is."""
        return self._by_name[partition.topic].leaders[partition.partition]

    def logs(self) -> tuple[PartitionLog, ...]:
        """The logs of all partitions."""
        return tuple(self._logs.values())

    def __contains__(self, partition: TopicPartition) -> bool:
        return partition in self._logs

    def _open(self, topic: Topic) -> None:
        self._by_name[topic.name] = topic
        self._by_id[topic.topic_id] = topic
        for number in range(topic.partitions):
            partition = TopicPartition(topic.name, number)
            self._logs[partition] = self._open_log(partition)
