"""Offsets that a transaction commits move with it, exactly once.

An offset commit names the next offset to read; a fetch, or a new member, was answered a position. Both are of a group and a log, and are
columns as `commits` has them.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from .columns import NEVER, NO_WORD, NONE, Flags, Ints
from .commits import Commits, Fetches
from .facts import Facts
from .history import History
from .segmented import RowGroups, among, located, pairs, pairs_within, picked
from .transaction_outcomes import ABORTED, COMMITTED, OK
from .witness import HistoryWitness, Law, groups_named, witnesses


def lost_offset_commit(history: History) -> list[HistoryWitness]:
    """An offset was committed, and a later fetch sees a smaller one though no client moved it back. Definite.

    commit: o  op  oc         done         fetch: o  op  at
            4   0  COMMITTED     1                2   6   7      the fetch began at event 6, after event 1, and saw 2
    """
    commits, fetches = history.once(Commits.of), history.once(Fetches.of)
    if not len(commits) or not len(fetches):
        return []
    sure, stable = commits.where(commits.oc == COMMITTED), fetches.where(fetches.stable)
    stable = stable.where(_behind(sure, stable))
    if not len(stable):
        return []
    commit, fetch = pairs(sure.key, stable.key)
    odd = (sure.done[commit] < stable.op[fetch]) & (np.maximum(stable.o[fetch], -1) < sure.o[commit])
    named, of_pair = np.unique(commit[odd], return_inverse=True)
    moved_back = _moved_back(sure.where(named), commits)[of_pair]
    sure, stable = sure.where(commit[odd]), stable.where(fetch[odd])
    not_excused = moved_back >= stable.at
    sure, stable = sure.where(not_excused), stable.where(not_excused)
    last = RowGroups(*stable.key, stable.op, stable.o, order=(sure.op, sure.o)).last
    sure, stable = sure.where(last), stable.where(last)
    return _of_group(history, stable, [sure.op, stable.op], (), [sure.o, stable.o])


def _behind(sure: Commits, fetches: Fetches) -> Flags:
    """Which fetches saw less than the most that had been committed before: the few that are worth comparing with each commit."""
    size = len(sure)
    log, grp, o = (np.concatenate([getattr(sure, name), getattr(fetches, name)]) for name in ("log", "grp", "o"))
    is_commit = np.arange(len(o)) < size
    before = RowGroups(log, grp, order=(np.concatenate([sure.done, fetches.op]), is_commit)).greatest(o, where=is_commit)
    behind: Flags = np.maximum(o, -1) < picked(o, before)
    return behind[size:]


def _moved_back(sure: Commits, commits: Commits) -> Ints:
    """For each of these commits when another client first began to set a smaller offset, if that may have taken effect since the
    commit was asked for: that excuses later fetches. NEVER if no client did.
    """
    others = commits.where(commits.oc > ABORTED)
    row, other = pairs(sure.key, others.key)
    excuses = (others.op[other] != sure.op[row]) & (others.done[other] > sure.asked[row]) & (others.o[other] < sure.o[row])
    found = np.full(len(sure), NEVER)
    np.minimum.at(found, row[excuses], others.op[other[excuses]])
    return found


def phantom_offset_commit(history: History) -> list[HistoryWitness]:
    """A fetch sees an offset that only aborted transactions committed.

    commit: o  op  oc          fetch: o  at
            4   0  ABORTED            4   7      the fetch saw 4

    Definite. An offset that no client committed is possible: groups have starting points.
    """
    commits, fetches = history.once(Commits.of), history.once(Fetches.of)
    fetches = fetches.where(fetches.o > 0)
    if not len(commits) or not len(fetches):
        return []
    of_offset = RowGroups(*commits.key, commits.o)
    reported = commits.where(of_offset.first)
    commit = located((*fetches.key, fetches.o), (*reported.key, reported.o))
    aborted = picked(of_offset.most(commits.oc), commit) == ABORTED
    began = picked(of_offset.least(commits.op), commit)
    odd = (commit >= 0) & aborted & (began < fetches.at)
    fetches = fetches.where(odd)
    return _of_group(history, fetches, [began[odd], fetches.op], (), [fetches.o])


def offset_regression(history: History) -> list[HistoryWitness]:
    """A fetch sees a smaller offset than an earlier fetch, and no client has committed one as small since. Definite.

    fetch: o  op  at
           4   0   1
           2   6   7          it went back from 4 to 2
    """
    fetches = history.once(Fetches.of)
    if not len(fetches):
        return []
    stable = fetches.where(fetches.stable)
    before = RowGroups(*stable.key, order=(stable.at,)).row_before
    odd = np.flatnonzero((before >= 0) & (stable.o != NONE) & (picked(stable.o, before) > stable.o))
    if not len(odd):
        return []
    earlier, later = stable.where(before[odd]), stable.where(odd)
    commits = history.once(Commits.of)
    commits = commits.where(commits.oc > ABORTED)
    row, commit = pairs(later.key, commits.key)
    as_small = commits.o[commit] <= later.o[row]
    excuse = row[as_small & (commits.op[commit] < later.at[row]) & (commits.done[commit] > earlier.op[row])]
    rows = np.setdiff1d(np.arange(len(odd)), excuse)
    earlier, later = earlier.where(rows), later.where(rows)
    return _of_group(history, later, [earlier.op, later.op], (), [earlier.o, later.o])


def torn_offset_commit(history: History) -> list[HistoryWitness]:
    """A transaction's records were read while a later fetch does not see its offsets.

    unit  first_read_at         commit: o  op  unit         fetch: o  op
       0              7                 4   2     0                -   8      its record was read by event 7, and its offset not seen at 8

    Definite if no other client committed offsets of that group.
    """
    reported = history.once(ReadAndCommitted.of)
    if not reported.asks.any():
        return []
    offsets, reads = reported.where(reported.asks), reported.where(~reported.asks)
    units = RowGroups(reads.run, reads.unit)
    shown = located((offsets.run, offsets.unit), (reads.run[units.first], reads.unit[units.first]))
    read_at, read_op = picked(units.least(reads.read_at), shown), picked(units.least(reads.read_op), shown)
    odd = (shown >= 0) & (offsets.fetch > read_at)
    offsets, read_op = offsets.where(odd), read_op[odd]
    ops, words = [offsets.op, read_op, offsets.fetch], groups_named(history, offsets.grp)
    return witnesses(history, offsets.run, offsets.log, ops, (), [offsets.o, offsets.fetched], detail=words)


@dataclass(frozen=True)
class ReadAndCommitted(Facts):
    """Units whose records were read, and fetches that do not see the offsets that a unit committed, which alone did so in its group.

    unit  read_at  read_op  log  grp  op  o  fetch  fetched
       0        7        5  -    -     -  -      -        -     its record was read
       0        -        -  x    g     2  4      8        -     it committed 4 in operation 2, and the fetch of operation 8 saw nothing
    """

    key = ("run", "unit")
    run: Ints
    unit: Ints
    read_at: Ints
    read_op: Ints
    log: Ints
    grp: Ints
    op: Ints
    o: Ints
    fetch: Ints
    fetched: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        commits, fetches, values = history.once(Commits.of), history.once(Fetches.of), history.values
        commits = commits.where((commits.oc > ABORTED) & commits.transactional)
        of_group = RowGroups(*commits.key)
        alone = of_group.least(commits.unit) == of_group.most(commits.unit)
        reported = commits.where(of_group.first[alone])
        o, op = of_group.most(commits.o)[alone], of_group.least(commits.op)[alone]
        stable = fetches.where(fetches.stable)
        commit, fetch = pairs(reported.key, stable.key)
        unseen = np.maximum(stable.o[fetch], -1) < o[commit]
        commit, fetch = commit[unseen], fetch[unseen]

        rows = np.flatnonzero(values.read_committed & values.transactional)
        units = RowGroups(values.run[rows], values.unit[rows])
        one = rows[units.first]

        def both(of_units: Ints | int, of_offsets: Ints | int) -> Ints:
            return np.concatenate([np.broadcast_to(of_units, len(one)), np.broadcast_to(of_offsets, len(commit))])

        return cls(
            run=both(values.run[one], reported.run[commit]),
            unit=both(values.unit[one], reported.unit[commit]),
            read_at=both(units.least(values.first_read_at[rows]), NONE),
            read_op=both(units.least(values.first_read_op[rows]), NONE),
            log=both(NO_WORD, reported.log[commit]),
            grp=both(NO_WORD, reported.grp[commit]),
            op=both(NONE, op[commit]),
            o=both(NONE, o[commit]),
            fetch=both(NONE, stable.op[fetch]),
            fetched=both(NONE, stable.o[fetch]),
        )

    @property
    def asks(self) -> Flags:
        asks: Flags = self.fetch != NONE
        return asks


def double_processing(history: History) -> list[HistoryWitness]:
    """Two committed transactions of a group consumed the same input. Definite.

    grp  log  o  unit  unit_oc
    g    x    4     0  COMMITTED
    g    x    4     8  COMMITTED          the input at 4 was consumed by the transactions of operations 0 and 8
    """
    records = history.records
    rows, grp = history.once(_consumed)
    if not len(rows):
        return []
    done = (records.unit_oc[rows] == COMMITTED) & (records.o[rows] != NONE)
    rows, grp = rows[done], grp[done]
    unit, words = records.unit[rows], records.v.codes[rows]
    by_unit = RowGroups(records.log[rows], grp, records.o[rows], unit).first
    twice = RowGroups(records.log[rows[by_unit]], grp[by_unit], records.o[rows[by_unit]], order=(unit[by_unit],))
    inputs = RowGroups(records.log[rows], grp, records.o[rows], order=(words == -1, records.v.ranks(words)))
    odd = twice.sizes > 1
    first, second = by_unit[twice.rows[twice.starts[odd]]], by_unit[twice.rows[twice.starts[odd] + 1]]
    named = inputs.first[odd]
    return witnesses(
        history,
        records.run[rows[named]],
        records.log[rows[named]],
        [unit[first], unit[second]],
        [words[named]],
        [records.o[rows[named]]],
        detail=groups_named(history, grp[named]),
    )


def missed_processing(history: History) -> list[HistoryWitness]:
    """No transaction that committed, or may have, consumed an input below the group's committed offset. Definite.

    grp  log  committed up to         log  v  offset  consumed
    g    x                  6         x    a       4  yes
                                      x    b       5  no            b is below 6, and none consumed it

    Inputs before the group's first one may have been consumed before the history began: possible. A group of which no input is known
    polls outside of its transactions.
    """
    records, values, commits = history.records, history.values, history.once(Commits.of)
    sure = commits.where((commits.oc == COMMITTED) & commits.transactional)
    if not len(sure):
        return []
    of_group = RowGroups(*sure.key, order=(sure.o, sure.op))
    furthest = sure.where(of_group.last)
    rows, grp = history.once(_consumed)
    taken = records.unit_oc[rows] > ABORTED
    rows, grp = rows[taken], grp[taken]
    consumed = RowGroups(records.log[rows], grp)
    began = located(furthest.key, (records.log[rows[consumed.first]], grp[consumed.first]))
    since = picked(consumed.least(records.o[rows]), began)

    known = np.flatnonzero(values.known_committed & (values.first_offset != NONE))
    value, group = pairs((values.log[known],), (furthest.log,))
    value = known[value]
    below = (values.first_offset[value] < furthest.o[group]) & (began[group] >= 0)
    value, group = value[below], group[below]
    inputs = (values.log[value], furthest.grp[group], values.first_offset[value])
    missed = ~among(inputs, (records.log[rows], grp, records.o[rows]))
    value, group = value[missed], group[missed]
    offset = values.first_offset[value]
    return witnesses(
        history,
        values.run[value],
        values.log[value],
        [values.op[value], furthest.op[group]],
        [values.v[value]],
        [offset],
        (since[group] != NONE) & (offset > since[group]),
        groups_named(history, furthest.grp[group]),
    )


def stale_generation_commit(history: History) -> list[HistoryWitness]:
    """A broker accepted offsets from a member of an older generation of its group. Definite.

    f          op  at  grp  generation
    subscribe   2   3  g             2
    ack         4   5  g             1          began at event 4, and generation 2 was known at 3
    """
    ops = history.ops
    reports = np.flatnonzero((ops.ty == OK) & (ops.generation >= 0) & (ops.grp.codes >= 0))
    acks = reports[ops.f.among("ack")[reports]]
    if not len(acks):
        return []
    rows, is_known = np.concatenate([acks, reports]), np.repeat([False, True], [len(acks), len(reports)])
    when = np.where(is_known, ops.at[rows], ops.op[rows])
    generation = ops.generation[rows]
    newest = RowGroups(ops.run[rows], ops.grp.codes[rows], order=(when,)).greatest(generation, ops.op[rows], where=is_known)
    odd = np.flatnonzero(~is_known & (newest >= 0) & (picked(generation, newest) > generation))
    late, first = rows[odd], rows[newest[odd]]
    reported = zip(groups_named(history, ops.grp.codes[late]), ops.generation[late].tolist(), ops.generation[first].tolist(), strict=True)
    words = [f"{name}: generation {own} after {later}" for name, own, later in reported]
    return witnesses(history, ops.run[late], None, [ops.op[first], ops.op[late]], detail=words)


def committed_too_far(history: History) -> list[HistoryWitness]:
    """A fetch sees an offset behind a record that its group's consumer had yet to receive. Definite.

    poll: op  at  first o         fetch: op  at  o
           4   9        3                 6   7  5      the fetch saw 5 while 3 was on its way, for the first time
    """
    records, fetches = history.records, history.once(Fetches.of)
    if not len(fetches):
        return []
    handed = np.flatnonzero(records.got & (records.grp >= 0))
    rows = handed[records.ty[handed] == OK]
    polls = RowGroups(records.log[rows], records.grp[rows], records.op[rows])
    first, o = rows[polls.first], polls.least(records.o[rows])
    earliest = RowGroups(records.log[handed], records.grp[handed], records.o[handed])
    one = handed[earliest.first]
    place = located((records.log[first], records.grp[first], o), (records.log[one], records.grp[one], records.o[one]))
    fresh = np.flatnonzero((o != NONE) & (picked(earliest.least(records.op[handed]), place) == records.op[first]))
    first, o = first[fresh], o[fresh]
    began, ended = records.op[first], records.at[first]
    poll, fetch = pairs_within((records.log[first], records.grp[first]), began + 1, ended - 1, fetches.key, fetches.op)
    odd = (fetches.at[fetch] < ended[poll]) & (fetches.o[fetch] > o[poll])
    poll, fetch = poll[odd], fetch[odd]
    once = RowGroups(poll, fetches.op[fetch], fetches.o[fetch]).first
    poll, seen = poll[once], fetches.where(fetch[once])
    return _of_group(history, seen, [records.op[first[poll]], seen.op], (), [o[poll], seen.o])


def _consumed(history: History) -> tuple[Ints, Ints]:
    """Inputs that a transaction consumed, and for which group: what it polled from the logs and groups whose offsets it commits."""
    records = history.records
    reported = np.flatnonzero(records.kind.among("offset") & records.transactional & (records.grp >= 0))
    if not len(reported):
        return reported, reported
    reported = reported[RowGroups(records.log[reported], records.unit[reported], records.grp[reported]).first]
    took = np.flatnonzero(records.got & records.transactional)
    rows, groups = pairs((records.log[took], records.unit[took]), (records.log[reported], records.unit[reported]))
    return took[rows], records.grp[reported[groups]]


def _of_group(
    history: History,
    fetches: Fetches,
    ops: list[Ints],
    values: tuple[Ints, ...],
    offsets: list[Ints],
    definite: Flags | bool = True,
) -> list[HistoryWitness]:
    """Witnesses that name the group of these fetches."""
    return witnesses(history, fetches.run, fetches.log, ops, values, offsets, definite, groups_named(history, fetches.grp))


LAWS = (
    Law("lost-offset-commit", lost_offset_commit),
    Law("phantom-offset-commit", phantom_offset_commit),
    Law("offset-regression", offset_regression),
    Law("torn-offset-commit", torn_offset_commit, absence=True, reads=(ReadAndCommitted,)),
    Law("double-processing", double_processing),
    Law("missed-processing", missed_processing, absence=True),
    Law("stale-generation-commit", stale_generation_commit, of_operations=True),
    Law("committed-too-far", committed_too_far),
)
