"""Segments of a scalable topic: a sealed segment accepts nothing, ranges do not overlap, parents are read before their children."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from .columns import NONE, Flags, Ints, numbers
from .control_actions import Edge, TopicSegment, ancestries, edges, logs, seals, segments
from .facts import Facts
from .history import History
from .segmented import RowGroups, pairs
from .transaction_outcomes import OK
from .witness import HistoryWitness, Law, witness, witnesses


def sealed_segment_write(history: History) -> list[HistoryWitness]:
    """A segment accepted a record that was sent after the seal, or is behind the segment's end. Definite. A poll that returns a record
    shows that the segment accepted it, if the sender got no answer.

    seal: log  op  at  end         send: v  o  op
          g0    4   5    7               a  8   6      sent after event 5, and behind 7
    """
    records, reported = history.records, seals(history)
    if not reported:
        return []
    sends, o = np.flatnonzero(history.neighbours.accepted), history.neighbours.offset
    row, seal = pairs((records.log[sends],), (logs(history, ((one.run, one.name) for one in reported)),))
    op, at, end = (
        numbers(column) for column in ([one.op for one in reported], [one.at for one in reported], [one.end for one in reported])
    )
    rows = sends[row]
    odd = (records.op[rows] > at[seal]) | ((end[seal] != NONE) & (o[rows] > end[seal]))
    rows, seal = rows[odd], seal[odd]
    ops, words = [op[seal], records.op[rows]], [records.v.codes[rows]]
    return witnesses(history, records.run[rows], records.log[rows], ops, words, [o[rows]])


def early_child_write(history: History) -> list[HistoryWitness]:
    """A child accepted a record before a client asked for the seal of its parent. Definite.

    split: child  op         send: log  v  at
           g1      4               g1   a   3      accepted at event 3, and the split was asked for at 4
    """
    records = history.records
    reported = sorted({(edge.child.run, edge.child.name, edge.child.op) for edge in edges(history)})
    if not reported:
        return []
    sends = np.flatnonzero(records.sent & (records.ty == OK))
    row, child = pairs((records.log[sends],), (logs(history, ((run, name) for run, name, _ in reported)),))
    born = numbers(op for _, _, op in reported)
    rows = sends[row]
    early = records.at[rows] < born[child]
    rows, born = rows[early], born[child[early]]
    ops, words = [records.op[rows], born], [records.v.codes[rows]]
    return witnesses(history, records.run[rows], records.log[rows], ops, words, [records.o[rows]])


def wrong_range(history: History) -> list[HistoryWitness]:
    """A segment accepted a record whose key is outside of its range. Definite.

    segment: log  lo  hi         send: log  hash
             g1    0  7f               g1     80
    """
    records, reported = history.records, [one for one in segments(history) if one.lo is not None]
    if not reported:
        return []
    sends = np.flatnonzero(history.neighbours.accepted & (records.hash != NONE))
    row, segment = pairs((records.log[sends],), (logs(history, ((one.run, one.name) for one in reported)),))
    op, lo, hi = (numbers(column) for column in ([one.op for one in reported], [one.lo for one in reported], [one.hi for one in reported]))
    rows = sends[row]
    outside = (records.hash[rows] < lo[segment]) | (records.hash[rows] > hi[segment])
    rows, segment = rows[outside], segment[outside]
    ops, words = [op[segment], records.op[rows]], [records.v.codes[rows]]
    return witnesses(history, records.run[rows], records.log[rows], ops, words, [records.hash[rows], lo[segment], hi[segment]])


def dag_defect(history: History) -> list[HistoryWitness]:
    """Segments overlap or leave a hole, a parent is unknown, a segment is divided or merged twice, or a child's epoch is not later than its
    parent's. Definite.

    op  child  lo  hi  epoch
     2  g1      0  7f      1
     2  g2     81  ff      1          80 is in no segment
    """
    born = segments(history)
    found = []
    together: dict[tuple[int, int], list[TopicSegment]] = defaultdict(list)
    known: dict[tuple[int, str], list[TopicSegment]] = defaultdict(list)
    for one in born:
        together[one.run, one.op].append(one)
        known[one.run, one.name].append(one)
    for siblings in together.values():
        bounded = sorted((one for one in siblings if one.lo is not None), key=lambda one: one.lo or 0)
        for before, one in pairwise(bounded):
            if (before.hi or 0) + 1 != one.lo:
                found.append(_defect(history, one, "ranges overlap or leave a hole"))
    families: dict[tuple[int, int], list[tuple[TopicSegment, TopicSegment]]] = defaultdict(list)
    children: dict[tuple[int, str], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for edge in edges(history):
        children[edge.child.run, edge.parent][edge.child.op].add(edge.child.name)
        parents = known.get((edge.child.run, edge.parent), [])
        families[edge.child.run, edge.child.op] += [(edge.child, parent) for parent in parents if parent.lo is not None]
        if not parents:
            found.append(_defect(history, edge.child, "a parent is unknown"))
        for parent in parents:
            if parent.epoch is None:
                found.append(_defect(history, edge.child, "a parent is unknown"))
            elif edge.child.epoch is not None and edge.child.epoch <= parent.epoch:
                found.append(_defect(history, edge.child, "the epoch did not advance"))
    for family in families.values():
        if family and _covered(child for child, _ in family) != _covered(parent for _, parent in family):
            first = min((child for child, _ in family), key=lambda one: one.name)
            found.append(_defect(history, first, "children do not cover their parents"))
    for run, op in sorted({(run, op) for (run, _), of_parent in children.items() for op in _again(of_parent)}):
        first = min(together[run, op], key=lambda one: one.name)
        found.append(_defect(history, first, "a parent had other children before"))
    return found


def _again(children: Mapping[int, set[str]]) -> Iterable[int]:
    """The operations that gave a parent others than its first children; a repeated one gives it the same."""
    first = children[min(children)]
    return [op for op, names in children.items() if names != first]


def _defect(history: History, segment: TopicSegment, why: str) -> HistoryWitness:
    return witness(history, segment.run, -1, (segment.op,), detail=why)._replace(log=segment.name)


def _covered(family: Iterable[TopicSegment]) -> tuple[int, int, int] | None:
    """The first and the last hash that these segments cover, and how many."""
    reported = {(one.lo, one.hi) for one in family if one.lo is not None and one.hi is not None}
    if not reported:
        return None
    return min(lo for lo, _ in reported), max(hi for _, hi in reported), sum(hi - lo + 1 for lo, hi in reported)


def parent_after_child(history: History) -> list[HistoryWitness]:
    """A subscription received a child's record before the last record of its parent, or of an older ancestor. Definite.

    grp  log  v  key  op  at         g1 is a child of g0
    g    g1   b  k     4   5
    g    g0   a  k     6   7         b was handed over at event 5, and a of its parent after it

    Records that have keys are compared key by key, others segment by segment. A client that reads segments by hand may do so in any order.
    """
    reported = edges(history)
    if not reported:
        return []
    ends = history.once(SegmentEnds.of)
    first, last = ends.where(ends.is_first), ends.where(~ends.is_first)
    child, parent = _families(history, reported)
    row, edge = pairs((first.log,), (child,))
    first = first.where(row)
    row, other = pairs((parent[edge], first.grp, first.mkey), (last.log, last.grp, last.mkey))
    first, last = first.where(row), last.where(other)
    late = first.at < last.op
    first, last = first.where(late), last.where(late)
    return witnesses(history, first.run, first.log, [first.op, last.op], [first.v, last.v])


@dataclass(frozen=True)
class SegmentEnds(Facts):
    """The first and last record of a key that a subscription received, in logs that are parents or children."""

    run: Ints
    log: Ints
    grp: Ints
    mkey: Ints
    is_first: Flags
    op: Ints
    at: Ints
    v: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        records, reported = history.records, edges(history)
        apart, _, seeks = _groups(history)
        names = {(edge.child.run, name) for edge in reported for name in (edge.child.name, edge.parent)}
        rows = _first_deliveries(history)
        rows = rows[~(apart | seeks)[records.grp[rows], records.run[rows]] & np.isin(records.log[rows], logs(history, names))]
        by_key = (records.log[rows], records.grp[rows], records.mkey.codes[rows])
        first = rows[RowGroups(*by_key, order=(records.at[rows], records.op[rows], records.mop[rows])).first]
        last = rows[RowGroups(*by_key, order=(records.op[rows], records.mop[rows])).last]
        both, is_first = np.concatenate([first, last]), np.repeat([True, False], [len(first), len(last)])
        of_key = (records.run[both], records.log[both], records.grp[both], records.mkey.codes[both])
        return cls(*of_key, is_first, records.op[both], records.at[both], records.v.codes[both])


def _families(history: History, reported: list[Edge]) -> tuple[Ints, Ints]:
    """The logs of these children and of their ancestors, where the history has both: a parent may have no records."""
    families = sorted(ancestries((edge.child.run, edge.child.name, edge.parent) for edge in reported))
    child = logs(history, ((run, name) for run, name, _ in families))
    parent = logs(history, ((run, name) for run, _, name in families))
    known = np.flatnonzero((child >= 0) & (parent >= 0))
    return child[known], parent[known]


def key_reorder(history: History) -> list[HistoryWitness]:
    """A subscription received a producer's records of one key in another order than the producer sent them. Definite.

    key  producer  seq  v         handed over: v  at
    k    1           0  a                      b   5
    k    1           1  b                      a   7          b came before a

    If the history has a producer's epoch, its sequence numbers are the order of sending; else that of its process is.
    """
    handed = history.once(Handed.of)
    if not len(handed):
        return []
    apart, _, _ = _groups(history)
    within = np.where(apart[handed.grp, handed.run], handed.log, -1)
    producer = np.where(handed.is_counted, handed.pid, handed.process)
    tracks = RowGroups(
        handed.run,
        handed.grp,
        within,
        handed.is_counted.astype(np.int64),
        producer,
        handed.mkey,
        order=(handed.at, handed.mop),
    )
    everything = np.ones(len(handed), np.bool_)
    before = tracks.greatest(handed.number, handed.place, history.records.v.ranks(handed.v), handed.op, where=everything)
    odd = np.flatnonzero(before >= 0)
    one, other = handed.where(before[odd]), handed.where(odd)
    later = (one.number > other.number) | ((one.number == other.number) & (one.place > other.place))
    apart_in_time = (one.at < other.op) | (one.op == other.op)
    another = (one.op != other.op) | (one.mop != other.mop)  # a value that was sent twice may be delivered in the place of either
    is_odd = later & apart_in_time & another
    one, other = one.where(is_odd), other.where(is_odd)
    return witnesses(history, other.run, other.log, [one.op, other.op], [one.v, other.v])


@dataclass(frozen=True)
class Handed(Facts):
    """First deliveries of subscriptions that keep an order, with the send of each: the producer's own number of it if that
    `is_counted`, else the operation, and the place in that operation.
    """

    by = ("run", "mkey")
    run: Ints
    log: Ints
    grp: Ints
    mkey: Ints
    v: Ints
    op: Ints
    mop: Ints
    at: Ints
    is_counted: Flags
    pid: Ints
    process: Ints
    number: Ints
    place: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        records = history.records
        _, shared, seeks = _groups(history)
        sends = np.flatnonzero(records.sent & records.mkey.present & records.v.present)
        handed = _first_deliveries(history) if len(sends) else sends
        handed = handed[~(shared | seeks)[records.grp[handed], records.run[handed]]]
        row, sent = pairs((records.log[handed], records.v.codes[handed]), (records.log[sends], records.v.codes[sends]))
        row, sent = handed[row], sends[sent]
        counted = (records.pid[sent] != NONE) & (records.epoch[sent] != NONE) & (records.seq[sent] != NONE)
        return cls(
            run=records.run[row],
            log=records.log[row],
            grp=records.grp[row],
            mkey=records.mkey.codes[sent],
            v=records.v.codes[row],
            op=records.op[row],
            mop=records.mop[row],
            at=records.at[row],
            is_counted=counted,
            pid=records.pid[sent],
            process=records.process[sent],
            number=np.where(counted, records.seq[sent], records.op[sent]),
            place=records.mop[sent],
        )


def _groups(history: History) -> tuple[Flags, Flags, Flags]:
    """How each subscription (group, run) is read, if the recorder notes it: `apart`, segment by segment in any order, `shared`, which
    keeps no order, and whether a client `seeks`.
    """
    ops = history.ops
    kind, subscribes = ops.says("type"), ops.f.among("subscribe")
    reported = (ops.grp.codes >= 0) & ops.f.among("subscribe", "assign", "seek")

    def any_of(which: Flags) -> Flags:
        found = np.zeros((len(ops.grp.words) + 1, len(ops.runs)), np.bool_)
        found[ops.grp.codes[reported & which], ops.run[reported & which]] = True
        return found

    by_hand = any_of(ops.f.among("assign"))
    apart, shared = any_of(subscribes & kind.present), any_of(kind.among("Shared"))
    return apart & ~by_hand, shared & ~by_hand, any_of(ops.f.among("seek"))


def _first_deliveries(history: History) -> Ints:
    """The first delivery of each value to a subscription."""
    records = history.records
    rows = np.flatnonzero(records.read & (records.grp >= 0))
    groups = RowGroups(records.log[rows], records.grp[rows], records.v.codes[rows], order=(records.op[rows], records.mop[rows]))
    return rows[groups.first]


LAWS = (
    Law("sealed-segment-write", sealed_segment_write),
    Law("early-child-write", early_child_write),
    Law("wrong-range", wrong_range),
    Law("segment-dag-defect", dag_defect, of_operations=True),
    Law("parent-after-child", parent_after_child, reads=(SegmentEnds,)),
    Law("key-reorder", key_reorder, reads=(Handed,)),
)
