"""What the key topic holds: the latest record of a key is its state. Transaction-key proposal, "System Topic"."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from fencepost.reference.pulsar.pulsar_types import TxnId

from .key import TransactionKey

Numbers = tuple[int, int]
"""A transaction's id: its coordinator, and its sequence there."""


class KeyRecord(BaseModel):
    """The state of a key. Moments are milliseconds since 1970."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    owner: str
    name: str
    epoch: int
    connectedAt: int  # noqa: N815 - the name on disk
    open: Numbers | None = None
    """The latest transaction of the connection of this epoch; it may be over."""
    fenced: tuple[Numbers, ...] = ()
    """The transactions that a later connection has fenced, the newest last."""
    ending: tuple[Numbers, ...] = ()
    """The transactions before that which may not be over at every participant yet, be they fenced or committed."""
    deleted: bool = False
    """An administrator has deleted the key; its epoch stays, so that none is given twice."""

    @property
    def key(self) -> TransactionKey:
        return TransactionKey(self.owner, self.name)

    @property
    def open_txn(self) -> TxnId | None:
        return None if self.open is None else TxnId(*self.open)

    @property
    def fenced_txns(self) -> frozenset[TxnId]:
        return frozenset(TxnId(*numbers) for numbers in self.fenced)

    @property
    def ending_txns(self) -> tuple[TxnId, ...]:
        return tuple(TxnId(*numbers) for numbers in self.ending)


def numbers_of(txn: TxnId) -> Numbers:
    """A transaction's id as it is stored."""
    return (txn.tc_id, txn.sequence)


def decoded(stored: bytes) -> KeyRecord | str:
    """A record of the topic; for an unreadable one, why."""
    try:
        return KeyRecord.model_validate_json(stored)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{step}: " for step in first["loc"])
        return f"expected version 1 of a key's record, as JSON; {where}{first['msg']}"
