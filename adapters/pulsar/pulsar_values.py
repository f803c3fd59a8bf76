"""The content of requests to a Pulsar system and of its answers, as values that steps and probe share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.ack_sets import words_of
from fencepost.wire.pulsar.numbers import MINUS_ONE

from .layout_values import AssignedSegment as AssignedSegment
from .layout_values import LayoutSegment as LayoutSegment
from .layout_values import LayoutWatchHandle as LayoutWatchHandle
from .layout_values import PendingChange as PendingChange
from .layout_values import QueueConsumer as QueueConsumer
from .layout_values import ReportedLayout as ReportedLayout
from .layout_values import SegmentAssignment as SegmentAssignment
from .layout_values import StreamConsumer as StreamConsumer
from .layout_values import TopicReader as TopicReader
from .layout_values import TopicsWatchHandle as TopicsWatchHandle
from .layout_values import TopicWriter as TopicWriter
from .message_annotations import NO_ANNOTATIONS
from .message_annotations import Annotations as Annotations


def persistent(name: str, namespace: str = "public/default") -> str:
    """The full name of a persistent topic, as all calls expect it."""
    return f"persistent://{namespace}/{name}"


def scalable(name: str, namespace: str = "public/default") -> str:
    """The full name of a scalable topic, as all calls expect it."""
    return f"topic://{namespace}/{name}"


def is_segment(topic: str) -> bool:
    """Whether that is a segment of a scalable topic, whose transactions are of a separate kind."""
    return topic.startswith("segment://")


@dataclass(frozen=True, order=True)
class TransactionId:
    """A transaction by its coordinator and its sequence number there. (0,0) is a transaction like others.

    The coordinators of scalable topics' transactions number from 0 too, so two transactions may have the same id.
    """

    coordinator_bits: int
    sequence: int
    scalable: bool = False

    def __str__(self) -> str:
        return f"{'scalable ' if self.scalable else ''}({self.coordinator_bits},{self.sequence})"

    @property
    def coordinator(self) -> int:
        """The coordinator that gave the id: its number is in the 16 highest bits, as the proposal has it, or it is the whole number."""
        return self.coordinator_bits >> 48 or self.coordinator_bits


@dataclass(frozen=True)
class CoordinatorId:
    """A transaction coordinator. Those of scalable topics' transactions are numbered separately."""

    number: int
    scalable: bool = False


@dataclass(frozen=True)
class ActiveSegment:
    """An active segment of a scalable topic, with the hashes of its keys, both ends included, and its name as a topic.

    `broker` is the service URL of its broker, None if the system does not report it.
    """

    number: int
    first_hash: int
    last_hash: int
    topic: str
    broker: str | None


@dataclass(frozen=True, order=True)
class EntryPosition:
    """An entry of a topic's log. (-1, -1) is before the first."""

    ledger: int
    entry: int

    def __str__(self) -> str:
        return f"{self.ledger}:{self.entry}"


@dataclass(frozen=True, order=True)
class MessageId:
    """A message: its entry and, if the entry is a batch, its place in the batch and the batch's size."""

    position: EntryPosition
    batch_index: int = -1
    batch_size: int = 0

    def __str__(self) -> str:
        return f"{self.position}:{self.batch_index}" if self.batch_index >= 0 else str(self.position)

    @classmethod
    def of(cls, data: pb.MessageIdData) -> "MessageId":
        """The id of a message as the wire has it."""
        ledger, entry = (-1 if number == MINUS_ONE else number for number in (data.ledger_id, data.entry_id))
        return cls(EntryPosition(ledger, entry), data.batch_index, data.batch_size)

    def wire(self, kind: "AckKind | None" = None) -> pb.MessageIdData:
        """The id for the wire. To acknowledge a message of a batch, it has a bit for each message that stays unacknowledged; if none stays,
        it is the id of the entry.
        """
        data = pb.MessageIdData(ledger_id=self.position.ledger, entry_id=self.position.entry, batch_index=self.batch_index)
        if self.batch_index >= 0 and kind is not None:
            covered = range(self.batch_index if kind is AckKind.INDIVIDUAL else 0, self.batch_index + 1)
            if others := set(range(self.batch_size)) - set(covered):
                data.batch_size = self.batch_size
                data.ack_set.extend(words_of(others, self.batch_size))
        return data

    def in_batch(self, index: int, size: int) -> "MessageId":
        """The message at a place of the batch in this entry."""
        return MessageId(self.position, index, size)

    @property
    def was_stored(self) -> bool:
        """False for the receipt of a message that deduplication recognised as there already: its position is (-1, -1)."""
        return self.position.ledger >= 0


class TxnAction(IntEnum):
    """The end of a transaction, as the wire has it."""

    COMMIT = 0
    ABORT = 1


class SubType(IntEnum):
    """How the consumers of a subscription share its messages, as the wire has it."""

    EXCLUSIVE = 0
    SHARED = 1
    FAILOVER = 2
    KEY_SHARED = 3


class InitialPosition(IntEnum):
    """Where a new subscription begins, as the wire has it."""

    LATEST = 0
    EARLIEST = 1


class AckKind(IntEnum):
    """Whether an acknowledgement is for the named messages or for all up to one, as the wire has it."""

    INDIVIDUAL = 0
    CUMULATIVE = 1


