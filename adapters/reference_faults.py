"""The faults of a reference broker, which can also crash at a named point of its code."""

from collections.abc import Callable
from typing import Protocol

from fencepost.adapters.common.time import HasClock, VirtualTime
from fencepost.contract.evidence import PointNotReached
from fencepost.reference.kernel.network import Network


class CanFail(HasClock, Protocol):
    """A reference broker."""

    @property
    def is_up(self) -> bool: ...

    @property
    def network(self) -> Network: ...

    def crash(self) -> None: ...

    def stop(self) -> None: ...

    def restart(self) -> None: ...

    def crash_at(self, point: str) -> None: ...


class ReferenceFaults:
    """The faults of one reference broker, except those of its nodes."""

    def __init__(self, broker: CanFail, patience_s: float) -> None:
        self._broker = broker
        self._patience_s = patience_s
        self._armed: str | None = None

    def crash(self) -> None:
        self._broker.crash()

    def stop(self) -> None:
        self._broker.stop()

    def crash_at(self, point: str) -> None:
        self._broker.crash_at(point)
        self._armed = point

    def restart(self) -> None:
        self.await_crash()
        self._broker.restart()

    def delay_messages(self, ms: int) -> None:
        self._broker.network.delay(ms)

    def repeat_messages(self, times: Callable[[object], int]) -> None:
        self._broker.network.repeat(times)

    def await_crash(self) -> None:
        """Wait for the crash point: the coordinator's messages to others are in flight until time passes, so it may still be ahead.

        Raises PointNotReached.
        """
        if self._armed is None:
            return
        for _ in VirtualTime(self._broker, self._patience_s).attempts():
            if not self._broker.is_up:
                self._armed = None
                return
        raise PointNotReached(f"the reference did not come to its crash point {self._armed} within {self._patience_s:g} s of its clock")
