"""A history that is too large for one task, in parts: some whole logs each, and what laws that span logs make of their facts.

    records of logs + operations that concern all  ->  of_logs  ->  laws of single logs: witnesses
                                                                ->  asking: facts that may break other laws
    what asks in any part, and the records again   ->  of_logs  ->  belonging: the facts that belong to it
    operations, and facts of all parts             ->  across   ->  the other laws: witnesses

Records are as they are stored: with their operations' outcomes. The laws of a log read only few of the operations themselves (`common`),
and the ends of units that have records in it (`ends`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import history_columns
from .columns import NO_WORD, NONE, Flags, Ints, WordColumn, numbers
from .control_actions import BORN, GONE, SEALS
from .facts import Facts, codes, columns, table
from .history import History, Inferred
from .laws import LAWS
from .operations import ENDINGS, Operations, RunLogs
from .records import Records
from .segmented import located
from .transaction_outcomes import UNKNOWN

Tables = Mapping[type[Facts], pa.Table]
OF_LOGS = [law for law in LAWS if not law.of_operations and not law.reads]
OF_OPERATIONS = [law for law in LAWS if law.of_operations]
ACROSS = [law for law in LAWS if law.reads and not law.of_operations]
KINDS = {kind.__name__: kind for law in LAWS for kind in law.reads}
"""All kinds of facts by name."""
KEYS = ["run", "kind", "oc", "unit", "op"]
"""The columns of records that show whether they are `doubtful`, or `touched`."""
_COMMON = ("assign", "subscribe", "final_read", "seek", "reset", *BORN, *SEALS, *GONE)
_SAYS = ("rebalanced", "positions")
_ENDS = ("begin", "commit", "abort")


def common(operations: pa.Table) -> Flags:
    """Which operations each part must know: those that concern whole logs or runs; and the last one of each run, for when it ended."""
    held = _among(operations["f"], _COMMON)
    for name in _SAYS:
        held |= pc.is_valid(pc.map_lookup(operations["ctl"], pa.scalar(name), "first")).to_numpy()
    if len(operations):
        run, at = history_columns.words(operations["run"].combine_chunks()).codes, operations["at"].to_numpy()
        order = np.lexsort((at, run))
        held[order[np.append(run[order][1:] != run[order][:-1], np.True_)]] = True
    return held


def ends(operations: pa.Table) -> Flags:
    """Which operations a part must know if it has records of their units."""
    return _among(operations["f"], _ENDS) & ~common(operations)


def of_operations(operations: pa.Table) -> Flags:
    """Which operations the laws read that read no records."""
    reports = [operations["txn_id"], *(pc.struct_field(operations[one], name) for one, name in (("tx", "tid"), ("grp", "id")))]
    held = _among(operations["f"], ("probe", *BORN, *SEALS))
    for column in reports:
        held |= pc.is_valid(column).to_numpy()
    return held


def _among(column: pa.ChunkedArray, words: Sequence[str]) -> Flags:
    found: Flags = pc.is_in(column, pa.array(words)).to_numpy().copy()
    return found


def of_logs(
    every: pa.Table, of_units: pa.Table, records: pa.Table, infer: Inferred, shown: tuple[Sequence[str], Sequence[int]] = ((), ())
) -> History:
    """Whole logs: their records as they are stored, the operations that are `common` and, of all `ends`, those of their units.

    `shown` are the units (run, unit) of unknown outcome of which a reader of committed data read something in any log.
    """
    mine = pc.is_in(of_units["unit"], pc.unique(records["unit"]))
    ops = Operations.of(history_columns.operations(pa.concat_tables([every, of_units.filter(mine)]), settled=True))
    rare = _whole(records["rare"])
    process, processes = _joined(ops.process, history_columns.words(_whole(records["process"])))
    tid, tids = _joined(ops.tid, history_columns.words(pc.struct_field(rare, "tid")))
    grp, groups = _joined(ops.grp, history_columns.words(pc.struct_field(rare, "grp")))
    ops = replace(ops, process=process, tid=tid, grp=grp)
    history = History(ops, *_records(records, ops, {"process": processes, "tid": tids, "grp": groups}), infer)
    history.shown_elsewhere = codes(pa.chunked_array([shown[0]], pa.string()), pa.array(ops.runs, pa.string())), numbers(shown[1])
    return history


def _records(stored: pa.Table, ops: Operations, of_ops: Mapping[str, Ints]) -> tuple[Records, RunLogs]:
    said = history_columns.whole(stored)
    run = codes(stored["run"], pa.array(ops.runs, pa.string()))
    logs, log = RunLogs.of(run, history_columns.words(said["log"]))
    op, ty, rare = history_columns.numbers(said["op"]), history_columns.words(said["ty"]), said["rare"]
    operation = np.full(len(op), -1, np.int64)
    rows = np.flatnonzero(np.isin(op, ops.op))
    operation[rows] = located((run[rows], op[rows]), (ops.run, ops.op))
    records = Records(
        row=np.arange(len(op)),
        operation=operation,
        run=run,
        log=log,
        kind=history_columns.words(said["kind"]),
        v=history_columns.words(said["v"]),
        o=history_columns.numbers(said["o"]),
        op=op,
        mop=history_columns.numbers(said["mop"]),
        at=history_columns.numbers(said["at"]),
        process=of_ops["process"],
        f=history_columns.words(said["f"]),
        ty=np.array([*(ENDINGS[word] for word in ty.words), NONE])[ty.codes],
        oc=history_columns.numbers(said["oc"]),
        unit=history_columns.numbers(said["unit"]),
        unit_oc=history_columns.numbers(said["unit_oc"]),
        end_op=history_columns.numbers(said["end_op"]),
        transactional=history_columns.flags(said["transactional"]),
        by_hand=history_columns.flags(said["by_hand"]),
        careful=~history_columns.words(said["iso"]).among("ru"),
        tid=of_ops["tid"],
        grp=of_ops["grp"],
        mkey=history_columns.words(pc.struct_field(rare, "mkey")),
        pid=history_columns.numbers(pc.struct_field(rare, "pid")),
        epoch=history_columns.numbers(pc.struct_field(rare, "epoch")),
        seq=history_columns.numbers(pc.struct_field(rare, "seq")),
        hash=history_columns.numbers(pc.struct_field(rare, "hash")),
    )
    return records, logs


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _joined(words: WordColumn, others: WordColumn) -> tuple[WordColumn, Ints]:
    """These words followed by the others, and the codes that the others have there."""
    place = {word: number for number, word in enumerate(words.words)}
    for word in others.words:
        place.setdefault(word, len(place))
    own = np.array([*(place[word] for word in others.words), NO_WORD], np.int64)[others.codes]
    return WordColumn(words.codes, list(place)), own


def doubtful(records: pa.Table) -> bool:
    """Whether any record was sent whose outcome is unknown, so that the parts must first find what readers were `shown`."""
    found: bool = pc.any(pc.and_(pc.equal(records["kind"], "send"), pc.equal(records["oc"], UNKNOWN))).as_py()
    return bool(found)


def shown(history: History) -> tuple[list[str], list[int]]:
    """Units of unknown outcome of which a reader of committed data read something in these logs."""
    values = history.values
    rows = np.flatnonzero((values.oc == UNKNOWN) & values.read_committed)
    return [history.ops.runs[run] for run in values.run[rows].tolist()], values.unit[rows].tolist()


def asking(history: History, kinds: Iterable[type[Facts]]) -> Iterator[tuple[type[Facts], pa.Table]]:
    """The facts of these kinds that may break a law; all of them, if no others belong to them."""
    for kind in kinds:
        facts = history.once(kind.of)
        rows = np.flatnonzero(facts.asks)
        if len(rows):
            yield kind, table(facts.where(rows), history)


def touched(records: pa.Table, asked: Tables) -> Tables:
    """Those facts that ask which may concern these records."""
    return {kind: notified_of for kind, notified_of in asked.items() if kind.may_belong(records, notified_of)}


def belonging(history: History, asked: Tables) -> Iterator[tuple[type[Facts], pa.Table]]:
    """The facts that ask for nothing themselves, and belong to those that ask in any part."""
    words = _words(history.ops, dict.fromkeys(("v", "mkey"), history.records.v.words))
    for kind, said in asked.items():
        facts = history.once(kind.of)
        rows = np.flatnonzero(~facts.asks & facts.belong(_read(kind, said, words, history.logs)))
        if len(rows):
            yield kind, table(facts.where(rows), history)


def across(operations: pa.Table, facts: Tables, infer: Inferred) -> History:
    """The facts of all logs, without the records, and operations of their runs."""
    notified_of = {kind: facts.get(kind, columns(kind).empty_table()) for kind in KINDS.values()}
    ops = Operations.of(history_columns.operations(operations, settled=True))
    ops = replace(ops, grp=_joined(ops.grp, _said(notified_of, "grp"))[0], process=_joined(ops.process, _said(notified_of, "process"))[0])
    values, keys = _said(notified_of, "v"), _said(notified_of, "mkey")
    no, no_words = numbers([]), WordColumn(numbers([]), [])
    nothing = history_columns.RecordColumns(
        no_words, no, no, no_words, no_words, WordColumn(no, values.words), no, no, WordColumn(no, keys.words), no
    )
    named = pa.concat_tables([one.select(["run", "log"]).drop_null() for one in notified_of.values() if "log" in one.column_names])
    words = _words(ops, {"v": values.words, "mkey": keys.words})
    logs, _ = RunLogs.of(codes(named["run"], words["run"]), history_columns.words(_whole(named["log"])))
    history = History(ops, Records.of(nothing, ops)[0], logs, infer)
    for kind, said in notified_of.items():
        history.put(kind.of, _read(kind, said, words, logs))
    return history


def _words(ops: Operations, more: Mapping[str, Sequence[str]]) -> dict[str, pa.Array]:
    words = {"run": ops.runs, "grp": ops.grp.words, "process": ops.process.words, **more}
    return {name: pa.array(of_name, pa.string()) for name, of_name in words.items()}


def _said(facts: Tables, name: str) -> WordColumn:
    """What facts of any kind have in a column of words."""
    said = [chunk for one in facts.values() if name in one.column_names for chunk in one[name].chunks]
    return history_columns.words(pa.chunked_array(said, pa.string()).combine_chunks() if said else pa.array([], pa.string()))


def _read(kind: type[Facts], said: pa.Table, words: Mapping[str, pa.Array], logs: RunLogs) -> Facts:
    """Facts of a table, with numbers for words."""
    found: dict[str, Ints | Flags] = {}
    for name, column in zip(said.column_names, said.columns, strict=True):
        if name == "log":
            of_row = zip(found["run"].tolist(), column.to_pylist(), strict=True)
            found[name] = numbers(NO_WORD if log is None else logs.number(run, log) for run, log in of_row)
        elif name in words:
            found[name] = codes(column, words[name])
        else:
            found[name] = column.to_numpy()
    return kind(**found)
