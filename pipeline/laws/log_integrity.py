"""A log is append-only: an offset names one record for ever, a record has one offset, and order is kept."""

import numpy as np

from .columns import NEVER, NONE, Flags, Ints
from .history import History
from .segmented import RowGroups, pairs, picked
from .witness import HistoryWitness, Law, witness, witnesses


def inconsistent_offsets(history: History) -> list[HistoryWitness]:
    """Two values are at one offset, according to an acknowledgement that counts or to any poll. Definite, unless one is reused.

    log  o  value  shared
    x    4  a      yes         (a, b) at 4
    x    4  b      yes
    """
    values, places = history.values, history.values.places
    if not places.shared.any():
        return []
    rows = np.flatnonzero(places.shared)
    groups = RowGroups(places.number[rows])
    reused = groups.any(values.reused[places.value[rows]])
    found = []
    for start, size, is_reused in zip(groups.starts.tolist(), groups.sizes.tolist(), reused.tolist(), strict=True):
        of_place = rows[groups.rows[start : start + size]]
        first = int(places.value[of_place[0]])
        words = sorted(str(word) for word in history.records.v.texts(values.v[places.value[of_place]].tolist()))
        o = int(places.o[of_place[0]])
        found.append(witness(history, int(values.run[first]), int(values.log[first]), (), words, (o,), not is_reused))
    return found


def duplicate(history: History) -> list[HistoryWitness]:
    """One record is at two offsets. Definite; if different records have that value, only more offsets than sends are reported.

    v  first_offset  last_offset  offset_count  send_count  reused
    d             4            6             2           1  no            d at 4 and 6
    """
    values, places = history.values, history.values.places
    twice = (values.offset_count > 1) & (~values.reused | (values.offset_count > values.send_count))
    rows = np.flatnonzero(twice & (values.first_offset < values.last_offset))
    if not len(rows):
        return []
    value, place = pairs((rows,), (places.value,))
    offsets = [sorted(some.tolist()) for some in np.split(places.o[place], np.searchsorted(value, np.arange(1, len(rows))))]
    return [
        witness(
            history,
            int(values.run[row]),
            int(values.log[row]),
            (int(values.op[row]),),
            (history.records.v.text(int(values.v[row])),),
            of_row,
            not values.reused[row],
        )
        for row, of_row in zip(rows.tolist(), offsets, strict=True)
    ]


def spurious_offset(history: History) -> list[HistoryWitness]:
    """The offset in an acknowledgement is not that of the record. Definite, unless different records have that value.

    v  first_sent_offset  last_sent_offset  first_read_offset  last_read_offset
    a                  3                 3                  5                 5          a at 3 and 5
    """
    values = history.values
    answer = values.first_sent_offset
    reported = values.acknowledged & values.known_committed & (answer != NONE) & (answer == values.last_sent_offset)
    outside = (values.first_read_offset != NONE) & ((answer < values.first_read_offset) | (answer > values.last_read_offset))
    rows = np.flatnonzero(reported & outside)
    return witnesses(
        history,
        values.run[rows],
        values.log[rows],
        [values.op[rows]],
        [values.v[rows]],
        [answer[rows], values.first_read_offset[rows]],
        ~values.reused[rows],
    )


def phantom_read(history: History) -> list[HistoryWitness]:
    """A poll returned a value that no client ever sent to that log. Definite if every line could be read.

    kind  v  sent
    recv  z  no           z was read, and no client sent it
    """
    records, rows = history.records, np.flatnonzero(history.neighbours.never_sent)
    return witnesses(history, records.run[rows], records.log[rows], [records.op[rows]], [records.v.codes[rows]], [records.o[rows]])


