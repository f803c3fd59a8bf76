"""The nursery: transactional ids that are aged ahead, side by side, while scenarios that need none of them are judged.

It is told how many are expected, and ages that many, a few at a time. Whoever takes one waits for it; the wait ends when no epoch was
raised for as long as the session is patient, so a broker that is slow is waited for and one that is stuck is not.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

from fencepost.contract.outcomes import Outcome, Unknown

from .ageing import Progress, Stopped
from .values import AgedId

AGED_IDS = "aged-ids"
"""The capability: a scenario may have a transactional id that is near its last epoch."""

SIDE_BY_SIDE = 3
_LONGEST_S = 180.0
"""How long one id is waited for, whatever progress there is."""

Age: TypeAlias = Callable[[Progress], Outcome[AgedId]]
"""Ages one id."""


class Nursery:
    """The aged ids of one broker. They are given out once each; more than were expected are aged when they are asked for."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._age: Age | None = None
        self._workers = ThreadPoolExecutor(SIDE_BY_SIDE, "ageing")
        self._ids: deque[Future[Outcome[AgedId]]] = deque()
        self._last_raised = time.monotonic()
        self._closed = False

    def open(self, age: Age) -> None:
        """The broker serves, and this is how ids are aged on it."""
        self._age = age

    def expect(self, count: int) -> None:
        """Begin to age that many ids."""
        assert self._age is not None, "a nursery is opened before anything is expected of it"
        self._ids += [self._workers.submit(self._age, self._progress) for _ in range(count)]

    def take(self) -> Outcome[AgedId]:
        """An id that nobody else gets. Unknown where none gets ready."""
        if not self._ids:
            self.expect(1)
        aged = self._ids.popleft()
        began = self._last_raised = time.monotonic()
        while True:
            try:
                return aged.result(self._patience_s)
            except TimeoutError:
                now = time.monotonic()
                if now - self._last_raised >= self._patience_s:
                    return Unknown(f"no epoch of any transactional id was raised for {self._patience_s:g} s, so none could be exhausted")
                if now - began >= _LONGEST_S:
                    return Unknown(f"no transactional id was near its last epoch within {_LONGEST_S:g} s")

    def close(self) -> None:
        """Stop ageing, and wait until nobody does."""
        self._closed = True
        self._workers.shutdown(cancel_futures=True)

    def _progress(self, bumps: int) -> None:
        if bumps:
            self._last_raised = time.monotonic()
        if self._closed:
            raise Stopped
