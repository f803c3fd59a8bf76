"""What a history contains, as columns: the laws' input, whatever has read the history. `pairing` makes them of events in process, and
`operations` and `records` of tables that a task of Spark holds.

`OperationColumns`, a row for each in the order of run and number: the numbers of its invocation (`op`) and its completion (`at`), what was
asked of whom, how it ended (`ty`), its transaction (`txn` by its id, `tid` by its owner's), its consumer group, whether it wrote a
transaction's markers past the coordinator (`marks`), and the first record that it `moves`:

    run  op  at  process  f     ty    txn    tid  pid  epoch  iso  grp  generation  marks  moves  first_log  first_v  first_o
    r     0   1  p0       send  ok    a/1/0  a      1      0  -    -             -  no     yes    x          a              0
    r     2   2  p1       poll  info  -      -      -      -  rc   g             4  no     no     -          -              -

`says` gives what each says of itself under a name, in `ctl`. `RecordColumns`, a row for each record sent or read, offset committed,
position seen, log assigned, `mop` its number in its operation:

    run  op  mop  log  kind  v  o  seq  mkey  hash
    r     0    0  x    send  a  0    7  -        -
    r     0    1  y    send  b  4    0  k       80
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from .columns import NO_WORD, NONE, Flags, Ints, WordColumn

_TEXT, _NUMBER = pa.string(), pa.int64()
OPERATIONS = pa.schema(
    {
        **dict.fromkeys(("run",), _TEXT),
        **dict.fromkeys(("op", "at"), _NUMBER),
        **dict.fromkeys(("process", "client", "f", "ty", "txn_id", "iso"), _TEXT),
        "tx": pa.struct({"tid": _TEXT, "pid": _NUMBER, "epoch": _NUMBER}),
        "grp": pa.struct({"id": _TEXT, "gen": _NUMBER}),
        "ctl": pa.map_(_TEXT, _TEXT),
        "marks": pa.bool_(),
        "first": pa.struct({"log": _TEXT, "v": _TEXT, "o": _NUMBER}),
    }
)
SETTLED = ("unit", "unit_oc", "oc", "end_op", "transactional", "by_hand")
RECORDS = pa.schema(
    {
        "run": _TEXT,
        **dict.fromkeys(("op", "mop"), _NUMBER),
        **dict.fromkeys(("log", "kind", "v"), _TEXT),
        **dict.fromkeys(("o", "seq"), _NUMBER),
        "mkey": _TEXT,
        "hash": _NUMBER,
    }
)


@dataclass(frozen=True)
class OperationColumns:
    """Operations as they were recorded."""

    run: WordColumn
    op: Ints
    at: Ints
    process: WordColumn
    client: WordColumn
    f: WordColumn
    ty: WordColumn
    txn: WordColumn
    has_tx: Flags
    """Whether the history has anything about its transaction."""
    tid: WordColumn
    pid: Ints
    epoch: Ints
    iso: WordColumn
    grp: WordColumn
    generation: Ints
    marks: Flags
    moves: Flags
    first_log: WordColumn
    first_v: WordColumn
    first_o: Ints
    says: Callable[[str], WordColumn]
    outcomes: "Outcomes | None" = None
    """Their outcomes, if already known; derived if these are all steps of their transactions."""


@dataclass(frozen=True)
class Outcomes:
    """For each operation its unit, and the outcomes of both (`transaction_outcomes.py`)."""

    unit: Ints
    unit_oc: Ints
    oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags


@dataclass(frozen=True)
class RecordColumns:
    """Records as they were recorded, in any order."""

    run: WordColumn
    op: Ints
    mop: Ints
    log: WordColumn
    kind: WordColumn
    v: WordColumn
    o: Ints
    seq: Ints
    mkey: WordColumn
    hash: Ints


def operations(table: pa.Table, settled: bool = False) -> OperationColumns:
    """The operations of a table that has the columns `OPERATIONS`, in any order; and `SETTLED`, if their outcomes are settled."""
    said = whole(table.select([*OPERATIONS.names, *(SETTLED if settled else ())]).take(_in_order(table)))
    tx, grp, first, control = said["tx"], said["grp"], said["first"], said["ctl"]
    return OperationColumns(
        run=words(said["run"]),
        op=numbers(said["op"]),
        at=numbers(said["at"]),
        process=words(said["process"]),
        client=words(said["client"]),
        f=words(said["f"]),
        ty=words(said["ty"]),
        txn=words(said["txn_id"]),
        has_tx=_present(tx),
        tid=words(pc.struct_field(tx, "tid")),
        pid=numbers(pc.struct_field(tx, "pid")),
        epoch=numbers(pc.struct_field(tx, "epoch")),
        iso=words(said["iso"]),
        grp=words(pc.struct_field(grp, "id")),
        generation=numbers(pc.struct_field(grp, "gen")),
        marks=flags(said["marks"]),
        moves=_present(first),
        first_log=words(pc.struct_field(first, "log")),
        first_v=words(pc.struct_field(first, "v")),
        first_o=numbers(pc.struct_field(first, "o")),
        says=lambda name: words(pc.map_lookup(control, pa.scalar(name), "first")),
        outcomes=_outcomes(said) if settled else None,
    )


def _outcomes(said: dict[str, pa.Array]) -> Outcomes:
    reported = {name: numbers(said[name]) for name in ("unit", "unit_oc", "oc", "end_op")}
    return Outcomes(**reported, transactional=flags(said["transactional"]), by_hand=flags(said["by_hand"]))


def records(table: pa.Table) -> RecordColumns:
    """The records of a table that has the columns `RECORDS`."""
    said = whole(table.select(RECORDS.names))
    return RecordColumns(
        run=words(said["run"]),
        op=numbers(said["op"]),
        mop=numbers(said["mop"]),
        log=words(said["log"]),
        kind=words(said["kind"]),
        v=words(said["v"]),
        o=numbers(said["o"]),
        seq=numbers(said["seq"]),
        mkey=words(said["mkey"]),
        hash=numbers(said["hash"]),
    )


def numbers(column: pa.Array) -> Ints:
    """A column of numbers."""
    found: Ints = column.cast(_NUMBER).fill_null(NONE).to_numpy(zero_copy_only=False)
    return found


def words(column: pa.Array) -> WordColumn:
    """A column of words, numbered in order of appearance."""
    encoded = column.dictionary_encode()
    codes = encoded.indices.cast(_NUMBER).fill_null(NO_WORD).to_numpy(zero_copy_only=False)
    return WordColumn(codes, encoded.dictionary.to_pylist())


def flags(column: pa.Array) -> Flags:
    """A column of yes and no."""
    found: Flags = column.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def _present(column: pa.Array) -> Flags:
    found: Flags = column.is_valid().to_numpy(zero_copy_only=False)
    return found


def _in_order(table: pa.Table) -> pa.Array:
    return pc.sort_indices(table, [("run", "ascending"), ("op", "ascending")])


def whole(table: pa.Table) -> dict[str, pa.Array]:
    """The columns of a table by name, each in one piece."""
    pieces = table.combine_chunks()
    return {
        name: column.chunk(0) if column.num_chunks else pa.array([], column.type)
        for name, column in zip(pieces.column_names, pieces.columns, strict=True)
    }
