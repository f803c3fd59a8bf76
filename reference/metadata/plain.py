"""Sequence keys and secondary indexes for a metadata store without them. PIP-471, "Metadata store primitives".

It needs only get, put, delete, keys, scan and watch of the store below. It keeps records under `BOOKKEEPING`, which its clients do not see:
a counter for each sequence, and for each index entry a record that names its record.

* The record is the truth: its envelope has its index entries. An entry is written before its record and deleted after it, so that a record
  never lacks one; an entry that its record does not have, left by a crash, is never returned.
* A record of a sequence is created before the counter includes it, so a watch is never notified of a key that does not exist yet.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import TypeVar

from fencepost.reference.kernel.rules import rule

from .envelope import Envelope
from .plain_entries import BOOKKEEPING, IndexEntries
from .record_keys import by_index, sequence_key, sequence_of
from .store import (
    NEW,
    IndexEntry,
    KeyChange,
    MetadataStore,
    StoreRecord,
    StoreSession,
    StoreWatch,
    Unavailable,
    Value,
    Version,
    VersionConflict,
    only,
)

_COUNTERS = BOOKKEEPING + "sequence/"
_TRIES = 100
"""How often a write is tried when another client was faster: each time one of them succeeded, so only a broken store needs so many."""

T = TypeVar("T")


class PlainStore:
    """Uses only `get`, `put`, `delete`, `keys`, `scan`, `watch`, `session`, `settle`, `hear` and `close` of `inner`."""

    def __init__(self, inner: MetadataStore) -> None:
        self._inner = inner
        self._entries = IndexEntries(inner)

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        record = self._inner.get(_callers(key), partition_key=partition_key)
        return _opened(record) if record else None

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        envelope = Envelope(value, partition_key, by_index(indexes))
        if expected is not None:
            return self._put(key, envelope, expected)
        return _tried(key, lambda: self._put(key, envelope, None))

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        """Decision: a sequence continues from its counter, so that the next record takes no longer to write than the first."""
        rule("PIP471-66")
        numbers = count(self._counted(prefix) + 1)

        def create() -> StoreRecord:
            number = next(numbers)
            record = self.put(sequence_key(prefix, number), value, expected=NEW, partition_key=partition_key, indexes=indexes)
            self._count(prefix, number)
            return record

        return _tried(prefix, create)

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        if expected is not None:
            self._delete(key, expected, partition_key)
        else:
            _tried(key, lambda: self._delete(key, None, partition_key))

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        return [key for key in self._inner.keys(first, end, partition_key=partition_key) if not key.startswith(BOOKKEEPING)]

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        found = self._inner.scan(first, end, partition_key=partition_key)
        return [_opened(record) for record in found if not record.key.startswith(BOOKKEEPING)]

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        """Decision: the keys of the records that have an index entry in that range."""
        rule("PIP471-66")
        return [record.key for record in self._entries.records(index, first, end)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        """Decision: the records of the same keys."""
        rule("PIP471-66")
        return [_opened(record) for record in self._entries.records(index, first, end)]

    def write(self, key: str, envelope: Envelope, seen: Version) -> StoreRecord:
        """Decision: the entries are written before their record, so that a failure between them leaves no record without its entry."""
        rule("PIP471-66")
        self._entries.write(key, envelope)
        return self._inner.put(key, envelope.sealed(), expected=seen, partition_key=envelope.partition_key)

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        """Decision: a watch is notified of the changes of callers' records as they are, and of none of the bookkeeping."""
        rule("PIP460-28")

        def of_callers(change: KeyChange) -> None:
            if not change.key.startswith(BOOKKEEPING):
                reported(change)

        return self._inner.watch(first, end, of_callers)

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        last = 0

        def counted(_: KeyChange) -> None:
            nonlocal last
            number = self._counted(prefix)
            if number > last:
                last = number
                reported(sequence_key(prefix, number))

        watch = self._inner.watch(*only(_COUNTERS + prefix), counted)
        self._count_again(prefix, partition_key)
        return watch

    def session(self) -> StoreSession:
        return _PlainSession(self._inner.session())

    def settle(self) -> None:
        self._inner.settle()

    def hear(self) -> None:
        self._inner.hear()

    def close(self) -> None:
        self._inner.close()

    def _put(self, key: str, envelope: Envelope, expected: Version | None) -> StoreRecord:
        """Write a record over the one that was read. Raises VersionConflict, even if no version was expected."""
        before = self._seen(key, expected, envelope.partition_key)
        old = self._entries.of(before)
        record = self.write(key, envelope, before.version if before else NEW)
        self._entries.delete(old)
        return StoreRecord(key, envelope.value, record.version)

    def _delete(self, key: str, expected: Version | None, partition_key: str | None) -> None:
        """Delete the record that was read, and its entries after it. Raises VersionConflict, even if no version was expected."""
        before = self._seen(key, expected, partition_key)
        if before is None:
            return
        if numbered := sequence_of(key):
            self._count(*numbered)
        old = self._entries.of(before)
        self._inner.delete(key, expected=before.version, partition_key=partition_key)
        self._entries.delete(old)

    def _seen(self, key: str, expected: Version | None, partition_key: str | None) -> StoreRecord | None:
        """The record in its envelope. Raises VersionConflict if it does not have the expected version."""
        record = self._inner.get(_callers(key), partition_key=partition_key)
        seen = record.version if record else NEW
        if expected not in (None, seen):
            raise VersionConflict(f"{key!r} is at version {seen}, expected {expected}")
        return record

    def _counted(self, prefix: str) -> int:
        """The number that the counter of a sequence is at."""
        counter = self._inner.get(_COUNTERS + prefix)
        return int(counter.value) if counter else 0

    def _count(self, prefix: str, number: int) -> None:
        """Raise the counter to at least that number, so that it is not used again."""

        def raise_it() -> None:
            counter = self._inner.get(_COUNTERS + prefix)
            if counter is None or int(counter.value) < number:
                self._inner.put(_COUNTERS + prefix, b"%d" % number, expected=counter.version if counter else NEW)

        _tried(prefix, raise_it)

    def _count_again(self, prefix: str, partition_key: str) -> None:
        """Write the counter of a sequence that has begun, so that its watches are notified; also for a record that the counter lacks."""
        counter = self._inner.get(_COUNTERS + prefix)
        number = int(counter.value) if counter else 0
        while self._inner.get(sequence_key(prefix, number + 1), partition_key=partition_key):
            number += 1
        if number:
            # If another client is faster, its write notifies the watches, too.
            with suppress(VersionConflict):
                self._inner.put(_COUNTERS + prefix, b"%d" % number, expected=counter.version if counter else NEW)


class _PlainSession:
    """A session of the store below, whose records have envelopes."""

    def __init__(self, inner: StoreSession) -> None:
        self._inner = inner

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> StoreRecord:
        record = self._inner.put_ephemeral(_callers(key), Envelope(value).sealed(), expected=expected)
        return StoreRecord(key, value, record.version)

    def close(self) -> None:
        self._inner.close()


def _tried(what: str, write: Callable[[], T]) -> T:
    """Write, and retry if another client was faster. Raises Unavailable."""
    for _ in range(_TRIES):
        with suppress(VersionConflict):
            return write()
    raise Unavailable(f"{what!r} was changed by others before it could be written, {_TRIES} times")


def _callers(key: str) -> str:
    """A key that callers may use. Raises ValueError."""
    if key.startswith(BOOKKEEPING):
        raise ValueError(f"{key!r} begins with {BOOKKEEPING!r}, which a store without native indexes keeps for itself")
    return key


def _opened(record: StoreRecord) -> StoreRecord:
    return StoreRecord(record.key, Envelope.opened(record.value).value, record.version)
