"""The pool of producers near their last epoch: the kit raises their epochs in advance and concurrently, while other scenarios are judged.

It prepares as many as are expected, a few at a time. A scenario that takes one waits for it; the wait ends when no epoch was raised for as
long as the session is patient, so a slow broker is waited for, and a stuck one is not.

A cluster acknowledges each of some 32,000 epochs when its replicas have it. If that takes longer than a scenario waits, producers near
their last epoch are not offered, which is no verdict on the cluster; a scenario can still take those that are ready later.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Outcome, Unknown

from .kafka_values import EPOCH_BEFORE_LAST, NearLastEpoch
from .last_epoch import Progress, Stopped

NEAR_LAST_EPOCH = "aged-ids"
"""The capability: a scenario may have a producer near its last epoch."""

SIDE_BY_SIDE = 3
"""How many producers are prepared at once for each node: in a cluster each mostly waits for the replicas of its last epoch."""
LONGEST_S = 180.0
"""The longest wait for one producer, whatever progress there is."""

Prepare: TypeAlias = Callable[[Progress], Outcome[NearLastEpoch]]
"""Brings one producer near its last epoch."""


class ProducerPool:
    """The prepared producers of one broker. Each is given out once; producers beyond the expected number are prepared on demand."""

    def __init__(self, patience_s: float, longest_s: float = LONGEST_S) -> None:
        self._patience_s, self._longest_s = patience_s, longest_s
        self._prepare: Prepare | None = None
        self._workers = ThreadPoolExecutor(SIDE_BY_SIDE, "raise epochs")
        self._producers: list[Future[Outcome[NearLastEpoch]]] = []
        self._began = self._last_raised = time.monotonic()
        self._raised = 0
        self._too_slow: str | None = None
        """Why scenarios wait for producers no more, after one waited in vain."""
        self._closed = False
        self._taking = threading.Lock()

    def open(self, prepare: Prepare, nodes: int = 1) -> None:
        """A broker or a cluster of `nodes` nodes serves; `prepare` brings a producer near its last epoch on it."""
        self._prepare = prepare
        self._workers = ThreadPoolExecutor(SIDE_BY_SIDE * nodes, "raise epochs")
        self._began = time.monotonic()

    def expect(self, count: int) -> None:
        """Begin to prepare that many producers."""
        assert self._prepare is not None, "a pool is opened before anything is expected of it"
        self._producers += [self._workers.submit(self._prepare, self._progress) for _ in range(count)]

    def take(self) -> Outcome[NearLastEpoch]:
        """A producer that only this caller gets. Unknown if none becomes ready; raises NotOffered if only time was lacking."""
        producer = self._next()
        began = self._last_raised = time.monotonic()
        while True:
            try:
                return producer.result(0 if self._too_slow else self._patience_s)
            except TimeoutError:
                now = time.monotonic()
                if now - self._last_raised >= self._patience_s:
                    return Unknown(f"no epoch of any producer was raised for {self._patience_s:g} s, so none could be exhausted")
                if self._too_slow or now - began >= self._longest_s:
                    self._producers.append(producer)
                    self._too_slow = self._too_slow or self._why_slow(now)
                    raise NotOffered(self._too_slow) from None

    def _next(self) -> "Future[Outcome[NearLastEpoch]]":
        """A producer that is ready, else the one that began first."""
        with self._taking:
            if not self._producers:
                self.expect(1)
            producer = next((one for one in self._producers if one.done()), self._producers[0])
            self._producers.remove(producer)
            return producer

    def close(self) -> None:
        """Stop raising epochs, and wait until all workers have ended."""
        self._closed = True
        self._workers.shutdown(cancel_futures=True)

    def _why_slow(self, now: float) -> str:
        return (
            f"{NEAR_LAST_EPOCH}: no producer was near its last epoch within {self._longest_s:g} s, since about "
            f"{self._raised / max(now - self._began, 1):.0f} epochs were raised in a second, of {EPOCH_BEFORE_LAST} for each"
        )

    def _progress(self, bumps: int) -> None:
        if bumps:
            self._last_raised = time.monotonic()
            self._raised += bumps
        if self._closed:
            raise Stopped
