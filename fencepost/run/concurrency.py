"""Scenarios that run concurrently on one system.

Most use their own names and do not notice each other, so as many as the user allows run concurrently. A scenario that disturbs others
declares it by a capability: if it brings the broker down, it shares that with those that bring it down in the same way, with one kill for
all of them; any other has its broker to itself. Brokers do not disturb each other: a few of them are used at the same time.

A scenario that waits for long is not busy: another one takes its place until the wait ends. If a wait was in vain and the scenario is
repeated, it waits only a little longer than the longest successful wait of this run.

Scenarios are played by threads, ahead of the caller that asks for their results.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass

from fencepost.contract.brokers import BROKERS_AT_ONCE, Where
from fencepost.contract.capabilities import ALONE
from fencepost.contract.fair_places import FairPlaces
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.contract.waiting import noticing, waited_in
from fencepost.steps.player import player_of
from fencepost.steps.sentence import takes_minutes

from .crash_sharing import by_way_down, takes_long, way_down
from .plays import Play

Act = Callable[[Play, SharedCrashes | None, float | None], Played]
"""Plays a scenario; with shared crashes, if any; with a patience in seconds, if that differs from the run's."""

_MOST_SHARING = 80
"""How many scenarios share a crash at most: each waits for the last of them to come to it, and its transactions have a timeout."""

_LONGER_S = 2.0
"""How many seconds a repeated wait lasts beyond the longest successful one, if it was in vain before."""

_WAITING = 16
"""How many scenarios of a broker may wait, in addition to those that are busy."""


@dataclass(frozen=True)
class Company:
    """A scenario as it was played among `scenarios`, including itself.

    `alone` is the result of a red one that was repeated while its broker had no other scenarios but some in long waits, and `patience_s`
    the patience that it had then, if that was not the run's. `broke_up` is why it was in the end not played with others: their common
    crash broke the broker.
    """

    played: Played
    scenarios: int = 1
    alone: Played | None = None
    broke_up: str | None = None
    patience_s: float | None = None


@dataclass(frozen=True)
class Wave:
    """Scenarios of one broker that run together: they share their crashes, or are played a few at a time."""

    plays: tuple[Play, ...]
    shares: bool = False


def script(play: Play, broker: Where) -> tuple[str, ...] | None:
    """What the system goes through in a scenario, as `way_down` says it; None if the scenario is played alone."""
    return None if ALONE in play.scenario.tags else way_down(play.feature.spec, play.steps, play.falls, play.needs, broker)


def waves(plays: Iterable[Play], broker: Where) -> Iterator[Wave]:
    """These scenarios of a broker: first those that disturb others, many at a time or alone, then those that run concurrently."""
    by_script = by_way_down(plays, lambda play: script(play, broker))
    concurrent = [] if broker.fresh else by_script.pop((), [])
    # Some that are asked alone rely on nothing that others have left open. With a separate broker for each, the largest groups begin.
    for shared, alike in sorted(by_script.items(), key=lambda one: ((one[0] is None) == broker.fresh, -len(one[1]))):
        most = _MOST_SHARING if shared else 1
        yield from (Wave(tuple(alike[first : first + most]), shares=True) for first in range(0, len(alike), most))
    if concurrent:
        yield Wave(tuple(concurrent))


def waves_of_brokers(plays: Iterable[Play], where: Callable[[Play], Where]) -> list[list[Wave]]:
    """The waves of each broker, in the order of the scenarios. A fresh broker plays one."""
    by_broker: dict[Where, list[Play]] = {}
    for play in plays:
        by_broker.setdefault(where(play), []).append(play)
    found: list[list[Wave]] = []
    for broker, some in by_broker.items():
        each = list(waves(some, broker))
        found += [[wave] for wave in each] if broker.fresh else [each]
    return found


