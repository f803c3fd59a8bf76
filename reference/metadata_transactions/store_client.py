"""A client of the metadata store with the broker's errors: what the store does not do now, the client may request again."""

import functools
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

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
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable.paths import TOPICS

from . import paths

_WATCHED = (paths.HEADERS, paths.EVENTS, TOPICS)
"""The prefixes of the records that participants and clients watch. After a write of another record, `settle` would notify no watch."""


P = ParamSpec("P")
R = TypeVar("R")


def _answering(ask: Callable[P, R]) -> Callable[P, R]:
    """The same call, with the broker's error where the store does not answer."""

    @functools.wraps(ask)
    def answered(*args: P.args, **options: P.kwargs) -> R:
        try:
            return ask(*args, **options)
        except Unavailable as error:
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"metadata store: {error}") from error

    return answered


class StoreClient:
    """The store, as the code of a broker asks it. A request that is not answered is CommandRefused: SERVICE_NOT_READY."""

    def __init__(self, store: MetadataStore) -> None:
        self._store = store
        self.close = store.close
        self.has_written = False
        """Whether a record that a participant may watch was written through this client since it settled."""

    def settle(self) -> None:
        self._store.settle()

    def hear(self) -> None:
        self._store.hear()

    @_answering
    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        return self._store.get(key, partition_key=partition_key)

    @_answering
    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        self._writes(key)
        return self._store.put(key, value, expected=expected, partition_key=partition_key, indexes=indexes)

    @_answering
    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        self._writes(prefix)
        return self._store.append(prefix, value, partition_key=partition_key, indexes=indexes)

    @_answering
    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        self._writes(key)
        self._store.delete(key, expected=expected, partition_key=partition_key)

    @_answering
    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        return self._store.keys(first, end, partition_key=partition_key)

    @_answering
    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        return self._store.scan(first, end, partition_key=partition_key)

    @_answering
    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        return self._store.keys_by_index(index, first, end)

    @_answering
    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        return self._store.scan_by_index(index, first, end)

    @_answering
    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        return self._store.watch(first, end, reported)

    @_answering
    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        return self._store.watch_sequence(prefix, reported, partition_key=partition_key)

    @_answering
    def session(self) -> StoreSession:
        return self._store.session()

    def _writes(self, key: str) -> None:
        self.has_written = self.has_written or key.startswith(_WATCHED)
