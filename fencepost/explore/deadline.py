"""When an exploration has to be over."""

import math
import time
from dataclasses import dataclass

from fencepost.contract.waiting import Shortened

_LEAST_S = 0.1


class TimeIsUp(Exception):
    """The time is up in the middle of a sequence, which would have gone on in a way that is not known."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock, in seconds; None for never."""

    at: float | None = None

    @property
    def left_s(self) -> float:
        """How many seconds are left; none where it is over."""
        return math.inf if self.at is None else max(0.0, self.at - time.monotonic())

    def share(self, among: int) -> "Deadline":
        """The deadline of the first of so many who have equal shares of what is left."""
        return self if self.at is None else Deadline(time.monotonic() + self.left_s / among)

    def check(self, session: object = None) -> None:
        """Let a session wait no longer than there is time. Raises TimeIsUp."""
        if self.at is None:
            return
        if (left := self.left_s) == 0:
            raise TimeIsUp
        patience = getattr(session, "time", None)
        if isinstance(patience, Shortened):
            patience.shorten(max(left, _LEAST_S))
