"""What a cluster stores, for the metadata store in memory: records in order, indexes, sequences, and pending notifications."""

from bisect import bisect_left, insort
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from .record_keys import sequence_key
from .store import NEW, ChangeKind, KeyChange, StoreRecord, Value, Version, VersionConflict
from .store_faults import StoreFaults

_FORMER_KEPT = 1_000
"""For how many keys the record before the last change is kept; without a bound each deleted key would be kept for ever."""


@dataclass(frozen=True)
class _Stored:
    record: StoreRecord
    partition_key: str | None
    indexes: Mapping[str, str]
    session: object | None


@dataclass(eq=False)
class MemoryWatch:
    """One watch, until it is closed; `faults` are those of its client."""

    faults: StoreFaults
    is_open: bool = field(default=True, init=False)

    def close(self) -> None:
        self.is_open = False


@dataclass(frozen=True)
class _Notification:
    watch: MemoryWatch
    key: str
    notify: Callable[[], None]


@dataclass(frozen=True)
class _Range:
    watch: MemoryWatch
    first: str
    end: str
    reported: Callable[[KeyChange], None]


@dataclass(frozen=True)
class _Sequence:
    watch: MemoryWatch
    prefix: str
    reported: Callable[[str], None]


class MemoryData:
    """What a cluster stores. Brokers have clients of it, not this."""

    def __init__(self) -> None:
        self._stored: dict[str, _Stored] = {}
        self._keys: list[str] = []
        self._former: OrderedDict[str, StoreRecord | None] = OrderedDict()
        self._entries: dict[str, list[tuple[str, str]]] = {}
        self._numbers: dict[str, int] = {}
        self._versions = count(1)
        self._ranges: list[_Range] = []
        self._sequences: list[_Sequence] = []
        self._pending: deque[_Notification] = deque()

    def get(self, key: str, partition_key: str | None) -> StoreRecord | None:
        stored = self._found(key, partition_key)
        return stored.record if stored else None

    def has_former(self, key: str) -> bool:
        """Whether the record before the key's last change is known."""
        return key in self._former

    def former(self, key: str) -> StoreRecord | None:
        """The record before the key's last change."""
        return self._former[key]

    def write(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Mapping[str, str] | None = None,
        session: object | None = None,
    ) -> StoreRecord:
        """Write a record; with a session, one that ends with it. Raises VersionConflict."""
        before = self._at(expected, key, partition_key)
        record = StoreRecord(key, value, next(self._versions))
        if before is None:
            insort(self._keys, key)
        self._replace(key, _Stored(record, partition_key, indexes or {}, session))
        self._changed(KeyChange(key, ChangeKind.MODIFIED if before else ChangeKind.CREATED, record.version))
        return record

    def next_key(self, prefix: str) -> str:
        """The next key of the sequence."""
        return sequence_key(prefix, self._numbers.get(prefix, 0) + 1)

    def append(self, prefix: str, value: Value, partition_key: str, indexes: Mapping[str, str]) -> StoreRecord:
        """Write the next record of a sequence."""
        record = self.write(self.next_key(prefix), value, expected=NEW, partition_key=partition_key, indexes=indexes)
        self._numbers[prefix] = self._numbers.get(prefix, 0) + 1
        for sequence in self._sequences:
            if sequence.prefix == prefix:
                self._pending.append(_Notification(sequence.watch, record.key, partial(sequence.reported, record.key)))
        return record

    def delete(self, key: str, expected: Version | None, partition_key: str | None) -> None:
        """Delete a record. Raises VersionConflict."""
        if self._at(expected, key, partition_key) is None:
            return
        del self._keys[bisect_left(self._keys, key)]
        self._replace(key, None)
        self._changed(KeyChange(key, ChangeKind.DELETED, None))

    def end(self, session: object) -> None:
        """Delete the records that end with the session."""
        for key in [key for key in self._keys if self._stored[key].session is session]:
            self.delete(key, None, self._stored[key].partition_key)

    def scan(self, first: str, end: str, partition_key: str | None) -> list[StoreRecord]:
        """The records of the range, of all partitions or of one."""
        found = [self._stored[key] for key in self._keys[bisect_left(self._keys, first) : bisect_left(self._keys, end)]]
        return [stored.record for stored in found if partition_key in (None, stored.partition_key)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        """The records whose index keys are in that range."""
        entries = self._entries.get(index, [])
        return [self._stored[key].record for _, key in entries[bisect_left(entries, (first, "")) : bisect_left(entries, (end, ""))]]

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None], faults: StoreFaults) -> MemoryWatch:
        """Watch that range."""
        watch = MemoryWatch(faults)
        self._ranges.append(_Range(watch, first, end, reported))
        return watch

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], faults: StoreFaults) -> MemoryWatch:
        """Watch that sequence."""
        watch = MemoryWatch(faults)
        self._sequences.append(_Sequence(watch, prefix, reported))
        if number := self._numbers.get(prefix):
            newest = sequence_key(prefix, number)
            self._pending.append(_Notification(watch, newest, partial(reported, newest)))
        return watch

    def notify(self) -> None:
        """Send all pending notifications, and those that they cause; only what a fault holds stays."""
        self._ranges = [one for one in self._ranges if one.watch.is_open]
        self._sequences = [one for one in self._sequences if one.watch.is_open]
        held: list[_Notification] = []
        try:
            while self._pending:
                notification = self._pending.popleft()
                if not notification.watch.is_open:
                    continue
                faults = notification.watch.faults
                if faults.is_held(notification.key):
                    held.append(notification)
                    continue
                for _ in range(faults.times_notified(notification.key)):
                    if notification.watch.is_open:
                        notification.notify()
        finally:
            self._pending.extendleft(reversed(held))

    def _found(self, key: str, partition_key: str | None) -> _Stored | None:
        """What is stored. Raises ValueError if it has another partition key: a store of several shards would not find it."""
        stored = self._stored.get(key)
        if stored and stored.partition_key != partition_key:
            raise ValueError(f"{key!r} was written with partition key {stored.partition_key!r}, and is asked for with {partition_key!r}")
        return stored

    def _at(self, expected: Version | None, key: str, partition_key: str | None) -> _Stored | None:
        """What is stored, at the expected version. Raises VersionConflict."""
        stored = self._found(key, partition_key)
        seen = stored.record.version if stored else NEW
        if expected not in (None, seen):
            raise VersionConflict(f"{key!r} is at version {seen}, expected {expected}")
        return stored

    def _replace(self, key: str, stored: _Stored | None) -> None:
        """Replace what is stored there, also in the indexes."""
        before = self._stored.pop(key, None)
        for index, index_key in (before.indexes if before else {}).items():
            self._entries[index].remove((index_key, key))
        if stored:
            self._stored[key] = stored
            for index, index_key in stored.indexes.items():
                insort(self._entries.setdefault(index, []), (index_key, key))
        self._former[key] = before.record if before else None
        self._former.move_to_end(key)
        if len(self._former) > _FORMER_KEPT:
            self._former.popitem(last=False)

    def _changed(self, change: KeyChange) -> None:
        for one in self._ranges:
            if one.first <= change.key < one.end:
                self._pending.append(_Notification(one.watch, change.key, partial(one.reported, change)))
