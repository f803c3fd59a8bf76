"""What every metadata store does, as a state machine for Hypothesis with plain dictionaries as its model.

A subclass says which clients of one store it is about. Keys of an example begin with a separate root, so that a store that outlives the
example, as a real one does, can be asked again.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fencepost.reference.metadata.store import (
    NEW,
    ChangeKind,
    IndexEntry,
    KeyChange,
    MetadataStore,
    StoreRecord,
    StoreSession,
    StoreWatch,
    VersionConflict,
    only,
)

ROOTS = count(1)
CLIENTS = 2
NEVER = 10**15
"""A version that no store gives."""

KEYS = st.sampled_from(
    ["a", "a/", "a/b", "a/b/c", "a//b", "a.b", "a-b", "a0", "b", "p/x", "p/y/z", "q/x", "s", "s/t", "é", "\uffff", "\U00010000"]
)
"""Among them such as are in another order where slashes, or halves of UTF-16, count; the prefixes of sequences; and two partitions."""
PREFIXES = st.sampled_from(["s", "s/t", "s-00000000000000000001"])
FEW = st.runner().flatmap(lambda machine: st.sampled_from(machine.keys))
"""The keys of an example, so few that it uses each repeatedly."""
BOUNDS = st.one_of(FEW, KEYS, st.sampled_from(["", "a\0", "a/b\0", "s-", "~", "\U0010ffff"]))
RANGES = st.one_of(
    st.just(("", "\U0010ffff")), st.lists(BOUNDS, min_size=2, max_size=2, unique=True).map(lambda two: tuple(sorted(two, key=str.encode)))
)
INDEXES = st.sampled_from(["by time", "by/state"])
INDEX_KEYS = st.sampled_from(["", "0", "00", "1", "1/", "1/2", "1.2", "a\0b", "a\1b", "é", "\uffff", "\U00010000"])
ENTRIES = st.dictionaries(INDEXES, INDEX_KEYS)
VALUES = st.sampled_from([b"", b"1", b"two\n", b"\0\xff"])


@dataclass
class Known:
    """A record of the model."""

    value: bytes
    version: int
    indexes: dict[str, str]
    session: int | None = None


@dataclass
class Watching:
    """A watch, the notifications that are due, and those it received. The changes of one write may be notified in any order."""

    client: int
    covers: Callable[[str], bool]
    reported: list[KeyChange] = field(default_factory=list)
    due: list[list[KeyChange]] = field(default_factory=list)
    watch: StoreWatch | None = None


@dataclass
class WatchingSequence:
    """A watch of a sequence, and the notifications that it received."""

    client: int
    prefix: str
    reported: list[str] = field(default_factory=list)
    watch: StoreWatch | None = None


class StoreMachine(RuleBasedStateMachine):
    """Whatever clients do, they see the same records, and their watches are notified of every change."""

    in_order = True
    """Whether watches are notified of changes in their order; in a store of several shards only the changes of one key have one."""

    def open_client(self) -> MetadataStore:
        """Another client of the store that the example is about."""
        raise NotImplementedError

    @initialize(keys=st.lists(KEYS, min_size=2, max_size=4, unique=True))
    def begin(self, keys: list[str]) -> None:
        self.keys = keys
        self.root = f"r{next(ROOTS)}/"
        self.clients = [self.open_client() for _ in range(CLIENTS)]
        self.records: dict[str, Known] = {}
        self.versions: set[tuple[str, int]] = set()
        self.numbers: dict[str, int] = {}
        self.watches: list[Watching] = []
        self.sequences: list[WatchingSequence] = []
        self.sessions: dict[int, tuple[int, StoreSession]] = {}
        self.names = count(1)
        for client in range(CLIENTS):
            self.watch(client=client, bounds=("", "\U0010ffff"))
        first, end, *_ = sorted(keys, key=str.encode)
        self.watch(client=0, bounds=(first, end))

    def teardown(self) -> None:
        if not hasattr(self, "clients"):
            return
        self.settle()
        self.look(client=0)
        for client in self.clients:
            client.close()

    clients_ = st.integers(0, CLIENTS - 1)

    @rule(client=clients_, key=FEW, value=VALUES, entries=ENTRIES, expecting=st.sampled_from(["nothing", "it", "new", "other"]))
    def put(self, client: int, key: str, value: bytes, entries: dict[str, str], expecting: str) -> None:
        expected = self._expected(key, expecting)

        def write() -> StoreRecord:
            return self.clients[client].put(
                self.root + key, value, expected=expected, partition_key=self._partition(key), indexes=self._entries(entries)
            )

        self._write(key, value, entries, expected, write)

    @rule(client=clients_, prefix=PREFIXES, value=VALUES, entries=ENTRIES)
    def append(self, client: int, prefix: str, value: bytes, entries: dict[str, str]) -> None:
        number = self.numbers.get(prefix, 0) + 1
        key = f"{prefix}-{number:020}"

        def write() -> StoreRecord:
            return self.clients[client].append(self.root + prefix, value, partition_key=self.root + prefix, indexes=self._entries(entries))

        self._write(key, value, entries, None, write)
        self.numbers[prefix] = number

    @rule(client=clients_, data=st.data(), expecting=st.sampled_from(["nothing", "it", "new", "other"]))
    def delete(self, client: int, data: st.DataObject, expecting: str) -> None:
        key = data.draw(st.sampled_from(sorted({*self.keys, *self.records})), label="key")
        expected = self._expected(key, expecting)

        def delete() -> None:
            self.clients[client].delete(self.root + key, expected=expected, partition_key=self._partition(key))

        if expected not in (None, self._version(key)):
            with pytest.raises(VersionConflict):
                delete()
            return
        delete()
        if self.records.pop(key, None):
            self._changed([KeyChange(self.root + key, ChangeKind.DELETED, None)])

    @rule(client=clients_)
    def look(self, client: int) -> None:
        """All records one by one, and all of each partition."""
        store, everything = self.clients[client], (self.root, self.root + "\U0010ffff")
        for key in {*self.keys, *self.records}:
            assert store.get(self.root + key, partition_key=self._partition(key)) == self._record(key)
        for partition in ("p", "q"):
            seen = store.scan(*everything, partition_key=self.root + partition)
            assert seen == [self._record(key) for key in self._in_order() if key.startswith(f"{partition}/")]
            assert store.keys(*everything, partition_key=self.root + partition) == [record.key for record in seen]

    @rule(client=clients_, bounds=RANGES)
    def scan(self, client: int, bounds: tuple[str, str]) -> None:
        expected = [key for key in self._in_order() if bounds[0].encode() <= key.encode() < bounds[1].encode()]
        first, end = (self.root + bound for bound in bounds)
        assert self.clients[client].keys(first, end) == [self.root + key for key in expected]
        assert self.clients[client].scan(first, end) == [self._record(key) for key in expected]
        assert self.clients[client].scan(end, first) == []

    @rule(client=clients_, index=INDEXES, first=INDEX_KEYS, end=st.one_of(INDEX_KEYS, st.just("\U0010ffff")))
    def scan_by_index(self, client: int, index: str, first: str, end: str) -> None:
        entries = sorted((known.indexes[index].encode(), key.encode()) for key, known in self.records.items() if index in known.indexes)
        expected = [key.decode() for index_key, key in entries if first.encode() <= index_key < end.encode()]
        assert self.clients[client].keys_by_index(self.root + index, first, end) == [self.root + key for key in expected]
        assert self.clients[client].scan_by_index(self.root + index, first, end) == [self._record(key) for key in expected]

    @rule(client=clients_, index=INDEXES, key=INDEX_KEYS)
    def scan_one_key_of_an_index(self, client: int, index: str, key: str) -> None:
        """The range of exactly that key, which Oxia's own bounds would make too small."""
        expected = [found for found in self._in_order() if self.records[found].indexes.get(index) == key]
        assert self.clients[client].keys_by_index(self.root + index, *only(key)) == [self.root + found for found in expected]
        assert self.clients[client].scan_by_index(self.root + index, *only(key)) == [self._record(found) for found in expected]

    @rule(client=clients_, bounds=RANGES)
    def watch(self, client: int, bounds: tuple[str, str]) -> None:
        one = Watching(client, lambda key: bounds[0].encode() <= key.encode() < bounds[1].encode())
        one.watch = self.clients[client].watch(self.root + bounds[0], self.root + bounds[1], one.reported.append)
        self.watches.append(one)

    @rule(client=clients_, prefix=PREFIXES)
    def watch_sequence(self, client: int, prefix: str) -> None:
        one = WatchingSequence(client, prefix)
        one.watch = self.clients[client].watch_sequence(self.root + prefix, one.reported.append, partition_key=self.root + prefix)
        self.sequences.append(one)

    @precondition(lambda self: self.watches)
    @rule(data=st.data())
    def close_watch(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.watches), label="watch")
        assert one.watch
        one.watch.close()
        one.watch.close()
        self.watches.remove(one)

    @rule(client=clients_)
    def open_session(self, client: int) -> None:
        self.sessions[next(self.names)] = client, self.clients[client].session()

    @precondition(lambda self: self.sessions)
    @rule(
        data=st.data(),
        key=st.sampled_from(["e", "e/1"]) | FEW,
        value=VALUES,
        expecting=st.sampled_from(["nothing", "it", "new", "other"]),
    )
    def put_ephemeral(self, data: st.DataObject, key: str, value: bytes, expecting: str) -> None:
        assume(self._partition(key) is None)
        name = data.draw(st.sampled_from(sorted(self.sessions)), label="session")
        expected = self._expected(key, expecting)

        def write() -> StoreRecord:
            return self.sessions[name][1].put_ephemeral(self.root + key, value, expected=expected)

        self._write(key, value, {}, expected, write, name)

    @precondition(lambda self: self.sessions)
    @rule(data=st.data())
    def close_session(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.sessions)), label="session")
        session = self.sessions[name][1]
        session.close()
        session.close()
        self._session_ended(name)

    @rule(client=clients_)
    def crash(self, client: int) -> None:
        self.clients[client].close()
        self.clients[client].close()
        for name in [name for name, (of, _) in self.sessions.items() if of == client]:
            self._session_ended(name)
        self.clients[client] = self.open_client()
        self.watches = [one for one in self.watches if one.client != client]
        self.sequences = [one for one in self.sequences if one.client != client]

    @rule()
    def settle(self) -> None:
        for client in self.clients:
            client.settle()
        for one in self.watches:
            reported = iter(one.reported if self.in_order else _by_key(one.reported))
            assert len(one.reported) == sum(map(len, one.due)), (one.reported, one.due)
            for group in one.due if self.in_order else [_by_key(itertools.chain(*one.due))]:
                assert _by_key(next(reported) for _ in group) == _by_key(group)
            one.reported.clear()
            one.due.clear()
        for sequence in self.sequences:
            newest = self.numbers.get(sequence.prefix, 0)
            numbers = [int(key.removeprefix(f"{self.root}{sequence.prefix}-")) for key in sequence.reported]
            assert numbers == sorted(set(numbers))
            assert numbers[-1:] == ([newest] if newest else [])

    @invariant()
    def nothing_is_reported_between(self) -> None:
        assert not any(one.reported for one in getattr(self, "watches", []))

    def _write(
        self,
        key: str,
        value: bytes,
        entries: dict[str, str],
        expected: int | None,
        write: Callable[[], StoreRecord],
        session: int | None = None,
    ) -> None:
        """A write of any kind, and what it changes."""
        if expected not in (None, self._version(key)):
            with pytest.raises(VersionConflict):
                write()
            return
        record = write()
        assert (record.key, record.value) == (self.root + key, value)
        assert (key, record.version) not in self.versions
        self.versions.add((key, record.version))
        kind = ChangeKind.MODIFIED if key in self.records else ChangeKind.CREATED
        self.records[key] = Known(value, record.version, entries, session)
        self._changed([KeyChange(record.key, kind, record.version)])

    def _session_ended(self, name: int) -> None:
        del self.sessions[name]
        gone = [key for key, known in self.records.items() if known.session == name]
        for key in gone:
            del self.records[key]
        self._changed([KeyChange(self.root + key, ChangeKind.DELETED, None) for key in gone])

    def _changed(self, changes: list[KeyChange]) -> None:
        for one in self.watches:
            if due := [change for change in changes if one.covers(change.key.removeprefix(self.root))]:
                one.due.append(due)

    def _expected(self, key: str, expecting: str) -> int | None:
        return {"nothing": None, "it": self._version(key), "new": NEW, "other": NEVER}[expecting]

    def _version(self, key: str) -> int:
        return self.records[key].version if key in self.records else NEW

    def _record(self, key: str) -> StoreRecord | None:
        known = self.records.get(key)
        return StoreRecord(self.root + key, known.value, known.version) if known else None

    def _in_order(self) -> list[str]:
        return sorted(self.records, key=str.encode)

    def _partition(self, key: str) -> str | None:
        """Those of a sequence are where the sequence is; some others are in a partition by the beginning of their key."""
        prefix, _, number = key.rpartition("-")
        if len(number) == 20:
            return self.root + prefix
        return self.root + key[0] if key.startswith(("p/", "q/")) else None

    def _entries(self, entries: dict[str, str]) -> list[IndexEntry]:
        return [IndexEntry(self.root + index, key) for index, key in entries.items()]


def _by_key(changes: Iterable[KeyChange]) -> list[KeyChange]:
    return sorted(changes, key=lambda change: change.key)
