"""The clocks that systems live by: the machine's, or a virtual one that moves only when somebody waits."""

import itertools
import time
from collections.abc import Iterator
from typing import Protocol

from .patience import PATIENCE_S

STEP_MS = 20
"""How far one look for an answer moves a virtual clock: less than the shortest of the reference's own intervals."""

LONGEST_STEP_MS = 100
"""How far it moves when nothing has come for a while, as between looks at a system that has a clock of its own."""

_STEPS_BEFORE_IT_GROWS = 50


class WallTime:
    """The time of a system that has a clock of its own: pauses are short, and grow while nothing comes."""

    def __init__(self, patience_s: float) -> None:
        self.patience_s = patience_s

    def now_ms(self) -> float:
        return time.time() * 1000

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        end = time.monotonic() + (self.patience_s if patience is None else patience)
        pause = 0.005
        for number in itertools.count(1):
            yield number
            if time.monotonic() + pause > end:
                return
            time.sleep(pause)
            pause = min(pause * 2, 0.1)


class HasClock(Protocol):
    """A broker with a virtual clock."""

    @property
    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def advance(self, ms: int) -> None:
        """Let time pass."""
        ...


class VirtualTime:
    """The virtual clock of one broker."""

    def __init__(self, broker: HasClock, patience_s: float = PATIENCE_S) -> None:
        self._broker = broker
        self.patience_s = patience_s

    def now_ms(self) -> float:
        """The virtual milliseconds since 1970."""
        return self._broker.now_ms

    def let_pass(self, ms: float) -> None:
        """Let so much virtual time pass at once."""
        self._broker.advance(round(ms))

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Count tries, with virtual time between them."""
        end = self._broker.now_ms + 1000 * (self.patience_s if patience is None else patience)
        for number in itertools.count(1):
            yield number
            step = STEP_MS if number <= _STEPS_BEFORE_IT_GROWS else LONGEST_STEP_MS
            if self._broker.now_ms + step > end:
                return
            self._broker.advance(step)
