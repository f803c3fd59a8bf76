"""A broker's writes about transactions to its metadata store, as history events of the client `broker`.

The records are those of PIP-471, under the paths of the first release that has it. A header that gets a final state *is* the end of its
transaction, whichever client requested it: a commit or an abort, at the moment of the decision. A header that is OPEN is a beginning. The
record of an acknowledgement is an acknowledgement in its transaction, which fails if the broker deletes the record before an end
(`withdrawn_records`). A history, whose kinds all tools share, has no kind for other records: a write's operation record (which has no value
and no place yet), the event that notifies a participant, a segment's notes, and each deletion are a `probe` with their transaction. `ctl`
has the record's key and content.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fencepost.contract.events import Group, Mop, MopKind, Operation
from fencepost.contract.operations import NO_TRANSACTION, NamedTransaction, operation

from .pulsar_values import TransactionId

BROKER = "broker"
"""The client that writes, whichever node it is."""

_KEY = re.compile(r"/txn/(?P<path>id/|op/|events/|segment-state/)(?P<rest>.*?)(-\d{20})?", re.DOTALL)
_ID = re.compile(r"(?:.*:)?(\d+)_(\d+)", re.DOTALL)
_STATES: Mapping[str, Literal["begin", "commit", "abort"]] = {"OPEN": "begin", "COMMITTED": "commit", "ABORTED": "abort"}

Fields: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class StoreWrite:
    """One write: the record's key, and its value, None if it was deleted. The key of an unanswered append has no number."""

    name: Literal["put", "append", "delete"]
    key: str
    value: bytes | None = None

    def as_operation(self) -> Operation:
        """The write as a history has it."""
        found = _KEY.fullmatch(self.key)
        path, rest = (found["path"], found["rest"]) if found else ("", "")
        said = _fields(self.value)
        named = _named(said.get("txnId") if path == "events/" else rest)
        ctl = {"record": self.key} | ({"deleted": "true"} if self.value is None else {name: _text(value) for name, value in said.items()})
        if path == "id/" and named.txn_id and (kind := _STATES.get(ctl.get("state", ""))):
            return operation(kind, named, ctl=ctl)
        if path == "op/" and named.txn_id and said.get("kind") == "ACK":
            return _acknowledgement(named, said, ctl)
        return operation("probe", named, ctl=ctl)


def _acknowledgement(named: NamedTransaction, said: Fields, ctl: Fields) -> Operation:
    """Each acknowledged message of a batch has a separate operation, as in a client's request."""
    kind: MopKind = "ack_cum" if said.get("cumulative") else "ack_ind"
    group: Group = {"id": said.get("subscription")}
    return operation("ack", named, grp=group, mops=[_mop(kind, said, unit) for unit in said.get("units") or [None]], ctl=ctl)


def _mop(kind: MopKind, said: Fields, unit: int | None) -> Mop:
    segment = said.get("segment")
    return {
        "m": kind,
        "topic": segment,
        "part": None,
        "log": segment,
        "o": None,
        "pid_ledger": said.get("ledgerId"),
        "pid_entry": said.get("entryId"),
        "pid_batch": unit,
    }


def _named(key: object) -> NamedTransaction:
    """The transaction that a key, or a part of one, names: `MOST_LEAST`, at its end."""
    found = _ID.fullmatch(key) if isinstance(key, str) else None
    if found is None:
        return NO_TRANSACTION
    most = int(found[1])
    name = str(TransactionId(most, int(found[2]), scalable=True))
    return NamedTransaction(name, {"tid": name, "pid": most, "epoch": None})


def _fields(value: bytes | None) -> Fields:
    """The fields of a record. One that is no JSON, or of another version, has none here; its real reader reports it."""
    try:
        said = json.loads(value or b"{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
