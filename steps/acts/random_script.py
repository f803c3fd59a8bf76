"""Random sequences of acts: which act comes next."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .act import Act, Choose, Kind, Script, Table

M = TypeVar("M")

_TRIED_PHASES = 12
"""So many acts of the course are passed over where they are not possible, before any act is chosen."""


def drawn(table: Table[M], length: int, choose: Choose) -> Script[M]:
    """A script of so many acts, each chosen from those that are possible: first its kind, then its actors and place.

    Half of the scripts keep to a few kinds of acts, and half of these to one place: what needs several acts of one kind in one place, such
    as the third abort in a log, hardly occurs where each act is one of twenty-five. Where the table has phases, two thirds of the scripts
    go through these instead: an end after a crash after two writes hardly occurs otherwise. A quarter of them is disturbed, where the
    table has disturbances.
    """
    script, kept, places = Script(table), _few_kinds(table, choose), choose(table.places)
    wanted = _Wanted(script, places, choose)
    has_phases = bool(table.phases) and choose(range(3)) > 0
    course = _course(table, choose) if has_phases else None
    disturbance = choose(table.disturbances) if table.disturbances and choose(range(4)) == 0 else None
    place = choose(range(length))
    for number in range(length):
        if disturbance is not None and number >= place and script.may_come(disturbance):
            script.add(disturbance)
            disturbance = None
        ahead = (kept,) if course is None else itertools.islice(course, _TRIED_PHASES)
        acts = wanted.following(kept) if course is None else []
        acts = acts or next((found for kinds in ahead if (found := _of_one_kind(script, kinds, places, choose))), [])
        acts = acts or _of_one_kind(script, list(table.kinds), frozenset(), choose)
        if not acts:
            break
        script.add(choose(acts))
    script.close()
    return script


_PATIENCE = 3
"""How many acts may begin what a kind needs."""


@dataclass
class _Wanted(Generic[M]):
    """The act that was chosen before it was possible, and how many acts have begun since then what it may need."""

    script: Script[M]
    left_out: frozenset[str]
    choose: Choose
    act: Act[M] | None = None
    count: int = 0

    def following(self, kinds: Sequence[Kind]) -> list[Act[M]]:
        """The acts of a chosen kind, or one that begins what these may need; none where the table has no such acts, or where the chosen
        one was not possible after several.
        """
        table = self.script.table
        if not table.beginnings:
            return []
        if self.act is None:
            self.act, self.count = self.choose(table.kinds[self.choose(kinds)]), 0
        if found := self._possible(table.kinds[self.act.says]):
            self.act = None
            return found
        self.count += 1
        nearest = [self._nearest(acts, frozenset(self.act.arguments)) for acts in table.beginnings]
        begun = [found for shared, found in nearest for _ in range(shared * shared)]
        if self.count > _PATIENCE or not begun:
            self.act = None
            return []
        return self.choose(begun)

    def _nearest(self, acts: Iterable[Act[M]], arguments: frozenset[str]) -> tuple[int, list[Act[M]]]:
        """Those of these that are possible, and have most in common with these arguments, and how many these are."""
        found = [(len(arguments.intersection(act.arguments)), act) for act in self._possible(acts)]
        most = max((shared for shared, _ in found), default=0)
        return most, [act for shared, act in found if shared == most]

    def _possible(self, acts: Iterable[Act[M]]) -> list[Act[M]]:
        return [act for act in self.script.possible(acts) if self.left_out.isdisjoint(act.arguments)]


def _course(table: Table[M], choose: Choose) -> Iterator[Sequence[Kind]]:
    """The kinds of one act after the other, by the phases of the table, again and again."""
    of_phases = [[kind for kind in phase.kinds if kind in table.kinds] if phase.kinds else list(table.kinds) for phase in table.phases]
    while True:
        for phase, kinds in zip(table.phases, of_phases, strict=True):
            for _ in range(choose(range(phase.least, phase.most + 1))):
                yield kinds


def _few_kinds(table: Table[M], choose: Choose) -> Sequence[Kind]:
    """All kinds of acts, or some of them."""
    kinds = list(table.kinds)
    if not kinds or not choose((True, False)):
        return kinds
    return list(dict.fromkeys(choose(kinds) for _ in range(choose(range(3, 9)))))


def _of_one_kind(script: Script[M], kinds: Sequence[Kind], left_out: frozenset[str], choose: Choose) -> list[Act[M]]:
    """The acts of a kind that are possible now, about none of the places that are left out; none where no kind has any.

    Kinds are chosen until one has some, since checking all acts of a large table takes as long as playing the chosen one.
    """
    left = list(kinds)
    while left:
        kind = choose(left)
        if found := [act for act in script.possible(script.table.kinds[kind]) if left_out.isdisjoint(act.arguments)]:
            return found
        left.remove(kind)
    return []
