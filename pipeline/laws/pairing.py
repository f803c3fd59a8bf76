"""From events to operations, in Python: for histories that are small, one event after the other.

What is refused, and why, is as the checker on Spark has it (`movement.pairing`). An event is a mapping with the fields that
`docs/check.md` names; what stands in a text field and is no text, such as a process's number, counts as the text that JSON has for it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fencepost.pipeline.ingest.event import NOT_AN_EVENT, flaw, misfit

from . import history_columns
from .columns import NONE, Ints, WordColumn, flags, numbers

Fields = Mapping[str, Any]

_NOTHING: Fields = {}
LONGEST_VALUE = 256


class PairedOperation(NamedTuple):
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
    """Whether the request was to write a transaction's markers, without its coordinator."""


@dataclass(frozen=True)
class RefusedEvent:
    """An event that belongs to no operation, by its place among the events of its history, and why."""

    place: int
    run: str | None
    reason: str


@dataclass(frozen=True)
class PairedHistory:
    """The operations of a history, and what of it could not be read."""

    operations: list[PairedOperation]
    refused: list[RefusedEvent]

    def reported(self) -> tuple[history_columns.OperationColumns, history_columns.RecordColumns]:
        """The operations and their records as columns."""
        every = self.operations
        tx, grp = [one.tx or _NOTHING for one in every], [one.grp or _NOTHING for one in every]
        first = [one.mops[0] if one.mops else _NOTHING for one in every]
        operations = history_columns.OperationColumns(
            run=WordColumn.of([one.run for one in every]),
            op=numbers(one.op for one in every),
            at=numbers(one.at for one in every),
            process=WordColumn.of([one.process for one in every]),
            client=WordColumn.of([one.client for one in every]),
            f=WordColumn.of([one.f for one in every]),
            ty=WordColumn.of([one.ty for one in every]),
            txn=WordColumn.of([one.txn_id for one in every]),
            has_tx=flags(one.tx is not None for one in every),
            tid=_texts(tx, "tid"),
            pid=_numbers(tx, "pid"),
            epoch=_numbers(tx, "epoch"),
            iso=WordColumn.of([one.iso for one in every]),
            grp=_texts(grp, "id"),
            generation=_numbers(grp, "gen"),
            marks=flags(one.by_marker for one in every),
            moves=flags(bool(one.mops) for one in every),
            first_log=_texts(first, "log"),
            first_v=_values(first),
            first_o=_offsets(first),
            says=lambda name: WordColumn.of([text(one.ctl.get(name)) if one.ctl else None for one in every]),
        )
        moved = [(one, n, mop) for one in every for n, mop in enumerate(one.mops) if mop.get("log") is not None]
        mops = [mop for _, _, mop in moved]
        return operations, history_columns.RecordColumns(
            run=WordColumn.of([one.run for one, _, _ in moved]),
            op=numbers(one.op for one, _, _ in moved),
            mop=numbers(n for _, n, _ in moved),
            log=_texts(mops, "log"),
            kind=_texts(mops, "m"),
            v=_values(mops),
            o=_offsets(mops),
            seq=_numbers(mops, "seq"),
            mkey=_texts(mops, "mkey"),
            hash=_numbers(mops, "hash"),
        )


def paired(events: Iterable[object]) -> PairedHistory:
    """The operations of a history in the order of their run and number."""
    refused: list[RefusedEvent] = []
    together: dict[tuple[str, int], list[tuple[int, Fields]]] = {}
    for place, said in enumerate(events):
        misfits = misfit(said) if isinstance(said, Mapping) else NOT_AN_EVENT
        if misfits is not None or not isinstance(said, Mapping):
            refused.append(RefusedEvent(place, None, misfits or NOT_AN_EVENT))
            continue
        if (why := flaw(said)) is not None:
            refused.append(RefusedEvent(place, text(said.get("run_id")), why))
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
    return PairedHistory(operations, sorted(refused, key=lambda one: one.place))


def _pair(run: str, op: int, rows: list[tuple[int, Fields]]) -> tuple[tuple[Fields, Fields | None] | None, list[RefusedEvent]]:
    """The invocation and the completion among the events of one number, in order; the others are refused."""
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
            else:
                completion = event
            completed = True
        if reason is not None:
            refused.append(RefusedEvent(place, run, reason))
    return None if invocation is None else (invocation, completion), refused


def _operation(run: str, op: int, invocation: Fields, completion: Fields | None) -> PairedOperation:
    last = invocation if completion is None else completion

    def either(name: str) -> Any:
        reported = last.get(name)
        return invocation.get(name) if reported is None else reported

    api = last.get("api")
    return PairedOperation(
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


def text(value: object) -> str | None:
    """What a text field holds."""
    return value if value is None or isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def shortened(value: str | None) -> str | None:
    """A value that is too long to keep is identified by its digest."""
    if value is None or len(value) <= LONGEST_VALUE:
        return value
    return f"{value[:64]}... sha256 {hashlib.sha256(value.encode()).hexdigest()}"


def _texts(every: Sequence[Fields], name: str) -> WordColumn:
    return WordColumn.of([text(fields.get(name)) for fields in every])


def _numbers(every: Sequence[Fields], name: str) -> Ints:
    return numbers(fields.get(name) for fields in every)


def _offsets(mops: Sequence[Fields]) -> Ints:
    """A negative offset says that there is none, as Kafka's -1 does."""
    o = _numbers(mops, "o")
    return np.where(o < 0, NONE, o)


def _values(mops: Sequence[Fields]) -> WordColumn:
    return WordColumn.of([shortened(text(mop.get("v"))) for mop in mops])
