"""Random sequences on a broker that crashes: those that bring it down in the same way are played at once, with one kill for all of them."""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from fencepost.contract.brokers import Where, share_broker
from fencepost.contract.capabilities import DISTURBING
from fencepost.contract.fair_places import FairPlaces
from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.run.crash_sharing import by_way_down, way_down
from fencepost.run.plays import falls_in
from fencepost.steps.acts.act import DISTURBANCE, Script

from .search import AHEAD, GoesOn, SearchProgress, by_brokers, drawn_for_broker, go_on
from .trial import SequenceResult, Trials

_MOST_SHARING = 24
"""So many sequences share a crash at most: each waits for the last of them to come to it, and its transactions have a timeout."""


def sharing_crashes(trials: Trials, examples: int, length: int, seed: int, most: int, goes_on: GoesOn) -> SearchProgress:
    """So many sequences of `length` acts, drawn by a seed, of which up to `most` are busy at the same time."""
    progress, chance = SearchProgress(), random.Random(seed)  # noqa: S311 - a sequence is no secret
    with progress.ending():
        while progress.count < examples:
            scripts = drawn_for_broker(trials.table, min(AHEAD, examples - progress.count), length, chance)
            for wave in waves(trials, scripts):
                if not go_on(progress, _played(trials, wave, most), goes_on):
                    return progress
    return progress


def waves(trials: Trials, scripts: Sequence[Script[Any]]) -> Iterator[Sequence[Script[Any]]]:
    """These scripts in groups that are played at once, each on one broker, the largest first."""
    groups = [
        (alike, _MOST_SHARING if way is not None else 1)
        for (broker,), some in by_brokers(trials, scripts).items()
        for way, alike in by_way_down(some, partial(_way_down, trials, broker)).items()
    ]
    for alike, most in sorted(groups, key=lambda one: (one[1] == 1, -len(one[0]))):
        yield from (alike[first : first + most] for first in range(0, len(alike), most))


def _way_down(trials: Trials, broker: Where, script: Script[Any]) -> tuple[str, ...] | None:
    """What the broker goes through in a script, which is played twice if it is disturbed; None where it is to be played alone: where others
    would notice its disturbance, or a timeout of one of its transactions would pass while it waits for others.
    """
    disturbed = [one for one in trials.table.disturbances if one.name in script.acts]
    if any(DISTURBING & one.needs for one in disturbed):
        return None
    steps = [line.step for line, _ in script.lines if line.kind != DISTURBANCE]
    falls = falls_in(trials.table.spec, steps) * (1 + len(disturbed))
    if falls and any("timeout" in step.text for step in steps):
        return None
    return way_down(trials.table.spec, steps, falls, script.needs, broker)


def _played(trials: Trials, scripts: Sequence[Script[Any]], most: int) -> list["Future[SequenceResult]"]:
    """The results of these scripts, which were played at the same time."""
    crashes, titles = SharedCrashes(len(scripts), FairPlaces(most)), [trials.new_title() for _ in scripts]

    def one(title: str, script: Script[Any]) -> SequenceResult:
        crashes.come()
        try:
            return trials.sharing(title, crashes).put(script)
        finally:
            crashes.leave()

    with share_broker(trials.system, titles, scripts[0].needs), ThreadPoolExecutor(len(scripts)) as pool:
        return [pool.submit(one, title, script) for title, script in zip(titles, scripts, strict=True)]
