"""Verification guards: no batch enters the log on a verification that a marker has overtaken.

A leader asks the coordinator about a transaction before it appends the first batch, and a marker may come in between. So it draws a guard
before it asks, and the append is valid only while the partition still holds that guard: the marker removes it.

Source: "Race Condition": the state is checked once more, at the moment of writing.
"""

import itertools
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule

from .kafka_types import ProducerIdAndEpoch


@dataclass(frozen=True, slots=True)
class Attempt:
    """A verification that is in flight, or done and not yet used.

    `lowest_sequence` is the first that came: a later batch must not overtake it. `bumps_epoch` is whether a new client wrote it.
    """

    guard: int
    lowest_sequence: int
    bumps_epoch: bool


class Guards:
    """The attempts of one partition, at most one for each producer. They are in memory only: after a crash no request waits."""

    def __init__(self) -> None:
        self._attempts: dict[ProducerIdAndEpoch, Attempt] = {}
        self._numbers = itertools.count()

    def draw(self, producer: ProducerIdAndEpoch, sequence: int, *, bumps_epoch: bool) -> Attempt:
        """Begin to verify, or begin again, with a unique guard."""
        known = self._attempts.get(producer)
        lowest = sequence if known is None else min(sequence, known.lowest_sequence)
        attempt = self._attempts[producer] = Attempt(next(self._numbers), lowest, bumps_epoch)
        return attempt

    def current(self, producer: ProducerIdAndEpoch) -> Attempt | None:
        """The attempt that an append may rely on."""
        return self._attempts.get(producer)

    def end(self, producer_id: int) -> None:
        """A batch of the producer is in the log, which shows from now on that the transaction is open; or a marker has overtaken it."""
        rule("KIP890-207")
        rule("KIP890-219")
        self._attempts = {producer: attempt for producer, attempt in self._attempts.items() if producer.producer_id != producer_id}
