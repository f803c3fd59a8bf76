"""What the records hold, as JSON. PIP-471, "Data Model".

The text leaves open whether a timeout is a moment or a duration (Q1) and where the moment of the end is stored (Q2): here a header has the
duration and both moments, and the end is written with the state, in one compare-and-set. A position has the messages of its batch (Q9).
"""

import logging
from enum import Enum
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fencepost.contract.transitions import Transition
from fencepost.reference.metadata.store import StoreRecord
from fencepost.reference.pulsar.pulsar_types import EndAction, Position, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

_LOG = logging.getLogger("fencepost.metadata")


class MalformedRecord(CommandRefused):
    """A record in the store is not what its key says; the message names the key, and what was expected. Nothing was changed.

    A client gets it as an UNKNOWN error; the operator of the broker finds it in the log.
    """

    def __init__(self, message: str) -> None:
        super().__init__(ServerError.UNKNOWN, message)
        _LOG.warning(message)


class HeaderState(Enum):
    """The state of a transaction; the last two are final."""

    OPEN = "OPEN"
    COMMITTED = "COMMITTED"
    ABORTED = "ABORTED"

    @staticmethod
    def after(action: EndAction) -> "HeaderState":
        """The state that an end leads to."""
        return HeaderState.COMMITTED if action is EndAction.COMMIT else HeaderState.ABORTED

    @property
    def action(self) -> EndAction:
        """The end that led to a final state."""
        return EndAction.COMMIT if self is HeaderState.COMMITTED else EndAction.ABORT

    @property
    def status(self) -> TxnStatus:
        """The same as the status that all kinds of transactions have."""
        return TxnStatus(self.value)


TRANSITIONS = frozenset(Transition(HeaderState.OPEN.value, after.value) for after in (HeaderState.COMMITTED, HeaderState.ABORTED))


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def encoded(self) -> bytes:
        """The value of its record."""
        return self.model_dump_json(exclude_none=True).encode()


class Header(_Stored):
    """One for each transaction. Times are in ms, moments since 1970."""

    state: HeaderState
    timeout: int
    createdAt: int  # noqa: N815 - the name on the wire of the store
    finalizedAt: int | None = None  # noqa: N815

    @property
    def deadline(self) -> int:
        """The moment after which the broker need not wait for the client."""
        return self.createdAt + self.timeout


class OperationRecord(_Stored):
    """A write or an acknowledgement of a transaction. A write is recorded before it is stored and has no position yet."""

    kind: Literal["WRITE", "ACK"]
    segment: str
    subscription: str | None = None
    ledgerId: int = 0  # noqa: N815
    entryId: int = 0  # noqa: N815
    units: tuple[int, ...] | None = None
    """Which messages of a batch; None for a cumulative acknowledgement."""
    cumulative: bool | None = None

    @property
    def position(self) -> Position:
        """The entry that is acknowledged."""
        return Position(self.ledgerId, self.entryId)


class EndedEvent(_Stored):
    """The event that a transaction has ended: a reason to look at its header."""

    txnId: str  # noqa: N815
    decision: HeaderState


class Resolved(_Stored):
    """An entry of a segment: for a watermark the last before which all is decided, for an aborted transaction its last one."""

    ledgerId: int  # noqa: N815
    entryId: int  # noqa: N815

    @property
    def position(self) -> Position:
        return Position(self.ledgerId, self.entryId)


class Counter(_Stored):
    """The sequence that a coordinator's next transaction gets."""

    next: int


Stored = TypeVar("Stored", bound=_Stored)


def decoded(record: StoreRecord, model: type[Stored]) -> Stored:
    """What a record holds. Raises MalformedRecord with its key."""
    try:
        return model.model_validate_json(record.value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{step}: " for step in first["loc"])
        raise MalformedRecord(
            f"{record.key}: expected {model.__name__} as JSON, with {', '.join(model.model_fields)}; {where}{first['msg']}"
            " (another version, or not written by a transaction coordinator)"
        ) from error
