"""Bundled scenarios as pytest items: the player plays them, and several at once if the system reports that it supports that.

pytest-bdd collects them, parses them and names the items. It also plays scenarios of a user's own features with their own steps.
"""

import os
import time
from concurrent.futures import CancelledError
from datetime import datetime
from functools import cached_property, partial
from importlib import resources
from pathlib import Path

import pytest

from fencepost.contract.brokers import most_at_once
from fencepost.contract.errors import AccessRefused, SystemUnreachable, first_of
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.items import EVIDENCE, PLAYED, SESSION, STEP, scenario_of
from fencepost.contract.played import Played
from fencepost.contract.ports import Answers, System
from fencepost.contract.progress import Activity
from fencepost.contract.register import Register
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.contract.waiting import ENOUGH_S, waited_in

from .concurrency import Company, Concurrency
from .interruption import Stopping
from .judged_systems import JudgedSystems
from .options import RunOptions
from .plan import weights
from .plays import Play, broker_of, judged, plays_of, put, sharing_broker

_MOST_NAMED = 8
"""At most this many scenarios are named; more may share a crash."""

NOTE = pytest.StashKey[str]()
"""A note on how the scenario was played, in addition to its result."""


class Playing:
    """The plays of a pytest session."""

    def __init__(self, config: pytest.Config, options: RunOptions, register: Register, systems: JudgedSystems, stopping: Stopping) -> None:
        self._options, self._register, self._systems, self._stopping = options, register, systems, stopping
        self._features = Path(str(resources.files("fencepost.features")))
        self._in_worker = hasattr(config, "workerinput")
        self._concurrency: Concurrency | None = None
        self._gone: str | None = None
        """Why no system is left to ask."""
        self.at: dict[str, str] = {}
        """The current step of each scenario, by the name of its history."""
        self._under_way: dict[str, Play] = {}
        self._idle_s = 0.0
        self._idle_since: float | None = None
        self._seconds: dict[str, float] = {}
        """The estimated seconds of each play."""
        self._loads: dict[str, float] = {}
        """The load of the machine when a scenario was red among others."""

    @cached_property
    def _plays(self) -> dict[str, Play]:
        return {play.run: play for play in plays_of(self._register, self._options.selection, self._systems.protocols)}

    def play_of(self, item: pytest.Item, run: str) -> Play | None:
        """The play of a bundled scenario, whose history has the name `run`; None for every other item."""
        is_bundled = scenario_of(item) is not None and item.path.is_relative_to(self._features)
        return self._plays.get(run) if is_bundled else None

    def begin(self, plays: list[Play]) -> None:
        """Start playing these, in this order, if several may run concurrently."""
        most = max(map(most_at_once, self._systems.by_protocol.values()), default=1)
        if most > 1 and not self._in_worker:
            for protocol, system in self._systems.by_protocol.items():
                self._seconds |= weights(system, (play for play in plays if play.protocol == protocol))
            where, shares = partial(broker_of, self._systems), partial(sharing_broker, self._systems)
            self._concurrency = Concurrency(plays, where, most, self._put, self._is_red, shares)

    def play(self, item: pytest.Item, play: Play) -> Played:
        """The result of the scenario, also noted on its item. Raises Stopped if the system has gone away in it."""
        try:
            company = self._taken(play) if self._concurrency else Company(self._put(play))
        except CancelledError:
            self._stopping.ask(self._gone or "the thread that plays the scenarios has failed")
            raise
        played = company.played
        if self._gone and (_is_unanswered(played) or isinstance(played.error, AccessRefused)):
            self._stopping.ask(self._gone)
        item.stash[PLAYED], item.stash[EVIDENCE] = played, played.evidence
        if played.session is not None:
            item.stash[SESSION] = played.session
        if failed := played.failed:
            item.stash[STEP] = _words(failed.step)
        if note := self._note(play, company):
            item.stash[NOTE] = note
        return played

    def _taken(self, play: Play) -> Company:
        assert self._concurrency is not None
        self._idle_since = time.monotonic()
        try:
            return self._concurrency.of(play)
        finally:
            self._idle_s, self._idle_since = self.idle_s, None

    @property
    def idle_s(self) -> float:
        """For how many seconds there was no verdict, because the next scenario was still running; called from another thread."""
        since = self._idle_since
        return self._idle_s + (0.0 if since is None else time.monotonic() - since)

    @property
    def concurrency(self) -> dict[str, int] | None:
        """How many scenarios run concurrently at most, and the kills that they share; None if they run one after the other."""
        return {"most": self._concurrency.most, "kills": self._concurrency.kills} if self._concurrency else None

    def doing(self) -> list[Activity]:
        """The running scenarios, if there is more than one; called from another thread."""
        names = [f"{play.requirement} {play.name.partition(' ')[0]}" for play in list(self._under_way.values())]
        return [Activity(f"asking at once {first_of(names, _MOST_NAMED)}")] if len(names) > 1 else []

    @property
    def share(self) -> float:
        """The share of the concurrent scenarios that are over, from 0 to 1, weighted by seconds; called from another thread."""
        if self._concurrency is None:
            return 0.0
        over = self._concurrency.over
        return sum(self._seconds[run] for run in over) / (sum(self._seconds.values()) or 1.0)

    def close(self) -> None:
        """Start no more scenarios."""
        if self._concurrency:
            self._concurrency.close()

    def _put(self, play: Play, crashes: SharedCrashes | None = None, patience_s: float | None = None) -> Played:
        def hears(step: GherkinStep) -> None:
            self.at[play.run] = _words(step)
            if self._concurrency:
                self._concurrency.at(play, step)

        self._under_way[play.run] = play
        try:
            played = put(play, self._systems, crashes, hears, patience_s)
        finally:
            self._under_way.pop(play.run, None)
        system = self._systems.by_protocol[play.protocol]
        if not self._gone and (why := _why_gone(played, system)) is not None:
            self._gone = f"{why} at {datetime.now().astimezone():%H:%M}, in {play.requirement} {play.name}"
            if self._concurrency:
                self._concurrency.stop()
        return played

    def _is_red(self, play: Play, played: Played) -> bool:
        is_red = judged(play.asked, played, self._systems).result.verdict.is_red
        if is_red:
            self._loads[play.run] = os.getloadavg()[0]
        return is_red

    def _note(self, play: Play, company: Company) -> str | None:
        """For a red scenario that ran among others: whether it is red alone too. It stays red either way."""
        if company.broke_up is not None:
            return f"played by itself, because the broker did not restart after a crash that it shared with others: {company.broke_up}"
        if company.alone is None:
            return None
        brief = company.patience_s
        was_enough = waited_in(company.played.session).in_vain_s >= ENOUGH_S
        enough_s = brief if brief is not None and was_enough else ENOUGH_S
        alone = judged(play.asked, company.alone, self._systems, enough_s=enough_s).result
        among = f"one of {company.scenarios} at once, at a load of {self._loads[play.run]:.1f} on {os.cpu_count()} processors"
        if alone.verdict.is_red:
            patience = f" with a patience of {brief:.0f} s" if brief is not None else ""
            return f"also alone{patience}: {alone.verdict.words}, where it was {among}, before"
        return f"1 of 2: red as {among}, and {alone.verdict.words} alone"


def _why_gone(played: Played, system: System) -> str | None:
    """Why no other scenario can run on the system after this one; None if they can."""
    try:
        if isinstance(played.error, AccessRefused):
            raise played.error
        if _is_unanswered(played) and isinstance(system, Answers) and not system.answers():
            return "the system stopped answering"
    except SystemUnreachable as error:
        return f"the system no longer lets Fencepost in ({str(error).rstrip('.')})"
    return None


def _is_unanswered(played: Played) -> bool:
    """Whether a scenario ended with an error while its last request had no answer."""
    said = played.session.exchanges() if played.session else ()
    return played.error is not None and len(said) > 0 and said[-1].answer is None


def _words(step: GherkinStep) -> str:
    return f"{step.keyword} {step.text}"
