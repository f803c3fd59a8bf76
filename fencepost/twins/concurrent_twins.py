"""Scenarios and then their twins, many at once, on a system that is judged concurrently: twins whose system crashes in the same
way share the crash.

Each of these plays up to its position and waits there for the others; one kill serves them all, as it does for the scenarios of a run
(`run.concurrency`). A twin that differs when others run is played again alone, and stays red whatever it shows then.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fencepost.contract.played import Played
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.run.concurrency import Company, Concurrency
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.plays import Play, broker_of, put, sharing_broker

from .twin import Twin, TwinResult, Twins, TwinVerdict, UndisturbedScenario

P = TypeVar("P", bound=Play)
_HEARS_EACH_S = 10.0


class ConcurrentTwins:
    """Plays `most` at once. `goes_on` is called every ten seconds with how many are over, and returns whether to wait for the rest.

    `kills` counts how often a broker went down for twins, for one of them or for several.
    """

    def __init__(self, systems: JudgedSystems, most: int, goes_on: Callable[[int], bool]) -> None:
        self._systems, self._most, self._goes_on = systems, most, goes_on
        self._twins = Twins(systems)
        self.kills = 0

    def plain(self, plays: Sequence[Play]) -> Iterator[UndisturbedScenario]:
        """The scenarios without a disturbance."""

        def is_red(play: Play, played: Played) -> bool:
            return self._twins.undisturbed(play, played).verdict.is_red

        for play, company in self._played(plays, partial(put, systems=self._systems), is_red):
            yield self._twins.undisturbed(play, company.played)

    def results(self, twins: Sequence[Twin]) -> Iterator[TwinResult]:
        """The results of twins. What a disturbance throughout has shown comes last, when it can be narrowed to a step alone."""
        throughout: list[tuple[Twin, TwinResult]] = []

        def is_red(twin: Twin, played: Played) -> bool:
            return self._twins.result(twin, played).verdict is TwinVerdict.DIFFERS

        for twin, company in self._played(twins, self._twins.play, is_red):
            result = self._among_others(twin, company)
            if result.verdict is TwinVerdict.DIFFERS and twin.position is None:
                throughout.append((twin, result))
            else:
                yield result
        yield from (self._twins.narrowed(twin, result) for twin, result in throughout)

    def _among_others(self, twin: Twin, company: Company) -> TwinResult:
        """The result, with a note on one that differs: whether it does so alone too."""
        result = self._twins.result(twin, company.played)
        note = None
        if company.broke_up is not None:
            note = f"played by itself, because the broker did not restart after a crash that it shared with others: {company.broke_up}"
        elif company.alone is not None:
            note = f"one of {company.scenarios} at once, and {self._twins.result(twin, company.alone).verdict.value} alone"
        if note is None or result.verdict is not TwinVerdict.DIFFERS:
            return result
        return replace(result, difference=f"{result.difference}; {note}")

    def _played(
        self, plays: Sequence[P], play_one: Callable[..., Played], is_red: Callable[[P, Played], bool]
    ) -> Iterator[tuple[P, Company]]:
        """Each with its result, in the order in which they end, until `goes_on` says no."""
        own, is_made, before = {play.run: play for play in plays}, threading.Event(), self.kills

        def act(play: Play, crashes: SharedCrashes | None, patience_s: float | None) -> Played:
            is_made.wait()
            return play_one(own[play.run], crashes=crashes, hears=partial(concurrency.at, play), patience_s=patience_s)

        concurrency = Concurrency(
            plays,
            partial(broker_of, self._systems),
            self._most,
            act,
            lambda play, played: is_red(own[play.run], played),
            partial(sharing_broker, self._systems),
        )
        is_made.set()
        left = list(plays)
        with closing(concurrency):
            while True:
                over = concurrency.over
                for play in [one for one in left if one.run in over]:
                    left.remove(play)
                    self.kills = before + concurrency.kills
                    yield play, concurrency.of(play)
                if not left:
                    break
                try:
                    concurrency.of(left[0], _HEARS_EACH_S)
                except TimeoutError:
                    if not self._goes_on(len(concurrency.over)):
                        return
        self.kills = before + concurrency.kills
