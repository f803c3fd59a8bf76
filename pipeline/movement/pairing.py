"""Events as operations and records, many at once: the columns of the stored tables.

    line  op_id  idx  type            op  at  ty    open
       1      0    0  invoke           0   1  ok    false        an operation is its completion, with what only its invocation has
       2      0    1  ok
       3      2    2  invoke           2   2  info  true         where there is none, it is its invocation

What is refused, and why, is as `laws.pairing` has it. Operations of a whole run are `paired` at once. Of a larger run a task has some of
the operations: it has them `matched`, and `settled` when what became of their transactions is known.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fencepost.pipeline.laws import history_columns
from fencepost.pipeline.laws.columns import NONE, Flags, Ints, WordColumn
from fencepost.pipeline.laws.operations import Operations
from fencepost.pipeline.laws.pairing import LONGEST_VALUE, shortened
from fencepost.pipeline.laws.records import Records
from fencepost.pipeline.laws.transaction_outcomes import FAIL, INFO, OK

_EITHER = ("txn_id", "iso", "tx", "grp", "ctl")
_ENDINGS = {OK: "ok", FAIL: "fail", INFO: "info"}
_ASSIGNS = ("assign", "subscribe")
BAD = pa.schema({"file_id": pa.int64(), "mark": pa.int64(), "run": pa.string(), "reason": pa.string()})


class Paired(NamedTuple):
    """Tables as they are stored."""

    operations: pa.Table
    records: pa.Table
    bad: pa.Table


class Matched(NamedTuple):
    """Operations without outcomes yet; the records that they moved are their column `mops`."""

    operations: pa.Table
    bad: pa.Table


def paired(events: pa.Table) -> Paired:
    """The operations of whole runs, from their events (`events.LINES`)."""
    operations, bad = matched(events)
    return Paired(*settled(operations, Operations.of(history_columns.operations(operations))), bad)


def matched(events: pa.Table) -> Matched:
    """The operations of these events, in the order of their run and number."""
    good = pc.is_null(events["reason"])
    unread = events.filter(pc.invert(good))
    events = events.filter(good).combine_chunks()
    invocation, completion, refused = _pairs(events)
    of_table = events.take(pa.array(np.where(completion >= 0, completion, invocation)))
    operations = _operations(events, invocation, completion, of_table)
    bad = [_bad(unread, unread["reason"])]
    if refused:
        rows = events.take(pa.array(sorted(refused)))
        bad.append(_bad(rows, pa.chunked_array([[refused[row] for row in sorted(refused)]], pa.string())))
    return Matched(operations, pa.concat_tables(bad))


def settled(operations: pa.Table, derived: Operations) -> tuple[pa.Table, pa.Table]:
    """The tables of operations and of records, from operations in order and their outcomes."""
    moved = operations["mops"].combine_chunks()
    moved = moved.chunk(0) if isinstance(moved, pa.ChunkedArray) else moved
    operations = _with_outcomes(operations.drop_columns("mops"), derived)
    return operations, _records(operations, moved, derived)


def _bad(rows: pa.Table, reasons: pa.ChunkedArray) -> pa.Table:
    return pa.table({"file_id": rows["file_id"], "mark": rows["line"], "run": rows["run"], "reason": reasons}, BAD)


def _pairs(events: pa.Table) -> tuple[Ints, Ints, dict[int, str]]:
    """The rows of the invocation and of the completion (or -1) of each operation, in the order of run and number; and what is refused."""
    name = pc.rank(events["run"], tiebreaker="dense").to_numpy()
    op, idx = events["op_id"].to_numpy(), events["idx"].to_numpy()
    invokes = pc.equal(events["type"], "invoke").to_numpy()
    order = np.lexsort((~invokes, idx, op, name))
    if not len(order):
        return order, order, {}
    name, op, invokes = name[order], op[order], invokes[order]
    new = np.append(True, (name[1:] != name[:-1]) | (op[1:] != op[:-1]))
    starts = np.flatnonzero(new)
    group = np.cumsum(new) - 1

    def so_far(which: Flags) -> Ints:
        total = np.cumsum(which)
        return total - (total - which)[starts][group]

    place = np.arange(len(order))
    invoked, completed = so_far(invokes), so_far(~invokes)
    first = np.minimum.reduceat(np.where(invokes, place, len(order)), starts)
    odd = np.select([invokes & (invoked > 1), ~invokes & (invoked == 0), ~invokes & (completed > 1)], [1, 2, 3], 0)
    last = np.maximum.reduceat(np.where(~invokes & (odd == 0), place, -1), starts)
    whole = first < len(order)
    refused = {int(order[row]): _REASONS[int(odd[row])].format(int(op[row])) for row in np.flatnonzero(odd).tolist()}
    return order[first[whole]], np.where(last[whole] >= 0, order[last[whole]], -1), refused


_REASONS = {
    1: "a second invocation of operation {}",
    2: "a completion of operation {}, which was not invoked before",
    3: "a second completion of operation {}",
}


def _operations(events: pa.Table, invocation: Ints, completion: Ints, last: pa.Table) -> pa.Table:
    first = events.take(pa.array(invocation))
    is_open = completion < 0
    end = np.where(is_open, invocation, completion)
    said = {name: events[name].take(pa.array(np.where(pc.is_valid(last[name]).to_numpy(), end, invocation))) for name in _EITHER}
    answered = pc.fill_null(pc.list_value_length(last["mops"]), 0).to_numpy() > 0
    moved = events["mops"].take(pa.array(np.where(answered, end, invocation))).combine_chunks()
    columns = {
        "file_id": last["file_id"],
        "run": last["run"],
        "op": last["op_id"],
        "at": last["idx"],
        "t0": first["t_ns"],
        "t1": pc.coalesce(last["t_ns"], first["t_ns"]),
        "process": first["process"],
        "client": first["client"],
        "f": first["f"],
        "ty": pc.if_else(pa.array(is_open), "info", last["type"]),
        "open": pa.array(is_open),
        **said,
        "marks": pc.fill_null(pc.starts_with(last["api"], "write_txn_markers"), False),
    }
    return pa.table(columns | {"first": _first(moved), "keeps": _kept(first["f"], moved), "mops": moved})


def _first(moved: pa.ListArray) -> pa.Array:
    """The log, value and offset of the first record of each."""
    sizes = pc.fill_null(pc.list_value_length(moved), 0).to_numpy(zero_copy_only=False)
    records = moved.flatten()
    first = records.take(pa.array(np.cumsum(sizes) - sizes, mask=sizes == 0))
    fields = [pc.struct_field(first, "log"), _shortened(pc.struct_field(first, "v")), _offsets(first)]
    return pa.StructArray.from_arrays(fields, fields=list(history_columns.OPERATIONS.field("first").type), mask=first.is_null())


def _kept(f: pa.ChunkedArray, moved: pa.ListArray) -> pa.Array:
    """The logs that each operation keeps, if it assigns some."""
    kept: list[list[str | None] | None] = [None] * len(moved)
    for row in np.flatnonzero(pc.is_in(f, pa.array(_ASSIGNS)).to_numpy()).tolist():
        kept[row] = list(dict.fromkeys(mop["log"] if mop else None for mop in moved[row].as_py() or ()))
    return pa.array(kept, pa.list_(pa.string()))


def _shortened(values: pa.Array) -> pa.Array:
    long = pc.fill_null(pc.greater(pc.utf8_length(values), LONGEST_VALUE), False)
    return pa.array(map(shortened, values.to_pylist()), pa.string()) if pc.any(long).as_py() else values


def _offsets(mops: pa.Array) -> pa.Array:
    """A negative offset says that there is none, as Kafka's -1 does."""
    o = pc.struct_field(mops, "o")
    return pc.if_else(pc.less(o, 0), pa.scalar(None, o.type), o)


