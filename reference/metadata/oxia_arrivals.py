"""Collects Oxia's notifications on a thread of its client, until another thread takes them."""

from collections.abc import Iterator, Mapping
from threading import Condition, Thread
from typing import Protocol


class Notification(Protocol):
    """A notification of Oxia's client, as far as it is read here."""

    def key(self) -> str:
        """The key as it is spelt in Oxia."""
        ...

    def notification_type(self) -> object:
        """What happened to the key."""
        ...

    def version_id(self) -> int:
        """The version of the record after the change; 0 if it was deleted."""
        ...


class Source(Protocol):
    """What Oxia's client calls notifications."""

    def __iter__(self) -> Iterator[Notification]:
        """Each notification as it arrives."""
        ...

    def close(self) -> None:
        """End the notifications."""
        ...


class Arrivals:
    """The notifications of one client, in the order in which they came."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.close = source.close
        self._changed = Condition()
        self._arrived: list[Notification] = []
        self._newest: dict[str, int] = {}
        Thread(target=self._take_in, daemon=True).start()

    def until(self, fences: Mapping[str, int], within_s: float) -> list[Notification]:
        """What has arrived, as soon as each of these keys has at that version or a later one. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._are_there(fences), within_s):
                raise TimeoutError(f"its notifications did not come within {within_s:g} s")
            return self._taken()

    def now(self) -> list[Notification]:
        """What has arrived."""
        with self._changed:
            return self._taken()

    def _taken(self) -> list[Notification]:
        arrived, self._arrived = self._arrived, []
        return arrived

    def _are_there(self, fences: Mapping[str, int]) -> bool:
        return all(self._newest.get(key, -1) >= version for key, version in fences.items())

    def _take_in(self) -> None:
        for notification in self._source:
            with self._changed:
                self._arrived.append(notification)
                self._newest[notification.key()] = notification.version_id()
                self._changed.notify_all()
