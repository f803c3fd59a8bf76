"""The outcome of a transaction decides what a careful reader sees: committed data for ever, and nothing else.

A careful reader reads committed data only; the polls of a reader of everything prove nothing here.
"""

import numpy as np

from .columns import NONE, Flags, Ints
from .history import History
from .segmented import RowGroups, pairs, pairs_within
from .transaction_outcomes import COMMITTED, OK
from .witness import HistoryWitness, Law, witness, witnesses


def aborted_read(history: History) -> list[HistoryWitness]:
    """G1a: a poll that succeeded returned an aborted record. Definite, unless different records have that value.

    kind  ty  v  oc of the value
    recv  OK  a  ABORTED
    """
    return _of_writer(history, history.neighbours.aborted & (history.records.ty == OK))


def aborted_read_unacknowledged(history: History) -> list[HistoryWitness]:
    """The same in a poll that failed, or whose outcome is unknown: it had handed over its records all the same. Definite.

    kind  ty    v  oc of the value
    recv  FAIL  a  ABORTED
    """
    return _of_writer(history, history.neighbours.aborted & (history.records.ty != OK))


def _of_writer(history: History, which: Flags) -> list[HistoryWitness]:
    records, neighbours, rows = history.records, history.neighbours, np.flatnonzero(which)
    writer = history.values.op[neighbours.value[rows]]
    sure = ~history.values.reused[neighbours.value[rows]]
    return witnesses(
        history, records.run[rows], records.log[rows], [writer, records.op[rows]], [records.v.codes[rows]], [records.o[rows]], sure
    )


def precommitted_read(history: History) -> list[HistoryWitness]:
    """A transaction polled a record that it had sent itself. Definite.

    kind  v  unit  unit of the value
    recv  a     0                  0
    """
    records, rows = history.records, np.flatnonzero(history.neighbours.own)
    sure = ~history.values.reused[history.neighbours.value[rows]]
    return witnesses(history, records.run[rows], records.log[rows], [records.op[rows]], [records.v.codes[rows]], [records.o[rows]], sure)


def early_read(history: History) -> list[HistoryWitness]:
    """A poll ended before a client asked for the end of the record's transaction. Definite: neither a later commit nor a failure of the
    poll, which had handed over its records all the same, excuses it.

    kind  v  at  end_op of the value
    recv  a   5                    6          the poll ended at event 5, and the commit was asked for at 6
    """
    records, values, rows = history.records, history.values, np.flatnonzero(history.neighbours.early)
    value = history.neighbours.value[rows]
    return witnesses(
        history,
        records.run[rows],
        records.log[rows],
        [values.op[value], records.op[rows], values.end_op[value]],
        [records.v.codes[rows]],
        [records.o[rows]],
        ~values.reused[value],
    )


def lso_violation(history: History) -> list[HistoryWitness]:
    """A poll returned a record behind the first one of a transaction that was open from before the poll until after it. Definite, also if
    the poll failed later.

    unit  since  until  first         op  at  o
       0      1      8      3          4   5  7      the poll of operation 4, from event 4 to 5, has offset 7

    `since` is when the transaction's first record of the log was acknowledged, `first` its offset, `until` when its end was asked for.
    """
    records = history.records
    several = records.sent & records.transactional & ~records.f.among("txn") & ~records.by_hand
    o = history.neighbours.offset
    rows = np.flatnonzero(several & (records.ty == OK) & (o != NONE))
    if not len(rows):
        return []
    by_unit = RowGroups(records.log[rows], records.unit[rows], order=(o[rows], records.op[rows], records.mop[rows]))
    first, since = rows[by_unit.first], by_unit.least(records.at[rows])
    unit, until = _open_until(history)
    held, ended = pairs((records.run[first], records.unit[first]), unit)
    until_of = until[ended]

    rows = np.flatnonzero(records.got & records.careful)
    by_poll = RowGroups(records.log[rows], records.op[rows], order=(records.o[rows], records.mop[rows]))
    last = rows[by_poll.last]
    opened = first[held]
    found, polls = pairs_within((records.log[opened],), since[held] + 1, until_of - 1, (records.log[last],), records.op[last])
    opened, until_of, polls = opened[found], until_of[found], last[polls]
    odd = (records.at[polls] < until_of) & (records.o[polls] > o[opened]) & (records.unit[opened] != records.op[polls])
    polls, opened = polls[odd], opened[odd]
    return witnesses(
        history,
        records.run[polls],
        records.log[polls],
        [records.op[opened], records.op[polls]],
        [records.v.codes[polls]],
        [o[opened], records.o[polls]],
    )