def _with_outcomes(operations: pa.Table, derived: Operations) -> pa.Table:
    """These operations with their outcomes."""
    small = pa.int32()
    columns = {
        "by_hand": pa.array(derived.by_hand),
        "unit": pa.array(derived.unit),
        "transactional": pa.array(derived.transactional),
        "oc": pa.array(derived.oc, small),
        "unit_oc": pa.array(derived.unit_oc, small),
        "end_op": _numbers(derived.end_op),
    }
    for name, column in columns.items():
        operations = operations.append_column(name, column)
    return operations


def _records(operations: pa.Table, moved: pa.ListArray, derived: Operations) -> pa.Table:
    """The records that these operations moved, in the order of the laws' records."""
    sizes = pc.fill_null(pc.list_value_length(moved), 0).to_numpy(zero_copy_only=False)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    mop = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    flat = moved.flatten()
    known = np.flatnonzero(pc.struct_field(flat, "log").is_valid().to_numpy(zero_copy_only=False))
    flat, owner, mop = flat.take(pa.array(known)), owner[known], mop[known]
    of_them = operations.select(["run", "op"]).take(pa.array(owner))
    names = {"log": "log", "kind": "m", "seq": "seq", "mkey": "mkey", "hash": "hash"}
    table = pa.table(
        {
            "run": of_them["run"],
            "op": of_them["op"],
            "mop": pa.array(mop),
            "v": _shortened(pc.struct_field(flat, "v")),
            "o": _offsets(flat),
            **{name: pc.struct_field(flat, field) for name, field in names.items()},
        }
    ).combine_chunks()
    records, _ = Records.of(history_columns.records(table), derived)
    return _stored(table.take(pa.array(records.row)), records, derived, operations["iso"])


def _stored(said: pa.Table, records: Records, derived: Operations, isolation: pa.ChunkedArray) -> pa.Table:
    row, small = records.operation, pa.int32()
    texts = {"tid": _texts(derived.tid, row), "grp": _texts(derived.grp, row), "mkey": said["mkey"].combine_chunks()}
    numbers = {"pid": _numbers(records.pid), "epoch": _numbers(records.epoch), "seq": _numbers(records.seq), "hash": _numbers(records.hash)}
    rare = texts | numbers
    nothing = np.logical_and.reduce([column.is_null().to_numpy(zero_copy_only=False) for column in rare.values()])
    return pa.table(
        {
            **{name: said[name] for name in ("run", "log", "kind", "v", "o", "op")},
            "mop": pa.array(records.mop, small),
            "at": pa.array(records.at),
            "process": _texts(derived.process, row),
            "f": _texts(derived.f, row),
            "ty": pa.array([_ENDINGS[ty] for ty in records.ty.tolist()], pa.string()),
            "oc": pa.array(records.oc, small),
            "unit": pa.array(records.unit),
            "unit_oc": pa.array(records.unit_oc, small),
            "end_op": _numbers(records.end_op),
            "transactional": pa.array(records.transactional),
            "by_hand": pa.array(records.by_hand),
            "iso": pc.fill_null(isolation.take(pa.array(row)), "rc"),
            "rare": pa.StructArray.from_arrays(
                [column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column for column in rare.values()],
                names=list(rare),
                mask=pa.array(nothing),
            ),
        }
    )


def _texts(words: WordColumn, rows: Ints) -> pa.Array:
    codes = words.codes[rows]
    encoded = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(words.words, pa.string()))
    return encoded.cast(pa.string())


def _numbers(column: Ints) -> pa.Array:
    return pa.array(column, mask=column == NONE)
