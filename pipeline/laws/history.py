"""What laws read: a history's operations and records, and what is derived from them once.

* `values`, `neighbours`: the values of the logs, and each record with the one before it.
* `followed`: which runs have consumers with positions (assign or subscribe to logs, final_read, or so says the recorder): only there is
  reading on behind an unread record a fault, since a bare fetch may begin anywhere.
* `bound`, `read_to`, `unread_from`: of each value, how far its log was read (the last rank and its offset), and the first offset of what
  is committed there and unread.
* `gaps`: values that one poll of a log jumped over, each with the record behind it.

Several histories may be judged at once: whatever laws join has a run, or a log, which is of one run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from . import history_columns
from .columns import NONE, Flags, Ints, numbers
from .neighbours import OddRecords
from .operations import Operations, RunLogs
from .records import Records
from .segmented import RowGroups, among, located, pairs, picked, repeated
from .transaction_outcomes import OK
from .value_columns import Values

_WIDEST_GAP = 10_000
Made = TypeVar("Made")


class Inferred(NamedTuple):
    """Which edges are inferred: between writes, and from reads to writes."""

    ww: bool = False
    rw: bool = False


NOTHING = Inferred()


@dataclass(frozen=True)
class Gaps:
    """`record` is the row of the record behind the gap, `value` that of a value in it."""

    record: Ints
    value: Ints


class History:
    """One or several histories, or some whole logs of them (`parts`)."""

    def __init__(self, ops: Operations, records: Records, logs: RunLogs, infer: Inferred = NOTHING) -> None:
        self.infer_ww, self.infer_rw = infer
        self.ops, self.records, self.logs = ops, records, logs
        self._made: dict[object, object] = {}

    @staticmethod
    def of(operations: history_columns.OperationColumns, records: history_columns.RecordColumns, infer: Inferred = NOTHING) -> "History":
        """Whole runs, as they were recorded."""
        ops = Operations.of(operations)
        return History(ops, *Records.of(records, ops), infer)

    def once(self, make: "Callable[[History], Made]") -> "Made":
        """What several laws of a family read, made once, for the first of them."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[return-value]

    def put(self, make: "Callable[[History], Made]", made: "Made") -> None:
        """Keep this, which was made already, from parts of the history."""
        self._made[make] = made

    shown_elsewhere: tuple[Ints, Ints] = numbers([]), numbers([])
    """Units (run, unit) of unknown outcome of which a reader of committed data read something in logs that are not here."""

    @cached_property
    def values(self) -> Values:
        return Values.of(self.records, self.shown_elsewhere)

    @cached_property
    def neighbours(self) -> OddRecords:
        return OddRecords.of(self.records, self.values)

    @cached_property
    def followed(self) -> Flags:
        """For each run, whether its consumers have positions."""
        placed = self.ops.f.among("assign", "subscribe") & self.ops.said.moves
        follows = placed | self.ops.f.among("final_read") | self.ops.says("positions").among("kept")
        found = np.zeros(len(self.ops.runs), np.bool_)
        found[self.ops.run[follows]] = True
        return found

    @cached_property
    def gaps(self) -> Gaps:
        rows = np.flatnonzero(self.in_sequence(self.neighbours.jumped))
        if not len(rows):
            return Gaps(rows, rows)
        start = self.neighbours.rank[self.neighbours.previous[rows]]
        width = np.minimum(self.neighbours.rank[rows] - 1 - start, _WIDEST_GAP)
        nth, step = repeated(width)
        sure = np.flatnonzero(~self.values.reused & self.values.known_committed & (self.values.last_rank != NONE))
        gap, value = pairs(
            (self.records.log[rows[nth]], start[nth] + 1 + step),
            (self.values.log[sure], self.values.last_rank[sure]),
        )
        return Gaps(rows[nth[gap]], sure[value])

    @cached_property
    def _of_log(self) -> RowGroups:
        return RowGroups(self.values.log)

    @cached_property
    def bound(self) -> Ints:
        return self._of_log.most(self.values.first_rank, self.values.read)[self._of_log.number]

    @cached_property
    def read_to(self) -> Ints:
        return self._of_log.most(self.values.last_offset, self.values.read)[self._of_log.number]

    @cached_property
    def unread_from(self) -> Ints:
        unread = self.values.acknowledged & self.values.known_committed & ~self.values.read
        return self._of_log.least(self.values.first_offset, unread)[self._of_log.number]

    @cached_property
    def passed(self) -> Flags:
        """Which values are no further than their log was read."""
        passed: Flags = (self.values.last_rank != NONE) & (self.values.last_rank <= self.bound)
        return passed

    @cached_property
    def handed_out(self) -> Flags:
        """Which records are of subscriptions that acknowledge messages one by one: such messages are delivered one by one as
        well, to any consumer, and redelivered alone.
        """
        queues = self.records.kind.among("ack_ind") & (self.records.grp >= 0)
        return among((self.records.log, self.records.grp), (self.records.log[queues], self.records.grp[queues]))

    def in_sequence(self, polled: Flags) -> Flags:
        """These records, except those that are delivered one by one."""
        return polled & ~self.handed_out

    def end_of(self, run: Ints, unit: Ints) -> Ints:
        """When a commit or abort of each of these units was first acknowledged; NONE if none was, since it may take effect at any time."""
        ends = np.flatnonzero(self.ops.f.among("commit", "abort") & (self.ops.ty == OK))
        units = RowGroups(self.ops.run[ends], self.ops.unit[ends])
        one = ends[units.first]
        return picked(units.least(self.ops.at[ends]), located((run, unit), (self.ops.run[one], self.ops.unit[one])))

    def first_moved(self, operations: Ints) -> list[tuple[str | None, str | None, int | None]]:
        """For each of these operations the log, value and offset of the first record, for a witness."""
        said = self.ops.said
        logs, words = (column.texts(column.codes[operations].tolist()) for column in (said.first_log, said.first_v))
        offsets = [None if o == NONE else o for o in said.first_o[operations].tolist()]
        return list(zip(logs, words, offsets, strict=True))

    @cached_property
    def last_final_read(self) -> Ints:
        """For each run when its last `final_read` began, or NONE."""
        return RowGroups(self.ops.run).most(self.ops.op, self.ops.f.among("final_read") & (self.ops.ty == OK))

    @cached_property
    def last_at(self) -> Ints:
        """For each run the number of its last completion."""
        return RowGroups(self.ops.run).most(self.ops.at) if len(self.ops) else numbers([])
