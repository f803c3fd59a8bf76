"""Waiting for expected events: how much patience is enough, how long a scenario has waited, and what is called when a wait lasts.

A wait is *in vain* if patience ends before the expected event. What a scenario shows after that counts only if the patience
was enough: a patience that the user has shortened makes nothing violated.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

ENOUGH_S = 20.0
"""Enough patience for a verdict: twice the pause between two checks of Apache Kafka for overdue transactions."""

LASTS_S = 1.0
"""A wait that has not ended by then lasts: a scenario that waits so does not disturb others until the wait ends."""


@dataclass
class Waited:
    """The waits of one session, in seconds: the longest wait that was not in vain, and the longest one that was; 0 for none."""

    longest_s: float = 0.0
    in_vain_s: float = 0.0

    def note(self, seconds: float, *, in_vain: bool) -> None:
        """A wait is over."""
        if in_vain:
            self.in_vain_s = max(self.in_vain_s, seconds)
        else:
            self.longest_s = max(self.longest_s, seconds)


@runtime_checkable
class CountsWaits(Protocol):
    """The time of a session that counts its waits."""

    @property
    def waited(self) -> Waited:
        """The waits until now."""
        ...


def waited_in(session: object) -> Waited:
    """The waits of a session; nothing if it does not count them."""
    time = getattr(session, "time", None)
    return time.waited if isinstance(time, CountsWaits) else Waited()


@runtime_checkable
class Shortened(Protocol):
    """A time whose patience can be shortened before it is used."""

    def shorten(self, patience_s: float) -> None:
        """Wait no longer than so many seconds for an expected event."""
        ...


def has_changed(time: object) -> None:
    """Notify a time, if it counts changes, of a request to the system, or a fault, that may change what it shows.

    When a wait was in vain and no request followed, any other expected event has had all of that time too, and the next wait is brief.
    """
    if (notify := getattr(time, "has_changed", None)) is not None:  # by its name, since every request passes here
        notify()


def changes_in(time: object) -> int | None:
    """How often something may have changed; None if the time does not count."""
    return getattr(time, "changes", None)


class _OfThread(threading.local):
    leaves: Callable[[], object] | None = None
    returns: Callable[[], object] | None = None


_here = _OfThread()


@contextmanager
def noticing(leaves: Callable[[], object], returns: Callable[[], object]) -> Iterator[None]:
    """Until the end, `leaves` is called in this thread when a wait lasts, and `returns` when that wait is over."""
    before = _here.leaves, _here.returns
    _here.leaves, _here.returns = leaves, returns
    try:
        yield
    finally:
        _here.leaves, _here.returns = before


class Lasting:
    """One wait, which is noticed if it lasts."""

    def __init__(self) -> None:
        self._lasts = False

    def after(self, seconds: float) -> None:
        """Note that it has lasted so long by now."""
        if not self._lasts and seconds >= LASTS_S and _here.leaves is not None:
            self._lasts = True
            _here.leaves()

    def end(self) -> None:
        """It is over."""
        if self._lasts and _here.returns is not None:
            _here.returns()
