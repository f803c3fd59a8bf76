"""The ways to go through sequences: every one to a depth, or random ones; each stops at the first that finds something."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings, strategies
from hypothesis.database import ExampleDatabase

from fencepost.contract.errors import BrokeOff, SystemUnreachable
from fencepost.steps.acts import act

from .against import Comparison
from .deadline import TimeIsUp
from .trial import ExploredFinding, SequenceResult, Trials
from .walk import walked

_CHUNK = 250
"""How many examples Hypothesis draws in one go."""
_NUMBER = strategies.tuples(*[strategies.booleans()] * 32)
"""A number that says which sequence is drawn, in bits: for bytes and for integers, Hypothesis prefers constants in the source of all loaded
modules, and parses all of them for that, which takes longer than a few hundred sequences."""
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

    def saw_of(self, play: Callable[[], SequenceResult]) -> bool:
        """One more sequence, if there is time to play it and the system is there; whether that is so."""
        try:
            self.saw(play())
        except TimeIsUp:
            self.is_whole = False
        except SystemUnreachable as error:
            self.is_whole, self.gone = False, self.gone or str(error)
        except BrokeOff as error:
            self.is_whole, self.broke_off = False, self.broke_off or error
        return self.is_whole


GoesOn = Callable[[SearchProgress], bool]
"""Hears of the progress now and then, and says whether there is time for more."""


Plays = Trials | Comparison
"""Plays sequences, on one system or on two."""


def exhaustive(trials: Plays, depth: int, goes_on: GoesOn) -> SearchProgress:
    """Every sequence of at most so many acts, the shortest first. What several begin with is played once where time is virtual."""
    progress = SearchProgress()
    for play in _each(trials, depth):
        if not progress.saw_of(play) or progress.finding:
            break
        if not goes_on(progress):
            progress.is_whole = False
            break
    return progress


def _each(trials: Plays, depth: int) -> Iterator[Callable[[], SequenceResult]]:
    if isinstance(trials, Trials) and trials.is_prompt:
        for tried in walked(trials, depth):
            yield partial(_same, tried)
    else:
        for acts in act.sequences(trials.table, depth):
            yield partial(trials.play, acts)


def _same(tried: SequenceResult) -> SequenceResult:
    return tried


class _Found(AssertionError):
    """Says to Hypothesis that a sequence is to be kept."""


class _Over(BaseException):
    """Ends what Hypothesis draws at once; it takes an Exception for something that was found."""


def drawn(trials: Plays, examples: int, length: int, seed: int, goes_on: GoesOn, database: ExampleDatabase | None = None) -> SearchProgress:
    """So many random sequences of `length` acts, from a number that Hypothesis draws; what once found something comes first.

    Hypothesis does not draw each act: it prefers what stands first, and repeats itself, so that of five hundred acts half never came. Draws
    know of the model alone and nothing of answers, so a sequence means the same on every system. Hypothesis does not make it small:
    `reducing` leaves out acts by their names, which is quicker and goes further.
    """
    progress = SearchProgress()
    while progress.count < examples and not progress.finding:
        chunk = min(_CHUNK, examples - progress.count)

        @hypothesis.seed(f"{seed}-{progress.count}")
        @settings(
            max_examples=chunk,
            database=database,
            deadline=None,
            phases=(Phase.reuse, Phase.generate),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            print_blob=False,
        )
        @hypothesis.given(strategies.data())
        def found_nothing(data: strategies.DataObject) -> None:
            chance = random.Random(repr(data.draw(_NUMBER)))  # noqa: S311 - a sequence is no secret
            if progress.finding:  # Hypothesis looks whether it is found again, which it is, since time is virtual
                raise _Found
            script = act.drawn(trials.table, length, chance.choice)
            if not progress.saw_of(partial(trials.put, script)):
                raise _Over
            if progress.finding:
                raise _Found
            if progress.count < examples and not goes_on(progress):
                raise _Over

        try:
            found_nothing()
        except _Found:
            pass
        except _Over:
            break
    progress.is_whole = bool(progress.finding) or progress.count >= examples
    return progress


def at_once(trials: Plays, examples: int, length: int, seed: int, most: int, goes_on: GoesOn) -> SearchProgress:
    """So many sequences of `length` acts, drawn by a seed, of which up to `most` are played at the same time.

    For a system that may answer otherwise the next time, so that nothing is made small while others are under way.
    """
    progress, chance = SearchProgress(), random.Random(seed)  # noqa: S311 - a sequence is no secret
    with ThreadPoolExecutor(most) as pool:
        under_way: set[Future[SequenceResult]] = set()
        for number in range(examples):
            under_way.add(pool.submit(trials.put, act.drawn(trials.table, length, chance.choice)))
            if len(under_way) < most and number + 1 < examples:
                continue
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            went_on = [progress.saw_of(one.result) for one in over]
            if progress.in_vain >= _IN_VAIN:
                progress.gone = progress.gone or f"it has answered in none of the last {progress.in_vain} sequences"
            if progress.finding or progress.gone or not all(went_on) or not goes_on(progress):
                progress.is_whole = False
                break
        for one in under_way:
            progress.saw_of(one.result)
    progress.is_whole = progress.is_whole or bool(progress.finding)
    return progress
