"""From events to operations, in Python: for histories that are small, one event after the other.

What is refused, and why, is as the checker on Spark has it (`pipeline.pairing`). An event is a mapping with the fields that
`docs/check.md` names; what stands in a text field and is no text, such as a process's number, counts as the text that JSON has for it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from fencepost.pipeline.ingest.event import NOT_AN_EVENT, flaw

from .told import OPERATIONS, RECORDS

Fields = Mapping[str, Any]

_NOTHING: Fields = {}
_NUMBERS = frozenset({"schema_version", "idx", "t_ns", "op_id"})
_NUMBERS_IN = {"tx": ("pid", "epoch", "seq"), "grp": ("gen",), "ctl": (), "error": ()}
_NUMBERS_OF_A_RECORD = ("o", "seq", "hash")
_BITS = 63
LONGEST_VALUE = 256


class Operation(NamedTuple):
    """An invocation with its completion, or alone. `op` and `at` are the numbers of these two events, the same one where it is `open`."""

    run: str
    op: int
    at: int
    process: str | None
    client: str | None
    f: str
    ty: str
    open: bool
    txn_id: str | None
    iso: str | None
    tx: Fields | None
    grp: Fields | None
    ctl: Fields
    mops: list[Fields]
    by_marker: bool
    """Whether the request was to write a transaction's markers, past its coordinator."""


@dataclass(frozen=True)
class Refused:
    """An event that belongs to no operation, by its place among the events of its history, and why."""

    place: int
    run: str | None
    reason: str


@dataclass(frozen=True)
class Paired:
    """The operations of a history, and what of it could not be read."""

    operations: list[Operation]
    refused: list[Refused]

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The operations and their records, as laws are given them."""
        operations = [_told(one) for one in self.operations]
        records = [
            {"run": one.run, "op": one.op, "mop": n} | _moved(mop)
            for one in self.operations
            for n, mop in enumerate(one.mops)
            if mop.get("log") is not None
        ]
        return pa.Table.from_pylist(operations, OPERATIONS), pa.Table.from_pylist(records, RECORDS)


def paired(events: Iterable[object]) -> Paired:
    """The operations of a history in the order of their run and number."""
    refused: list[Refused] = []
    together: dict[tuple[str, int], list[tuple[int, Fields]]] = {}
    for place, said in enumerate(events):
        if not isinstance(said, Mapping) or not _fits(said):
            refused.append(Refused(place, None, NOT_AN_EVENT))
            continue
        if (why := flaw(said)) is not None:
            refused.append(Refused(place, text(said.get("run_id")), why))
            continue
        together.setdefault((text(said["run_id"]) or "", said["op_id"]), []).append((place, said))
    operations = []
    for (run, op), rows in sorted(together.items()):
        if len(rows) > 1:
            rows.sort(key=lambda row: (row[1]["idx"], row[1]["type"] != "invoke"))
        pair, odd = _pair(run, op, rows)
        refused += odd
        if pair is not None:
            operations.append(_operation(run, op, *pair))
    return Paired(operations, sorted(refused, key=lambda one: one.place))


def _pair(run: str, op: int, rows: list[tuple[int, Fields]]) -> tuple[tuple[Fields, Fields | None] | None, list[Refused]]:
    """The invocation and the completion among the events of one number, in their order; the others are refused."""
    invocation: Fields | None = None
    completion: Fields | None = None
    completed = False
    refused = []
    for place, event in rows:
        reason = None
        if event["type"] == "invoke":
            if invocation is None:
                invocation = event
            else:
                reason = f"a second invocation of operation {op}"
        else:
            if invocation is None:
                reason = f"a completion of operation {op}, which was not invoked before"
            elif completed:
                reason = f"a second completion of operation {op}"
            elif _before(event.get("t_ns"), invocation.get("t_ns")):
                reason = f"operation {op} ends before it begins: a clock went backwards"
            else:
                completion = event
            completed = True
        if reason is not None:
            refused.append(Refused(place, run, reason))
    return None if invocation is None else (invocation, completion), refused


def _before(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


def _operation(run: str, op: int, invocation: Fields, completion: Fields | None) -> Operation:
    last = invocation if completion is None else completion

    def either(name: str) -> Any:
        told = last.get(name)
        return invocation.get(name) if told is None else told

    api = last.get("api")
    return Operation(
        run,
        op,
        last["idx"],
        text(invocation.get("process")),
        text(invocation.get("client")),
        invocation["f"],
        "info" if completion is None else completion["type"],
        completion is None,
        text(either("txn_id")),
        text(either("iso")),
        either("tx"),
        either("grp"),
        either("ctl") or _NOTHING,
        [mop or _NOTHING for mop in last.get("mops") or invocation.get("mops") or ()],
        isinstance(api, str) and api.startswith("write_txn_markers"),
    )


def _fits(said: Fields) -> bool:
    """Whether every field has a value that its column can hold."""
    for name, value in said.items():
        if value is None:
            continue
        if name in _NUMBERS:
            if not _is_number(value):
                return False
        elif name == "mops":
            if not isinstance(value, list) or not all(mop is None or _holds(mop, _NUMBERS_OF_A_RECORD) for mop in value):
                return False
        elif name in _NUMBERS_IN and not _holds(value, _NUMBERS_IN[name]):
            return False
    return True


def _holds(value: object, names: Iterable[str]) -> bool:
    return isinstance(value, Mapping) and all(value.get(name) is None or _is_number(value[name]) for name in names)


def _is_number(value: object) -> bool:
    return type(value) is int and -(1 << _BITS) <= value < 1 << _BITS


def text(value: object) -> str | None:
    """What a text field holds."""
    return value if value is None or isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def shortened(value: str | None) -> str | None:
    """A value that is too long to be carried around is told apart by its digest."""
    if value is None or len(value) <= LONGEST_VALUE:
        return value
    return f"{value[:64]}... sha256 {hashlib.sha256(value.encode()).hexdigest()}"


def _told(one: Operation) -> dict[str, Any]:
    tx, grp = one.tx, one.grp
    return {
        **one._asdict(),
        "tx": None if tx is None else {"tid": text(tx.get("tid")), "pid": tx.get("pid"), "epoch": tx.get("epoch")},
        "grp": None if grp is None else {"id": text(grp.get("id")), "gen": grp.get("gen")},
        "ctl": [(name, text(said)) for name, said in one.ctl.items()],
        "marks": one.by_marker,
        "first": _moved(one.mops[0]) if one.mops else None,
    }


def _moved(mop: Fields) -> dict[str, Any]:
    return {
        "log": text(mop.get("log")),
        "kind": text(mop.get("m")),
        "v": shortened(text(mop.get("v"))),
        "o": mop.get("o"),
        "seq": mop.get("seq"),
        "mkey": text(mop.get("mkey")),
        "hash": mop.get("hash"),
    }