def _open_until(history: History) -> tuple[tuple[Ints, Ints], Ints]:
    """Units (run, unit) that were certainly open, and until when.

    Only an end that succeeded shows that the transaction was still open: any other may have timed out long before. So may one whose abort
    succeeds, where no epoch fences: a repeated abort is valid. A metadata store has the decision itself, and there a
    transaction that begins and has no end is open until the history ends.
    """
    ops = history.ops
    recorded = ops.says("record").present
    shows = ops.f.among("commit") | (ops.f.among("abort") & ((ops.epoch != NONE) | recorded))
    ended = np.flatnonzero(shows & (ops.ty == OK) & (ops.op == ops.end_op))
    begun = np.flatnonzero(ops.f.among("begin") & (ops.ty == OK) & recorded & (ops.end_op == NONE))
    begun = begun[RowGroups(ops.run[begun], ops.unit[begun]).first]
    rows = np.concatenate([ended, begun])
    return (ops.run[rows], ops.unit[rows]), np.concatenate([ops.op[ended], history.last_at[ops.run[begun]] + 1])


def lost_write(history: History) -> list[HistoryWitness]:
    """A committed record was never read, though later records of its log were, by consumers with positions or by one poll. Definite.

    v  last_rank  read  bound of the log
    a          0  yes                 2
    b          1  no                  2          b was committed, and only what stands around it was read
    c          2  yes                 2
    """
    values = history.values
    gone = values.sent & values.known_committed & ~values.read
    passed = gone & history.passed & history.followed[values.run]
    jumped = np.zeros(len(values), np.bool_)
    jumped[history.gaps.value] = True
    rows = np.flatnonzero(passed | (jumped & values.sent & ~values.read & ~history.followed[values.run]))
    return witnesses(
        history,
        values.run[rows],
        values.log[rows],
        [values.op[rows]],
        [values.v[rows]],
        [values.first_offset[rows]],
        ~values.reused[rows],
    )


def unseen(history: History) -> list[HistoryWitness]:
    """Acknowledged records that no poll ever returned, one witness for each log.

    log  v  acknowledged  oc         read
    x    a  yes           COMMITTED  no
    x    b  yes           COMMITTED  no           (a, b)

    Definite for those whose unit had ended before the last `final_read` of the run began, since no client waits after that. Otherwise
    possible: they may be lost, or not yet delivered.
    """
    values = history.values
    missing = values.acknowledged & (values.oc == COMMITTED) & ~values.read
    rows = np.flatnonzero(missing & history.followed[values.run])
    if not len(rows):
        return []
    waits = values.transactional[rows] & (values.end_op[rows] != values.op[rows])
    ended_at = np.where(waits, history.end_of(values.run[rows], values.unit[rows]), values.at[rows])
    sure = (ended_at != NONE) & (ended_at < history.last_final_read[values.run[rows]])
    groups = RowGroups(values.log[rows])
    found = []
    for start, size in zip(groups.starts.tolist(), groups.sizes.tolist(), strict=True):
        of_log = groups.rows[start : start + size]
        is_definite = bool(sure[of_log].any())
        reported = rows[of_log[sure[of_log]] if is_definite else of_log]
        words = sorted(str(word) for word in history.records.v.texts(values.v[reported].tolist()))
        run, log = int(values.run[reported[0]]), int(values.log[reported[0]])
        found.append(witness(history, run, log, (int(values.op[reported].min()),), words, (), definite=is_definite))
    return found


