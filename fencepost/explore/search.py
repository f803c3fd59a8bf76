"""The ways to go through sequences: every one to a depth, or random ones; each stops at the first that finds something."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings, strategies
from hypothesis.database import ExampleDatabase

from fencepost.steps.acts import act

from .against import Comparison
from .trial import Finding, Trials, Tried
from .walk import walked

_CHUNK = 250
"""How many examples Hypothesis draws before the time is looked at, and people hear of it."""


@dataclass
class Progress:
    """What was gone through."""

    count: int = 0
    fired: set[str] = field(default_factory=set)
    """The acts that came at least once."""
    unanswered: int = 0
    known: Counter[str] = field(default_factory=Counter)
    """How often a requirement was broken that the system is known to break."""
    finding: Finding | None = None
    is_whole: bool = True
    """Whether it came to its end, and not to that of its time."""

    def saw(self, tried: Tried) -> None:
        """One more sequence."""
        self.count += 1
        self.fired.update(tried.acts)
        self.unanswered += tried.unanswered is not None
        if tried.known:
            self.known[tried.known.requirement] += 1
        self.finding = self.finding or tried.finding


GoesOn = Callable[[Progress], bool]
"""Hears of the progress now and then, and says whether there is time for more."""


Plays = Trials | Comparison
"""Plays sequences, on one system or on two."""


def exhaustive(trials: Plays, depth: int, goes_on: GoesOn) -> Progress:
    """Every sequence of at most so many acts, the shortest first. What several begin with is played once where time is virtual."""
    progress = Progress()
    is_shared = isinstance(trials, Trials) and trials.is_prompt
    for tried in walked(trials, depth) if is_shared else map(trials.play, act.sequences(trials.table, depth)):
        progress.saw(tried)
        if progress.finding:
            break
        if not goes_on(progress):
            progress.is_whole = False
            break
    return progress


class _Found(AssertionError):
    """Says to Hypothesis that a sequence is to be kept."""


def drawn(trials: Plays, examples: int, length: int, seed: int, goes_on: GoesOn, database: ExampleDatabase | None = None) -> Progress:
    """So many random sequences of `length` acts, from a number that Hypothesis draws; what once found something comes first.

    Hypothesis does not draw each act: it prefers what stands first, and repeats itself, so that of five hundred acts half never came. Draws
    know of the model alone and nothing of answers, so a sequence means the same on every system. Hypothesis does not make it small:
    `reducing` leaves out acts by their names, which is quicker and goes further.
    """
    progress = Progress()
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
            chance = random.Random(data.draw(strategies.binary(min_size=8, max_size=8)))  # noqa: S311 - a sequence is no secret
            tried = trials.put(act.drawn(trials.table, length, chance.choice))
            if progress.finding is None:
                progress.saw(tried)
            if tried.finding:
                raise _Found

        with contextlib.suppress(_Found):
            found_nothing()
        if not progress.finding and not goes_on(progress):
            progress.is_whole = progress.count >= examples
            break
    return progress


def at_once(trials: Plays, examples: int, length: int, seed: int, most: int, goes_on: GoesOn) -> Progress:
    """So many sequences of `length` acts, drawn by a seed, of which up to `most` are played at the same time.

    For a system that may answer otherwise the next time, so that nothing is made small while others are under way.
    """
    progress, chance = Progress(), random.Random(seed)  # noqa: S311 - a sequence is no secret
    with ThreadPoolExecutor(most) as pool:
        under_way: set[Future[Tried]] = set()
        for number in range(examples):
            under_way.add(pool.submit(trials.put, act.drawn(trials.table, length, chance.choice)))
            if len(under_way) < most and number + 1 < examples:
                continue
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for one in over:
                progress.saw(one.result())
            if progress.finding or not goes_on(progress):
                progress.is_whole = bool(progress.finding)
                break
        for one in under_way:
            progress.saw(one.result())
    return progress