class Concurrency:
    """The scenarios of a run, `most` of them busy at once. `act` plays one, and `is_red` decides whether it is to be repeated alone.
    `shares` lets scenarios share a broker, from when it serves until they are over.
    """

    def __init__(
        self,
        plays: Sequence[Play],
        where: Callable[[Play], Where],
        most: int,
        act: Act,
        is_red: Callable[[Play, Played], bool],
        shares: Callable[[Sequence[Play]], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        self._act, self._is_red, self._shares, self.most = act, is_red, shares, most
        self._busy = FairPlaces(most)
        self._long = {play.run for play in plays if takes_long(play.feature.spec, play.steps)}
        self._longest_s = 0.0
        """The longest successful wait of the run."""
        self._waiting: set[str] = set()
        """The runs that let minutes pass, and have left their places."""
        self._found: dict[str, Future[Company]] = {play.run: Future() for play in plays}
        self._is_over = False
        self._kills: list[int] = []
        self._brokers = deque(waves_of_brokers(plays, where))
        self._lanes = [threading.Thread(target=self._ask_brokers, daemon=True) for _ in range(min(len(self._brokers), BROKERS_AT_ONCE))]
        for lane in self._lanes:
            lane.start()

    def of(self, play: Play, within_s: float | None = None) -> Company:
        """The result of the scenario, when it is over. Raises CancelledError if it will not be played, and TimeoutError."""
        return self._found[play.run].result(within_s)

    def at(self, play: Play, step: GherkinStep) -> None:
        """A scenario begins a step, in its own thread. If minutes pass in that step, another scenario has its place meanwhile."""
        if play.run not in self._long:
            return
        if player_of(play.feature.spec).is_marked(step, takes_minutes):
            if self._busy.leave():
                self._waiting.add(play.run)
        elif play.run in self._waiting:
            self._waiting.discard(play.run)
            self._busy.resume()  # at once: those that have places may wait for this one to leave the company

    @property
    def over(self) -> frozenset[str]:
        """The runs of the scenarios that are over, whether or not their results were asked for; from any thread."""
        return frozenset(run for run, found in self._found.items() if found.done())

    @property
    def kills(self) -> int:
        """How often a broker has gone down, for one scenario or for several."""
        return sum(self._kills)

    def stop(self) -> None:
        """Start no more scenarios."""
        self._is_over = True

    def close(self, within_s: float = 60.0) -> None:
        """The same, and wait for the running ones."""
        self.stop()
        for lane in self._lanes:
            lane.join(within_s)

    def _ask_brokers(self) -> None:
        """Use one broker after the other, of those that no lane uses yet."""
        while True:
            try:
                asked = self._brokers.popleft()
            except IndexError:
                return
            try:
                for wave in asked:
                    if not self._is_over:
                        (self._play_sharing if wave.shares else self._play_concurrently)(wave.plays)
            finally:
                for play in (play for wave in asked for play in wave.plays):
                    self._found[play.run].cancel()  # so that `of` does not wait for one that was not played

    def _is_to_be_played_again(self, play: Play, played: Played) -> bool:
        return not self._is_over and self._is_red(play, played)

    def _alone(self, play: Play, patience_s: float | None = None) -> Played:
        with self._shares([play]), self._busy:
            return self._act(play, None, patience_s)

    def _patience_s(self, played: Played) -> float | None:
        """The patience when a scenario is repeated; None for the same as before, if no wait in it was in vain."""
        in_vain_s = waited_in(played.session).in_vain_s
        return min(in_vain_s, self._longest_s + _LONGER_S) if in_vain_s else None

    def _play_one(self, play: Play, others: "_Others") -> Played:
        """Play it with others, which have its place while it waits for long."""

        def leave() -> None:
            others.leave()
            self._busy.leave()

        def resume() -> None:
            self._busy.resume()
            others.resume()

        away = _Away(leave, resume)
        with away, noticing(away.leave, away.resume):
            played = self._act(play, None, None)
        self._longest_s = max(self._longest_s, waited_in(played.session).longest_s)
        return played

    def _play_concurrently(self, plays: Sequence[Play]) -> None:
        waiting, company, others = deque(plays), min(len(plays), self.most), _Others()

        def some() -> None:
            while True:
                with others.together(), self._busy:
                    play = None if self._is_over else next(_taken(waiting), None)
                    if play is None:
                        return
                    played = self._play_one(play, others)
                alone, patience_s = None, self._patience_s(played)
                if company > 1 and self._is_to_be_played_again(play, played):
                    with others.alone(), self._busy:
                        alone = self._act(play, None, patience_s)
                self._found[play.run].set_result(Company(played, company, alone, patience_s=patience_s))

        with self._shares(plays):  # a scenario that lets minutes pass has a thread, and no place meanwhile
            _all([some] * min(len(plays), company + _WAITING + sum(play.run in self._long for play in plays)))

    def _play_sharing(self, plays: Sequence[Play]) -> None:
        """Play them as one; if their crash breaks the broker, each again by itself."""
        crashes, company, found = SharedCrashes(len(plays), self._busy), len(plays), {}

        def one(play: Play) -> None:
            crashes.come()
            try:
                if not self._is_over:
                    found[play.run] = self._act(play, crashes, None)
                    self._longest_s = max(self._longest_s, waited_in(found[play.run].session).longest_s)
            finally:
                crashes.leave()

        with self._shares(plays):
            _all([lambda play=play: one(play) for play in plays])  # type: ignore[misc]  # each play in its turn
        self._kills.append(crashes.kills)
        for play in (play for play in plays if play.run in found):
            played, alone, broke_up, patience_s = found[play.run], None, None, self._patience_s(found[play.run])
            if company > 1 and crashes.broken is not None and not self._is_over:
                played, broke_up = self._alone(play), str(crashes.broken)
            elif company > 1 and self._is_to_be_played_again(play, played):
                alone = self._alone(play, patience_s)
            self._found[play.run].set_result(Company(played, company, alone, broke_up, patience_s))


def _taken(waiting: deque[Play]) -> Iterator[Play]:
    """Remove and yield the first waiting one; nothing if none waits."""
    with suppress(IndexError):
        yield waiting.popleft()


def _all(acts: Sequence[Callable[[], None]]) -> None:
    """Run these concurrently, and wait for all of them."""
    threads = [threading.Thread(target=act, daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Away:
    """Whether a scenario is waiting, also in nested waits. As a context, it is back at the end."""

    def __init__(self, leaves: Callable[[], object], returns: Callable[[], object]) -> None:
        self._leaves, self._returns, self._depth = leaves, returns, 0

    def leave(self) -> None:
        """A long wait begins."""
        self._depth += 1
        if self._depth == 1:
            self._leaves()

    def resume(self) -> None:
        """The wait is over."""
        self._depth -= 1
        if self._depth == 0:
            self._returns()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._depth:
            self._depth = 0
            self._returns()


class _Others:
    """Which scenarios may run: many concurrently, or one alone, which is admitted before any that arrive later."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._is_wanted = False

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_wanted)
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def leave(self) -> None:
        """One of them waits, and does not count meanwhile."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def resume(self) -> None:
        """It continues, since it had begun; also if another one is alone by now."""
        with self._changed:
            self._count += 1

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_wanted)
            self._is_wanted = True
            self._changed.wait_for(lambda: not self._count)
        try:
            yield
        finally:
            with self._changed:
                self._is_wanted = False
                self._changed.notify_all()
