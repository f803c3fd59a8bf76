"""What clients learn of scalable topics: layouts, and which segments a consumer of a whole topic has. PIP-460 and PIP-468."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class LayoutSegment:
    """A segment in a layout: the hashes of its keys, both ends included, its family, and its name as a topic.

    Epochs count the changes of the layout; `sealed_at_epoch` is None as long as the segment is active. `broker` is the service URL of the
    broker that serves it, None if the system does not report it: for sealed segments, and in answers of the admin interface.
    """

    number: int
    first_hash: int
    last_hash: int
    is_sealed: bool
    parents: tuple[int, ...]
    children: tuple[int, ...]
    created_at_epoch: int
    sealed_at_epoch: int | None
    topic: str
    broker: str | None = None

    def __str__(self) -> str:
        return f"{self.number} ({self.first_hash:04x}-{self.last_hash:04x}, {'sealed' if self.is_sealed else 'active'})"

    def holds(self, hash: int) -> bool:  # noqa: A002 - the protocol's word
        """Whether keys of that hash belong to this segment."""
        return self.first_hash <= hash <= self.last_hash


@dataclass(frozen=True)
class ReportedLayout:
    """A whole layout, its segments by their numbers. `topic` is the topic's full name, `controller` the service URL of the broker that
    changes the layout, None if it is not reported.
    """

    epoch: int
    segments: tuple[LayoutSegment, ...]
    controller: str | None = None
    topic: str = ""

    def __str__(self) -> str:
        return f"epoch {self.epoch}: {', '.join(map(str, self.segments)) or 'no segment'}"

    @property
    def active(self) -> tuple[LayoutSegment, ...]:
        """The segments that accept messages, the lowest hashes first."""
        return tuple(sorted((one for one in self.segments if not one.is_sealed), key=lambda one: one.first_hash))

    @property
    def sealed(self) -> tuple[LayoutSegment, ...]:
        """The segments that accept no more messages, by their numbers."""
        return tuple(one for one in self.segments if one.is_sealed)

    def named(self, number: int) -> LayoutSegment | None:
        """The segment of that number, None if there is none (any more)."""
        return next((one for one in self.segments if one.number == number), None)

    def segment_of(self, hash: int) -> LayoutSegment:  # noqa: A002 - the protocol's word
        """The active segment of the keys with that hash."""
        return next(one for one in self.active if one.holds(hash))

    @property
    def in_order(self) -> tuple[LayoutSegment, ...]:
        """All segments, parents before their children, as they must be read."""
        return tuple(sorted(self.segments, key=lambda one: (one.created_at_epoch, one.first_hash, one.number)))


@dataclass(frozen=True)
class PendingChange:
    """A change of a layout in flight: its answer can be awaited."""

    topic: str
    asked: str
    number: int


@dataclass(frozen=True)
class LayoutWatchHandle:
    """A session in which a broker sends the layouts of a topic, as its client holds it; `first` is the one that it was opened with."""

    topic: str
    number: int
    first: ReportedLayout


@dataclass(frozen=True)
class TopicsWatchHandle:
    """A watch of a namespace's scalable topics, as its client holds it; `first` are the topics that it was opened with."""

    namespace: str
    number: int
    first: frozenset[str]


@dataclass(frozen=True)
class AssignedSegment:
    """A segment that a consumer of a whole topic is to read."""

    number: int
    first_hash: int
    last_hash: int
    topic: str


@dataclass(frozen=True)
class SegmentAssignment:
    """The segments that a consumer of a whole topic is to read, by their numbers, as of an epoch of the layout."""

    epoch: int
    segments: tuple[AssignedSegment, ...]

    def __str__(self) -> str:
        return f"epoch {self.epoch}: {', '.join(str(one.number) for one in self.segments) or 'no segment'}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the segments, in their order."""
        return tuple(one.number for one in self.segments)


@dataclass(frozen=True)
class StreamConsumer:
    """A consumer of a whole topic that has registered under its name; `number` is that of the registration at its client."""

    topic: str
    subscription: str
    name: str
    number: int


@dataclass(frozen=True)
class QueueConsumer:
    """A consumer of a whole topic that does not register: it is attached to every segment that it has learnt of."""

    topic: str
    subscription: str
    number: int


TopicReader: TypeAlias = StreamConsumer | QueueConsumer
"""A consumer of a whole topic."""


@dataclass(frozen=True)
class TopicWriter:
    """A writer to a scalable topic, like a client: each key to the segment that has its hash, by the newest layout received."""

    topic: str
    number: int
