"""A producer that was replaced cannot write: an older epoch is fenced, and an ended transaction accepts no more records.

Epochs are compared for one producer id only: ids from different brokers have no order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .columns import NO_WORD, NONE, Flags, Ints
from .facts import Facts
from .history import History
from .operations import Operations
from .segmented import RowGroups, among, located, pairs, picked
from .transaction_outcomes import ABORTED, COMMITTED, FAIL, OK
from .witness import HistoryWitness, Law, witness, witnesses


def zombie_write(history: History) -> list[HistoryWitness]:
    """A broker accepted a record or offset with an epoch, sent after a later epoch had been granted. Definite. A poll that returns a record
    shows that a broker accepted it, if the sender got no answer.

    f          op  at  tid  pid  epoch
    init_txn    4   5  A      1      1         epoch 1 was granted at event 5
    send        6   7  A      1      0         and a write of epoch 0 began at event 6

    The same for a commit in a transaction of a key (`key_epoch`): connections raise its epoch, the end itself does not. A commit that
    is retried counts from its first request: the answer repeats a decision that was made before the later epoch.
    """
    ops = history.ops
    answered = (ops.ty == OK) & ops.tid.present
    if not answered.any():
        return []
    accepted = _accepted(history) & ops.tid.present
    of_key = ops.says_number("key_epoch")
    epoch = np.where(ops.epoch == NONE, of_key, ops.epoch)
    commits = answered & ops.f.among("commit") & (of_key != NONE)
    writes = np.flatnonzero(((accepted & ops.f.among("send", "ack", "txn")) | commits) & (epoch >= 0))
    asked = _first_asked(ops, ops.f.among("commit") & (of_key != NONE))
    fences, fence_pid, fence_epoch = _fences(history, answered)

    rows, is_fence = np.concatenate([writes, fences]), np.repeat([False, True], [len(writes), len(fences)])
    when = np.concatenate([asked[writes], ops.at[fences]])
    with_epoch, pid = np.concatenate([epoch[writes], fence_epoch]), np.concatenate([ops.pid[writes], fence_pid])
    before = RowGroups(ops.run[rows], ops.tid.codes[rows], pid, order=(when,)).greatest(with_epoch, ops.op[rows], where=is_fence)
    odd = np.flatnonzero(~is_fence & (before >= 0) & (with_epoch < picked(with_epoch, before)))
    late, fence = rows[odd], rows[before[odd]]
    words = [
        f"epoch {own} after epoch {later}" for own, later in zip(with_epoch[odd].tolist(), with_epoch[before[odd]].tolist(), strict=True)
    ]
    return _of_first_record(history, late, [ops.op[fence], ops.op[late]], words)


@dataclass(frozen=True)
class ShownOperation(Facts):
    """Operations that were not acknowledged, and of which a poll returned a record."""

    run: Ints
    op: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        records = history.records
        rows = np.flatnonzero(history.neighbours.accepted & (records.ty != OK))
        return cls(run=records.run[rows], op=records.op[rows])


def _accepted(history: History) -> Flags:
    """Operations of which a broker certainly accepted a record, or that were acknowledged."""
    ops, shown = history.ops, history.once(ShownOperation.of)
    accepted: Flags = (ops.ty == OK) | among((ops.run, ops.op), (shown.run, shown.op))
    return accepted


def _first_asked(ops: Operations, commits: Flags) -> Ints:
    """When each operation began; of these commits, when the first of the same transaction that was not refused began."""
    rows = np.flatnonzero(commits & (ops.ty != FAIL) & ops.txn.present)
    of_transaction = RowGroups(ops.run[rows], ops.txn.codes[rows])
    began = ops.op.copy()
    began[rows] = of_transaction.least(ops.op[rows])[of_transaction.number]
    return began


def _fences(history: History, accepted: Flags) -> tuple[Ints, Ints, Ints]:
    """Epochs as they were granted, with their producer ids: at an initialisation, or with the end of a transaction, or by a control
    action.
    """
    ops = history.ops
    given, ended = accepted & ops.f.among("init_txn", "fence"), accepted & ops.f.among("commit", "abort")
    pid = np.where(given, ops.pid, ops.says_number("producer_id"))
    epoch = np.where(given, ops.epoch, ops.says_number("producer_epoch"))
    rows = np.flatnonzero((given | ended) & (epoch >= 0))
    return rows, pid[rows], epoch[rows]


def _of_first_record(history: History, operations: Ints, ops: list[Ints], words: list[str] | None = None) -> list[HistoryWitness]:
    """Witnesses that name the first record of each of these operations."""
    found = []
    reported: Sequence[str | None] = words or [None] * len(operations)
    rows = zip(
        operations.tolist(), history.first_moved(operations), zip(*(column.tolist() for column in ops), strict=True), reported, strict=True
    )
    for row, (log, v, o), of_row, detail in rows:
        one = witness(history, int(history.ops.run[row]), NO_WORD, of_row, (v,), (o,), detail=detail)
        found.append(one._replace(log=log))
    return found


@dataclass(frozen=True)
class Slipped(Facts):
    """Values of transactions that did not commit, which a reader of committed data was shown (`values`)."""

    run: Ints
    log: Ints
    v: Ints
    unit: Ints
    op: Ints
    read_at: Ints
    read_op: Ints
    o: Ints
    reused: Flags

    @classmethod
    def of(cls, history: History) -> Self:
        values = history.values
        rows = np.flatnonzero(values.transactional & values.read_committed & (values.oc == ABORTED))
        return cls(
            run=values.run[rows],
            log=values.log[rows],
            v=values.v[rows],
            unit=values.unit[rows],
            op=values.op[rows],
            read_at=values.first_read_at[rows],
            read_op=values.first_read_op[rows],
            o=values.first_offset[rows],
            reused=values.reused[rows],
        )


def stranded_write(history: History) -> list[HistoryWitness]:
    """A record of a transaction that did not commit is read, and the next transaction of the same id committed: the record slipped
    into that one. Definite.

    tid  unit  outcome    asked for its end by
    A       0  ABORTED                       2     its record a was read at event 11
    A       4  COMMITTED                     6
    """
    ops, bad = history.ops, history.once(Slipped.of)
    if not len(bad):
        return []
    steps = np.flatnonzero(ops.txn.present & ~ops.by_hand)
    units = RowGroups(ops.run[steps], ops.tid.codes[steps], ops.unit[steps])
    one = steps[units.first]
    of_id = RowGroups(ops.run[one], ops.tid.codes[one], order=(ops.unit[one],))
    next_outcome, next_end = of_id.after(units.most(ops.unit_oc[steps])), of_id.after(units.most(ops.end_op[steps]))
    rows, unit = pairs((bad.run, bad.unit), (ops.run[one], ops.unit[one]))
    bad, next_outcome, next_end = bad.where(rows), next_outcome[unit], next_end[unit]
    odd = (next_outcome == COMMITTED) & (next_end != NONE) & (bad.read_at > next_end)
    bad, next_end = bad.where(odd), next_end[odd]
    return witnesses(history, bad.run, bad.log, [bad.op, next_end, bad.read_op], [bad.v], [bad.o], ~bad.reused)


def write_to_ended_transaction(history: History) -> list[HistoryWitness]:
    """A broker accepted a record that was sent after the end of its transaction had been acknowledged. Definite. A poll that returns a
    record shows that a broker accepted it, if the sender got no answer.

    f       op  at  txn_id  ty
    commit   2   3  T1      OK
    send     4   5  T1      OK          began at event 4, and its transaction had ended at 3

    Where a client keeps its epoch over transactions, the transaction's name stays too, and the check cannot judge.
    """
    ops = history.ops
    ends = ops.f.among("commit", "abort") & (ops.ty == OK) & ops.txn.present
    if not ends.any():
        return []
    moved_on = (ops.epoch == NONE) | (np.maximum(ops.says_number("producer_epoch"), -1) > ops.epoch)
    rows = np.flatnonzero(ends & moved_on)
    rows = rows[RowGroups(ops.run[rows], ops.txn.codes[rows], order=(ops.at[rows],)).first]
    sends = np.flatnonzero(ops.f.among("send") & _accepted(history) & ops.txn.present)
    end = located((ops.run[sends], ops.txn.codes[sends]), (ops.run[rows], ops.txn.codes[rows]))
    sends, end = sends[end >= 0], rows[end[end >= 0]]
    late = ops.op[sends] > ops.at[end]
    return _of_first_record(history, sends[late], [ops.op[end[late]], ops.op[sends[late]]])


def intermediate_read(history: History) -> list[HistoryWitness]:
    """G1b: one poll returned a record of a committed transaction, and skipped another of its records in the same log. Definite.

    log  v  unit  in the poll
    x    a     0  yes
    x    b     0  no            it jumped over b
    x    c     4  yes
    """
    return _torn_polls(history, OfPolls.of(history), same_log=True)


def fractured_read(history: History) -> list[HistoryWitness]:
    """One poll returned a record of a committed transaction in one log, and skipped one of its records in another log. Definite.

    log  v  unit  in the poll
    x    a     0  yes
    y    b     0  no            it jumped over b, from one record of y to a later one
    """
    return _torn_polls(history, history.once(OfPolls.of), same_log=False)


@dataclass(frozen=True)
class OfPolls(Facts):
    """Records of committed transactions that polls have, and those that they jumped over (`is_missed`).

    op  unit  log  v  is_missed  sent_by  o
     6     0  x    a  no               0  -
     6     0  y    b  yes              0  3      the poll of operation 6 has a, and jumped over b
    """

    key, of_kind = ("run", "op"), "recv"
    run: Ints
    op: Ints
    unit: Ints
    log: Ints
    v: Ints
    is_missed: Flags
    sent_by: Ints
    o: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        records, values, gaps, neighbours = history.records, history.values, history.gaps, history.neighbours
        missed = np.flatnonzero(values.transactional[gaps.value] & records.careful[gaps.record])
        value, poll = gaps.value[missed], gaps.record[missed]
        had = np.flatnonzero(records.got & neighbours.writer(values.transactional & values.known_committed))
        value, poll = np.concatenate([value, neighbours.value[had]]), np.concatenate([poll, had])
        return cls(
            run=records.run[poll],
            op=records.op[poll],
            unit=values.unit[value],
            log=values.log[value],
            v=values.v[value],
            is_missed=np.arange(len(poll)) < len(missed),
            sent_by=values.op[value],
            o=values.first_offset[value],
        )

    @property
    def asks(self) -> Flags:
        return self.is_missed


def _torn_polls(history: History, polled: OfPolls, same_log: bool) -> list[HistoryWitness]:
    """Polls that skipped a record of a transaction of which they have another one: the first by name is reported."""
    if not polled.is_missed.any():
        return []
    missed, had = polled.where(polled.is_missed), polled.where(~polled.is_missed)
    left, right = pairs((missed.run, missed.op, missed.unit), (had.run, had.op, had.unit))
    reported = (had.log[right] == missed.log[left]) == same_log
    missed, had = missed.where(left[reported]), had.where(right[reported])
    once = RowGroups(missed.run, missed.op, missed.log, missed.v, order=(history.records.v.ranks(had.v),)).first
    missed, had = missed.where(once), had.where(once)
    return witnesses(history, missed.run, missed.log, [missed.sent_by, missed.op], [missed.v, had.v], [missed.o])


def torn_commit(history: History) -> list[HistoryWitness]:
    """Some records of a transaction were read, and others never were although later records of their logs were. Definite.

    log  v  unit  read  bound of the log  last_rank
    x    a     0  yes
    y    b     0  no                   5          3     y was read to rank 5, and b stands at 3

    If nothing behind them was read, they may still be delivered, and the witness is possible; unless they had been acknowledged, and a
    `final_read` began after the first read of the others.
    """
    values = history.once(MaybeTorn.of)
    units = RowGroups(values.run, values.unit)
    final = (units.least(values.read_at) < history.last_final_read[values.run[units.first]])[units.number]
    values = replace(values, passed=values.passed | (final & values.acknowledged))
    torn = units.any(values.read_committed) & ~units.all(values.read)
    found = []
    for number in np.flatnonzero(torn).tolist():
        start = units.starts[number]
        of_unit = units.rows[start : start + units.sizes[number]].tolist()
        shown = min(_named(history, values, row) for row in of_unit if values.read_committed[row])
        gone = min((not values.passed[row], *_named(history, values, row), row) for row in of_unit if not values.read[row])
        is_open, _, v, row = gone
        op, offset = min(int(values.op[each]) for each in of_unit), int(values.o[row])
        found.append(witness(history, int(values.run[row]), int(values.log[row]), (op,), (v, shown[1]), (offset,), not is_open))
    return found


@dataclass(frozen=True)
class MaybeTorn(Facts):
    """Values of transactions that may have committed, in runs whose consumers have positions; `passed` as `History` has it."""

    key = ("run", "unit")
    run: Ints
    unit: Ints
    log: Ints
    v: Ints
    op: Ints
    read: Flags
    read_committed: Flags
    read_at: Ints
    acknowledged: Flags
    passed: Flags
    o: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        values = history.values
        counted = values.sent & values.transactional & (values.oc > ABORTED) & ~values.reused & history.followed[values.run]
        rows = np.flatnonzero(counted)
        return cls(
            run=values.run[rows],
            unit=values.unit[rows],
            log=values.log[rows],
            v=values.v[rows],
            op=values.op[rows],
            read=values.read[rows],
            read_committed=values.read_committed[rows],
            read_at=values.first_read_at[rows],
            acknowledged=values.acknowledged[rows],
            passed=history.passed[rows],
            o=values.first_offset[rows],
        )

    @property
    def asks(self) -> Flags:
        return ~self.read


def _named(history: History, values: MaybeTorn, row: int) -> tuple[str, str]:
    """The names of a value's log and of the value, which decide which of several is reported."""
    log, v = int(values.log[row]), int(values.v[row])
    return history.logs.name(log) or "", (history.records.v.text(v) if v != NO_WORD else None) or ""


LAWS = (
    Law("zombie-write", zombie_write, of_operations=True, reads=(ShownOperation,)),
    Law("stranded-write", stranded_write, of_operations=True, reads=(Slipped,)),
    Law("write-to-ended-transaction", write_to_ended_transaction, of_operations=True, reads=(ShownOperation,)),
    Law("intermediate-read", intermediate_read, absence=True),
    Law("fractured-read", fractured_read, absence=True, reads=(OfPolls,)),
    Law("torn-commit", torn_commit, absence=True, reads=(MaybeTorn,)),
)
