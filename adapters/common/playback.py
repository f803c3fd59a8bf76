"""What plays of a recorded scenario have in common for every protocol: how a play may differ, its clock, and faults that do nothing."""

from collections.abc import Callable
from typing import Protocol

from .faults import NoCrashPoints
from .time import WallTime


class Parted(Exception):
    """The play differs from the recording. Exchanges count from 1, in the order in which they are kept."""


class NotRecorded(Parted):
    """The play needs something of the system that is not an answer to a request, and so is not recorded."""


class RecordedClock(Protocol):
    """The clock of a recording; pauses advance it."""

    def read_ms(self) -> float:
        """The time in milliseconds since 1970. Raises Parted if it is read too often without a request."""
        ...

    def advance(self, ms: float) -> None:
        """Advance the clock."""
        ...


class RecordedWallTime(WallTime):
    """The recorded time of a real system."""

    def __init__(self, clock: RecordedClock, patience_s: float, *, hears_of_changes: bool = False) -> None:
        super().__init__(patience_s, hears_of_changes=hears_of_changes)
        self._clock = clock

    def now_ms(self) -> float:
        return self._clock.read_ms()

    def _monotonic_s(self) -> float:
        return self._clock.read_ms() / 1000

    def _sleep(self, seconds: float) -> None:
        self._clock.advance(1000 * seconds)


class NothingHappens(NoCrashPoints):
    """The faults of a recorded system: they do nothing, because the recorded answers show their effect.

    `disconnect` is called when the system is killed or started, after which the session closes all connections.
    """

    def __init__(self, note: Callable[[Parted], Parted], disconnect: Callable[[], None] = lambda: None) -> None:
        self._note = note
        self._disconnect = disconnect

    def crash(self) -> None:
        self._disconnect()

    stop = start_again = restart = crash

    def double_answers(self) -> None:
        """Do nothing."""

    release_store = fail_key_topic = compact_key_topic = double_answers

    def crash_at(self, point: str) -> None:
        """Do nothing."""

    def pause(self, node: int) -> None:
        """Do nothing."""

    resume = pause

    def refuse_append(self, log: str, number: int) -> None:
        """Do nothing."""

    def append_is_to_be_refused(self, log: str) -> bool:
        raise self._unknown(f"whether the append to {log} has been refused")

    def trouble_store(self, fault: str, records: str) -> None:
        """Do nothing."""

    def delay_ends(self, ms: int) -> None:
        """Do nothing."""

    def damage_key_topic(self, record: bytes) -> None:
        """Do nothing."""

    def unreadable_key_records(self) -> int:
        raise self._unknown("how many records of key topics were reported as unreadable")

    def crash_broker(self, service_url: str) -> None:
        """Do nothing."""

    expire_session = crash_broker

    def _unknown(self, what: str) -> Parted:
        return self._note(NotRecorded(f"{what} is no answer to a request, so it is not recorded"))
