"""Segments of scalable topics, from control actions: what the laws of segments read.

`create`, `split`, `merge`, `terminate` and `prune` have in `ctl`: `topic`, `segs` (those that are sealed or, of a `prune`, gone),
`children` as `name:lo-hi` with hexadecimal bounds that belong to the range, `epoch`, and for one sealed segment `end_o`, its last offset:

    op  f       segs  children          epoch         Segment(name=g1, lo=0, hi=7f, epoch=1), Segment(name=g2, lo=80, hi=ff, epoch=1)
     0  create        g0:0-ff               0         Seal(name=g0)
     2  split   g0    g1:0-7f,g2:80-ff      1         Edge(child=g1, parent=g0), Edge(child=g2, parent=g0)

A segment is a log, so its records name it as theirs. A history has few of these actions, and they are read one by one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from .columns import Ints, number, numbers
from .history import History
from .transaction_outcomes import OK

SEALS = ("split", "merge", "terminate")
BORN = ("create", "split", "merge")
GONE = ("prune",)
Run = TypeVar("Run", int, str)
_CHILD = re.compile("(.*):([0-9a-fA-F]{1,15})-([0-9a-fA-F]{1,15})$")
"""A child: its name, which may contain colons and dashes, and its bounds."""


class TopicSegment(NamedTuple):
    """A segment that operation `op` created; bounds and epoch are None if the history does not have them."""

    run: int
    op: int
    name: str
    epoch: int | None
    lo: int | None
    hi: int | None


class Seal(NamedTuple):
    """A segment that operation `op`, which ended at `at`, sealed behind the offset `end`, if the history has it."""

    run: int
    op: int
    at: int
    name: str
    end: int | None


class Pruned(NamedTuple):
    """A segment of a topic that operation `op`, which ended at `at`, removed with all its records."""

    run: int
    op: int
    at: int
    name: str
    topic: str | None


class Edge(NamedTuple):
    """A child with one of its parents."""

    child: TopicSegment
    parent: str


class _Action(NamedTuple):
    """An action that succeeded, and its values."""

    f: str
    run: int
    op: int
    at: int
    topic: str | None
    segs: Sequence[str]
    children: Sequence[str]
    epoch: int | None
    end: int | None


def segments(history: History) -> list[TopicSegment]:
    """All segments that were created."""
    found = []
    for one in _done(history, BORN):
        for child in one.children:
            match = _CHILD.match(child)
            name, lo, hi = (match[1], int(match[2], 16), int(match[3], 16)) if match else ("", None, None)
            found.append(TopicSegment(one.run, one.op, name, one.epoch, lo, hi))
    return found


def seals(history: History) -> list[Seal]:
    """All seals."""
    return [Seal(one.run, one.op, one.at, name, one.end) for one in _done(history, SEALS) for name in one.segs]


def edges(history: History) -> list[Edge]:
    """Each child with each of its parents."""
    parents = {(one.run, one.op): one.segs for one in _done(history, ("split", "merge"))}
    return [Edge(child, parent) for child in segments(history) for parent in parents.get((child.run, child.op), ())]


def ancestries(parents: Iterable[tuple[Run, str, str]]) -> set[tuple[Run, str, str]]:
    """Each child (run, child, parent) with all of its ancestors, from its parents."""
    known: dict[tuple[Run, str], set[str]] = defaultdict(set)
    for run, child, parent in parents:
        known[run, child].add(parent)
    found = set()
    for run, child in list(known):
        ancestors, fresh = set[str](), {child}
        while fresh:
            fresh = {parent for name in fresh for parent in known.get((run, name), ())} - ancestors
            ancestors |= fresh
        found |= {(run, child, ancestor) for ancestor in ancestors - {child}}
    return found


def pruned(history: History) -> list[Pruned]:
    """All segments that were pruned."""
    return [Pruned(one.run, one.op, one.at, name, one.topic) for one in _done(history, GONE) for name in one.segs]


def logs(history: History, names: Iterable[tuple[int, str]]) -> Ints:
    """The numbers of these logs of runs, or -1."""
    return numbers(history.logs.number(run, name) for run, name in names)


def listed(said: str | None) -> list[str]:
    """The entries of a list in `ctl`, separated by commas."""
    return [] if said is None else said.split(",")


def _done(history: History, which: tuple[str, ...]) -> list[_Action]:
    """The actions of these kinds that succeeded."""
    return [one for one in history.once(_actions) if one.f in which]


def _actions(history: History) -> list[_Action]:
    ops = history.ops
    rows = (ops.f.among(*BORN, *SEALS, *GONE) & (ops.ty == OK)).nonzero()[0]
    names = ("topic", "segs", "children", "epoch", "end_o")
    said = [[said.text(code) for code in said.codes[rows].tolist()] for said in (ops.says(name) for name in names)]
    numbers = (column[rows].tolist() for column in (ops.run, ops.op, ops.at))
    return [
        _Action(f or "", run, op, at, topic, listed(segs), listed(children), number(epoch), number(end))
        for f, run, op, at, topic, segs, children, epoch, end in zip(ops.f.texts(ops.f.codes[rows].tolist()), *numbers, *said, strict=True)
    ]
