"""What can be done to a reference broker, which loses its power also at a point of its code that has a name."""

from typing import Protocol

from fencepost.adapters.common.time import HasClock, VirtualTime
from fencepost.contract.errors import SystemUnreachable


class CanFail(HasClock, Protocol):
    """A reference broker."""

    @property
    def is_up(self) -> bool: ...

    def crash(self) -> None: ...

    def restart(self) -> None: ...

    def crash_at(self, point: str) -> None: ...


class ReferenceFaults:
    """The faults of one reference broker, but for those of its nodes."""

    def __init__(self, broker: CanFail, patience_s: float) -> None:
        self._broker = broker
        self._patience_s = patience_s
        self._armed: str | None = None

    def crash(self) -> None:
        self._broker.crash()

    def crash_at(self, point: str) -> None:
        self._broker.crash_at(point)
        self._armed = point

    def restart(self) -> None:
        self.await_crash()
        self._broker.restart()

    def await_crash(self) -> None:
        """What the coordinator tells others is on its way until time passes, so a point may still be ahead."""
        if self._armed is None:
            return
        for _ in VirtualTime(self._broker, self._patience_s).attempts():
            if not self._broker.is_up:
                self._armed = None
                return
        raise SystemUnreachable(f"the reference did not come to its crash point {self._armed} within {self._patience_s:g} s of its clock")
