"""A metadata store that notes its clients' writes, for the history of a scenario.

Only writes that were done are noted without a doubt. If the store did not answer, the outcome is unknown, and the note has the reason.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from fencepost.adapters.pulsar.store_writes import StoreWrite
from fencepost.reference.metadata.store import (
    IndexEntry,
    KeyChange,
    MetadataStore,
    StoreRecord,
    StoreSession,
    StoreWatch,
    Unavailable,
    Value,
    Version,
)

Note: TypeAlias = Callable[[StoreWrite, str | None], None]
"""Called with a write, and the reason why its outcome is unknown; None if it was done."""


class NotedStore:
    """A client of the store `inner`. Writes of sessions, and what ends with a session, are not noted: they have no transactions."""

    def __init__(self, inner: MetadataStore, note: Note) -> None:
        self._inner = inner
        self._note = note
        self.get, self.keys, self.scan = inner.get, inner.keys, inner.scan
        self.keys_by_index, self.scan_by_index = inner.keys_by_index, inner.scan_by_index
        self.settle, self.hear, self.close = inner.settle, inner.hear, inner.close

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        write = StoreWrite("put", key, value)
        with self._doubting(write):
            record = self._inner.put(key, value, expected=expected, partition_key=partition_key, indexes=indexes)
        self._note(write, None)
        return record

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        with self._doubting(StoreWrite("append", prefix, value)):
            record = self._inner.append(prefix, value, partition_key=partition_key, indexes=indexes)
        self._note(StoreWrite("append", record.key, value), None)
        return record

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        write = StoreWrite("delete", key)
        with self._doubting(write):
            self._inner.delete(key, expected=expected, partition_key=partition_key)
        self._note(write, None)

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        return self._inner.watch(first, end, reported)

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        return self._inner.watch_sequence(prefix, reported, partition_key=partition_key)

    def session(self) -> StoreSession:
        return self._inner.session()

    @contextmanager
    def _doubting(self, write: StoreWrite) -> Iterator[None]:
        """A version conflict is an answer: nothing was written, so nothing is noted."""
        try:
            yield
        except Unavailable as error:
            self._note(write, str(error))
            raise
