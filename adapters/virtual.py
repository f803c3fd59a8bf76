"""The time of a system whose clock is virtual: it passes only when somebody waits."""

import itertools
from collections.abc import Iterator
from typing import Protocol

from .live import PATIENCE_S

_STEP_MS = 20
"""How far an attempt moves the clock: less than the shortest of the reference's own intervals."""


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
    """The clock of one broker; waiting moves it."""

    def __init__(self, broker: HasClock, patience_s: float = PATIENCE_S) -> None:
        self._broker = broker
        self._patience_s = patience_s

    def now_ms(self) -> float:
        """The virtual milliseconds since 1970."""
        return self._broker.now_ms

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Count tries, with virtual time between them."""
        end = self._broker.now_ms + 1000 * (self._patience_s if patience is None else patience)
        for number in itertools.count(1):
            yield number
            if self._broker.now_ms + _STEP_MS > end:
                return
            self._broker.advance(_STEP_MS)
