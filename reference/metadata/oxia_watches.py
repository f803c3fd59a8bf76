"""The watches of one client of an Oxia: its notifications stay pending until `notify` is called.

The notifications are those of the whole Oxia, so a client subscribes to them only when it has a watch.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from . import oxia_keys
from .oxia_arrivals import Arrivals, Notification
from .oxia_link import ANSWERS_WITHIN_S, KINDS, Link
from .record_keys import sequence_key, sequence_of
from .store import ChangeKind, KeyChange, StoreWatch
from .timely import within


@dataclass(eq=False)
class _Watch:
    """One watch, until it is closed."""

    is_open: bool = field(default=True, init=False)

    def close(self) -> None:
        self.is_open = False


@dataclass(eq=False)
class _RangeWatch(_Watch):
    first: str
    end: str
    reported: Callable[[KeyChange], None]


@dataclass(eq=False)
class _SequenceWatch(_Watch):
    prefix: str
    partition_key: str
    reported: Callable[[str], None]
    may_have_grown: bool = field(default=False, init=False)
    last: int = field(default=0, init=False)


class Watches:
    """The open watches."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._arrivals: Arrivals | None = None
        self._pending: deque[tuple[_RangeWatch, KeyChange]] = deque()
        self._ranges: list[_RangeWatch] = []
        self._sequences: list[_SequenceWatch] = []

    def open_range(self, first: str, end: str, reported: Callable[[KeyChange], None], fence: Callable[[], Mapping[str, int]]) -> StoreWatch:
        """Watch a range of keys. `fence` writes a fence; the watch is notified of nothing before it."""
        if self._listen():
            self.take_in(fence())
        watch = _RangeWatch(first, end, reported)
        self._ranges.append(watch)
        return watch

    def open_sequence(self, prefix: str, reported: Callable[[str], None], partition_key: str) -> StoreWatch:
        """Watch a sequence. It is notified only of keys newer than its last one, so nothing has to be kept from it."""
        self._listen()
        watch = _SequenceWatch(prefix, partition_key, reported)
        watch.may_have_grown = self._newest(watch) > 0
        self._sequences.append(watch)
        return watch

    def are_there(self) -> bool:
        """Whether any watch is open."""
        self._ranges = [watch for watch in self._ranges if watch.is_open]
        self._sequences = [watch for watch in self._sequences if watch.is_open]
        return bool(self._ranges or self._sequences)

    def take_in(self, fences: Mapping[str, int]) -> None:
        """Make all that was written before these fences pending, and wait for it. Raises Unavailable."""
        if self._arrivals:
            try:
                self._arrived(self._arrivals.until(fences, ANSWERS_WITHIN_S))
            except TimeoutError as error:
                raise self._link.unavailable(error) from error

    def take_what_came(self) -> None:
        """Make all pending that has arrived, without waiting."""
        if self._arrivals:
            self._arrived(self._arrivals.now())

    def notify(self) -> bool:
        """Send what is pending; whether there was anything. Raises Unavailable."""
        reported = False
        while self._pending:
            watch, change = self._pending.popleft()
            if watch.is_open:
                reported = True
                watch.reported(change)
        for sequence in list(self._sequences):
            if sequence.is_open and sequence.may_have_grown:
                reported = self._notify_newest(sequence) or reported
        return reported

    def close(self) -> None:
        """End all watches, and the notifications."""
        for watch in (*self._ranges, *self._sequences):
            watch.close()
        if self._arrivals:
            with suppress(TimeoutError):
                within(ANSWERS_WITHIN_S, self._arrivals.close)

    def _listen(self) -> bool:
        """Subscribe to notifications from now on; whether the client had done so already."""
        if self._arrivals:
            return True
        self._arrivals = Arrivals(self._link.ask(lambda client: client.get_notifications()))
        return False

    def _notify_newest(self, watch: _SequenceWatch) -> bool:
        """Notify the watch of the newest key of a sequence, if it was not already; whether it was notified."""
        number = self._newest(watch)
        watch.may_have_grown = False
        if number <= watch.last:
            return False
        watch.last = number
        watch.reported(sequence_key(watch.prefix, number))
        return True

    def _newest(self, watch: _SequenceWatch) -> int:
        """The number that the sequence is at, 0 before its first. Raises Unavailable."""
        ticket = self._link.last_up_to(oxia_keys.last_ticket(watch.prefix), watch.partition_key)
        return (oxia_keys.number_of(ticket, watch.prefix) if ticket else None) or 0

    def _arrived(self, notifications: Iterable[Notification]) -> None:
        for notification in notifications:
            key, kind = oxia_keys.read(notification.key()), KINDS.get(notification.notification_type())
            if key is not None and kind is not None:
                self._changed(KeyChange(key, kind, None if kind is ChangeKind.DELETED else notification.version_id()))

    def _changed(self, change: KeyChange) -> None:
        for watch in self._ranges:
            if watch.first <= change.key < watch.end:
                self._pending.append((watch, change))
        numbered = sequence_of(change.key)
        for sequence in self._sequences:
            if change.kind is ChangeKind.CREATED and numbered and numbered[0] == sequence.prefix:
                sequence.may_have_grown = True