@dataclass(frozen=True)
class SubscriptionHandle:
    """A subscription of a topic, by their names in the system."""

    topic: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} of {self.topic}"


@dataclass(frozen=True)
class ProducerHandle:
    """A producer as its client holds it. `last_sequence_id` is in the broker's answer when the producer is opened, -1 for none."""

    topic: str
    number: int
    name: str
    last_sequence_id: int = -1


@dataclass(frozen=True)
class ConsumerHandle:
    """A consumer as its client holds it."""

    subscription: SubscriptionHandle
    number: int
    type: SubType = SubType.EXCLUSIVE


@dataclass(frozen=True)
class NewTransaction:
    """Begin a transaction."""

    timeout_ms: int
    coordinator: int = 0
    scalable: bool = False


@dataclass(frozen=True)
class AddTopics:
    """Add topics to a transaction."""

    transaction: TransactionId
    topics: Sequence[str]


@dataclass(frozen=True)
class AddSubscriptions:
    """Add subscriptions to a transaction."""

    transaction: TransactionId
    subscriptions: Sequence[SubscriptionHandle]


@dataclass(frozen=True)
class End:
    """End a transaction."""

    transaction: TransactionId
    action: TxnAction


TransactionRequest: TypeAlias = NewTransaction | AddTopics | AddSubscriptions | End
"""The requests to a coordinator."""


@dataclass(frozen=True)
class PendingSend:
    """A message or batch in flight: its receipt can be awaited."""

    producer: ProducerHandle
    number: int
    sequence_id: int
    count: int


@dataclass(frozen=True)
class PendingEnd:
    """A request to end a transaction in flight: its answer can be awaited."""

    transaction: TransactionId
    action: TxnAction
    number: int


@dataclass(frozen=True)
class Received:
    """A message as a consumer received it. `transaction` is the one in its metadata, `key` the one by which it was routed, and `topic` the
    topic or segment that it came from. `annotations` are those of the entry.
    """

    id: MessageId
    value: str
    redelivery_count: int
    producer: str
    sequence_id: int
    transaction: TransactionId | None = None
    key: str | None = None
    topic: str = field(default="", compare=False)
    annotations: Annotations = field(default=NO_ANNOTATIONS, compare=False)


class ReportedStatus(IntEnum):
    """The states of a transaction in the order in which it passes through them."""

    OPEN = 0
    COMMITTING = 1
    COMMITTED = 2
    ABORTING = 3
    ABORTED = 4


@dataclass(frozen=True)
class TransactionMetadata:
    """The coordinator's state of a transaction that is not over."""

    id: TransactionId
    status: ReportedStatus
    timeout_ms: int
    topics: frozenset[str]
    subscriptions: frozenset[SubscriptionHandle]


@dataclass(frozen=True)
class CoordinatorStats:
    """A coordinator. All transactions up to `low_watermark` are over; `last` is the newest that it began."""

    state: str
    last: int
    low_watermark: int
    ongoing: int


@dataclass(frozen=True)
class BufferStats:
    """A topic's transaction buffer. No consumer receives messages after `max_read_position`."""

    state: str
    max_read_position: EntryPosition
    ongoing: int
    aborted: int


@dataclass(frozen=True)
class TransactionInBuffer:
    """A transaction in a topic's buffer: where it began there, None if it is not open there, and whether it was aborted."""

    start: EntryPosition | None
    aborted: bool


@dataclass(frozen=True)
class PendingAckStats:
    """The acknowledgements of a subscription that wait for the end of their transactions."""

    state: str
    ongoing: int


@dataclass(frozen=True)
class LogStats:
    """A topic's log: how many entries it has, its last entry, up to where each subscription has acknowledged everything, and, if the system
    reports it, the next entry for each subscription.
    """

    entries: int
    last: EntryPosition
    mark_deletes: Mapping[str, EntryPosition]
    read_positions: Mapping[str, EntryPosition] = field(default_factory=dict)


@dataclass(frozen=True)
class KeyGrant:
    """A coordinator's answer to a client that named its key: the epoch of this connection, and the coordinator of the key.

    A broker without transaction keys ignores the key, and answers no epoch.
    """

    epoch: int | None
    coordinator: int


@dataclass(frozen=True)
class PendingKeyConnect:
    """A connect with a key in flight: its answer can be awaited. If `follows`, it goes on to the coordinator in the answer."""

    number: int
    key: bytes | None
    epoch: int | None
    """None if the request has no epoch, as is allowed for a client that was granted none."""
    coordinator: CoordinatorId
    follows: bool


@dataclass(frozen=True, order=True)
class OwnedKey:
    """A key in the administrators' list. Clients without a name have the owner ""."""

    owner: str
    key: str


@dataclass(frozen=True)
class KeyState:
    """One key with its details, as administrators see it; its transactions are the open ones."""

    owner: str
    key: str
    epoch: int
    coordinator: int
    transactions: Sequence[TransactionId]


@dataclass(frozen=True)
class KeyMetrics:
    """A broker's metrics of keys: the number of keys, the epoch of each, and how many milliseconds ago each was connected, on average over
    the observations.
    """

    count: int
    epochs: Mapping[OwnedKey, int] = field(default_factory=dict)
    ages_ms: Mapping[OwnedKey, float] = field(default_factory=dict)
