"""A consumer continues at its position: it skips no record, and receives none twice.

Positions are those of consumers that were assigned a log; a bare fetch may begin anywhere, and only what one poll returns must be whole.
"""

import numpy as np

from .columns import Flags, Ints, numbers
from .control_actions import listed
from .history import History
from .segmented import RowGroups, among, counted_until
from .transaction_outcomes import FAIL
from .witness import HistoryWitness, Law, witnesses


def int_poll_skip(history: History) -> list[HistoryWitness]:
    """Within one poll a known record between two others is missing. Definite.

    kind  op  mop  v  rank
    recv   4    0  a     0
    recv   4    1  c     2          the record of rank 1 is missing between a and c
    """
    return _within_a_poll(history, history.neighbours.jumped)


def int_nonmonotonic_poll(history: History) -> list[HistoryWitness]:
    """Within one poll a later record comes before an earlier one, or is the same. Definite.

    kind  op  mop  v  rank
    recv   4    0  b     1
    recv   4    1  a     0          a came after b, and stands before it
    """
    return _within_a_poll(history, history.neighbours.went_back)


def poll_skip(history: History) -> list[HistoryWitness]:
    """A consumer's next poll began behind a record that the consumer had not read. Definite.

    kind  process  op  v  rank
    recv  p1        4  a     0
    recv  p1        6  c     2          p1 never read the record of rank 1
    """
    return _turned(history, history.neighbours.went_on_behind)


def nonmonotonic_poll(history: History) -> list[HistoryWitness]:
    """A consumer's next poll began with a record that it had already passed. Definite.

    kind  process  op  v  rank
    recv  p1        4  b     1
    recv  p1        6  b     1          p1 received b again
    """
    return _turned(history, history.neighbours.came_back)


def position_after_abort(history: History) -> list[HistoryWitness]:
    """After a failed poll a consumer with a position continued behind what that poll had returned: the consumer lost it, unless it sought.

    A matter of the client. Possible.

    kind  process  op  ty    v  rank
    recv  p1        4  FAIL  a     0
    recv  p1        6  OK    b     1
    """
    records, previous = history.records, history.neighbours.previous
    which = history.in_sequence(history.neighbours.behind_failure) & history.followed[records.run]
    rows = np.flatnonzero(which)
    rows = rows[~history.handed_out[previous[rows]]]
    return _beside(history, previous[rows], rows, definite=False)


def _beside(history: History, before: Ints, rows: Ints, definite: Flags | bool = True) -> list[HistoryWitness]:
    records = history.records
    ops, values = [records.op[before], records.op[rows]], [records.v.codes[before], records.v.codes[rows]]
    return witnesses(history, records.run[rows], records.log[rows], ops, values, (), definite)


def _within_a_poll(history: History, which: Flags) -> list[HistoryWitness]:
    """Steps within a poll, except in logs that were reassigned during it, as it says in `rebalanced`."""
    records, rows = history.records, np.flatnonzero(history.in_sequence(which))
    if not len(rows):
        return []
    rebalanced = history.ops.says("rebalanced")
    moved = [
        (row, history.logs.number(int(history.ops.run[row]), name))
        for row in np.flatnonzero(rebalanced.present).tolist()
        for name in listed(rebalanced.text(int(rebalanced.codes[row])))
    ]
    reassigned = (numbers(row for row, _ in moved), numbers(log for _, log in moved))
    rows = rows[~among((records.operation[rows], records.log[rows]), reassigned)]
    words = records.v.codes
    previous = history.neighbours.previous[rows]
    return witnesses(history, records.run[rows], records.log[rows], [records.op[rows]], [words[previous], words[rows]])


def _turned(history: History, which: Flags) -> list[HistoryWitness]:
    """Turns of consumers with positions from their last successful poll of a log to the next one, unless they were moved in between.

    An assignment puts a consumer back on every log but those that it keeps: as many so far, less those that kept the log, at one end of a
    turn as at the other is a consumer that was left where it stood. If other consumers may replace it, nothing is certain.
    """
    records, ops = history.records, history.ops
    rows = np.flatnonzero(history.in_sequence(which) & history.followed[records.run])
    if not len(rows):
        return []
    rows = rows[~history.handed_out[history.neighbours.before[rows]]]
    rows = rows[RowGroups(records.log[rows], history.neighbours.before[rows], records.op[rows], records.v.codes[rows]).first]
    if not len(rows):
        return []
    rows = np.sort(rows)
    before = history.neighbours.before[rows]
    placed = np.flatnonzero(ops.f.among("assign", "subscribe") & (ops.ty != FAIL) & ops.process.present)
    subscribed = placed[ops.f.among("subscribe")[placed]]
    kept = np.flatnonzero(records.f.among("assign", "subscribe") & (ops.ty[records.operation] != FAIL) & (records.process >= 0))
    kept = kept[RowGroups(records.log[kept], records.operation[kept]).first]

    def times(at: Ints, operations: Ints) -> Ints:
        """How many of these operations each row's process had begun."""
        of_process = (ops.run[operations], ops.process.codes[operations])
        return counted_until((records.run[rows], records.process[rows]), at, of_process, ops.op[operations])

    def epoch(at: Ints) -> Ints:
        """How often each row's process had been moved elsewhere in its log."""
        keeping = (records.log[kept], records.process[kept])
        return times(at, placed) - counted_until((records.log[rows], records.process[rows]), at, keeping, records.op[kept])

    same = epoch(records.op[before]) == epoch(records.op[rows])
    certain = times(records.op[rows], subscribed) == 0
    return _beside(history, before[same], rows[same], certain[same])


LAWS = (
    Law("int-poll-skip", int_poll_skip),
    Law("int-nonmonotonic-poll", int_nonmonotonic_poll),
    Law("poll-skip", poll_skip),
    Law("nonmonotonic-poll", nonmonotonic_poll),
    Law("position-after-abort", position_after_abort),
)
