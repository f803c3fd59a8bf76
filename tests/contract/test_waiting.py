"""Waits: what is remembered of them, and what is called when one lasts."""

import itertools
import time

import pytest

from fencepost.adapters.common.time import BRIEFLY_S, VirtualTime, WallTime
from fencepost.contract.waiting import LASTS_S, Waited, has_changed, noticing, waited_in


class Clock:
    """A clock that advances when a thread sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    @property
    def now_ms(self) -> int:
        return round(1000 * self.now)

    def advance(self, ms: int) -> None:
        self.now += ms / 1000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The machine's clock, without real waiting."""
    made = Clock()
    monkeypatch.setattr(time, "monotonic", made.monotonic)
    monkeypatch.setattr(time, "sleep", made.sleep)
    return made


@pytest.mark.parametrize("kind", ["wall", "virtual"])
def test_a_wait_is_in_vain_where_patience_is_over_first(clock: Clock, kind: str) -> None:
    """One that ends before is remembered as how long it took; one that only watches, for a given number of seconds, is none."""
    times = WallTime(5.0) if kind == "wall" else VirtualTime(clock, 5.0)

    list(times.attempts(3.0))
    watched = Waited(times.waited.longest_s, times.waited.in_vain_s)
    for _ in times.attempts():
        if clock.now >= 1004.0:
            break
    ended = Waited(times.waited.longest_s, times.waited.in_vain_s)
    list(times.attempts())

    assert watched == Waited()
    assert (ended.longest_s, ended.in_vain_s) == (pytest.approx(1.0, abs=0.2), 0.0)
    assert times.waited == Waited(ended.longest_s, 5.0)


def spent(clock: Clock, times: WallTime) -> float:
    """The seconds of a wait for something that does not come."""
    began = clock.now
    list(times.attempts())
    return clock.now - began


def test_patience_counts_from_the_last_change(clock: Clock) -> None:
    """A second wait in vain is brief, and one after a request or a fault has all of the patience again."""
    times = WallTime(20.0, hears_of_changes=True)

    first, second = spent(clock, times), spent(clock, times)
    has_changed(times)
    third = spent(clock, times)

    assert [first, third] == pytest.approx([20.0, 20.0], abs=0.2)
    assert second == pytest.approx(BRIEFLY_S, abs=0.2)
    assert times.waited.in_vain_s == 20.0


def test_a_time_that_does_not_hear_of_changes_is_patient_each_time(clock: Clock) -> None:
    """It cannot know that nothing was asked."""
    times = WallTime(20.0)

    assert [spent(clock, times) for _ in range(2)] == pytest.approx([20.0, 20.0], abs=0.2)


def test_a_wait_that_lasts_is_noticed_and_a_short_one_is_not(clock: Clock) -> None:
    """Once, after LASTS_S, and when it ends; also where what waits fails."""
    noticed: list[str] = []
    times = WallTime(20.0)

    with noticing(lambda: noticed.append("leaves"), lambda: noticed.append("returns")):
        for _ in times.attempts():
            if clock.now > 1000.0 + LASTS_S / 2:
                break
        short = list(noticed)
        with pytest.raises(ZeroDivisionError):
            _fails_late(clock, times)

    assert short == []
    assert noticed == ["leaves", "returns"]


def _fails_late(clock: Clock, times: WallTime) -> None:
    for _ in times.attempts():
        if clock.now > 1003.0:
            raise ZeroDivisionError


def test_patience_can_be_shortened_and_not_lengthened(clock: Clock) -> None:
    """For a scenario that is played again."""
    times = WallTime(20.0)

    times.shorten(3.0)
    times.shorten(7.0)

    assert times.patience_s == 3.0
    assert spent(clock, times) == pytest.approx(3.0, abs=0.2)


def test_a_session_without_a_time_that_counts_has_waited_for_nothing() -> None:
    """Systems of other packages need not count."""

    class Silent:
        time = itertools.count()

    assert [waited_in(None), waited_in(Silent())] == [Waited(), Waited()]
