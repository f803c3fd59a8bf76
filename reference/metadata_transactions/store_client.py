"""A client of the metadata store with the broker's errors: what the store does not do now, the client may request again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from fencepost.reference.metadata.store import IndexEntry, KeyChange, MetadataStore, Record, Session, Unavailable, Value, Version, Watch
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable.paths import TOPICS

from . import paths

_WATCHED = (paths.HEADERS, paths.EVENTS, TOPICS)
"""The prefixes of the records that participants and clients watch. After a write of another record, `settle` would notify no watch."""


class StoreClient:
    """The store, as the code of a broker asks it. A request that is not answered is Refused: SERVICE_NOT_READY."""

    def __init__(self, store: MetadataStore) -> None:
        self._store = store
        self.close = store.close
        self.has_written = False
        """Whether a record that a participant may watch was written through this client since it settled."""

    def settle(self) -> None:
        self._store.settle()

    def hear(self) -> None:
        self._store.hear()

    def get(self, key: str, *, partition_key: str | None = None) -> Record | None:
        with _answering():
            return self._store.get(key, partition_key=partition_key)

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> Record:
        self._writes(key)
        with _answering():
            return self._store.put(key, value, expected=expected, partition_key=partition_key, indexes=indexes)

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> Record:
        self._writes(prefix)
        with _answering():
            return self._store.append(prefix, value, partition_key=partition_key, indexes=indexes)

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        self._writes(key)
        with _answering():
            self._store.delete(key, expected=expected, partition_key=partition_key)

    def keys(self, first: str, behind: str, *, partition_key: str | None = None) -> list[str]:
        with _answering():
            return self._store.keys(first, behind, partition_key=partition_key)

    def scan(self, first: str, behind: str, *, partition_key: str | None = None) -> list[Record]:
        with _answering():
            return self._store.scan(first, behind, partition_key=partition_key)

    def keys_by_index(self, index: str, first: str, behind: str) -> list[str]:
        with _answering():
            return self._store.keys_by_index(index, first, behind)

    def scan_by_index(self, index: str, first: str, behind: str) -> list[Record]:
        with _answering():
            return self._store.scan_by_index(index, first, behind)

    def watch(self, first: str, behind: str, reported: Callable[[KeyChange], None]) -> Watch:
        with _answering():
            return self._store.watch(first, behind, reported)

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> Watch:
        with _answering():
            return self._store.watch_sequence(prefix, reported, partition_key=partition_key)

    def session(self) -> Session:
        with _answering():
            return self._store.session()

    def _writes(self, key: str) -> None:
        self.has_written = self.has_written or key.startswith(_WATCHED)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise Refused(Error.SERVICE_NOT_READY, f"metadata store: {error}") from error
