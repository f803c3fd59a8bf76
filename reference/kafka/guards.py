"""Verification guards: no batch enters the log on a verification that a marker has overtaken.

A leader asks the coordinator about a transaction before it appends the first batch, and a marker may come in between. So it draws a
guard before it asks, and the append is good only while the partition still holds that guard: the marker takes it away.

Source: "Race Condition": the state is checked once more, in the moment of writing.
"""

import itertools
from dataclasses import dataclass, replace

from .values import ProducerIdAndEpoch


@dataclass(frozen=True, slots=True)
class Attempt:
    """A verification that is under way, or done and not yet used.

    `lowest_sequence` is the first that came: a later batch must not overtake it. `bumps_epoch` is whether a new client wrote it.
    """

    guard: int
    epoch: int
    lowest_sequence: int
    bumps_epoch: bool


class Guards:
    """The attempts of one partition, at most one for each producer. They are in memory only: after a crash nobody is waiting."""

    def __init__(self) -> None:
        self._attempts: dict[int, Attempt] = {}
        self._numbers = itertools.count(1)

    def draw(self, producer: ProducerIdAndEpoch, sequence: int, *, bumps_epoch: bool) -> Attempt:
        """Begin to verify; a producer that tries again goes on with its guard."""
        known = self._attempts.get(producer.producer_id)
        if known is None:
            attempt = Attempt(next(self._numbers), producer.epoch, sequence, bumps_epoch)
        elif producer.epoch > known.epoch:
            attempt = replace(known, epoch=producer.epoch, lowest_sequence=sequence)
        elif producer.epoch == known.epoch:
            attempt = replace(known, lowest_sequence=min(sequence, known.lowest_sequence))
        else:
            attempt = known
        self._attempts[producer.producer_id] = attempt
        return attempt

    def current(self, producer_id: int) -> Attempt | None:
        """The attempt that an append may rely on."""
        return self._attempts.get(producer_id)

    def appended(self, producer_id: int) -> None:
        """The batch is in the log, and the log itself tells from now on that the transaction is open."""
        self._attempts.pop(producer_id, None)

    def marked(self, marker: ProducerIdAndEpoch) -> None:
        """A marker came. It overtakes the attempt, unless the attempt is for the next transaction of a new client."""
        attempt = self._attempts.get(marker.producer_id)
        if attempt is not None and not (attempt.bumps_epoch and attempt.epoch == marker.epoch):
            del self._attempts[marker.producer_id]
