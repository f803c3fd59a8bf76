"""The words that the parts of the broker share."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple


class TxnId(NamedTuple):
    """A transaction: the coordinator that gave the id out, and the sequence there, from 0 on. On the wire, most and least bits."""

    tc_id: int
    sequence: int

    def __str__(self) -> str:
        return f"({self.tc_id},{self.sequence})"


class Position(NamedTuple):
    """An entry of a ledger. Positions of one topic grow with time."""

    ledger: int
    entry: int

    def __str__(self) -> str:
        return f"{self.ledger}:{self.entry}"


BEFORE_ALL = Position(-1, -1)
"""Where a subscription from the earliest message begins."""

NOWHERE = BEFORE_ALL
"""The position in a receipt for a duplicate, which was not stored again."""


class EndAction(IntEnum):
    """How a transaction is ended."""

    COMMIT = 0
    ABORT = 1


class SubscriptionName(NamedTuple):
    """A subscription of a topic."""

    topic: str
    name: str


def namespace_of(topic: str) -> str:
    """The tenant and the namespace in a topic's full name, such as public/default."""
    return "/".join(topic.partition("://")[2].split("/")[:2])


class SubscriptionType(Enum):
    """How a subscription's messages are shared by its consumers, by the protocol's names."""

    EXCLUSIVE = "Exclusive"
    SHARED = "Shared"
    FAILOVER = "Failover"
    KEY_SHARED = "Key_Shared"


class TxnStatus(Enum):
    """Where a transaction is. PIP-31, "Transaction Metadata Store"."""

    OPEN = "OPEN"
    COMMITTING = "COMMITTING"
    COMMITTED = "COMMITTED"
    ABORTING = "ABORTING"
    ABORTED = "ABORTED"

    @property
    def is_decided(self) -> bool:
        return self is not TxnStatus.OPEN

    @property
    def is_complete(self) -> bool:
        return self in (TxnStatus.COMMITTED, TxnStatus.ABORTED)

    @property
    def action(self) -> EndAction | None:
        """What was decided; None while nothing is."""
        if self is TxnStatus.OPEN:
            return None
        return EndAction.COMMIT if self in (TxnStatus.COMMITTING, TxnStatus.COMMITTED) else EndAction.ABORT


@dataclass(frozen=True)
class Message:
    """What a producer sent in one command: one message, or a batch of them.

    `headers` and `payload` are what the wire carried, and nothing here reads them.
    """

    producer: str
    sequence_id: int
    highest_sequence_id: int
    headers: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    batch_size: int | None = None
    """How many messages are in the batch; None for a single message."""
    key: bytes | None = None
    txn: TxnId | None = None

    @property
    def units(self) -> int:
        """How many messages can be acknowledged separately."""
        return 1 if self.batch_size is None else self.batch_size
