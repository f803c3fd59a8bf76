"""Offset commits of groups, and what fetches saw of them, as columns: which the checks of offsets read.

    grp  log  o  op  unit  oc         transactional  asked  done           what happened
    g    x    4   2     0  COMMITTED  yes                4     5     an offset in a transaction: it counts at its end
    g    x    7   8     8  COMMITTED  no                 8     9     one on its own: it counts at once

`asked` and `done` bound the time at which a commit counts. A fetch (`Fetches`) has `op` and `at` of its operation; `o` is what it saw, NONE
where nothing was committed. Rows without a group are of no group, and left out.
"""

from dataclasses import dataclass

import numpy as np

from .columns import NEVER, NONE, Flags, Ints
from .facts import Columns
from .history import History
from .transaction_outcomes import OK


def counts_at(history: History, rows: Ints) -> Ints:
    """When these records of a unit count: at the end of their own operation, else when the end of their unit was acknowledged."""
    records = history.records
    ended = history.end_of(records.run[rows], records.unit[rows])
    waits = records.transactional[rows] & ~records.f.among("txn")[rows]
    return np.where(waits, np.where(ended == NONE, NEVER, ended), records.at[rows])


class _OfGroups(Columns):
    """Columns of offsets of groups."""

    log: Ints
    grp: Ints
    o: Ints

    @property
    def key(self) -> tuple[Ints, Ints]:
        """The log and the group."""
        return self.log, self.grp


@dataclass(frozen=True)
class Commits(_OfGroups):
    """Offset commits."""

    run: Ints
    log: Ints
    grp: Ints
    o: Ints
    op: Ints
    unit: Ints
    oc: Ints
    transactional: Flags
    asked: Ints
    done: Ints

    @staticmethod
    def of(history: History) -> "Commits":
        """All of them."""
        records = history.records
        rows = np.flatnonzero(records.kind.among("offset") & (records.o != NONE) & (records.grp >= 0))
        waits = records.transactional[rows] & ~records.f.among("txn")[rows] & (records.end_op[rows] != NONE)
        return Commits(
            run=records.run[rows],
            log=records.log[rows],
            grp=records.grp[rows],
            o=records.o[rows],
            op=records.op[rows],
            unit=records.unit[rows],
            oc=records.oc[rows],
            transactional=records.transactional[rows],
            asked=np.where(waits, records.end_op[rows], records.op[rows]),
            done=counts_at(history, rows),
        )


@dataclass(frozen=True)
class Fetches(_OfGroups):
    """Positions as fetches and new members received them. A fetch that does not ask for stable offsets (`stable`) may still see offsets
    from before an acknowledged end, so that missing offsets prove nothing.
    """

    run: Ints
    log: Ints
    grp: Ints
    o: Ints
    op: Ints
    at: Ints
    stable: Flags

    @staticmethod
    def of(history: History) -> "Fetches":
        """All that succeeded."""
        records = history.records
        rows = np.flatnonzero(records.kind.among("position") & (records.ty == OK) & (records.grp >= 0))
        return Fetches(
            run=records.run[rows],
            log=records.log[rows],
            grp=records.grp[rows],
            o=records.o[rows],
            op=records.op[rows],
            at=records.at[rows],
            stable=records.careful[rows],
        )
