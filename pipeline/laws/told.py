"""What a history tells, as two Arrow tables: laws are given these, whoever has read the history.

`OPERATIONS`, a row for each: the numbers of its invocation (`op`) and its completion (`at`), what was asked of whom, how it ended (`ty`),
what it says of its transaction (`tx`), of its consumer group (`grp`) and of itself (`ctl`), whether it wrote a transaction's markers past
the coordinator (`marks`), and the first record that it moved:

    run  op  at  process  f     ty    txn_id  iso  tx                             grp    ctl            marks  first
    r     0   1  p0       send  ok    a/1/0   -    {tid: a, pid: 1, epoch: 0}     -      {}             false  {log: x, v: a, o: 0}
    r     2   2  p1       poll  info  -       rc   -                              {g, 4} {type: Shared} false  -

`RECORDS`, a row for each record sent or read, offset committed, position seen, log assigned, `mop` its number in its operation:

    run  op  mop  log  kind  v  o  seq  mkey  hash
    r     0    0  x    send  a  0    7  -        -
    r     0    1  y    send  b  4    0  k       80

The order of rows does not matter. The stored tables of a check have these columns among others (`pipeline.tables`).
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import NO_WORD, NONE, Flags, Ints, Words

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


def numbers(column: pa.Array) -> Ints:
    """A column of numbers; `NONE` where one is missing."""
    found: Ints = column.cast(_NUMBER).fill_null(NONE).to_numpy(zero_copy_only=False)
    return found


def words(column: pa.Array) -> Words:
    """A column of words, numbered in the order in which they come."""
    encoded = column.dictionary_encode()
    codes = encoded.indices.cast(pa.int64()).fill_null(NO_WORD).to_numpy(zero_copy_only=False)
    return Words(codes, encoded.dictionary.to_pylist())


def present(column: pa.Array) -> Flags:
    """Which rows have anything there."""
    found: Flags = column.is_valid().to_numpy(zero_copy_only=False)
    return found


def field(column: pa.Array, name: str) -> pa.Array:
    """One field of a column of structures; it is missing where the structure is."""
    return pc.struct_field(column, name)


def entry(column: pa.Array, name: str) -> pa.Array:
    """What stands under this name in each row of a column of maps."""
    return pc.map_lookup(column, pa.scalar(name), "first")


def whole(table: pa.Table, order: Ints | None = None) -> dict[str, pa.Array]:
    """The columns of a table by name, each in one piece, and its rows in this order."""
    rows = table if order is None else table.take(pa.array(order))
    pieces = rows.combine_chunks()
    return {
        name: column.chunk(0) if column.num_chunks else pa.array([], column.type)
        for name, column in zip(pieces.column_names, pieces.columns, strict=True)
    }


def sorted_rows(table: pa.Table, *names: str) -> Ints:
    """The numbers of the rows of a table in the order of these columns."""
    found: Ints = pc.sort_indices(table, [(name, "ascending") for name in names]).to_numpy().astype(np.int64)
    return found
