"""Records compared with the one before them, and what is odd about each.

    kind  process  op  mop  v  rank    before it in its track (log, kind, process)
    recv  p1        4    0  a     0    -
    recv  p1        4    1  c     2    a, of the same operation: it *jumped* over b, a *step* within one operation
    recv  p1        6    0  c     2    c, of another one: it *came back*, a *turn* to the next operation

`rank` is that of a record's value, where it is certain. `previous` is the row of the record before, and `before` that of the last one
before that counts: acknowledged, or read by a poll that succeeded; -1 where there is none. What is said of the value is as
`values` has it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .columns import NONE, Flags, Ints
from .records import Records
from .segmented import RowGroups, picked
from .transaction_outcomes import ABORTED, FAIL, OK
from .value_columns import Values


@dataclass(frozen=True)
class OddRecords:
    """Which records are odd, by one reason each."""

    records: Records
    values: Values
    value: Ints
    """The row of each record's value, or -1."""
    rank: Ints
    previous: Ints
    before: Ints

    @staticmethod
    def of(records: Records, values: Values) -> "OddRecords":
        """The records in their tracks."""
        value = values.of_record
        certain = _holds(~values.reused, value) & (records.got | (picked(values.send_count, value) == 1))
        counts = (records.sent & (records.ty == OK)) | records.read
        track = RowGroups(records.log, records.kind.codes, records.process, order=(records.op, records.mop))
        return OddRecords(
            records=records,
            values=values,
            value=value,
            rank=np.where(certain, picked(values.last_rank, value), NONE),
            previous=track.row_before,
            before=track.latest(counts),
        )

    @cached_property
    def _sent_once(self) -> Flags:
        """No other record has the value, so what readers saw of the value they saw of this record."""
        once: Flags = self.records.sent & self.writer(~self.values.reused) & (self.of_writer(self.values.send_count) == 1)
        return once

    @cached_property
    def accepted(self) -> Flags:
        """A broker accepted the record: it was acknowledged, or a poll returned it whatever the answer was."""
        accepted: Flags = self.records.sent & ((self.records.ty == OK) | (self._sent_once & self.writer(self.values.returned)))
        return accepted

    @cached_property
    def offset(self) -> Ints:
        """Where the record is: as the acknowledgement has it, else where readers found it."""
        first, last = self.of_writer(self.values.first_offset), self.of_writer(self.values.last_offset)
        found = (self.records.o == NONE) & self._sent_once & (first == last)
        return np.where(found, first, self.records.o)

    def of_writer(self, column: Ints) -> Ints:
        """For each record this column of the values, at the record's value."""
        return picked(column, self.value)

    def writer(self, column: Flags) -> Flags:
        """The same for a column of yes and no."""
        return _holds(column, self.value)

    @cached_property
    def _within(self) -> Flags:
        """Whether the record before is of the same operation."""
        within: Flags = (self.previous >= 0) & (picked(self.records.op, self.previous) == self.records.op)
        return within

    @cached_property
    def _next(self) -> Flags:
        """Whether the record before is of another operation."""
        following: Flags = (self.previous >= 0) & (picked(self.records.op, self.previous) != self.records.op)
        return following

    def _stands(self, other: Ints, least: int | None, most: int | None) -> Flags:
        """Whether a record is so many ranks behind another one: at least, or at most."""
        other_rank = picked(self.rank, other)
        known = (self.rank != NONE) & (other_rank != NONE)
        distance = np.where(known, self.rank, 0) - np.where(known, other_rank, 0)
        stands: Flags = known & (True if least is None else distance >= least) & (True if most is None else distance <= most)
        return stands

    @cached_property
    def jumped(self) -> Flags:
        """A poll's record is not right behind the one before it."""
        jumped: Flags = self.records.got & self._within & self._stands(self.previous, 2, None)
        return jumped

    @cached_property
    def went_back(self) -> Flags:
        """A poll's record is no later than the one before it."""
        back: Flags = self.records.got & self._within & self._stands(self.previous, None, 0)
        return back

    @cached_property
    def sent_apart(self) -> Flags:
        """An operation's record is not right behind the one that it sent before."""
        apart: Flags = self.records.sent & self._within & self._stands(self.previous, 2, None)
        return apart

    @cached_property
    def sent_back(self) -> Flags:
        """An operation's record is no later than the one that it sent before."""
        back: Flags = self.records.sent & self._within & self._stands(self.previous, None, 0)
        return back

    @cached_property
    def sent_before(self) -> Flags:
        """A producer's record is no later than that of its previous operation."""
        other = (self.before >= 0) & (picked(self.records.op, self.before) != self.records.op)
        before: Flags = self.records.sent & (self.records.ty != FAIL) & other & self._stands(self.before, None, 0)
        return before

    @cached_property
    def went_on_behind(self) -> Flags:
        """A consumer's next poll begins behind a record that it had not read."""
        behind: Flags = self.records.got & self._next & self._stands(self.before, 2, None)
        return behind

    @cached_property
    def came_back(self) -> Flags:
        """A consumer's next poll begins no later than its position."""
        back: Flags = self.records.got & self._next & self._stands(self.before, None, 0)
        return back

    @cached_property
    def behind_failure(self) -> Flags:
        """A poll that succeeded begins behind what a failed one had handed over."""
        failed = (self.previous >= 0) & (picked(self.records.ty, self.previous) == FAIL)
        behind: Flags = self.records.read & self._next & failed & self._stands(self.previous, 1, None)
        return behind

    @cached_property
    def never_sent(self) -> Flags:
        """No client sent the value that was read."""
        return self.records.got & (self.value >= 0) & ~self.writer(self.values.sent)

    @cached_property
    def aborted(self) -> Flags:
        """A reader of committed data received an aborted record, whatever the outcome of its poll."""
        aborted: Flags = self.records.got & self.records.careful & (self.of_writer(self.values.oc) == ABORTED)
        return aborted

    @cached_property
    def own(self) -> Flags:
        """A transaction received a record that it had sent itself."""
        transactional = self.records.transactional & self.writer(self.values.transactional)
        same = self.records.unit == self.of_writer(self.values.unit)
        own: Flags = self.records.got & self.records.careful & transactional & same
        return own

    @cached_property
    def early(self) -> Flags:
        """A poll ended, whatever its outcome, before any client asked for the end of the record's transaction."""
        reported = self.writer(self.values.transactional & ~self.values.by_hand) & (self.records.unit != self.of_writer(self.values.unit))
        end = self.of_writer(self.values.end_op)
        early: Flags = self.records.got & self.records.careful & reported & ((self.records.at < end) | (end == NONE))
        return early

    @cached_property
    def backward(self) -> Flags:
        """A poll ended before the operation that wrote what it read."""
        reported = self.writer(self.values.sent & self.values.known_committed & ~self.values.reused)
        backward: Flags = self.records.seen & (self.records.ty == OK) & reported & (self.records.at < self.of_writer(self.values.at))
        return backward


def _holds(column: Flags, rows: Ints) -> Flags:
    """The column in these rows; no where a row is -1."""
    held: Flags = (rows >= 0) & column[rows] if len(column) else np.zeros(len(rows), np.bool_)
    return held
