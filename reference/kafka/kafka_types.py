"""The words that all parts share."""

from dataclasses import dataclass

NOTHING = -1
"""What Kafka writes for a missing id, epoch or time."""

FIRST_EPOCH = 0
EXHAUSTED_EPOCH = 32_766
"""The last epoch that a producer is ever given: the next one is needed for the marker that ends its transaction, and is the largest."""

MAX_EPOCH = 32_767


@dataclass(frozen=True, slots=True)
class ProducerIdAndEpoch:
    """What identifies a producer and, for new clients, one transaction."""

    producer_id: int
    epoch: int


NO_PRODUCER = ProducerIdAndEpoch(NOTHING, NOTHING)


@dataclass(frozen=True, slots=True, order=True)
class PartitionName:
    """A partition by its topic's name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def journal_of(name: PartitionName) -> str:
    """The name of the journal that holds the log of a partition."""
    return f"log of {name}"
