"""What the log of a partition holds, and what readers get of it."""

from dataclasses import dataclass
from enum import IntEnum

from fencepost.wire.kafka.batches import Batch

from .producer_state import ProducerState


class ReadIsolation(IntEnum):
    """What a reader wants to see, by the wire's number."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A batch, and its bytes as they were sent but for the base offset, or as the log cleaner has left them."""

    batch: Batch
    data: bytes
    removable_from: int | None = None
    """When the log cleaner may remove a marker of whose transaction nothing is left, in ms since 1970; None before the cleaner has found
    that."""


@dataclass(frozen=True, slots=True)
class CompactionPolicy:
    """How a topic is compacted."""

    segment_ms: int = 7 * 24 * 3_600_000
    """How far apart the times of records in one segment may be; the active segment is not cleaned."""

    delete_retention_ms: int = 24 * 3_600_000
    """How long a marker stays when nothing else is left of its transaction, for readers that have read its records before."""


@dataclass(frozen=True, slots=True)
class AbortedTxn:
    """Where a transaction that was aborted has its first record and its marker."""

    producer_id: int
    first_offset: int
    last_offset: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a partition knew at a moment of its producers and their transactions, and where its log began."""

    start_offset: int
    producers: tuple[ProducerState, ...]
    aborted: tuple[AbortedTxn, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What a reader gets from an offset on. `aborted` is None for readers that do not ask for committed data only."""

    data: bytes
    aborted: tuple[AbortedTxn, ...] | None
