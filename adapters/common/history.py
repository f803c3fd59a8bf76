"""The parts of history events that mean the same in every protocol."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fencepost.contract.events import Error, Function, Group, Isolation, Mop, Operation, Transaction


class Named(NamedTuple):
    """The transaction that a call names: `txn_id` for checkers, `tx` in the protocol's own words."""

    txn_id: str | None
    tx: Transaction | None


NO_TRANSACTION = Named(None, None)


def operation(
    f: Function,
    named: Named = NO_TRANSACTION,
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
