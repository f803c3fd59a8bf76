"""A subscription's acknowledgements (`ack_ind`, `ack_cum`) take effect with their transaction, and only once.

A subscription is a group on a log; deliveries are the records that its consumers polled. A cumulative acknowledgement covers everything
up to its offset that was delivered to the subscription before. An acknowledgement as the laws see it is of one message:

    grp  log  o  op  unit  unit_oc    transactional  done           what happened
    g    x    4   6     0  COMMITTED  yes               9           acknowledged in a transaction that ended at event 9
    g    x    5   7     7  COMMITTED  no                8           acknowledged on its own
"""

from dataclasses import dataclass

import numpy as np

from .columns import NEVER, NONE, Flags, Ints
from .commits import counts_at
from .history import History
from .segmented import RowGroups, located, pairs, pairs_within, picked
from .transaction_outcomes import ABORTED, COMMITTED, FAIL, OK
from .witness import HistoryWitness, Law, groups_named, witnesses


def ack_conflict(history: History) -> list[HistoryWitness]:
    """Two units that both succeeded acknowledged a message. Definite. Cumulative acknowledgements may overlap outside of transactions.

    grp  log  o  unit  unit_oc    transactional
    g    x    4     0  COMMITTED  yes
    g    x    4     8  COMMITTED  no
    """
    acks = history.once(acknowledged)
    acks = acks.where((acks.unit_oc == COMMITTED) & (acks.ty == OK))
    if not len(acks):
        return []
    messages = RowGroups(*acks.key)
    in_transaction = messages.any(acks.transactional)[messages.number]
    once = acks.where(RowGroups(*acks.key, acks.unit).first)
    in_transaction = in_transaction[RowGroups(*acks.key, acks.unit).first]
    twice = RowGroups(*once.key, order=(once.unit,))
    odd = np.flatnonzero((twice.sizes > 1) & in_transaction[twice.first])
    first, second = twice.rows[twice.starts[odd]], twice.rows[twice.starts[odd] + 1]
    return _of_message(history, once.where(first), [once.unit[first], once.unit[second]])


def ack_resurrection(history: History) -> list[HistoryWitness]:
    """A message was delivered after the transaction that acknowledged it had committed. Definite.

    acknowledged: o  done         delivered: v  o  op
                  4     9                    a  4  10

    A crash may lose plain acknowledgements, and a subscription that was moved by hand hands out anything.
    """
    records, acks = history.records, history.once(acknowledged)
    acks = acks.where((acks.unit_oc == COMMITTED) & (acks.ty == OK) & acks.transactional)
    if not len(acks):
        return []
    messages = RowGroups(*acks.key)
    one, done, op = acks.where(messages.first), messages.least(acks.done), messages.least(acks.op)
    rows = _deliveries(history)
    ack = located((records.log[rows], records.grp[rows], records.o[rows]), one.key)
    last_seek = _last_seek(history)[records.run[rows]]
    odd = (ack >= 0) & (records.op[rows] > picked(done, ack)) & (last_seek < picked(done, ack))
    rows, ack = rows[odd], ack[odd]
    return witnesses(
        history,
        records.run[rows],
        records.log[rows],
        [op[ack], records.op[rows]],
        [records.v.codes[rows]],
        [records.o[rows]],
        detail=groups_named(history, records.grp[rows]),
    )


def phantom_ack(history: History) -> list[HistoryWitness]:
    """A message that only aborted transactions acknowledged was not redelivered, though a later message was, or a `final_read` began after
    the abort.

    acknowledged: o  op  unit_oc  done         delivered: o  op
                  4   6  ABORTED     9                    4   2
                                                          5  10      5 was delivered after the abort, and 4 was not

    Definite if there was such a `final_read`, else possible. It may be redelivered before a client asks for the abort: a
    participant may learn of the abort first.
    """
    records, acks, rows = history.records, history.once(acknowledged), _deliveries(history)
    if not len(acks):
        return []
    messages = RowGroups(*acks.key)
    aborted = messages.most(acks.unit_oc) == ABORTED
    one, done, op = acks.where(messages.first[aborted]), messages.most(acks.done)[aborted], messages.most(acks.op)[aborted]
    delivered = RowGroups(records.log[rows], records.grp[rows], records.o[rows])
    of_message = rows[delivered.first]
    again = located(one.key, (records.log[of_message], records.grp[of_message], records.o[of_message]))
    comes_not = picked(delivered.most(records.at[rows]), again) < op
    subscriptions = RowGroups(records.log[rows], records.grp[rows])
    of_subscription = rows[subscriptions.first]
    later = located((one.log, one.grp), (records.log[of_subscription], records.grp[of_subscription]))
    later_op = picked(subscriptions.most(records.op[rows]), later)
    passed = (later_op > done) & (picked(subscriptions.most(records.o[rows]), later) > one.o)
    is_drained = history.last_final_read[one.run] > done
    odd = comes_not & (passed | is_drained)
    last = np.where(passed, later_op, history.last_final_read[one.run])
    return _of_message(history, one.where(odd), [op[odd], last[odd]], definite=is_drained[odd])


