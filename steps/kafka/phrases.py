"""Values of Kafka's sentences that are one of several phrases."""

from dataclasses import dataclass
from typing import TypeAlias

from fencepost.steps.phrase import phrases
from fencepost.steps.sentence_types import choice

from .kafka_sentence_types import ERRORS, MEMBERSHIP, NUMBER, PARTITION, PRODUCER, VALUES


@dataclass(frozen=True)
class ItsEpoch:
    """The epoch of a producer."""

    producer: str


@dataclass(frozen=True)
class NextEpoch:
    """The epoch of a producer plus one."""

    producer: str


@dataclass(frozen=True)
class AField:
    """A field of a refusal, or the lack of one."""

    field: str


@dataclass(frozen=True)
class NoOffsets:
    """The offsets of a batch that was not appended to this partition."""

    partition: str


@dataclass(frozen=True)
class FoundOffset:
    """An offset without a time."""

    offset: int


@dataclass(frozen=True)
class FoundRecord:
    """A record, the only one; or none."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class RefusedWith:
    """Refused with one of these errors."""

    errors: tuple[str, ...]


@dataclass(frozen=True)
class NotDone:
    """Not answered with success."""


@dataclass(frozen=True)
class EveryPartition:
    """All partitions of the scenario."""


@dataclass(frozen=True)
class TransactionOf:
    """The transaction of a producer."""

    producer: str


@dataclass(frozen=True)
class ForTwoSessions:
    """Heartbeats for as long as two sessions last."""


@dataclass(frozen=True)
class AsMember:
    """One Heartbeat, as this member."""

    membership: str


EpochOf: TypeAlias = ItsEpoch | NextEpoch
RefusalPart: TypeAlias = AField | NoOffsets
Found: TypeAlias = FoundOffset | FoundRecord
FirstAttempt: TypeAlias = RefusedWith | NotDone
Polled: TypeAlias = EveryPartition | TransactionOf
Heartbeats: TypeAlias = ForTwoSessions | AsMember
EPOCH_OF = phrases(
    "epoch_of",
    (PRODUCER,),
    "a producer's epoch before the When, or that plus one",
    {"the epoch of {producer}": ItsEpoch, "the next epoch of {producer}": NextEpoch},
)
REFUSAL_PART = phrases(
    "refusal_part",
    (choice("field", "a message", "no producer id", "producer id -1 and epoch -1", meaning="a field, or the lack of one"), PARTITION),
    "a field of the answer, or the lack of one",
    {"{field}": AField, "base offset -1 and no wrong log start offset of {partition}": NoOffsets},
)
FOUND = phrases(
    "found",
    (VALUES, NUMBER),
    "what ListOffsets answers: offset and timestamp of this record, or nothing; or an offset, and -1 for the timestamp",
    {"{values}": FoundRecord, "offset {offset:number} and no time": FoundOffset},
)
FIRST_ATTEMPT = phrases(
    "first_attempt",
    (ERRORS,),
    "the first of two answers; not done: too few replicas have it or are in sync, or it timed out",
    {"refused with {errors}": RefusedWith, "not done": NotDone},
)
POLLED = phrases(
    "polled",
    (PRODUCER,),
    "what is looked at before, during and after the When",
    {"every partition": EveryPartition, "the transaction of {producer}": TransactionOf},
)
HEARTBEATS = phrases(
    "heartbeats",
    (MEMBERSHIP,),
    "one Heartbeat, or as many as keep a member for twice as long as its session may last without one",
    {"Heartbeats for two sessions": ForTwoSessions, "a Heartbeat as {membership}": AsMember},
)
