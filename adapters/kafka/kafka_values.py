"""The content of requests to a Kafka system and of its answers, as values that steps and probe share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from uuid import UUID

from fencepost.wire.kafka.batches import Batch, MarkerType


@dataclass(frozen=True)
class ProducerIdentity:
    """Producer id and epoch, by which brokers identify a producer; (-1, -1) is none."""

    producer_id: int
    epoch: int

    def __str__(self) -> str:
        return f"(producer id {self.producer_id}, epoch {self.epoch})"

    def with_epoch(self, epoch: int) -> "ProducerIdentity":
        return ProducerIdentity(self.producer_id, epoch)


NO_PRODUCER = ProducerIdentity(-1, -1)


LAST_USABLE_EPOCH = 32_766
"""The largest epoch that a producer may get. The one above is the largest number of its type, and is kept for markers."""

EPOCH_BEFORE_LAST = LAST_USABLE_EPOCH - 1
RAISED_NAME = f"raised-to-{EPOCH_BEFORE_LAST}"
"""The beginning of such producers' transactional ids, so that a history shows where the epoch comes from."""


@dataclass(frozen=True)
class NearLastEpoch:
    """A transactional id whose producer is at `EPOCH_BEFORE_LAST`, one bump before the last."""

    transactional_id: str
    producer: ProducerIdentity


@dataclass(frozen=True, order=True)
class TopicPartition:
    """A partition of a topic by its name in the system."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


TRANSACTIONS, OFFSETS = "__transaction_state", "__consumer_offsets"
"""The internal topics in which Apache Kafka keeps transactions and the offsets of groups."""


class IsolationLevel(IntEnum):
    """The isolation level of Fetch and ListOffsets, as it is on the wire."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


@dataclass(frozen=True)
class TopicMade:
    """The topic in CreateTopics' answer, from version 7 on."""

    topic_id: UUID | None
    partitions: int
    replicas: int


@dataclass(frozen=True)
class Appended:
    """The place of a produced batch. For a duplicate the answer has the offset of the first one."""

    base_offset: int
    log_start_offset: int


@dataclass(frozen=True)
class CommittedOffset:
    """A group's position in a partition, with its metadata and leader epoch; None and -1 are none."""

    offset: int
    metadata: str | None = None
    leader_epoch: int = -1


SETTLED = frozenset({"Empty", "CompleteCommit", "CompleteAbort"})
"""The states in which no transaction is open and no marker is in flight."""


@dataclass(frozen=True)
class GroupMembership:
    """A member of one generation of a group; `instance` is None for a member that is not static."""

    generation: int
    member: str
    instance: str | None = None


PROTOCOL_TYPE, PROTOCOL = "fencepost", "range"
"""No type that a broker interprets: it passes on what members bring unread."""


@dataclass(frozen=True)
class Bringing:
    """What a member brings to a group: its metadata for each protocol that it supports."""

    protocols: Mapping[str, bytes] = field(default_factory=lambda: {PROTOCOL: b""})
    protocol_type: str = PROTOCOL_TYPE
    session_timeout_ms: int = 180_000
    """Longer than a crash that many scenarios share: a member expires only if a scenario asks for a short session."""


@dataclass(frozen=True)
class JoinGroupAnswer:
    """JoinGroup's answer. `others` has the metadata of all members, by member id; `protocol_type` is None before version 7.

    With `skips_assignment` the leader must not assign anything.
    """

    member: str
    generation: int
    leader: str
    protocol_type: str | None
    protocol: str | None
    others: Mapping[str, bytes]
    skips_assignment: bool


@dataclass(frozen=True)
class Share:
    """SyncGroup's answer: the member's assignment, and the protocol's type and name, None before version 5."""

    assigned: bytes
    protocol: tuple[str | None, str | None] | None


@dataclass(frozen=True)
class FetchedOffset:
    """A partition in OffsetFetch's answer; -1 is for none, and `leader_epoch` is None before version 5."""

    offset: int
    leader_epoch: int | None
    metadata: str | None


@dataclass(frozen=True)
class TransactionDescription:
    """DescribeTransactions for one transactional id; `start_time` in ms since 1970, -1 if no transaction was begun."""

    state: str
    producer: ProducerIdentity
    timeout_ms: int
    start_time: int
    partitions: frozenset[TopicPartition]

    @property
    def is_settled(self) -> bool:
        return self.state in SETTLED


@dataclass(frozen=True)
class ActiveProducer:
    """DescribeProducers for one producer in one partition; `transaction_start` is -1 if it has no open transaction there."""

    producer: ProducerIdentity
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    transaction_start: int


@dataclass(frozen=True)
class AbortedTransaction:
    """An entry of the aborted-transaction list in a Fetch answer."""

    producer_id: int
    first_offset: int


@dataclass(frozen=True)
class LogView:
    """A partition as Fetch showed it, from the log's start to the end for that isolation level."""

    batches: tuple[Batch, ...]
    high_watermark: int
    last_stable_offset: int
    aborted: tuple[AbortedTransaction, ...]

    def markers(self, since: int = 0) -> list[tuple[ProducerIdentity, MarkerType]]:
        """The transaction markers from an offset on, in the order of the log, each with its producer id and epoch."""
        found = ((batch, batch.marker) for batch in self.batches if batch.base_offset >= since)
        return [(ProducerIdentity(batch.producer_id, batch.producer_epoch), marker.type) for batch, marker in found if marker]

    def offset_of(self, value: str) -> int | None:
        """The offset of the first record with that value, even if it is not visible."""
        for batch in self.batches:
            for offset, record in zip(batch.offsets, batch.records, strict=True):
                if not batch.control and record.value == value.encode():
                    return offset
        return None

    def values(self) -> list[str]:
        """The values that a consumer returns, without the offsets."""
        return [value for _, value in self.handed_over()]

    def handed_over(self) -> list[tuple[int, str]]:
        """Offset and value of the records that a consumer returns: no control records, and none of the transactions listed as aborted.

        Kafka's consumers drop the records of a listed producer from the listed first offset on, up to and including its next ABORT
        marker.
        """
        starts = sorted(self.aborted, key=lambda entry: entry.first_offset, reverse=True)
        dropping: set[int] = set()
        shown: list[tuple[int, str]] = []
        for batch in self.batches:
            while starts and starts[-1].first_offset <= batch.last_offset:
                dropping.add(starts.pop().producer_id)
            if batch.control:
                if batch.marker and batch.marker.type is MarkerType.ABORT:
                    dropping.discard(batch.producer_id)
            elif not (batch.transactional and batch.producer_id in dropping):
                shown += [
                    (offset, (record.value or b"").decode(errors="replace"))
                    for offset, record in zip(batch.offsets, batch.records, strict=True)
                ]
        return shown


@dataclass(frozen=True)
class ListedTransaction:
    """An entry of ListTransactions."""

    transactional_id: str
    producer_id: int
    state: str


@dataclass(frozen=True)
class TransactionList:
    """ListTransactions over all nodes; `unknown_states` are the names in the filter that a node did not know."""

    transactions: frozenset[ListedTransaction]
    unknown_states: frozenset[str]
