"""Virtual time: it passes only when it is advanced.

The unit is the millisecond since 1970. Timers are periodic, as a broker's are, and belong to a running node: its crash stops them. Timers
that are due at the same moment run in the order in which they were started.
"""

from collections.abc import Callable, Iterator

FIRST_NODE = 1
"""The number of a broker's first node, which may be its only one."""

START = 1_767_225_600_000
"""2026-01-01T00:00:00Z. Any moment that a person takes for a time of today, not for an error."""


class Clock:
    """A clock with periodic timers."""

    def __init__(self, now: int = START) -> None:
        self.now = now
        self._timers: list[_Timer] = []

    def every(self, period: int, action: Callable[[], None], node: int = FIRST_NODE) -> Callable[[], None]:
        """Run the action each `period` ms from now on, as that node, until the returned function is called."""
        if period <= 0:
            raise ValueError(f"period: {period} ms given, a timer needs more than 0")
        timer = _Timer(period, self.now + period, action, node)
        self._timers.append(timer)
        return lambda: self._stop(timer)

    def stop_timers(self, node: int = FIRST_NODE) -> None:
        """Stop all timers of a node."""
        self._timers = [timer for timer in self._timers if timer.node != node]

    def _stop(self, timer: "_Timer") -> None:
        self._timers = [other for other in self._timers if other is not timer]

    def pass_until(self, end: int) -> Iterator[int]:
        """Let time pass, moment by moment: yields the time after the timers of each moment have run, and at the end.

        The caller uses each moment for what must not wait until the end, such as delivering what a timer has sent.
        """
        if end < self.now:
            raise ValueError(f"end: {end} given, and it is {self.now} already: time does not pass backwards")
        while due := [timer for timer in self._timers if timer.due <= end]:
            self.now = min(timer.due for timer in due)
            for timer in due:
                # An earlier timer of this moment may have stopped the others: by a crash.
                if timer.due == self.now and timer in self._timers:
                    timer.due += timer.period
                    timer.action()
            yield self.now
        self.now = end
        yield self.now


class _Timer:
    def __init__(self, period: int, due: int, action: Callable[[], None], node: int) -> None:
        self.period, self.due, self.action, self.node = period, due, action, node
