"""The clocks of systems: the machine's, or a virtual one that moves only when a client waits."""

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from fencepost.contract.waiting import Lasting, Waited

from .patience import PATIENCE_S

STEP_MS = 20
"""How far one wait for an answer moves a virtual clock: less than the shortest of the reference's own intervals."""

LONGEST_STEP_MS = 100
"""How far it moves when nothing has come for a while."""

_STEPS_BEFORE_IT_GROWS = 10


BRIEFLY_S = 0.5
"""How long to wait for an event after all patience was used in vain."""


class WallTime:
    """The time of a system with a real clock: pauses are short, and grow while nothing comes.

    With `hears_of_changes`, the session notifies it of each request that may change something. After a wait in vain, a wait without such a
    request in between is brief: the system has done nothing in all of that time, and got no request since.
    """

    def __init__(self, patience_s: float, *, hears_of_changes: bool = False) -> None:
        self.patience_s = patience_s
        self.waited = Waited()
        self._hears_of_changes = hears_of_changes
        self._is_used_up = False
        self.changes = 0

    def now_ms(self) -> float:
        return time.time() * 1000

    def shorten(self, patience_s: float) -> None:
        """Set the patience to at most this."""
        self.patience_s = min(self.patience_s, patience_s)

    def has_changed(self) -> None:
        """Something may have changed: the next wait has all of the patience again."""
        self._is_used_up = False
        self.changes += 1

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        began = self._monotonic_s()
        end = began + (self._patience_left_s() if patience is None else patience)
        pause, in_vain, lasting, changes = 0.005, False, Lasting(), self.changes
        try:
            for number in itertools.count(1):
                yield number
                now = self._monotonic_s()
                if now + pause > end:
                    in_vain = True
                    return
                lasting.after(now - began)
                self._sleep(pause)
                pause = min(pause * 2, 0.1)
        finally:
            lasting.end()
            if patience is None:
                self._is_used_up = self._is_used_up or (in_vain and self._hears_of_changes and self.changes == changes)
                self.waited.note(self.patience_s if in_vain else self._monotonic_s() - began, in_vain=in_vain)

    def _monotonic_s(self) -> float:
        return time.monotonic()

    def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _patience_left_s(self) -> float:
        return min(BRIEFLY_S, self.patience_s) if self._is_used_up else self.patience_s


class HasClock(Protocol):
    """A broker with a virtual clock."""

    @property
    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def advance(self, ms: int) -> None:
        """Advance the clock."""
        ...


class VirtualTime:
    """The virtual clock of one broker."""

    def __init__(self, broker: HasClock, patience_s: float = PATIENCE_S) -> None:
        self._broker = broker
        self.patience_s = patience_s
        self.waited = Waited()
        self.changes = 0
        self.on_passing: Callable[[], None] = lambda: None
        """Called when a scenario has let time pass."""

    def has_changed(self) -> None:
        """Something may be visible that was not before."""
        self.changes += 1

    def now_ms(self) -> float:
        """The virtual milliseconds since 1970."""
        return self._broker.now_ms

    def let_pass(self, ms: float) -> None:
        """Advance the virtual clock at once by so much."""
        self._broker.advance(round(ms))
        self.on_passing()

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Count tries, with virtual time between them."""
        began = self._broker.now_ms
        end = began + 1000 * (self.patience_s if patience is None else patience)
        in_vain = False
        try:
            for number in itertools.count(1):
                yield number
                step = STEP_MS if number <= _STEPS_BEFORE_IT_GROWS else LONGEST_STEP_MS
                if self._broker.now_ms + step > end:
                    in_vain = True
                    return
                self._broker.advance(step)
        finally:
            if patience is None:
                self.waited.note(self.patience_s if in_vain else (self._broker.now_ms - began) / 1000, in_vain=in_vain)
