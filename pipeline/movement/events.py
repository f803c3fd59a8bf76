"""Blocks of lines as events: a table with a row for each line, which is either an event or has a `reason` why it is none.

    file_id  line  reason    run  idx  type    f     mops  ...         the fields of an event, as `ingest.schema` has them
          0     1  -         r      0  invoke  send  []
          0     2  has no f  r      1  ok      -     []

A block whose every line is as its columns are is read at once. One that has anything else, such as a single line that is cut off, is read
line by line, so that each bad line gets its own reason, and every other one counts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
from pyspark.sql.pandas.types import to_arrow_schema

from fencepost.pipeline.ingest import edn
from fencepost.pipeline.ingest.edn_reader import MalformedEdn, read
from fencepost.pipeline.ingest.event import ISOLATIONS, KINDS, NEEDED, NOT_AN_EVENT, NOT_UTF_8, OUTCOMES, VERSION, flaw, misfit
from fencepost.pipeline.ingest.schema import EVENT
from fencepost.pipeline.laws.pairing import text

FIELDS = to_arrow_schema(EVENT)
LINES = pa.schema(
    {"file_id": pa.int64(), "line": pa.int64(), "reason": pa.string(), "run": pa.string(), **{field.name: field.type for field in FIELDS}}
)
_NO_CONTROL = ('"ctl": {}', '"ctl":{}')


class Block(NamedTuple):
    """Whole lines of a file, and the number of the first. Runs of the file are called by its prefix and their own name."""

    said: bytes
    first_line: int
    file_id: int
    prefix: str


def events(blocks: Sequence[Block]) -> pa.Table:
    """The lines of these blocks, which together are worth one pass: most files are small."""
    lines: list[bytes] = []
    numbers: list[int] = []
    counts = []
    for block in blocks:
        before = len(lines)
        for number, line in _numbered(block):
            lines.append(line)
            numbers.append(number)
        counts.append(len(lines) - before)
    found = _at_once(lines) if lines else _one_by_one(lines)
    if found is None and len(blocks) > 1:
        return pa.concat_tables([events([block]) for block in blocks])
    if found is None:
        found = _one_by_one(lines)
    run = found["run_id"]
    if any(block.prefix for block in blocks):
        prefixes = pa.array(np.repeat(np.array([block.prefix for block in blocks], object), counts), pa.string())
        run = pc.binary_join_element_wise(prefixes, run, "")
    file_id = pa.array(np.repeat(np.array([block.file_id for block in blocks], np.int64), counts))
    reported = {"file_id": file_id, "line": pa.array(numbers, pa.int64()), "reason": found["reason"], "run": run}
    return pa.table(reported | {name: found[name] for name in FIELDS.names}, LINES)


def events_of_columns(rows: pa.Table, prefix: str) -> pa.Table:
    """Rows that may be events: with their `run` and the `reason` why one is none."""
    columns = {
        field.name: rows[field.name].cast(field.type) if field.name in rows.column_names else pa.nulls(len(rows), field.type)
        for field in FIELDS
    }
    found = pa.table(columns, FIELDS)
    run = pc.binary_join_element_wise(pa.scalar(prefix), found["run_id"], "")
    return found.append_column("run", run).append_column("reason", pa.array(_reasons(found), pa.string()))


def events_of_edn(block: Block, run: str, invoked: dict[str, int]) -> pa.Table:
    """The lines of a file in Jepsen's notation. A completion belongs to the last invocation of its process, which `invoked` keeps from one
    block to the next; an operation without an index is identified by its line.
    """
    rows = []
    for number, line in _numbered(block):
        reported: dict[str, Any] = {"file_id": block.file_id, "line": number, "run": run}
        try:
            event = edn.event(read(line.decode()))
        except UnicodeDecodeError:
            rows.append(reported | {"reason": NOT_UTF_8})
            continue
        except (MalformedEdn, RecursionError) as error:
            rows.append(reported | {"reason": str(error)})
            continue
        idx, process = number if event["idx"] is None else event["idx"], event["process"]
        if process is not None and event["type"] == "invoke":
            invoked[process] = idx
        event |= {"run_id": run, "idx": idx, "op_id": invoked.get(process, idx)}
        fitted = {field.name: _fitted(event.get(field.name), field.type) for field in FIELDS}
        rows.append(reported | fitted | {"reason": flaw(fitted)})
    return pa.Table.from_pylist(rows, LINES)


def _numbered(block: Block) -> Iterator[tuple[int, bytes]]:
    """Its lines with their numbers, without those that are empty."""
    for number, line in enumerate(block.said.split(b"\n"), block.first_line):
        if line[:1] == b"{" or line.strip(b" \t\r"):
            yield number, line


def _at_once(lines: list[bytes]) -> pa.Table | None:
    """These lines, if all fit the columns; odd values of fields are reported all the same."""
    try:
        reported = pa.array(lines, pa.binary()).cast(pa.string())  # this cast finds what is not UTF-8
    except pa.ArrowInvalid:
        return None
    if not pc.all(pc.and_(pc.starts_with(reported, "{"), pc.ends_with(reported, "}"))).as_py():
        return None
    block = b"\n".join(lines)
    for process in (pa.int64(), pa.string()):  # a process is identified by its number or its name
        kinds = {field.name: process if field.name == "process" else field.type for field in FIELDS if field.name != "ctl"}
        try:
            found = pj.read_json(
                pa.BufferReader(block),
                read_options=pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
                parse_options=pj.ParseOptions(explicit_schema=pa.schema(kinds), unexpected_field_behavior="ignore"),
            )
        except pa.ArrowInvalid:
            continue
        if found.num_rows != len(lines):
            return None
        found = found.set_column(found.column_names.index("process"), "process", found["process"].cast(pa.string()))
        reasons, control = _reasons(found), _control(reported, lines, block)
        if control is None:
            return None
        return found.append_column("ctl", control).append_column("reason", pa.array(reasons, pa.string()))
    return None


def _reasons(found: pa.Table) -> list[str | None]:
    """What each of these rows lacks to be an event."""
    good = pc.fill_null(pc.is_in(found["type"], pa.array(OUTCOMES)), False)
    good = pc.and_(good, pc.fill_null(pc.equal(found["schema_version"], VERSION), True))
    good = pc.and_(good, pc.or_(pc.is_null(found["iso"]), pc.is_in(found["iso"], pa.array(ISOLATIONS))))
    good = pc.and_(good, pc.fill_null(pc.or_(pc.not_equal(found["type"], "invoke"), pc.equal(found["op_id"], found["idx"])), False))
    for name in NEEDED:
        good = pc.and_(good, pc.is_valid(found[name]))
    sound = good.to_numpy().copy()
    sound[_of_odd_mops(found["mops"].combine_chunks())] = False
    reasons: list[str | None] = [None] * len(found)
    for row in np.flatnonzero(~sound).tolist():
        reasons[row] = flaw({name: found[name][row].as_py() for name in ("schema_version", *NEEDED, "iso", "mops")})
    return reasons


def _of_odd_mops(mops: pa.ListArray) -> np.ndarray:
    """The rows with a mop of unknown kind."""
    mops = mops.chunk(0) if isinstance(mops, pa.ChunkedArray) else mops
    flat = mops.flatten()
    known = pc.is_in(pc.struct_field(flat, "m"), pa.array(KINDS))
    odd = pc.and_(flat.is_valid(), pc.invert(known)).to_numpy(zero_copy_only=False)
    rows: np.ndarray = pc.list_parent_indices(mops).to_numpy()[odd]
    return rows


def _control(reported: pa.Array, lines: list[bytes], block: bytes) -> pa.Array | None:
    """The `ctl` of each line, whose names are free; None if it is no object of a line. Most lines have it once and empty, which is seen;
    mostly for the whole block.
    """
    if block.count(b'"ctl"') == sum(block.count(words.encode()) for words in _NO_CONTROL):
        return pa.array([[]] * len(lines), FIELDS.field("ctl").type)
    empty = pc.or_(*(pc.match_substring(reported, words) for words in _NO_CONTROL))
    named = pc.count_substring(reported, '"ctl"')
    says = pc.or_(pc.greater(named, 1), pc.and_(pc.equal(named, 1), pc.invert(empty)))
    control: list[list[tuple[str, str | None]] | None] = [[]] * len(lines)
    for row in np.flatnonzero(says.to_numpy(zero_copy_only=False)).tolist():
        try:
            said = json.loads(lines[row].decode()).get("ctl")
        except (ValueError, RecursionError):
            return None
        if said is not None and not isinstance(said, dict):
            return None
        control[row] = None if said is None else [(name, value if isinstance(value, str) else text(value)) for name, value in said.items()]
    try:
        return pa.array(control, FIELDS.field("ctl").type)
    except UnicodeEncodeError:  # half of a character
        return None


def _one_by_one(lines: list[bytes]) -> pa.Table:
    """These lines, each by itself."""
    rows = [_row(line) for line in lines]
    return pa.Table.from_pylist(rows, pa.schema([("reason", pa.string()), *FIELDS]))


def _row(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line.decode("utf-8-sig"))
        if not isinstance(said, dict):
            return {"reason": NOT_AN_EVENT}
        if (why := misfit(said)) is not None:
            return {"reason": why}
        event = {field.name: _fitted(said.get(field.name), field.type) for field in FIELDS}
    except UnicodeDecodeError:
        return {"reason": NOT_UTF_8}
    except (ValueError, RecursionError):
        return {"reason": NOT_AN_EVENT}
    return event | {"reason": flaw(event)}


def _fitted(value: Any, kind: pa.DataType) -> Any:
    """A value as a column of this kind holds it; `ValueError` if it cannot. A column of text holds other values as JSON."""
    if value is None:
        return None
    if pa.types.is_string(kind):
        return (text(value) or "").encode("utf-8", "replace").decode()
    if pa.types.is_integer(kind):
        if type(value) is int and -(1 << kind.bit_width - 1) <= value < 1 << kind.bit_width - 1:
            return value
    elif pa.types.is_boolean(kind):
        if isinstance(value, bool):
            return value
    elif pa.types.is_list(kind):
        if isinstance(value, list):
            return [_fitted(item, kind.value_type) for item in value]
    elif isinstance(value, Mapping):
        if pa.types.is_map(kind):
            return [(_fitted(name, kind.key_type), _fitted(item, kind.item_type)) for name, item in value.items()]
        return {field.name: _fitted(value.get(field.name), field.type) for field in kind}
    raise ValueError(f"{kind} cannot hold {value!r}")
