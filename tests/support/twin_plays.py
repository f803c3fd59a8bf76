"""Playing twins on the reference, healthy or with parts of one's own."""

import functools
from collections.abc import Iterator, Sequence

import pytest

from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.reference import kafka
from fencepost.reference.defects import CONFORMING, Defect
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.twins import disturbances
from fencepost.twins.drawn_twins import DrawnTwins
from fencepost.twins.twin import TwinResult, Twins, TwinVerdict


def twins_of(
    requirement: str, names: Sequence[str], *, defect: str | None = None, most: int | None = None, seed: int = 1
) -> Iterator[TwinResult]:
    """All twins of a requirement's scenarios under Kafka with these disturbances, or so many of each scenario."""
    options = RunOptions(asked=SpecifiedSystem({"defect": defect} if defect else {}), selection=Selection.said([], [requirement], [], []))
    with Plays(options) as plays:
        twins = Twins(plays.systems)
        for play in plays:
            plain = twins.plain(play)
            if plain.verdict is not Verdict.MET:
                continue
            chosen = [disturbances.bundled().by_name[name] for name in names]
            places = [
                (one, place)
                for one in chosen
                if one.fits(play.feature.spec, play.protocol)
                for place in one.positions(play.steps, play.needs, play.protocol)
            ]
            yield from DrawnTwins(places, most, seed, play).results(functools.partial(twins.put, plain))


def first_noticed(monkeypatch: pytest.MonkeyPatch, parts: kafka.KafkaParts, requirement: str, disturbance: str) -> tuple[str, str] | None:
    """Where the first twin differs on a broker of these parts, and how; None where all are alike."""
    monkeypatch.setitem(CONFORMING, "of-a-test", Defect("of-a-test", "made by a test", "a test", parts))
    results = twins_of(requirement, [disturbance], defect="of-a-test")
    return next(((one.where, one.difference or "") for one in results if one.verdict is TwinVerdict.DIFFERS), None)


@functools.cache
def names_of(protocol: str) -> tuple[str, ...]:
    """The disturbances that a protocol has."""
    return tuple(one.name for one in disturbances.bundled().by_name.values() if protocol in one.protocols)
