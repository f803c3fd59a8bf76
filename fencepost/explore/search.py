"""The ways to go through sequences: every one to a depth, or random ones; each stops at the first that finds something."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hypothesis.database import ExampleDatabase

from fencepost.contract.brokers import Where
from fencepost.contract.errors import BrokeOff, SystemUnreachable
from fencepost.steps.acts import act, random_script
from fencepost.steps.acts.act import Script, Table

from .against import Comparison
from .deadline import TimeIsUp
from .trial import ExploredFinding, SequenceResult, Trials
from .walk import walked

AHEAD = 96
"""So many sequences are drawn at a time, so that those for one broker are found."""
_COSTLY_ONE_OF = 16
"""One of so many scripts that take a broker long to prepare is played on it."""
_IN_VAIN = 16
"""So many sequences without an answer, one after the other, say that a broker is gone."""


@dataclass
class SearchProgress:
    """What was gone through."""

    count: int = 0
    fired: set[str] = field(default_factory=set)
    """The acts that came at least once."""
    asked: Counter[str] = field(default_factory=Counter)
    """In how many sequences a requirement was asked and held."""
    unanswered: int = 0
    known: Counter[str] = field(default_factory=Counter)
    """How often a requirement was broken that the system is known to break."""
    finding: ExploredFinding | None = None
    is_whole: bool = True
    """Whether it came to its end, and not to that of its time."""
    in_vain: int = 0
    """How many of the last sequences, one after the other, got no answer."""
    gone: str | None = None
    """Why the system could not be asked any more."""
    broke_off: BrokeOff | None = None
    """That a step of ours raised what is no verdict."""
    stopped: KeyboardInterrupt | None = None
    """The signal of a user that ended it."""

    def saw(self, tried: SequenceResult) -> None:
        """One more sequence."""
        self.count += 1
        self.fired.update(tried.acts)
        self.asked.update(tried.asked)
        self.unanswered += tried.unanswered is not None
        self.in_vain = self.in_vain + 1 if tried.unanswered else 0
        if tried.known:
            self.known[tried.known.requirement] += 1
        self.finding = self.finding or tried.finding

    @contextmanager
    def ending(self) -> Iterator[None]:
        """The end of the time, a system that is gone, a step that broke off and a signal of the user are noted, and leave the block."""
        try:
            yield
        except TimeIsUp:
            self.is_whole = False
        except SystemUnreachable as error:
            self.is_whole, self.gone = False, self.gone or str(error)
        except BrokeOff as error:
            self.is_whole, self.broke_off = False, self.broke_off or error
        except KeyboardInterrupt as signalled:
            self.is_whole, self.stopped = False, signalled

    def holds(self, ask: Callable[[], bool]) -> bool:
        """The answer to a question about a finding; no if there is no time to ask, the system is gone or the user has stopped it."""
        answers = list[bool]()
        with self.ending():
            answers += [] if self.stopped else [ask()]
        return any(answers)

    def saw_of(self, play: Callable[[], SequenceResult]) -> bool:
        """One more sequence, if there is time to play it and the system is there; whether that is so."""
        with self.ending():
            self.saw(play())
        return self.is_whole


GoesOn = Callable[[SearchProgress], bool]
"""Hears of the progress now and then, and says whether there is time for more."""


def go_on(progress: SearchProgress, over: Iterable[Future[SequenceResult]], goes_on: GoesOn) -> bool:
    """See these sequences, and return whether there is reason and time for more."""
    went_on = [progress.saw_of(one.result) for one in over]
    if progress.in_vain >= _IN_VAIN:
        progress.gone = progress.gone or f"it has answered in none of the last {progress.in_vain} sequences"
    if progress.finding or progress.gone or not all(went_on) or not goes_on(progress):
        progress.is_whole = False
    return progress.is_whole


Plays = Trials | Comparison
"""Plays sequences, on one system or on two."""


def exhaustive(trials: Plays, depth: int, goes_on: GoesOn) -> SearchProgress:
    """Every sequence of at most so many acts, the shortest first. What several begin with is played once where time is virtual."""
    progress = SearchProgress()
    with progress.ending():
        for tried in _each(trials, depth):
            progress.saw(tried)
            if progress.finding:
                break
            if not goes_on(progress):
                progress.is_whole = False
                break
    return progress


def _each(trials: Plays, depth: int) -> Iterator[SequenceResult]:
    if isinstance(trials, Trials) and trials.is_prompt:
        return walked(trials, depth)
    return map(trials.play, act.sequences(trials.table, depth))


_FOUND = b"found"
"""Under which the database has the numbers of sequences that once found something."""


def drawn(trials: Plays, examples: int, length: int, seed: int, goes_on: GoesOn, database: ExampleDatabase | None = None) -> SearchProgress:
    """So many random sequences of `length` acts, each drawn from its number; what once found something comes first.

    Draws know of the model alone and nothing of answers, so a number means the same sequence on every system. Hypothesis keeps the numbers
    and does not draw: it prefers what stands first, and repeats itself, so that of five hundred acts half never came. Nor does it make a
    sequence small: `reduction` leaves out acts by their names, which is quicker and goes further.
    """
    progress = SearchProgress()
    kept = sorted(database.fetch(_FOUND)) if database else []
    with progress.ending():
        for number in itertools.chain(kept, (f"{seed}-{count}".encode() for count in range(examples))):
            script = random_script.drawn(trials.table, length, random.Random(number).choice)  # noqa: S311 - a sequence is no secret
            progress.saw(trials.put(script))
            if database and progress.finding:
                database.save(_FOUND, number)
            elif database and number in kept:
                database.delete(_FOUND, number)
            if progress.finding or progress.count >= examples or not goes_on(progress):
                break
    progress.is_whole = bool(progress.finding) or progress.count >= examples
    return progress


def drawn_for_broker(table: Table[Any], count: int, length: int, chance: random.Random) -> list[Script[Any]]:
    """So many random scripts, few of which have what a broker needs long to prepare."""
    drawn = (random_script.drawn(table, length, chance.choice) for _ in itertools.count())
    played = (script for script in drawn if table.costly.isdisjoint(script.needs) or chance.randrange(_COSTLY_ONE_OF) == 0)
    return list(itertools.islice(played, count))


def by_brokers(trials: Plays, scripts: Iterable[Script[Any]]) -> Mapping[tuple[Where, ...], list[Script[Any]]]:
    """These scripts by the brokers on which they are played."""
    found: dict[tuple[Where, ...], list[Script[Any]]] = {}
    for one in scripts:
        found.setdefault(trials.brokers(one.needs), []).append(one)
    return found


def at_once(trials: Plays, examples: int, length: int, seed: int, most: int, goes_on: GoesOn) -> SearchProgress:
    """So many sequences of `length` acts, drawn by a seed, of which up to `most` are played at the same time, all of them on one broker.

    For a system that may answer otherwise the next time, so that nothing is made small while others are running.
    """
    progress, chance, left = SearchProgress(), random.Random(seed), examples  # noqa: S311 - a sequence is no secret
    with progress.ending():
        while left and progress.is_whole:
            scripts = drawn_for_broker(trials.table, min(AHEAD, left), length, chance)
            left -= len(scripts)
            for brokers, alike in by_brokers(trials, scripts).items():
                if progress.is_whole:
                    _put_all(trials, alike, 1 if any(one.fresh for one in brokers) else most, progress, goes_on)
    progress.is_whole = progress.is_whole or bool(progress.finding)
    return progress


def _put_all(trials: Plays, scripts: Sequence[Script[Any]], most: int, progress: SearchProgress, goes_on: GoesOn) -> None:
    """Play these, up to `most` at the same time, for as long as there is reason and time for more."""
    under_way: set[Future[SequenceResult]] = set()
    with ThreadPoolExecutor(most) as pool:
        for number, script in enumerate(scripts, 1):
            under_way.add(pool.submit(trials.put, script))
            if len(under_way) < most and number < len(scripts):
                continue
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            if not go_on(progress, over, goes_on):
                break
        go_on(progress, under_way, goes_on)
