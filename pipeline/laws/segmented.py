"""Operations on rows that belong together: the first and last of a group, its least and greatest, what came before a row, and pairs.

Rows are never moved. A group is known by its number, rows of a group stand one after the other in `rows`, and what is said of each row is
in the order in which the rows were given:

    key   7  3  7  3  7          Groups(key, order=(at,))
    at    5  1  2  9  2
                                 rows      1  3 | 2  4  0      row numbers, group by group, each in its order; equals as they were given
                                 starts    0      2            where in `rows` each group begins
                                 number    1  0  1  0  1       of each row, its group
    v     4  8  6  -  5          least(v)  8      4            of each group; `-` is NONE, and counts as missing
                                 before(v) 5  -  -  8  6       of each row, what the row before it in its group has

A *tie* is two rows with one key and one order. `before` takes them as they were given; where the law says that ties count as one place
(`upto` with `order`), each of them sees the others.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from .columns import NONE, Flags, Ints

_HIGHEST = np.iinfo(np.int64).max


class RowGroups:
    """Rows with the same keys, each group in its order."""

    def __init__(self, *keys: Ints, order: Sequence[Ints | Flags] = ()) -> None:
        self.rows = np.lexsort((*reversed(order), *reversed(keys)))
        self._new = _changes(keys, self.rows)
        self.starts = np.flatnonzero(self._new)
        self._of_place = np.cumsum(self._new) - 1

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def number(self) -> Ints:
        """For each row the number of its group."""
        return self._as_given(self._of_place)

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each group has."""
        return np.diff(np.append(self.starts, len(self.rows)))

    @property
    def first(self) -> Ints:
        """The first row of each group."""
        rows: Ints = self.rows[self.starts]
        return rows

    @property
    def last(self) -> Ints:
        """The last row of each group."""
        ends: Ints = self.starts + self.sizes - 1
        return self.rows[ends]

    @cached_property
    def rank(self) -> Ints:
        """For each row its place in its group, from 0."""
        return self._as_given(np.arange(len(self.rows)) - self.starts[self._of_place])

    def least(self, column: Ints, where: Flags | None = None) -> Ints:
        """The least number of each group that is not missing, among the rows `where`; NONE if there is none."""
        counted = column != NONE if where is None else where & (column != NONE)
        found = np.minimum.reduceat(np.where(counted, column, _HIGHEST)[self.rows], self.starts) if len(self) else column[:0]
        lacking = found == _HIGHEST
        return np.where(self.any(counted), found, NONE) if lacking.any() else found

    def most(self, column: Ints, where: Flags | None = None) -> Ints:
        """The greatest number of each group, among the rows `where`; NONE if there is none."""
        counted = column if where is None else np.where(where, column, NONE)
        return np.maximum.reduceat(counted[self.rows], self.starts) if len(self) else column[:0]

    def any(self, condition: Flags) -> Flags:
        """Whether the condition holds for a row of each group."""
        return np.logical_or.reduceat(condition[self.rows], self.starts) if len(self) else condition[:0]

    def all(self, condition: Flags) -> Flags:
        """Whether the condition holds for all rows of each group."""
        return np.logical_and.reduceat(condition[self.rows], self.starts) if len(self) else condition[:0]

    def count(self, condition: Flags) -> Ints:
        """For how many rows of each group the condition holds."""
        return np.add.reduceat(condition[self.rows].astype(np.int64), self.starts) if len(self) else self.starts

    def before(self, column: Ints, none: int = NONE) -> Ints:
        """For each row the value in the row before it in its group."""
        found = np.full(len(column), none, np.int64)
        follows = np.flatnonzero(~self._new)
        found[self.rows[follows]] = column[self.rows[follows - 1]]
        return found

    def after(self, column: Ints, none: int = NONE) -> Ints:
        """For each row the value in the row after it in its group."""
        found = np.full(len(column), none, np.int64)
        follows = np.flatnonzero(~self._new)
        found[self.rows[follows - 1]] = column[self.rows[follows]]
        return found

    @cached_property
    def row_before(self) -> Ints:
        """For each row the row before it in its group, or -1."""
        return self.before(np.arange(len(self.rows)), -1)

    def latest(self, where: Flags) -> Ints:
        """For each row the last row before it in its group `where` the condition holds, or -1."""
        found = self._upto(np.where(where[self.rows], np.arange(1, len(self.rows) + 1), 0))
        return self.before(self._as_given(np.where(found > 0, self.rows[found - 1], -1)), -1)

    def greatest(self, *columns: Ints, where: Flags) -> Ints:
        """For each row the one before it in its group that has the greatest columns, the first deciding, among the rows `where`; or -1."""
        return self.before(self.greatest_with_ties(*columns, where=where), -1)

    def greatest_with_ties(self, *columns: Ints, where: Flags, order: Sequence[Ints] = ()) -> Ints:
        """The same among the rows up to and including this one; with `order`, also among its ties."""
        by_size = np.lexsort((*reversed(columns), where))
        size = np.empty(len(by_size), np.int64)
        size[by_size] = np.arange(1, len(by_size) + 1)
        found = self._upto(np.where(where, size, 0)[self.rows])
        if order:
            place_ends = np.append(_changes((self._of_place, *(column[self.rows] for column in order)))[1:], np.True_)[: len(found)]
            ends = np.flatnonzero(place_ends)
            found = found[ends][np.cumsum(place_ends) - place_ends]
        return self._as_given(np.where(found > 0, by_size[found - 1], -1))

    def counted(self, condition: Flags) -> Ints:
        """For how many rows before this one in its group the condition holds."""
        holds = condition[self.rows].astype(np.int64)
        total = np.cumsum(holds) - holds
        return self._as_given(total - total[self.starts][self._of_place])

    def _upto(self, column: Ints) -> Ints:
        """The greatest number so far in each group, for numbers from 0 to the number of rows, in the order of `rows`."""
        step = len(column) + 1
        highest: Ints = np.maximum.accumulate(self._of_place * step + column)
        return highest - self._of_place * step

    def _as_given(self, column: Ints) -> Ints:
        found = np.empty(len(column), np.int64)
        found[self.rows] = column
        return found


