"""Where values stand in their logs: a row for each offset of each value.

Ranks are dense, so that markers and aborted records leave no gap; a value at two offsets has two, and two values at one offset share one:

    log  offset  value      rank  shared
      0       0  a             0  no
      0       4  b             1  no      the record at 1 was aborted, and 2 is its marker
      0       6  b             2  yes     b stands at 4 and at 6
      0       6  c             2  yes     and c at 6, too
      1       3  d             0  no
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .columns import NONE, Flags, Ints
from .segmented import RowGroups


@dataclass(frozen=True)
class ValuePlaces:
    """In the order of logs and offsets. `value` is the row of a value, `number` distinguishes places of different logs or offsets."""

    value: Ints
    o: Ints
    number: Ints
    rank: Ints
    shared: Flags

    @staticmethod
    def of(log: Ints, reported: Sequence[Ints]) -> "ValuePlaces":
        """The places of values of these logs: all known offsets of each, in one column or another."""
        value, o = np.tile(np.arange(len(log)), len(reported)), np.concatenate(reported)
        is_there = np.flatnonzero(o != NONE)
        value, o = value[is_there], o[is_there]
        once = RowGroups(log[value], o, value).first
        value, o = value[once], o[once]
        by_offset, by_log = RowGroups(log[value], o), RowGroups(log[value])
        number = by_offset.number
        return ValuePlaces(
            value=value,
            o=o,
            number=number,
            rank=number - by_log.least(number)[by_log.number],
            shared=(by_offset.sizes > 1)[number],
        )

    def counts(self, values: int) -> Ints:
        """At how many offsets each of so many values stands."""
        return np.bincount(self.value, minlength=values).astype(np.int64)

    def first_rank(self, values: int) -> Ints:
        """The lowest rank of each value, or NONE."""
        groups = RowGroups(self.value)
        return _spread(self.value[groups.first], groups.least(self.rank), values)

    def last_rank(self, values: int) -> Ints:
        """The highest rank of each value, or NONE."""
        groups = RowGroups(self.value)
        return _spread(self.value[groups.first], groups.most(self.rank), values)

    def contested(self, values: int) -> Flags:
        """Which values share an offset."""
        found = np.zeros(values, np.bool_)
        found[self.value[self.shared]] = True
        return found


def _spread(rows: Ints, column: Ints, size: int) -> Ints:
    found = np.full(size, NONE, np.int64)
    found[rows] = column
    return found
