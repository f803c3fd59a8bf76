"""A part of a metadata store that is a store by itself: all its keys lie under a root, and nothing else is visible through it.

Brokers with different roots can share one store, and none finds the records of another, even if it asks for everything, as `PlainStore`
does with its bookkeeping. A root should not be a prefix of another one: let all end with a slash.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from .record_keys import by_index
from .store import IndexEntry, KeyChange, MetadataStore, StoreRecord, StoreSession, StoreWatch, Value, Version


class RootedStore:
    """What lies under `root` in the store `inner`, with the keys, and the keys of indexes, that callers gave it."""

    def __init__(self, inner: MetadataStore, root: str) -> None:
        self._inner = inner
        self._root = root
        self.settle, self.hear, self.close = inner.settle, inner.hear, inner.close

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        record = self._inner.get(self._root + key, partition_key=partition_key)
        return self._below(record) if record else None

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        written = self._inner.put(self._root + key, value, expected=expected, partition_key=partition_key, indexes=self._rooted(indexes))
        return self._below(written)

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        return self._below(self._inner.append(self._root + prefix, value, partition_key=partition_key, indexes=self._rooted(indexes)))

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        self._inner.delete(self._root + key, expected=expected, partition_key=partition_key)

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        return [self._key(key) for key in self._inner.keys(self._root + first, self._root + end, partition_key=partition_key)]

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        return [self._below(record) for record in self._inner.scan(self._root + first, self._root + end, partition_key=partition_key)]

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        return [self._key(key) for key in self._inner.keys_by_index(index, self._root + first, self._root + end)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        return [self._below(record) for record in self._inner.scan_by_index(index, self._root + first, self._root + end)]

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        return self._inner.watch(self._root + first, self._root + end, lambda change: reported(replace(change, key=self._key(change.key))))

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        return self._inner.watch_sequence(self._root + prefix, lambda key: reported(self._key(key)), partition_key=partition_key)

    def session(self) -> StoreSession:
        return _RootedSession(self._inner.session(), self._root)

    def _key(self, key: str) -> str:
        return key.removeprefix(self._root)

    def _below(self, record: StoreRecord) -> StoreRecord:
        return replace(record, key=self._key(record.key))

    def _rooted(self, indexes: Sequence[IndexEntry]) -> list[IndexEntry]:
        return [IndexEntry(index, self._root + key) for index, key in by_index(indexes).items()]


class _RootedSession:
    """A session of the store below."""

    def __init__(self, inner: StoreSession, root: str) -> None:
        self._inner = inner
        self._root = root
        self.close = inner.close

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> StoreRecord:
        record = self._inner.put_ephemeral(self._root + key, value, expected=expected)
        return replace(record, key=record.key.removeprefix(self._root))
