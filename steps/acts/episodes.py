"""Acts that are complete in themselves: a short scenario with separate objects, at any place of a sequence."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from .act import Act, ActLine, LinesOf

M = TypeVar("M")
MOST_CASES = 3
"""So many cases a sequence may have; the objects of each have separate names."""
_OBJECTS = re.compile(r"\b(desk|clerks|others|keepers|invoices|east|west|north|south|whole|again|lower|lowest|gil)\b")
_TRANSACTIONS = tuple(str.maketrans("XYZ", names) for names in ("IJL", "ORV", "EWQ"))


@dataclass(frozen=True)
class Episode:
    """Givens, a When and what is expected, about a requirement."""

    givens: tuple[str, ...]
    asks: str
    due: tuple[str, ...]
    why: str
    needs: frozenset[str] = frozenset()
    races: bool = False
    not_with: frozenset[str] = frozenset()
    """Traits that no act of the sequence may have."""

    @property
    def name(self) -> str:
        return "; ".join((*self.givens, self.asks))

    def lines(self, of: LinesOf) -> list[ActLine]:
        """The episode as lines about the requirements of a proposal."""
        givens = [of.given(text, self.why) for text in self.givens]
        return [*givens, of.when(self.asks, self.why), *(of.then(text, self.why) for text in self.due)]

    def numbered(self, number: int) -> "Episode":
        """The episode with names that no other one of the sequence has, nor one that is not numbered."""
        given, asks, *due = (_named(text, number) for text in ("\n".join(self.givens), self.asks, *self.due))
        return replace(self, givens=tuple(given.split("\n")), asks=asks, due=tuple(due))


def _named(text: str, number: int) -> str:
    quoted = _OBJECTS.sub(lambda found: found[1] + "bcd"[number], text)
    return re.sub(r"\b[XYZ]\b", lambda found: found[0].translate(_TRANSACTIONS[number]), quoted)


def acts_of(
    episodes: Iterable[Episode],
    may_come: Callable[[M, Episode], bool],
    says: Callable[[M, Episode], list[ActLine]],
    *,
    are_cases: bool = False,
) -> Iterator[Act[M]]:
    """Episodes of one theme as acts of one kind, so that many of a kind do not crowd out others."""
    of = ", a case" if are_cases else ""
    by_name = {f"{one.name} ({one.why}{of})": one for one in episodes}

    def may_come_here(model: M, name: str) -> bool:
        return may_come(model, by_name[name])

    def lines(model: M, name: str) -> list[ActLine]:
        return says(model, by_name[name])

    for name, one in by_name.items():
        yield Act(name, may_come_here, lines, (name,), one.needs, one.races, one.not_with, is_case=are_cases)


def by_kind(cases: Iterable[tuple[str, Episode]]) -> list[list[Episode]]:
    """Episodes by the kinds that are named with them."""
    found: dict[str, list[Episode]] = {}
    for kind, one in cases:
        found.setdefault(kind, []).append(one)
    return list(found.values())
