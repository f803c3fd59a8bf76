"""The transaction buffer of a topic: what its readers may see, and when.

PIP-31, "Transaction Buffer": messages of a transaction are durable when they are acknowledged, are not shown before it commits, and
never when it aborts; to end it again changes nothing. Two designs fulfil that, and a profile chooses: `marker_buffer`, in which the
topic itself is the buffer, and `sidecar_buffer`, in which a separate log is.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from .pulsar_types import BEFORE_ALL, EndAction, Message, Position, TxnId


class MessagePosition(NamedTuple):
    """Where a message is for its readers: an entry, and if one entry stands for several messages, which of them."""

    position: Position
    number: int = -1


BEFORE_ALL_PLACES = MessagePosition(BEFORE_ALL)


def behind_entry(position: Position) -> MessagePosition:
    """After everything that an entry holds."""
    return MessagePosition(position, sys.maxsize)


@dataclass(frozen=True)
class Readable:
    """A message that readers may see."""

    place: MessagePosition
    message: Message


class ReadView(Protocol):
    """What readers may see of a topic."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        """What readers may see after that place, in order."""
        ...


class TransactionBuffer(ReadView, Protocol):
    """What a topic needs of its buffer."""

    def publish(self, message: Message) -> Position:
        """Store a message; returns the contents of its receipt. Raises CommandRefused: NOT_ALLOWED when its transaction has ended here."""
        ...

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """End a transaction here; repeating it changes nothing."""
        ...

    def erase(self) -> None:
        """The topic is deleted, with what is kept of it elsewhere than on its disk."""
        ...

    def stored(self) -> Iterator[Message]:
        """Every message that was acknowledged with a receipt, whether readers may see it or not."""
        ...

    def is_aborted(self, txn: TxnId) -> bool:
        """Whether readers will never see anything of that transaction here."""
        ...

    def ongoing(self) -> dict[TxnId, Position]:
        """The transactions that are open here, and where each began."""
        ...

    @property
    def aborted(self) -> int:
        """How many transactions were aborted here."""
        ...

    @property
    def max_read_position(self) -> Position:
        """The last entry that readers may go to."""
        ...
