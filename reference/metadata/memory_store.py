"""A deterministic metadata store in memory. `MemoryData` is what a cluster stores; `MemoryStore` is one client of it.

Each broker has a client. A closed client, as after its broker's crash, raises Unavailable, and its watches and sessions end.
`settle` of any client notifies the watches of all of them, in the order of the changes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from .memory_data import MemoryData, MemoryWatch
from .record_keys import by_index
from .store import IndexEntry, KeyChange, StoreRecord, StoreSession, StoreWatch, Unavailable, Value, Version, VersionConflict
from .store_faults import StoreFaults


class MemoryStore:
    """A client of `data`, or of new data."""

    def __init__(self, data: MemoryData | None = None, faults: StoreFaults | None = None) -> None:
        self._data = data or MemoryData()
        self._faults = faults or StoreFaults()
        self._watches: list[MemoryWatch] = []
        self._sessions: list[MemorySession] = []
        self._closed = False

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        self._asked(key)
        if self._faults.happens("read-fails", key):
            raise Unavailable(f"the get of {key!r} was not answered")
        if self._data.has_former(key) and self._faults.happens("stale-read", key):
            return self._data.former(key)
        return self._data.get(key, partition_key)

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
            return self._data.write(key, value, expected=expected, partition_key=partition_key, indexes=by_index(indexes))

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        with self._writing(self._data.next_key(prefix), None):
            return self._data.append(prefix, value, partition_key, by_index(indexes))

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        with self._writing(key, expected):
            self._data.delete(key, expected, partition_key)

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        return [record.key for record in self.scan(first, end, partition_key=partition_key)]

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        self._asked(first)
        return self._data.scan(first, end, partition_key)

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        return [record.key for record in self.scan_by_index(index, first, end)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        self._asked(first)
        return self._data.scan_by_index(index, first, end)

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        self._asked(first)
        return self._own(self._data.watch(first, end, reported, self._faults))

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:  # noqa: ARG002 - one memory
        self._asked(prefix)
        return self._own(self._data.watch_sequence(prefix, reported, self._faults))

    def session(self) -> StoreSession:
        self._is_open()
        session = MemorySession(self._data, self._writing)
        self._sessions.append(session)
        return session

    def settle(self) -> None:
        self._is_open()
        self._data.notify()

    def hear(self) -> None:
        self.settle()

    def close(self) -> None:
        self._closed = True
        for watch in self._watches:
            watch.close()
        self._end_sessions()

    def _is_open(self) -> None:
        if self._closed:
            raise Unavailable("this client of the store in memory was closed")

    def _asked(self, key: str) -> None:
        """A request for that key, or from that key on, begins."""
        self._is_open()
        if self._faults.happens("session-expires", key):
            self._end_sessions()

    def _own(self, watch: MemoryWatch) -> MemoryWatch:
        """A watch that ends with this client."""
        self._watches = [one for one in self._watches if one.is_open]
        self._watches.append(watch)
        return watch

    def _end_sessions(self) -> None:
        for session in self._sessions:
            session.close()
        self._sessions.clear()

    @contextmanager
    def _writing(self, key: str, expected: Version | None) -> Iterator[None]:
        """The faults before and after a write."""
        self._asked(key)
        if self._faults.happens("write-fails-before", key):
            raise Unavailable(f"the write of {key!r} was not answered")
        if expected is not None and self._faults.happens("version-conflict", key):
            raise VersionConflict(f"{key!r} is not at version {expected}, the store says")
        yield
        has_failed = self._faults.happens("write-fails-after", key)
        self._faults.written(key)
        if has_failed:
            raise Unavailable(f"the write of {key!r} was not answered")


class MemorySession:
    """A session of a client: its records are deleted when it is closed or has expired."""

    def __init__(self, data: MemoryData, writing: Callable[[str, Version | None], AbstractContextManager[None]]) -> None:
        self._data = data
        self._writing = writing
        self._ended = False

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> StoreRecord:
        with self._writing(key, expected):
            if self._ended:
                raise Unavailable(f"the session has ended, so {key!r} was not written")
            return self._data.write(key, value, expected=expected, session=self)

    def close(self) -> None:
        if not self._ended:
            self._ended = True
            self._data.end(self)
