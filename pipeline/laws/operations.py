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

from .columns import NO_WORD, Flags, Ints, Words, flags, numbers
from .outcomes import ABORTED, FAIL, INFO, OK, OUTCOME_OF, UNKNOWN, units
from .pairing import Operation, text

ENDINGS = {"ok": OK, "fail": FAIL, "info": INFO}


@dataclass(frozen=True)
class Logs:
    """The logs of all runs: a log is one of a run, and known by its place among them."""

    keys: Sequence[tuple[int, str]]
    numbers: Mapping[tuple[int, str], int]

    @staticmethod
    def of(operations: Sequence[Operation], run: Ints) -> "Logs":
        """The logs of which these operations tell."""
        known: dict[tuple[int, str], int] = {}
        for one, number in zip(operations, run.tolist(), strict=True):
            for mop in one.mops:
                if (name := text(mop.get("log"))) is not None:
                    known.setdefault((number, name), len(known))
        return Logs(list(known), known)

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, run: int, name: str) -> int:
        """The number of a log, or -1 where nothing is told of it."""
        return self.numbers.get((run, name), NO_WORD)

    def name(self, number: int) -> str | None:
        """What a log is called in its run."""
        return None if number == NO_WORD else self.keys[number][1]


@dataclass(frozen=True)
class Operations:
    """All operations of one or several histories; `told` has them as they were told, for what few of them have."""

    told: Sequence[Operation]
    runs: Sequence[str]
    run: Ints
    op: Ints
    at: Ints
    process: Words
    client: Words
    f: Words
    ty: Ints
    txn: Words
    tid: Words
    pid: Ints
    epoch: Ints
    grp: Words
    generation: Ints
    unit: Ints
    unit_oc: Ints
    oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags

    @staticmethod
    def of(told: Sequence[Operation]) -> "Operations":
        """These operations, which are in the order of their run and number."""
        run_of = Words.of([one.run for one in told])
        run, op, at = run_of.codes, numbers([one.op for one in told]), numbers([one.at for one in told])
        ty = numbers([ENDINGS[one.ty] for one in told])
        f, txn = Words.of([one.f for one in told]), Words.of([one.txn_id for one in told])
        tx, grp = [one.tx or {} for one in told], [one.grp or {} for one in told]
        tid = Words.of([text(fields.get("tid")) for fields in tx])
        of_unit = units(run, op, at, f, ty, txn, tid)
        by_marker = flags(one.by_marker for one in told)
        by_hand = of_unit.within & np.isin(run, run[by_marker]) if by_marker.any() else by_marker
        return Operations(
            told=told,
            runs=run_of.words,
            run=run,
            op=op,
            at=at,
            process=Words.of([one.process for one in told]),
            client=Words.of([one.client for one in told]),
            f=f,
            ty=ty,
            txn=txn,
            tid=tid,
            pid=numbers([fields.get("pid") for fields in tx]),
            epoch=numbers([fields.get("epoch") for fields in tx]),
            grp=Words.of([text(fields.get("id")) for fields in grp]),
            generation=numbers([fields.get("gen") for fields in grp]),
            unit=of_unit.unit,
            unit_oc=of_unit.unit_oc,
            oc=_outcome(ty, of_unit.unit_oc, of_unit.within, by_hand),
            end_op=of_unit.end_op,
            transactional=of_unit.within | f.among("txn"),
            by_hand=by_hand,
        )

    def __len__(self) -> int:
        return len(self.told)

    def says(self, name: str) -> Words:
        """What each operation says of itself under this name, in `ctl`."""
        return Words.of([text(one.ctl.get(name)) if one.ctl else None for one in self.told])

    def says_number(self, name: str) -> Ints:
        """The same as a number."""
        said = self.says(name)
        return numbers([None if word is None else int(word) for word in said.texts(said.codes.tolist())])


def _outcome(ty: Ints, unit_oc: Ints, within: Flags, by_hand: Flags) -> Ints:
    """What became of each operation: no more than of its unit, and than its own answer tells.

    Where markers were written past the coordinator, its answers do not tell what became of a transaction.
    """
    own = OUTCOME_OF[ty]
    of_unit = np.where(unit_oc == ABORTED, ABORTED, np.minimum(own, unit_oc))
    of_unit = np.where(ty == FAIL, ABORTED, np.where(by_hand, UNKNOWN, of_unit))
    return np.where(within, of_unit, own)
