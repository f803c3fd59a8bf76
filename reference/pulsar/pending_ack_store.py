"""What a subscription needs of the store of its pending acknowledgements. `pending_ack_journal` is PIP-31's.

A store keeps positions: after a reload they are what lets a commit move the cursor, and what lets a conflict be seen.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from .buffer import MessagePosition
from .pulsar_types import EndAction, TxnId

Units: TypeAlias = frozenset[int]
"""Messages of a batch by their numbers; the one message of an entry that is no batch is number 0."""


@dataclass(frozen=True)
class PendingAck:
    """What a transaction acknowledged: messages one by one, or all up to a place."""

    txn: TxnId
    individual: Mapping[MessagePosition, Units] = field(default_factory=dict)
    cumulative: MessagePosition | None = None


class PendingAckStore(Protocol):
    """The durable side of one subscription's pending acknowledgements."""

    def append(self, waiting: PendingAck) -> None:
        """Make an acknowledgement durable."""
        ...

    def end(self, txn: TxnId, action: EndAction) -> None:
        """Make durable that a transaction has ended here."""
        ...

    def replay(self) -> Iterable[PendingAck]:
        """What is pending, in the order in which it was acknowledged."""
        ...

    def erase(self) -> None:
        """Delete it for good."""
        ...