def _changes(keys: Sequence[Ints], rows: Ints | None = None) -> Flags:
    """Which rows have another key than the one before."""
    new = np.zeros(len(keys[0]), np.bool_)
    for key in keys:
        ordered = key if rows is None else key[rows]
        new[1:] |= ordered[1:] != ordered[:-1]
    new[:1] = True
    return new


def numbered(*keys: Ints) -> Ints:
    """A number for each row, the same where all keys are the same."""
    return RowGroups(*keys).number


def pairs(left: Sequence[Ints], right: Sequence[Ints]) -> tuple[Ints, Ints]:
    """All pairs of a row on the left and a row on the right that have the same keys, in the order of the left ones."""
    size = len(left[0])
    number = numbered(*(np.concatenate(both) for both in zip(left, right, strict=True)))
    order = np.argsort(number[size:], kind="stable")
    ordered = number[size:][order]
    first, end = np.searchsorted(ordered, number[:size], "left"), np.searchsorted(ordered, number[:size], "right")
    counts = end - first
    rows, nth = repeated(counts)
    return rows, order[first[rows] + nth]


def pairs_within(left: Sequence[Ints], low: Ints, high: Ints, right: Sequence[Ints], at: Ints) -> tuple[Ints, Ints]:
    """The same, but only those where `at` of the row on the right lies from `low` to `high` of the one on the left, both included."""
    size = len(low)
    number = numbered(*(np.concatenate(both) for both in zip(left, right, strict=True)))
    rank = np.unique(np.concatenate([low, high, at]), return_inverse=True)[1]
    step = len(rank) + 1
    place = number[size:] * step + rank[2 * size :]
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], number[:size] * step + rank[:size], "left")
    end = np.searchsorted(place[order], number[:size] * step + rank[size : 2 * size], "right")
    rows, nth = repeated(np.maximum(end - first, 0))
    return rows, order[first[rows] + nth]


def repeated(counts: Ints) -> tuple[Ints, Ints]:
    """Each row as many times as its count, and the number of each repetition, from 0."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


def among(left: Sequence[Ints], right: Sequence[Ints]) -> Flags:
    """Which rows on the left have the keys of any row on the right."""
    if not len(left[0]) or not len(right[0]):
        return np.zeros(len(left[0]), np.bool_)
    size = len(left[0])
    groups = RowGroups(*(np.concatenate(both) for both in zip(left, right, strict=True)))
    return groups.any(np.arange(len(groups.rows)) >= size)[groups.number[:size]]


def counted_until(left: Sequence[Ints], at: Ints, right: Sequence[Ints], happened: Ints) -> Ints:
    """For each row on the left how many rows on the right have its keys and `happened` at or before its time."""
    size = len(at)
    groups = RowGroups(
        *(np.concatenate(both) for both in zip(left, right, strict=True)),
        order=(np.concatenate((at, happened)), np.repeat([1, 0], [size, len(happened)])),
    )
    return groups.counted(np.arange(size + len(happened)) >= size)[:size]


def picked(column: Ints, rows: Ints) -> Ints:
    """The column in these rows; NONE where a row is -1."""
    return np.where(rows >= 0, column[rows], NONE) if len(column) else np.full(len(rows), NONE, np.int64)


def least_of(*columns: Ints) -> Ints:
    """Row by row the least number that is not missing."""
    least: Ints = np.minimum.reduce([np.where(column == NONE, _HIGHEST, column) for column in columns])
    return np.where(least == _HIGHEST, NONE, least)


def located(left: Sequence[Ints], right: Sequence[Ints]) -> Ints:
    """For each row on the left the last row on the right that has its keys, or -1."""
    found = np.full(len(left[0]), -1, np.int64)
    if len(left[0]) and len(right[0]):
        rows, others = pairs(left, right)
        found[rows] = others
    return found
