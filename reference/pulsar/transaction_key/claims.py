"""The owner of a key, the requests that wait with one, what is requested with it, and the refusal when another connection has it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .key import TransactionKey


class KeyedRequest(Enum):
    """What is requested in a transaction."""

    SEND = "a message"
    SEND_AGAIN = "a message that is there already"
    ACKNOWLEDGE = "an acknowledgement"
    ACKNOWLEDGE_UP_TO = "a cumulative acknowledgement"
    ACKNOWLEDGE_UNANSWERED = "an acknowledgement for which no answer is asked"
    ACKNOWLEDGE_UP_TO_UNANSWERED = "a cumulative acknowledgement for which no answer is asked"
    ADD = "a participant"
    COMMIT = "a commit"
    ABORT = "an abort"


class KeyConnection(Protocol):
    """A connection that a key can have."""

    def send_away(self) -> None:
        """Close it."""
        ...


@dataclass(frozen=True)
class Claim:
    """What a connection was given: a key at an epoch."""

    key: TransactionKey
    epoch: int


@dataclass(frozen=True)
class Measured:
    """What the metrics report of a key."""

    key: TransactionKey
    epoch: int
    age_ms: int


@dataclass(frozen=True)
class WaitingConnect:
    """A request that is answered when these transactions are over at every participant."""

    claim: Claim
    ending: tuple[TxnId, ...]
    go_on: Callable[[], None]
    refuse: Callable[[CommandRefused], None]
    """Refuses the request when another one on its connection has the key instead."""


def expired(why: str) -> CommandRefused:
    """ExpiredTransaction, for which the protocol has no separate code."""
    return CommandRefused(ServerError.INVALID_TXN_STATUS, f"ExpiredTransaction: {why}")
