"""The values of the logs as columns: one row for each, from all that was sent and read of it.

What a history may contain of one log (each record at its offset), and what `Values` makes of it:

    offset  0: a    committed, read by a reader of committed data
    offset  1: b    aborted
    offset  2:      the marker of that abort
    offset  3: c    its commit had no answer, and no client read it
    offset  4: d    committed, read at offset 4, and at 6 again

    v  known_committed  read_committed  first_offset  last_offset  offset_count  first_rank  last_rank
    a  true             true            0             0            1             0           0
    b  false            false           -             -            0             -           -
    c  false            false           -             -            0             -           -
    d  true             true            4             6            2             1           2

* `op`, `at`, `unit`, `oc`, `end_op`, `transactional`, `by_hand`: of the operation that sent it first; `oc`, `end_op` and the two last are
  the highest of all sends.
* `acknowledged`: a send was answered with success. `send_count`: how often it was sent.
* `returned`: a poll returned it. `read_committed`: one that succeeded and reads committed data only, of which `first_read_at` and
  `first_read_op` are the first. `read`: that, or a reader of uncommitted data did, and not only before the end of the transaction, when
  that shows nothing of what is committed.
* `known_committed`: the commit was acknowledged, or its outcome is not known and a reader of committed data was shown something of the
  unit.
* `reused`: different records have this value, so that nothing said of it is certain.
* `first_sent_offset`, `last_sent_offset`: the ends of the offsets in answers to sends; `first_read_offset`, `last_read_offset`: of those
  at which readers of committed data read it.
* `first_offset`, `last_offset`: of those at which it stands (`ValuePlaces`). Offsets of acknowledgements, and those of readers of
  uncommitted data, count where the value is known to have committed. Ranks are as `ValuePlaces` has them.
* `contested`: another value stands at one of its offsets.
"""

from dataclasses import dataclass

import numpy as np

from .columns import NONE, Flags, Ints
from .records import Records
from .segmented import RowGroups, among, least_of, numbered
from .transaction_outcomes import COMMITTED, OK, UNKNOWN
from .value_places import ValuePlaces


@dataclass(frozen=True)
class Values:
    """All values of one or several histories, in the order of their logs."""

    of_record: Ints
    """For each record the row of its value, or -1."""
    places: ValuePlaces
    run: Ints
    log: Ints
    v: Ints
    sent: Flags
    acknowledged: Flags
    send_count: Ints
    reused: Flags
    op: Ints
    at: Ints
    unit: Ints
    oc: Ints
    end_op: Ints
    transactional: Flags
    by_hand: Flags
    returned: Flags
    read: Flags
    read_committed: Flags
    first_read_at: Ints
    first_read_op: Ints
    known_committed: Flags
    first_sent_offset: Ints
    last_sent_offset: Ints
    first_read_offset: Ints
    last_read_offset: Ints
    first_offset: Ints
    last_offset: Ints
    offset_count: Ints
    first_rank: Ints
    last_rank: Ints
    contested: Flags

    def __len__(self) -> int:
        return len(self.v)

    @staticmethod
    def of(records: Records, shown_elsewhere: tuple[Ints, Ints]) -> "Values":
        """The values of these records, which are all of their logs; and units that were shown in others (`History.shown_elsewhere`)."""
        rows = np.flatnonzero((records.sent | records.got) & records.v.present)
        sent, got = records.sent[rows], records.got[rows]
        log, op, at, o = records.log[rows], records.op[rows], records.at[rows], records.o[rows]
        seen, careful = records.seen[rows], got & records.careful[rows]
        careless = got & ~careful
        groups = RowGroups(log, records.v.codes[rows])
        of_record = np.full(len(records), -1, np.int64)
        of_record[rows] = groups.number

        run, of_log = records.run[rows][groups.first], log[groups.first]
        unit, oc, read_committed = groups.least(records.unit[rows], sent), groups.most(records.oc[rows], sent), groups.any(seen)
        doubtful = oc == UNKNOWN
        shown = doubtful & read_committed
        shown_units = np.concatenate([run[shown], shown_elsewhere[0]]), np.concatenate([unit[shown], shown_elsewhere[1]])
        committed = (oc == COMMITTED) | (doubtful & among((run, unit), shown_units))

        end_op, transactional = groups.most(records.end_op[rows], sent), groups.any(sent & records.transactional[rows])
        read_late = groups.most(op, records.read[rows] & careless)
        read_late = (read_late != NONE) & (~transactional | ((end_op != NONE) & (read_late > end_op)))
        first_sent, last_sent = groups.least(o, sent), groups.most(o, sent)
        first_read, last_read = groups.least(o, careful), groups.most(o, careful)
        first_answer, last_answer = np.where(committed, first_sent, NONE), np.where(committed, last_sent, NONE)
        first = least_of(first_answer, first_read, np.where(committed, groups.least(o, careless), NONE))
        last = np.maximum.reduce([last_answer, last_read, np.where(committed, groups.most(o, careless), NONE)])
        places = ValuePlaces.of(of_log, (first, last, first_read, last_read, first_answer, last_answer))
        return Values(
            of_record=of_record,
            places=places,
            run=run,
            log=of_log,
            v=records.v.codes[rows][groups.first],
            sent=groups.any(sent),
            acknowledged=groups.any(sent & (records.ty[rows] == OK)),
            send_count=groups.count(sent),
            reused=_reused(records, rows, groups),
            op=groups.least(op, sent),
            at=groups.least(at, sent),
            unit=unit,
            oc=oc,
            end_op=end_op,
            transactional=transactional,
            by_hand=groups.any(sent & records.by_hand[rows]),
            returned=groups.any(got),
            read=read_committed | read_late,
            read_committed=read_committed,
            first_read_at=groups.least(at, seen),
            first_read_op=groups.least(op, seen),
            known_committed=committed,
            first_sent_offset=first_sent,
            last_sent_offset=last_sent,
            first_read_offset=first_read,
            last_read_offset=last_read,
            first_offset=first,
            last_offset=last,
            offset_count=places.counts(len(of_log)),
            first_rank=places.first_rank(len(of_log)),
            last_rank=places.last_rank(len(of_log)),
            contested=places.contested(len(of_log)),
        )


def _reused(records: Records, rows: Ints, groups: RowGroups) -> Flags:
    """Which values several records have, or one that was sent with the sequence number of another value.

    A producer's record is identified by its sequence number, any other by its operation and place there. A broker that knows the number
    answers for the record that had it first.
    """
    sent, is_numbered = records.sent[rows], records.numbered[rows]
    pid, epoch, seq = records.pid[rows], records.epoch[rows], records.seq[rows]
    identity = numbered(
        is_numbered.astype(np.int64),
        np.where(is_numbered, pid, records.op[rows]),
        np.where(is_numbered, epoch, records.mop[rows]),
        np.where(is_numbered, seq, 0),
    )
    reused: Flags = groups.any(sent) & (groups.least(identity, sent) != groups.most(identity, sent))
    at = np.flatnonzero(is_numbered)
    if len(at):
        value = groups.number[at]
        same = RowGroups(records.log[rows][at], pid[at], epoch[at], seq[at])
        reused[value[(same.least(value) != same.most(value))[same.number]]] = True
    return reused
