"""What became of transactions of several operations.

A transaction is named by its id; where a client's epoch stays, several in a row have one name, and each lasts until an end that was
acknowledged: what begins before that answer may be in it. Without a commit that was asked for, one cannot have committed: it was aborted
if an abort was asked for, even without an answer, or if it was open when its transactional id was initialised again.

    op  at  f          ty  txn_id  tid     unit  unit_oc    end_op
     0   1  send       ok  a/1/0   a          0  COMMITTED       2
     2   3  commit     ok  a/1/0   a          0  COMMITTED       2
     4   5  send       ok  a/1/0   a          4  ABORTED         6     the second transaction of that name
     6   7  init_txn   ok  -       a          -                        was open when the id was taken over
"""

from dataclasses import dataclass

import numpy as np

from .columns import NONE, Flags, Ints, WordColumn
from .segmented import RowGroups

COMMITTED, UNKNOWN, ABORTED = 3, 2, 1
OK, FAIL, INFO = 0, 1, 2
OUTCOME_OF = np.array([COMMITTED, ABORTED, UNKNOWN])
"""For an operation that is alone, by how it ended."""


@dataclass(frozen=True)
class Units:
    """For each operation its unit (named by its first operation's number), the unit's outcome, and the operation that asked for its end."""

    unit: Ints
    unit_oc: Ints
    end_op: Ints
    within: Flags
    """Whether the operation is one of several."""


def alone(op: Ints, f: WordColumn, ty: Ints, txn: WordColumn) -> Units:
    """Each operation as a separate unit, whatever it is a part of."""
    within = txn.present & ~f.among("txn") & ~f.among("init_txn")
    return Units(op.copy(), OUTCOME_OF[ty], np.where(f.among("txn"), op, NONE), within)


def units(run: Ints, op: Ints, at: Ints, f: WordColumn, ty: Ints, txn: WordColumn, tid: WordColumn) -> Units:
    """The units of the operations of all these runs."""
    init = f.among("init_txn")
    found = alone(op, f, ty, txn)
    within = found.within
    if not within.any():
        return found
    taken = _taken_over(run, op, tid.codes, init & (ty == OK), within | init)

    rows = np.flatnonzero(within)
    run, op, at, ty, name, taken = run[rows], op[rows], at[rows], ty[rows], txn.codes[rows], taken[rows]
    commit, abort = f.among("commit")[rows], f.among("abort")[rows]
    ended = (commit | abort) & (ty == OK)
    attempt = RowGroups(run, name, order=(np.where(ended, at, op),)).counted(ended)

    attempts = RowGroups(run, name, attempt)
    committed, asked_to_commit = attempts.any(commit & (ty == OK)), attempts.any(commit & (ty != FAIL))
    maybe_aborted, asked_to_abort = attempts.any(abort & (ty == INFO)), attempts.any(abort & (ty != FAIL))
    taken_at = attempts.most(taken)
    aborted = ~asked_to_commit & (asked_to_abort | (taken_at != NONE))
    outcome = np.where(committed & ~maybe_aborted, COMMITTED, np.where(aborted, ABORTED, UNKNOWN))
    asked = attempts.least(op, (commit | abort) & (ty != FAIL))
    of_row = attempts.number
    found.unit[rows], found.unit_oc[rows] = attempts.least(op)[of_row], outcome[of_row]
    found.end_op[rows] = np.where(asked != NONE, asked, taken_at)[of_row]
    return found


def _taken_over(run: Ints, op: Ints, tid: Ints, takes: Flags, steps: Flags) -> Ints:
    """For each of these steps the next successful initialisation of its transactional id, or NONE."""
    rows = np.flatnonzero(steps)
    found = np.full(len(op), NONE, np.int64)
    backwards = RowGroups(run[rows], tid[rows], order=(-op[rows],))
    next_one = backwards.latest(takes[rows])
    found[rows] = np.where(next_one >= 0, op[rows][next_one], NONE)
    return found