def stuck_lso(history: History) -> list[HistoryWitness]:
    """The unread records begin at a transaction that ended without a commit, and nothing behind it was read. Possible.

    log  unit  first  unread_from  read_to
    x       0      3            4        2          3 was aborted, 4 was committed, and no client read further than 2
    """
    values = history.values
    rows = np.flatnonzero(values.transactional & (values.oc < COMMITTED) & (values.first_sent_offset != NONE))
    if not len(rows):
        return []
    units = RowGroups(values.log[rows], values.unit[rows])
    one = rows[units.first]
    first, op = units.least(values.first_sent_offset[rows]), units.least(values.op[rows])
    unread_from = history.unread_from[one]
    held = (first < unread_from) & (np.maximum(history.read_to[one], -1) < first) & history.followed[values.run[one]]
    one, first, op, unread_from = one[held], first[held], op[held], unread_from[held]
    return witnesses(history, values.run[one], values.log[one], [op], (), [first, unread_from], definite=False)


def visibility_flip(history: History) -> list[HistoryWitness]:
    """A record had been read, and a later poll skipped it. Definite.

    v  first_read_at         op  v before  v behind the gap
    b              5          8  a         c                  b was read by event 5, and the poll of operation 8 has a and c, but not b
    """
    records, values, gaps = history.records, history.values, history.gaps
    read_at = values.first_read_at[gaps.value]
    odd = records.seen[gaps.record] & (read_at != NONE) & (read_at < records.op[gaps.record])
    rows, value = gaps.record[odd], gaps.value[odd]
    return witnesses(
        history,
        records.run[rows],
        records.log[rows],
        [values.op[value], values.first_read_op[value], records.op[rows]],
        [values.v[value]],
        [values.first_offset[value]],
    )


def outcome_flip(history: History) -> list[HistoryWitness]:
    """One transaction was reported as committed, and as aborted. Definite.

    txn_id  op  f       ty
    T1       4  commit  OK
    T1       6  abort   OK

    Where transactions have no epochs, each has its own name, and every two ends that succeeded are compared. Where a client's epoch
    stays over transactions, the name stays too: then only ends between which the client asked nothing else count (`others`), for it may
    have announced another transaction. An abort that raises the epoch, after a commit that did not, ends nothing: KIP-890 lets a client of
    EndTxn v5 abort when no transaction is open.
    """
    ops = history.ops
    is_end, of_its_own = ops.f.among("commit", "abort") & (ops.ty == OK), ops.epoch == NONE
    steps = np.flatnonzero(ops.txn.present & ~ops.f.among("init_txn") & (is_end | ~of_its_own))
    if not is_end[steps].any():
        return []
    others = RowGroups(ops.run, ops.client.codes, order=(ops.op,)).counted(ops.f.among("probe"))[steps]
    before = RowGroups(ops.run[steps], ops.txn.codes[steps], order=(ops.op[steps],)).row_before
    rows, before = steps[before >= 0], before[before >= 0]
    earlier, later_others, earlier_others = steps[before], _of(others, steps, rows), others[before]
    raises = ops.says_number("producer_epoch") > ops.epoch
    fenced = ops.says_number("producer_epoch")[earlier] > ops.epoch[rows]
    of_nothing = ops.f.among("abort")[rows] & raises[rows] & ~raises[earlier]
    same = of_its_own[rows] | fenced | ((later_others == earlier_others) & ~of_nothing)
    odd = is_end[rows] & is_end[earlier] & (ops.f.codes[rows] != ops.f.codes[earlier]) & same
    return witnesses(history, ops.run[rows[odd]], None, [ops.op[earlier[odd]], ops.op[rows[odd]]])


def _of(column: Ints, steps: Ints, rows: Ints) -> Ints:
    """The values of a column of these steps, which are in order, for these rows."""
    return column[np.searchsorted(steps, rows)]


LAWS = (
    Law("G1a", aborted_read),
    Law("G1a-unacknowledged", aborted_read_unacknowledged),
    Law("precommitted-read", precommitted_read),
    Law("early-read", early_read),
    Law("lso-violation", lso_violation),
    Law("lost-write", lost_write, absence=True),
    Law("unseen", unseen, absence=True),
    Law("stuck-lso", stuck_lso, absence=True),
    Law("visibility-flip", visibility_flip, absence=True),
    Law("outcome-flip", outcome_flip, of_operations=True),
)
