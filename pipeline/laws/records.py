"""What operations moved, as columns: one row for each record sent or read, offset committed, position seen, log assigned.

Rows are in the order of (log, kind, process, op, mop), so that those which a process moved in one log stand one after the other:

    log  kind  process  op  mop  v   o     ty  oc            what happened
      0  recv  p1        4    0  a   0     OK  COMMITTED     p1 polled log 0, and got two records
      0  recv  p1        4    1  b   1     OK  COMMITTED
      0  send  p0        0    0  a   0     OK  COMMITTED     p0 sent one, and the answer told its offset
      0  send  p0        2    0  b   -     INFO  UNKNOWN     and another one, without an answer

`log` is the number of a log of one run, `v` the word of a value, `mop` the record's number in its operation. What is said of the operation
is as `operations` has it, but that a record which has an offset was acknowledged, whatever became of the rest of its request.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .columns import NONE, Flags, Ints, Words, flags, numbers
from .operations import Logs, Operations
from .outcomes import COMMITTED, FAIL, OK, UNKNOWN
from .pairing import text

LONGEST_VALUE = 256


@dataclass(frozen=True)
class Records:
    """All records of one or several histories."""

    operation: Ints
    """The row of the record's operation."""
    run: Ints
    log: Ints
    kind: Words
    v: Words
    o: Ints
    op: Ints
    mop: Ints
    at: Ints
    process: Ints
    f: Words
    ty: Ints
    oc: Ints
    unit: Ints
    unit_oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags
    careful: Flags
    """Whether it was asked for as a reader of committed data asks."""
    tid: Ints
    grp: Ints
    mkey: Words
    pid: Ints
    epoch: Ints
    seq: Ints
    hash: Ints

    def __len__(self) -> int:
        return len(self.operation)

    @staticmethod
    def of(operations: Operations, logs: Logs) -> "Records":
        """What these operations moved."""
        run_of = operations.run.tolist()
        moved = [
            (row, n, logs.number(run_of[row], name), mop)
            for row, one in enumerate(operations.told)
            for n, mop in enumerate(one.mops)
            if (name := text(mop.get("log"))) is not None
        ]
        mops = [mop for _, _, _, mop in moved]
        row, mop = numbers([row for row, _, _, _ in moved]), numbers([n for _, n, _, _ in moved])
        log, kind = numbers([log for _, _, log, _ in moved]), Words.of([text(mop.get("m")) for mop in mops])
        process, op = operations.process.codes[row], operations.op[row]
        order = np.lexsort((mop, op, process, kind.codes, log))
        row, mops = row[order], [mops[n] for n in order.tolist()]
        o, f = numbers([told.get("o") for told in mops]), Words(operations.f.codes[row], operations.f.words)
        has_tx = flags(one.tx is not None for one in operations.told)[row]
        ty, unit, unit_oc = operations.ty[row], operations.unit[row], operations.unit_oc[row]
        # A request to several partitions may be refused by one of them: what has an offset was acknowledged.
        acknowledged = f.among("send") & (ty == FAIL) & (o != NONE) & has_tx
        acknowledged_oc = np.where(unit == op[order], COMMITTED, unit_oc)
        return Records(
            operation=row,
            run=operations.run[row],
            log=log[order],
            kind=Words(kind.codes[order], kind.words),
            v=Words.of([shortened(text(told.get("v"))) for told in mops]),
            o=o,
            op=op[order],
            mop=mop[order],
            at=operations.at[row],
            process=process[order],
            f=f,
            ty=np.where(acknowledged, OK, ty),
            oc=np.where(acknowledged, acknowledged_oc, operations.oc[row]),
            unit=unit,
            unit_oc=unit_oc,
            end_op=operations.end_op[row],
            transactional=operations.transactional[row],
            by_hand=operations.by_hand[row],
            careful=flags(one.iso != "ru" for one in operations.told)[row],
            tid=operations.tid.codes[row],
            grp=operations.grp.codes[row],
            mkey=Words.of([text(told.get("mkey")) for told in mops]),
            pid=operations.pid[row],
            epoch=operations.epoch[row],
            seq=numbers([told.get("seq") for told in mops]),
            hash=numbers([told.get("hash") for told in mops]),
        )

    @cached_property
    def sent(self) -> Flags:
        return self.kind.among("send")

    @cached_property
    def got(self) -> Flags:
        """Handed over by a poll."""
        return self.kind.among("recv")

    @cached_property
    def read(self) -> Flags:
        """Handed over by a poll that succeeded."""
        read: Flags = self.got & (self.ty == OK)
        return read

    @cached_property
    def seen(self) -> Flags:
        """Handed over by a poll that succeeded, to a reader of committed data."""
        return self.read & self.careful

    @cached_property
    def numbered(self) -> Flags:
        """Sent with the sequence number of a producer."""
        numbered: Flags = self.sent & (self.seq != NONE) & (self.pid >= 0)
        return numbered

    @cached_property
    def present(self) -> frozenset[str]:
        """Which kinds of records there are, and in words what few histories have."""
        rare = {
            "grouped": self.grp >= 0,
            "keyed": self.mkey.present,
            "named": self.tid >= 0,
            "doubtful": self.oc == UNKNOWN,
        }
        return frozenset({*self.kind.words, *(word for word, which in rare.items() if which.any())})


def shortened(value: str | None) -> str | None:
    """A value that is too long to be carried around is told apart by its digest."""
    if value is None or len(value) <= LONGEST_VALUE:
        return value
    return f"{value[:64]}... sha256 {hashlib.sha256(value.encode()).hexdigest()}"


def rows(condition: Flags) -> Ints:
    """The rows for which the condition holds."""
    return np.flatnonzero(condition)
