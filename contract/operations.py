"""The parts of history events that mean the same in every protocol."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .events import Error, Function, Group, Isolation, Mop, Operation, Transaction


class NamedTransaction(NamedTuple):
    """The transaction that a call names: `txn_id` for checkers, `tx` as the protocol names it."""

    txn_id: str | None
    tx: Transaction | None


NO_TRANSACTION = NamedTransaction(None, None)


def operation(
    f: Function,
    named: NamedTransaction = NO_TRANSACTION,
    *,
    grp: Group | None = None,
    iso: Isolation | None = None,
    mops: Sequence[Mop] = (),
    ctl: Mapping[str, Any] | None = None,
) -> Operation:
    """An operation with the parts that it has."""
    return {"f": f, "txn_id": named.txn_id, "tx": named.tx, "grp": grp, "iso": iso, "mops": list(mops), "ctl": dict(ctl or {})}


def no_answer(why: str | None) -> Error:
    """The error of a call that got no answer."""
    return {"class": "lost", "code": None, "msg": why, "definite": False}


class Processes:
    """The processes of a history, which do one thing after another: a client is one, and another for what it does concurrently.

    A process with a call whose end is unknown does nothing any more.
    """

    def __init__(self) -> None:
        self._idle: dict[str, list[int]] = {}
        self._busy: dict[int, tuple[str, int]] = {}
        self._count = 0

    def beginning(self, call: int, client: str) -> int:
        """The process that makes the call of that number."""
        idle = self._idle.setdefault(client, [])
        if idle:
            process = idle.pop(0)
        else:
            process, self._count = self._count, self._count + 1
        self._busy[call] = (client, process)
        return process

    def ending(self, call: int, *, for_good: bool) -> int:
        """The process that made it; it is idle again, unless the call's end is unknown."""
        client, process = self._busy.pop(call)
        if not for_good:
            self._idle[client].append(process)
            self._idle[client].sort()
        return process
