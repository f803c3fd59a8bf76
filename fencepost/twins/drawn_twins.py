"""Which twins a scenario has: each disturbance that fits at each of its positions, or some that are drawn.

A limit counts twins in which the disturbance did something. Where it did nothing, another disturbance is drawn in its place.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from fencepost.run.plays import Play

from .disturbances import Disturbance
from .twin import TwinResult, Twins, TwinVerdict

Place: TypeAlias = tuple[Disturbance, int | None]
"""A disturbance, and the step before which it is, counted from 0; None for throughout."""


def places(twins: Twins, play: Play, chosen: Iterable[Disturbance], not_offered: Counter[str] | None = None) -> Iterator[Place]:
    """The disturbances that fit a scenario and that its system offers, each with its positions. `not_offered` counts what it does not."""
    for disturbance in chosen:
        if not disturbance.fits(play.feature.spec, play.protocol):
            continue
        if why := twins.lacks(play, disturbance):
            if not_offered is not None:
                not_offered[f"{disturbance.name}: {why}"] += 1
            continue
        for position in disturbance.positions(play.steps, play.needs, play.protocol):
            yield disturbance, position


class DrawnTwins:
    """The twins of a scenario: all, or `most` that are drawn by the seed and the scenario's name.

    A disturbance is drawn first and then its position, so a disturbance with many positions is not preferred.
    """

    def __init__(self, offered: Iterable[Place], most: int | None, seed: int, play: Play) -> None:
        self._by_name: dict[str, list[Place]] = {}
        for one in offered:
            self._by_name.setdefault(one[0].name, []).append(one)
        self._due = most
        self._lot = random.Random(f"{seed} {play.run}")  # noqa: S311 - a position is no secret

    def some(self) -> Sequence[Place]:
        """As many as are due and were not drawn yet; none when enough were tried, or no others are left."""
        if self._due is None or sum(map(len, self._by_name.values())) <= self._due:
            left = [one for those in self._by_name.values() for one in those]
            self._by_name.clear()
            return left
        due, self._due = self._due, 0
        return [self._one() for _ in range(due)]

    def note(self, result: TwinResult) -> None:
        """Note the result of one of them. A disturbance that did nothing, or could not be brought about, is not drawn again."""
        if not result.was_played and self._due is not None:
            self._due += 1
            if result.verdict is not TwinVerdict.NOT_REACHED:
                self._by_name.pop(result.disturbance, None)

    def results(self, put: Callable[[Disturbance, int | None], TwinResult]) -> Iterator[TwinResult]:
        """Play them one after the other."""
        while some := self.some():
            for place in some:
                result = put(*place)
                self.note(result)
                yield result

    def _one(self) -> Place:
        name = self._lot.choice(sorted(name for name, left in self._by_name.items() if left))
        return self._by_name[name].pop(self._lot.randrange(len(self._by_name[name])))