def offset_inversion(history: History) -> list[HistoryWitness]:
    """A record that was sent after another had been acknowledged got no larger offset.

    Definite. Retries return the old offset and do not count. Without an offset in the acknowledgement, readers show it; but a record of a
    transaction may then get its place at the commit.

    v  first_sent_offset  op  at
    a                  7   0   1           acknowledged at event 1
    b                  5   2   3           sent at event 2, and stands before it: a at 7, b at 5

    Among the records at no smaller offset, the one that was acknowledged first decides: the record itself, if nothing is wrong.
    """
    values = history.values
    answered = values.first_sent_offset != NONE
    first = np.where(answered, values.first_sent_offset, values.first_offset)
    last = np.where(answered, values.last_sent_offset, values.last_offset)
    there = values.acknowledged | values.returned
    once = np.flatnonzero(there & (values.send_count == 1) & (first != NONE) & (first == last) & ~values.reused)
    if not len(once):
        return []
    placed = values.acknowledged & (answered | ~values.transactional)
    op, at, o = values.op[once], np.where(placed, values.at, NEVER)[once], first[once]
    above = RowGroups(values.log[once], order=(-o,))
    by_name = -history.records.v.ranks(values.v[once])
    before = above.greatest_with_ties(-at, -op, by_name, where=np.ones(len(once), np.bool_), order=(-o,))
    late = np.flatnonzero(picked(at, before) < op)
    rows, others = once[late], once[before[late]]
    return witnesses(
        history,
        values.run[rows],
        values.log[rows],
        [values.op[others], values.op[rows]],
        [values.v[others], values.v[rows]],
        [first[others], first[rows]],
    )


def same_id_interleave(history: History) -> list[HistoryWitness]:
    """Records of a later transaction of a transactional id are before those of its earlier one. Definite.

    tid  log  unit  first  last
    A    x       0      2     9
    A    x       6      4     5          the transaction of operation 6 begins at 4, and the one of operation 0 ends at 9
    """
    records, values = history.records, history.values
    counted = history.neighbours.accepted & (records.tid >= 0) & records.transactional & (history.neighbours.value >= 0)
    once, o = picked(values.send_count, history.neighbours.value) == 1, history.neighbours.offset
    rows = np.flatnonzero(counted & once & ~history.neighbours.writer(values.reused))
    if not len(rows):
        return []
    units = RowGroups(records.log[rows], records.tid[rows], records.unit[rows])
    one = rows[units.first]
    first, last, unit = units.least(o[rows]), units.most(o[rows]), records.unit[one]
    of_id = RowGroups(records.log[one], records.tid[one], order=(unit,))
    before, earlier = of_id.before(last), of_id.before(unit)
    odd = np.flatnonzero((before != NONE) & (first != NONE) & (before >= first))
    one = one[odd]
    return witnesses(history, records.run[one], records.log[one], [earlier[odd], unit[odd]], (), [before[odd], first[odd]])


def nonmonotonic_send(history: History) -> list[HistoryWitness]:
    """A producer's operation put its record before that of the producer's previous operation. Definite.

    kind  process  op  v  rank
    send  p0        0  a     3
    send  p0        2  b     1          b was sent after a, and stands before it
    """
    records, rows = history.records, np.flatnonzero(history.neighbours.sent_before)
    before = history.neighbours.before[rows]
    return witnesses(
        history,
        records.run[rows],
        records.log[rows],
        [records.op[before], records.op[rows]],
        [records.v.codes[before], records.v.codes[rows]],
    )


def int_nonmonotonic_send(history: History) -> list[HistoryWitness]:
    """Within one operation a later record is before an earlier one. Definite.

    kind  op  mop  v  rank
    send   0    0  a     3
    send   0    1  b     1          b stands before a
    """
    return _within(history, history.neighbours.sent_back)


def int_send_skip(history: History) -> list[HistoryWitness]:
    """Another producer's record is between the records of one operation. Allowed: no system promises isolation of writes.

    kind  op  mop  v  rank
    send   0    0  a     3
    send   0    1  b     5          something stands between a and b
    """
    return _within(history, history.neighbours.sent_apart)


def _within(history: History, which: Flags) -> list[HistoryWitness]:
    records, rows = history.records, np.flatnonzero(which)
    words: Ints = records.v.codes
    return witnesses(
        history, records.run[rows], records.log[rows], [records.op[rows]], [words[history.neighbours.previous[rows]], words[rows]]
    )


LAWS = (
    Law("inconsistent-offsets", inconsistent_offsets),
    Law("duplicate", duplicate),
    Law("spurious-offset", spurious_offset),
    Law("phantom-read", phantom_read, absence=True),
    Law("offset-inversion", offset_inversion),
    Law("same-id-interleave", same_id_interleave),
    Law("nonmonotonic-send", nonmonotonic_send),
    Law("int-nonmonotonic-send", int_nonmonotonic_send),
    Law("int-send-skip", int_send_skip),
)
