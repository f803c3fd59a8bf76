"""Segments of scalable topics, as control actions tell them: what the laws of segments read.

`create`, `split`, `merge` and `terminate` have in `ctl`: `segs` (those that are sealed, apart from `create`), `children` as `name:lo-hi`
with hexadecimal bounds that belong to the range, `epoch`, and for one sealed segment `end_o`, its last offset:

    op  f       segs  children          epoch         Segment(name=g1, lo=0, hi=7f, epoch=1), Segment(name=g2, lo=80, hi=ff, epoch=1)
     0  create        g0:0-ff               0         Seal(name=g0)
     2  split   g0    g1:0-7f,g2:80-ff      1         Edge(child=g1, parent=g0), Edge(child=g2, parent=g0)

A segment is a log, so its records name it as theirs. A history has few of these actions, and they are read one by one.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .history import History
from .outcomes import OK
from .pairing import Operation, listed, text

SEALS = ("split", "merge", "terminate")
BORN = ("create", "split", "merge")
_CHILD = re.compile("(.*):([0-9a-fA-F]+)-([0-9a-fA-F]+)$")
"""A child: its name, which may have colons and dashes of its own, and its bounds."""


class Segment(NamedTuple):
    """A segment that came into being with operation `op`; bounds and epoch are None where they were not told."""

    run: int
    op: int
    name: str
    epoch: int | None
    lo: int | None
    hi: int | None


class Seal(NamedTuple):
    """A segment that operation `op`, which ended at `at`, sealed behind the offset `end`, if that was told."""

    run: int
    op: int
    at: int
    name: str
    end: int | None


class Edge(NamedTuple):
    """A child with one of its parents."""

    child: Segment
    parent: str


def segments(history: History) -> list[Segment]:
    """All segments that came into being."""
    found = []
    for run, one in _done(history, BORN):
        for child in listed(one, "children"):
            match = _CHILD.match(child)
            name, lo, hi = (match[1], int(match[2], 16), int(match[3], 16)) if match else ("", None, None)
            found.append(Segment(run, one.op, name, _number(one, "epoch"), lo, hi))
    return found


def seals(history: History) -> list[Seal]:
    """All seals."""
    return [Seal(run, one.op, one.at, name, _number(one, "end_o")) for run, one in _done(history, SEALS) for name in listed(one, "segs")]


def edges(history: History) -> list[Edge]:
    """Each child with each of its parents."""
    parents = {(run, one.op): list(listed(one, "segs")) for run, one in _done(history, ("split", "merge"))}
    return [Edge(child, parent) for child in segments(history) for parent in parents.get((child.run, child.op), ())]


def _done(history: History, which: tuple[str, ...]) -> Iterator[tuple[int, Operation]]:
    """The actions of these kinds that succeeded, with the numbers of their runs."""
    for row in (history.ops.f.among(*which) & (history.ops.ty == OK)).nonzero()[0].tolist():
        yield int(history.ops.run[row]), history.ops.told[row]


def _number(one: Operation, name: str) -> int | None:
    said = text(one.ctl.get(name))
    return None if said is None else int(said)
