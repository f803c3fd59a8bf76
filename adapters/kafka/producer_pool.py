"""The pool of producers near their last epoch: their epochs are raised ahead, side by side, while other scenarios are judged.

It prepares as many as are expected, a few at a time. Whoever takes one waits for it; the wait ends when no epoch was
raised for as long as the session is patient, so a broker that is slow is waited for and one that is stuck is not.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

from fencepost.contract.outcomes import Outcome, Unknown

from .last_epoch import Progress, Stopped
from .values import NearLastEpoch

NEAR_LAST_EPOCH = "aged-ids"
"""The capability: a scenario may have a producer that is near its last epoch."""

SIDE_BY_SIDE = 3
_LONGEST_S = 180.0
"""How long one producer is waited for, whatever progress there is."""

Prepare: TypeAlias = Callable[[Progress], Outcome[NearLastEpoch]]
"""Brings one producer near its last epoch."""


class ProducerPool:
    """The prepared producers of one broker. They are given out once each; more than were expected are prepared when they are asked for."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._prepare: Prepare | None = None
        self._workers = ThreadPoolExecutor(SIDE_BY_SIDE, "raise epochs")
        self._producers: deque[Future[Outcome[NearLastEpoch]]] = deque()
        self._last_raised = time.monotonic()
        self._closed = False

    def open(self, prepare: Prepare) -> None:
        """The broker serves, and this is how a producer is brought near its last epoch on it."""
        self._prepare = prepare

    def expect(self, count: int) -> None:
        """Begin to prepare that many producers."""
        assert self._prepare is not None, "a pool is opened before anything is expected of it"
        self._producers += [self._workers.submit(self._prepare, self._progress) for _ in range(count)]

    def take(self) -> Outcome[NearLastEpoch]:
        """A producer that nobody else gets. Unknown where none gets ready."""
        if not self._producers:
            self.expect(1)
        producer = self._producers.popleft()
        began = self._last_raised = time.monotonic()
        while True:
            try:
                return producer.result(self._patience_s)
            except TimeoutError:
                now = time.monotonic()
                if now - self._last_raised >= self._patience_s:
                    return Unknown(f"no epoch of any producer was raised for {self._patience_s:g} s, so none could be exhausted")
                if now - began >= _LONGEST_S:
                    return Unknown(f"no producer was near its last epoch within {_LONGEST_S:g} s")

    def close(self) -> None:
        """Stop raising epochs, and wait until nobody does."""
        self._closed = True
        self._workers.shutdown(cancel_futures=True)

    def _progress(self, bumps: int) -> None:
        if bumps:
            self._last_raised = time.monotonic()
        if self._closed:
            raise Stopped