def premature_ack(history: History) -> list[HistoryWitness]:
    """The subscription's position was past a message before a client asked to commit its acknowledgement. Definite.

    acknowledged: o  op  end_op         position: o  op  at
                  4   6      12                   5   8   9      before event 12, the position was 5 already

    A seek moves the position as well.
    """
    records, acks = history.records, history.once(acknowledged)
    if not len(acks):
        return []
    messages = RowGroups(*acks.key)
    held = messages.all(acks.waits) & (messages.sizes == 1)
    one, until = acks.where(messages.first[held]), messages.most(acks.end_op)[held]
    until = np.where(until == NONE, NEVER, until)
    seen = np.flatnonzero(records.kind.among("position") & (records.ty == OK) & (records.grp >= 0))
    of_seen = records.log[seen], records.grp[seen]
    ack, position = pairs_within((one.log, one.grp), one.op + 1, until - 1, of_seen, records.op[seen])
    position = seen[position]
    first_seek = _first_seek(history)[records.run[position]]
    not_sought = (first_seek == NONE) | (first_seek > records.at[position])
    odd = (records.at[position] < until[ack]) & (records.o[position] > one.o[ack]) & not_sought
    reported, position = one.where(ack[odd]), position[odd]
    return witnesses(
        history,
        reported.run,
        reported.log,
        [reported.op, records.op[position]],
        (),
        [reported.o, records.o[position]],
        detail=groups_named(history, reported.grp),
    )


@dataclass(frozen=True)
class Acks:
    """Acknowledgements of one message each."""

    run: Ints
    log: Ints
    grp: Ints
    o: Ints
    op: Ints
    ty: Ints
    unit: Ints
    unit_oc: Ints
    transactional: Flags
    waits: Flags
    """Whether it takes effect at a later end than its own."""
    end_op: Ints
    done: Ints

    def __len__(self) -> int:
        return len(self.o)

    @property
    def key(self) -> tuple[Ints, Ints, Ints]:
        """A message of a subscription."""
        return self.log, self.grp, self.o

    def where(self, which: Flags | Ints) -> "Acks":
        return Acks(**{name: column[which] for name, column in vars(self).items()})


def acknowledged(history: History) -> Acks:
    """One row for each message that an acknowledgement covers."""
    records = history.records
    single, cumulative = records.kind.among("ack_ind"), records.kind.among("ack_cum")
    rows = np.flatnonzero((single | cumulative) & (records.o != NONE) & (records.ty != FAIL) & (records.grp >= 0))
    upto = rows[cumulative[rows]]
    rows = rows[single[rows]]
    o = records.o[rows]
    if len(upto):
        handed = _deliveries(history)
        messages = RowGroups(records.log[handed], records.grp[handed], records.o[handed])
        one, since = handed[messages.first], messages.least(records.op[handed])
        ack, message = pairs((records.log[upto], records.grp[upto]), (records.log[one], records.grp[one]))
        covered = (records.o[one[message]] <= records.o[upto[ack]]) & (since[message] < records.op[upto[ack]])
        rows, o = np.concatenate([rows, upto[ack[covered]]]), np.concatenate([o, records.o[one[message[covered]]]])
    return Acks(
        run=records.run[rows],
        log=records.log[rows],
        grp=records.grp[rows],
        o=o,
        op=records.op[rows],
        ty=records.ty[rows],
        unit=records.unit[rows],
        unit_oc=records.unit_oc[rows],
        transactional=records.transactional[rows],
        waits=records.transactional[rows] & ~records.f.among("txn")[rows],
        end_op=records.end_op[rows],
        done=counts_at(history, rows),
    )


def _deliveries(history: History) -> Ints:
    records = history.records
    return np.flatnonzero(records.got & (records.grp >= 0) & (records.o != NONE))


def _first_seek(history: History) -> Ints:
    """For each run when a client first moved a subscription by hand, or NONE."""
    return RowGroups(history.ops.run).least(history.ops.op, history.ops.f.among("seek", "reset"))


def _last_seek(history: History) -> Ints:
    """For each run when a client last moved a subscription by hand, or NONE."""
    return RowGroups(history.ops.run).most(history.ops.op, history.ops.f.among("seek", "reset"))


def _of_message(history: History, acks: Acks, ops: list[Ints], definite: Flags | bool = True) -> list[HistoryWitness]:
    """Witnesses that name the message of these acknowledgements."""
    return witnesses(history, acks.run, acks.log, ops, (), [acks.o], definite, groups_named(history, acks.grp))


LAWS = (
    Law("ack-conflict", ack_conflict),
    Law("ack-resurrection", ack_resurrection),
    Law("phantom-ack", phantom_ack, absence=True),
    Law("premature-ack", premature_ack),
)
