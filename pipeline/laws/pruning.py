"""A segment is pruned only when no client needs it: never while one of its transactions is open."""

import numpy as np

from .acks import acknowledged
from .columns import NEVER, Flags, Ints, numbers
from .control_actions import Pruned, logs, pruned
from .history import History
from .operations import Operations
from .segmented import RowGroups, located, pairs
from .transaction_outcomes import ABORTED, COMMITTED, OK
from .witness import HistoryWitness, Law, groups_named, witnesses


def early_prune(history: History) -> list[HistoryWitness]:
    """A segment was pruned while a transaction that had written or acknowledged messages in it was open.

    prune: log  op  at         sent: v  log  op  at  unit_oc    end_op
           g0    6   7               a  g0    2   3  COMMITTED       8      the commit of a was asked for when g0 was gone

    No client can have read `a` before, and none can now. That is definite if a consumer was to read it: if a subscription had existed
    before it was sent, and was not moved by hand. Messages acknowledged in aborted transactions must be redelivered, and cannot.
    """
    reported = pruned(history)
    return [*_committed(history, reported), *_acknowledged(history, reported)] if reported else []


def _committed(history: History, reported: list[Pruned]) -> list[HistoryWitness]:
    records = history.records
    sent = np.flatnonzero(records.sent & (records.ty == OK) & records.transactional & (records.unit_oc == COMMITTED))
    row, prune = _open_at(history, reported, records.log[sent], records.at[sent], records.end_op[sent])
    rows, ops = sent[row], [records.op[sent[row]], numbers(one.op for one in reported)[prune], records.end_op[sent[row]]]
    sure = _subscribed(history.ops, reported)[prune] < records.op[rows]
    return witnesses(history, records.run[rows], records.log[rows], ops, [records.v.codes[rows]], [records.o[rows]], sure)


def _acknowledged(history: History, reported: list[Pruned]) -> list[HistoryWitness]:
    acks = history.once(acknowledged)
    if not len(acks):
        return []
    messages = RowGroups(*acks.key)
    aborted = messages.most(acks.unit_oc) == ABORTED
    one, first, end = acks.where(messages.first[aborted]), messages.least(acks.op)[aborted], messages.most(acks.end_op)[aborted]
    row, prune = _open_at(history, reported, one.log, first, end)
    stays = ~_is_moved(history.ops, one.run[row], one.grp[row])
    row, prune = row[stays], prune[stays]
    one, ops = one.where(row), [first[row], numbers(each.op for each in reported)[prune], end[row]]
    return witnesses(history, one.run, one.log, ops, (), [one.o], detail=groups_named(history, one.grp))


def _open_at(history: History, reported: list[Pruned], log: Ints, since: Ints, end: Ints) -> tuple[Ints, Ints]:
    """What was in a segment before it was pruned, and whose end was asked for only after that: the row, and which pruning that was."""
    row, prune = pairs((log,), (logs(history, ((one.run, one.name) for one in reported)),))
    op, at = numbers(one.op for one in reported), numbers(one.at for one in reported)
    was_open = (since[row] < op[prune]) & (end[row] > at[prune])
    return row[was_open], prune[was_open]


def _subscribed(ops: Operations, reported: list[Pruned]) -> Ints:
    """For each pruned segment, since when it or its topic had a durable subscription that is never moved by hand."""
    topic = ops.says("topic")
    rows = np.flatnonzero(ops.f.among("subscribe", "assign") & (ops.ty == OK) & (ops.grp.codes >= 0) & topic.present)
    rows = rows[~ops.says("durable").among("false")[rows]]
    rows = rows[~_is_moved(ops, ops.run[rows], ops.grp.codes[rows])]
    since: dict[tuple[int, str | None], int] = {}
    for run, name, at in zip(ops.run[rows].tolist(), topic.texts(topic.codes[rows].tolist()), ops.at[rows].tolist(), strict=True):
        since[run, name] = min(at, since.get((run, name), NEVER))
    return numbers(min(since.get((one.run, one.name), NEVER), since.get((one.run, one.topic), NEVER)) for one in reported)


def _is_moved(ops: Operations, run: Ints, grp: Ints) -> Flags:
    """Whether a client moves these subscriptions of these runs by hand, or removes them."""
    seeks = ops.f.among("seek", "reset")
    moved: Flags = located((run, grp), (ops.run[seeks], ops.grp.codes[seeks])) >= 0
    return moved


LAWS = (Law("early-prune", early_prune, absence=True),)
