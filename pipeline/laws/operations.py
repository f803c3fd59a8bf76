"""Operations as columns, in the order of their run and number.

    run  op  at  process  f       ty    unit  oc         end_op     what happened
      0   0   1  p0       send    OK       0  COMMITTED       2     a transaction of two operations
      0   2   3  p0       commit  OK       0  COMMITTED       2
      0   4   5  p1       poll    OK       4  COMMITTED       -     one that is alone
      1   0   0  p0       send    INFO     0  UNKNOWN         -     of another run, and it never completed

`op` is the number of the invocation and `at` that of the completion, in the recorder's order. A *unit* is what commits together: a
transaction attempt, else the operation alone; it is called by its first operation. `oc` is what became of the operation, `unit_oc` of its
unit, `end_op` the operation that asked for its end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from . import history_columns
from .columns import NO_WORD, Flags, Ints, WordColumn, number, numbers
from .transaction_outcomes import ABORTED, FAIL, INFO, OK, OUTCOME_OF, UNKNOWN, Units, units

ENDINGS = {"ok": OK, "fail": FAIL, "info": INFO}


@dataclass(frozen=True)
class RunLogs:
    """The logs of all runs: a log belongs to one run, and is known by its place among them."""

    keys: Sequence[tuple[int, str]]
    numbers: Mapping[tuple[int, str], int]

    @staticmethod
    def of(run: Ints, log: WordColumn) -> "tuple[RunLogs, Ints]":
        """The logs of the records in these runs, and the number of each record's."""
        both, number = np.unique(run * (len(log.words) + 1) + log.codes, return_inverse=True)
        run_of, name_of = np.divmod(both, len(log.words) + 1)
        keys = [(own, log.words[name]) for own, name in zip(run_of.tolist(), name_of.tolist(), strict=True)]
        return RunLogs(keys, {key: place for place, key in enumerate(keys)}), number

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, run: int, name: str) -> int:
        """The number of a log, or -1 for an unknown log."""
        return self.numbers.get((run, name), NO_WORD)

    def name(self, number: int) -> str | None:
        """A log's name in its run."""
        return None if number == NO_WORD else self.keys[number][1]


@dataclass(frozen=True)
class Operations:
    """All operations of one or several histories; `said` has what few laws need."""

    runs: Sequence[str]
    run: Ints
    op: Ints
    at: Ints
    process: WordColumn
    client: WordColumn
    f: WordColumn
    ty: Ints
    txn: WordColumn
    has_tx: Flags
    """Whether the history has anything about its transaction."""
    tid: WordColumn
    pid: Ints
    epoch: Ints
    careful: Flags
    """Whether the client read committed data only."""
    grp: WordColumn
    generation: Ints
    unit: Ints
    unit_oc: Ints
    oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags
    said: history_columns.OperationColumns

    @staticmethod
    def of(said: history_columns.OperationColumns) -> "Operations":
        """These operations."""
        run, f, ty = said.run.codes, said.f, ended(said.ty)
        settled = said.outcomes or _settled(said, ty)
        return Operations(
            runs=said.run.words,
            run=run,
            op=said.op,
            at=said.at,
            process=said.process,
            client=said.client,
            f=f,
            ty=ty,
            txn=said.txn,
            has_tx=said.has_tx,
            tid=said.tid,
            pid=said.pid,
            epoch=said.epoch,
            careful=~said.iso.among("ru"),
            grp=said.grp,
            generation=said.generation,
            unit=settled.unit,
            unit_oc=settled.unit_oc,
            oc=settled.oc,
            end_op=settled.end_op,
            transactional=settled.transactional,
            by_hand=settled.by_hand,
            said=said,
        )

    def __len__(self) -> int:
        return len(self.op)

    def says(self, name: str) -> WordColumn:
        """The value of this name in the `ctl` of each operation."""
        return self.said.says(name)

    def says_number(self, name: str) -> Ints:
        """The same as a number."""
        said = self.says(name)
        return numbers([*map(number, said.words), None])[said.codes]


def ended(ty: WordColumn) -> Ints:
    """How each operation ended."""
    found: Ints = np.array([*(ENDINGS[word] for word in ty.words), INFO])[ty.codes]
    return found


def _settled(said: history_columns.OperationColumns, ty: Ints) -> history_columns.Outcomes:
    """The outcomes of these operations, which are all of their transactions."""
    run = said.run.codes
    of_unit = units(run, said.op, said.at, said.f, ty, said.txn, said.tid)
    return outcomes(said, of_unit, np.isin(run, run[said.marks]) if said.marks.any() else said.marks)


def outcomes(said: history_columns.OperationColumns, of_unit: Units, by_hand: Flags) -> history_columns.Outcomes:
    """The outcomes of these operations, from those of their units, and whether markers were written by hand in their run."""
    by_hand = of_unit.within & by_hand
    return history_columns.Outcomes(
        unit=of_unit.unit,
        unit_oc=of_unit.unit_oc,
        oc=_outcome(ended(said.ty), of_unit.unit_oc, of_unit.within, by_hand),
        end_op=of_unit.end_op,
        transactional=of_unit.within | said.f.among("txn"),
        by_hand=by_hand,
    )


def _outcome(ty: Ints, unit_oc: Ints, within: Flags, by_hand: Flags) -> Ints:
    """The outcome of each operation: no more than of its unit, and than its own answer shows.

    Where markers were written without the coordinator, its answers do not show the outcome of a transaction.
    """
    own = OUTCOME_OF[ty]
    of_unit = np.where(unit_oc == ABORTED, ABORTED, np.minimum(own, unit_oc))
    of_unit = np.where(ty == FAIL, ABORTED, np.where(by_hand, UNKNOWN, of_unit))
    return np.where(within, of_unit, own)
