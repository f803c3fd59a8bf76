"""The dependencies between operations, as columns: what the laws of cycles read.

    run  a  a_op  b  b_op  kind          what happened
      0  1     0  5     4  wr            the operation that ended at event 5 polled what the one that ended at 1 had sent

`b` depends on `a`. Operations are called by their completions, which are their order; `a_op` and `b_op` are their names.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from .columns import NONE, Flags, Ints
from .facts import Facts
from .history import History
from .segmented import RowGroups, pairs, picked

WW, WR, RW = 0, 1, 2


@dataclass(frozen=True)
class Edges(Facts):
    """*wr*: from the writer of a value to its reader. *ww*: between writers of neighbouring records of a log. *rw*: from the reader of a
    record to the writer of the next one.
    """

    key = ("run",)
    run: Ints
    a: Ints
    a_op: Ints
    b: Ints
    b_op: Ints
    kind: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        """All edges; those of writes are inferred on demand. Only the reads of a careful reader show the order; a refused write
        has none.
        """
        records, values = history.records, history.values
        counts = values.sent & ~values.reused & values.known_committed
        rows = np.flatnonzero(records.seen & history.neighbours.writer(counts))
        value = history.neighbours.value[rows]
        others = records.op[rows] != values.op[value]
        rows, value = rows[others], value[others]
        found = [_edges(records.run[rows], values.at[value], values.op[value], records.at[rows], records.op[rows], WR)]
        writers = np.flatnonzero(counts & (values.first_rank != NONE))
        next_one = (values.log[writers], values.first_rank[writers] - 1)
        if history.infer_ww:
            one, after = (writers[each] for each in pairs((values.log[writers], values.first_rank[writers]), next_one))
            apart = values.at[one] != values.at[after]
            one, after = one[apart], after[apart]
            found.append(_edges(values.run[one], values.at[one], values.op[one], values.at[after], values.op[after], WW))
        if history.infer_rw:
            rank = np.where(history.neighbours.writer(values.reused), NONE, picked(values.last_rank, history.neighbours.value))
            rows = np.flatnonzero(records.seen & (rank != NONE))
            polls = RowGroups(records.log[rows], records.op[rows], order=(rank[rows],))
            last = rows[polls.last]
            poll, after = pairs((records.log[last], rank[last]), next_one)
            poll, after = last[poll], writers[after]
            apart = records.at[poll] != values.at[after]
            poll, after = poll[apart], after[apart]
            found.append(_edges(records.run[poll], records.at[poll], records.op[poll], values.at[after], values.op[after], RW))
        return cls(**{name: np.concatenate([getattr(each, name) for each in found]) for name in vars(found[0])})

    @property
    def asks(self) -> Flags:
        """Which are backward."""
        backward: Flags = self.b < self.a
        return backward

    @classmethod
    def may_belong(cls, records: pa.Table, asking: pa.Table) -> bool:  # noqa: ARG003
        """Any record may lie within an island."""
        return bool(len(records))

    def belong(self, asking: Self) -> Flags:
        """Which lie within an island."""
        of_island: Flags = _island(self, asking) >= 0
        return of_island


def _edges(run: Ints, a: Ints, a_op: Ints, b: Ints, b_op: Ints, kind: int) -> Edges:
    return Edges(run, a, a_op, b, b_op, np.full(len(run), kind, np.int64))


def islands(edges: Edges) -> list[Edges]:
    """The edges that may close a cycle, apart from each other.

    An edge from a later to an earlier operation is *backward*, and spans the operations between. Every cycle lies within one union of such
    spans, an island, since some edge must cross each cut backwards.

        a  b
        5  1          spans 1 to 5
        9  4          spans 4 to 9, and they are one island from 1 to 9
    """
    island = _island(edges, edges.where(edges.asks))
    within = np.flatnonzero(island >= 0)
    of_island = RowGroups(island[within])
    return [edges.where(within[rows]) for rows in np.split(of_island.rows, of_island.starts[1:])] if len(within) else []


def _island(edges: Edges, backward: Edges) -> Ints:
    """For each edge the island in which it lies, of those that these backward edges make, or -1."""
    if not len(backward):
        return np.full(len(edges), -1, np.int64)
    run, low, high = backward.run, backward.b, backward.a
    spans = RowGroups(run, order=(low,))
    furthest = picked(high, spans.greatest(high, where=np.ones(len(run), np.bool_)))
    fresh = (furthest == NONE) | (low > furthest)
    number = spans.counted(fresh) + fresh
    by_island = RowGroups(run, number)
    starts, ends, runs = by_island.least(low), by_island.most(high), run[by_island.first]
    least, most = np.minimum(edges.a, edges.b), np.maximum(edges.a, edges.b)
    # An edge lies within the last island that starts at its lower end or before it, or in none.
    is_island = np.repeat([True, False], [len(starts), len(least)])
    places = RowGroups(np.concatenate([runs, edges.run]), order=(np.concatenate([starts, least]), ~is_island))
    island = places.latest(is_island)[len(starts) :]
    return np.where(most <= picked(ends, island), island, -1)
