"""The faults of `store_faults` for any store: the store in memory has them itself, and this wraps any other.

It simulates reads and writes that are not answered, version conflicts, sessions that expire, and notifications that are late, repeated or
lost.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from .record_keys import sequence_key
from .store import IndexEntry, KeyChange, MetadataStore, StoreRecord, StoreSession, StoreWatch, Unavailable, Value, Version, VersionConflict
from .store_faults import StoreFaults

T = TypeVar("T")

_FIRST = 1


class TroubledStore:
    """A client of the store `inner` with faults."""

    def __init__(self, inner: MetadataStore, faults: StoreFaults) -> None:
        self._inner = inner
        self._faults = faults
        self._late: list[tuple[str, Callable[[], None]]] = []
        self._sessions: list[StoreSession] = []
        self.keys_by_index, self.scan_by_index = inner.keys_by_index, inner.scan_by_index
        self.close = inner.close

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        self._asked(first)
        return self._inner.keys(first, end, partition_key=partition_key)

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        self._asked(first)
        return self._inner.scan(first, end, partition_key=partition_key)

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        self._asked(key)
        if self._faults.happens("read-fails", key):
            raise Unavailable(f"the get of {key!r} was not answered")
        return self._inner.get(key, partition_key=partition_key)

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        with self._writing(key, expected):
            return self._inner.put(key, value, expected=expected, partition_key=partition_key, indexes=indexes)

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        with self._writing(sequence_key(prefix, _FIRST), None):
            return self._inner.append(prefix, value, partition_key=partition_key, indexes=indexes)

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        with self._writing(key, expected):
            self._inner.delete(key, expected=expected, partition_key=partition_key)

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        return self._inner.watch(first, end, lambda change: self._notify(change.key, reported, change))

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        return self._inner.watch_sequence(prefix, lambda key: self._notify(key, reported, key), partition_key=partition_key)

    def session(self) -> StoreSession:
        self._sessions.append(self._inner.session())
        return self._sessions[-1]

    def settle(self) -> None:
        self._inner.settle()
        self._notify_late()

    def hear(self) -> None:
        self._inner.hear()
        self._notify_late()

    def _notify_late(self) -> None:
        late, self._late = self._late, []
        for key, notify in late:
            if self._faults.is_held(key):
                self._late.append((key, notify))
            else:
                notify()

    def _notify(self, key: str, reported: Callable[[T], None], what: T) -> None:
        if self._faults.is_held(key):
            self._late.append((key, lambda: reported(what)))
            return
        for _ in range(self._faults.times_notified(key)):
            reported(what)

    def _asked(self, key: str) -> None:
        """A request for that key, or from that key on, begins."""
        if self._faults.happens("session-expires", key):
            for session in self._sessions:
                session.close()
            self._sessions.clear()

    @contextmanager
    def _writing(self, key: str, expected: Version | None) -> Iterator[None]:
        self._asked(key)
        if self._faults.happens("write-fails-before", key):
            raise Unavailable(f"the write of {key!r} was not answered")
        if expected is not None and self._faults.happens("version-conflict", key):
            raise VersionConflict(f"{key!r} is not at version {expected}, the store says")
        yield
        if self._faults.happens("write-fails-after", key):
            raise Unavailable(f"the write of {key!r} was not answered")
