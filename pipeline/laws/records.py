"""What operations moved, as columns: one row for each record sent or read, offset committed, position seen, log assigned.

Rows are in the order of (log, kind, process, op, mop), so that those which a process moved in one log stand one after the other:

    log  kind  process  op  mop  v   o     ty  oc            what happened
      0  recv  p1        4    0  a   0     OK  COMMITTED     p1 polled log 0, and got two records
      0  recv  p1        4    1  b   1     OK  COMMITTED
      0  send  p0        0    0  a   0     OK  COMMITTED     p0 sent one, and the answer has its offset
      0  send  p0        2    0  b   -     INFO  UNKNOWN     and another one, without an answer

`log` is the number of a log of one run, `v` the word of a value, `mop` the record's number in its operation. What is said of the operation
is as `operations` has it, but that a record which has an offset was acknowledged, whatever became of the rest of its request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import history_columns
from .columns import NONE, Flags, Ints, WordColumn
from .operations import Operations, RunLogs
from .segmented import located
from .transaction_outcomes import COMMITTED, FAIL, OK


@dataclass(frozen=True)
class Records:
    """All records of one or several histories."""

    row: Ints
    """The row of the record as it was recorded."""
    operation: Ints
    """The row of the record's operation."""
    run: Ints
    log: Ints
    kind: WordColumn
    v: WordColumn
    o: Ints
    op: Ints
    mop: Ints
    at: Ints
    process: Ints
    f: WordColumn
    ty: Ints
    oc: Ints
    unit: Ints
    unit_oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags
    careful: Flags
    """Whether the client read committed data only."""
    tid: Ints
    grp: Ints
    mkey: WordColumn
    pid: Ints
    epoch: Ints
    seq: Ints
    hash: Ints

    def __len__(self) -> int:
        return len(self.operation)

    @staticmethod
    def of(said: history_columns.RecordColumns, operations: Operations) -> "tuple[Records, RunLogs]":
        """These records of these operations, and their logs."""
        run = _codes_of(said.run, operations.runs)
        logs, log = RunLogs.of(run, said.log)
        kind, op, mop = said.kind, said.op, said.mop
        row = located((run, op), (operations.run, operations.op))
        order = np.lexsort((mop, op, operations.process.codes[row], kind.codes, log))
        row = row[order]
        o, f = said.o[order], WordColumn(operations.f.codes[row], operations.f.words)
        ty, unit, unit_oc = operations.ty[row], operations.unit[row], operations.unit_oc[row]
        # One partition may refuse a request to several: what has an offset was acknowledged.
        acknowledged = f.among("send") & (ty == FAIL) & (o != NONE) & operations.has_tx[row]
        acknowledged_oc = np.where(unit == op[order], COMMITTED, unit_oc)
        records = Records(
            row=order,
            operation=row,
            run=run[order],
            log=log[order],
            kind=WordColumn(kind.codes[order], kind.words),
            v=WordColumn(said.v.codes[order], said.v.words),
            o=o,
            op=op[order],
            mop=mop[order],
            at=operations.at[row],
            process=operations.process.codes[row],
            f=f,
            ty=np.where(acknowledged, OK, ty),
            oc=np.where(acknowledged, acknowledged_oc, operations.oc[row]),
            unit=unit,
            unit_oc=unit_oc,
            end_op=operations.end_op[row],
            transactional=operations.transactional[row],
            by_hand=operations.by_hand[row],
            careful=operations.careful[row],
            tid=operations.tid.codes[row],
            grp=operations.grp.codes[row],
            mkey=WordColumn(said.mkey.codes[order], said.mkey.words),
            pid=operations.pid[row],
            epoch=operations.epoch[row],
            seq=said.seq[order],
            hash=said.hash[order],
        )
        return records, logs

    @cached_property
    def sent(self) -> Flags:
        return self.kind.among("send")

    @cached_property
    def got(self) -> Flags:
        """Returned by a poll."""
        return self.kind.among("recv")

    @cached_property
    def read(self) -> Flags:
        """Returned by a poll that succeeded."""
        read: Flags = self.got & (self.ty == OK)
        return read

    @cached_property
    def seen(self) -> Flags:
        """Returned by a poll that succeeded, to a reader of committed data."""
        return self.read & self.careful

    @cached_property
    def numbered(self) -> Flags:
        """Sent with the sequence number of a producer."""
        numbered: Flags = self.sent & (self.seq != NONE) & (self.pid >= 0)
        return numbered


def _codes_of(words: WordColumn, names: Sequence[str]) -> Ints:
    """These words as places in another list, which has all of them."""
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[word] for word in words.words], np.int64)[words.codes]
