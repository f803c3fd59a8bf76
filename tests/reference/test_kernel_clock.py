"""The virtual clock."""

import pytest

from fencepost.reference.kernel.clock import Clock


def test_time_passes_only_when_it_is_advanced() -> None:
    """A clock does not move by itself, and ends where it was advanced to."""
    clock = Clock(now=100)

    assert clock.now == 100
    assert list(clock.pass_until(150)) == [150]
    assert clock.now == 150


def test_timers_run_at_their_moments_in_the_order_of_their_start() -> None:
    """Each period once, and two timers of one moment in the order in which they were started."""
    clock, seen = Clock(now=0), []
    clock.every(20, lambda: seen.append(("slow", clock.now)))
    clock.every(10, lambda: seen.append(("fast", clock.now)))

    moments = list(clock.pass_until(25))

    assert seen == [("fast", 10), ("slow", 20), ("fast", 20)]
    assert moments == [10, 20, 25]


def test_a_timer_may_stop_the_others() -> None:
    """Timers that a crash stops no longer run, not even in the same moment."""
    clock, seen = Clock(now=0), []
    clock.every(10, clock.stop_timers)
    clock.every(10, lambda: seen.append(clock.now))

    assert list(clock.pass_until(50)) == [10, 50]

    assert seen == []


def test_time_does_not_pass_backwards() -> None:
    """Neither an earlier end nor an empty period is accepted."""
    clock = Clock(now=100)

    with pytest.raises(ValueError, match="backwards"):
        list(clock.pass_until(99))
    with pytest.raises(ValueError, match="more than 0"):
        clock.every(0, lambda: None)
