"""Scenarios and twins that run many at once on one system."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from fencepost.contract.played import Played
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays, put
from fencepost.run.selection import Selection
from fencepost.twins import concurrent_twins
from fencepost.twins.concurrent_twins import ConcurrentTwins


@pytest.fixture
def plays() -> Iterator[Plays]:
    """Several scenarios on the reference."""
    with Plays(RunOptions(selection=Selection.said([], ["KIP890-060"], [], []))) as opened:
        yield opened


def test_a_scenario_that_takes_long_holds_no_result_back(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a run that is interrupted keeps what is over."""
    first, *others = plays.all
    may_end = threading.Event()

    def put_in_time(play: Play, *rest: Any, **more: Any) -> Played:
        assert play.run != first.run or may_end.wait(60)
        return put(play, *rest, **more)

    monkeypatch.setattr(concurrent_twins, "put", put_in_time)
    monkeypatch.setattr(concurrent_twins, "_HEARS_EACH_S", 0.01)
    found = []
    for plain in ConcurrentTwins(plays.systems, 2, lambda _: True).plain(plays.all):
        found.append(plain.play.run)
        if len(found) == len(others):
            may_end.set()

    assert others
    assert found[-1] == first.run
