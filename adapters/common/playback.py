"""What plays of a recorded scenario have in common for every protocol: how a play may differ, its clock, and faults that do nothing."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from .system_faults import NoCrashPoints
from .time import WallTime

_READS_AT_MOST = 100_000
"""The most readings of the clock between two exchanges. A loop that waits for a clock which only moves with exchanges would not end."""


class Parted(Exception):
    """The play differs from the recording. Exchanges count from 1, in the order in which they are kept."""


class NotRecorded(Parted):
    """The play needs something of the system that is not an answer to a request, and so is not recorded."""


class RecordedExchanges(ABC):
    """The recorded exchanges while they are played, and the corresponding clock, which exchanges and pauses advance."""

    def __init__(self, began_ms: float) -> None:
        self._now_ms = began_ms
        self._reads = 0
        self.parted: Parted | None = None
        """Why the play differed from the recording, once it has."""

    @property
    def now_ms(self) -> int:
        """The clock in whole milliseconds, for the virtual clock."""
        return round(self.read_ms())

    def read_ms(self) -> float:
        """The time in milliseconds since 1970. Raises Parted if it is read too often without an exchange."""
        self._reads += 1
        if self._reads > _READS_AT_MOST:
            raise self.part("the play waits for a time that the record does not have")
        return self._now_ms

    def advance(self, ms: float) -> None:
        """Advance the clock."""
        self._now_ms += ms

    def exchanged(self, at_ms: float) -> None:
        """The play has come to an exchange of that time."""
        self._reads = 0
        self._now_ms = max(self._now_ms, at_ms)

    @abstractmethod
    def finish(self) -> None:
        """The play has ended: note a difference if it has not come to the end of the record."""

    def part(self, said: str) -> Parted:
        """Note why the play differs from the recording."""
        return self.note(Parted(said))

    def note(self, parted: Parted) -> Parted:
        """Note a difference; the first one stays."""
        self.parted = self.parted or parted
        return self.parted


class RecordedWallTime(WallTime):
    """The recorded time of a real system."""

    def __init__(self, clock: RecordedExchanges, patience_s: float, *, hears_of_changes: bool = False) -> None:
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

    def delay_messages(self, ms: int) -> None:
        """Do nothing."""

    def repeat_messages(self, times: Callable[[object], int]) -> None:
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
