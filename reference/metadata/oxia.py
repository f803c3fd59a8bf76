"""A metadata store on Oxia, with its official Python client. Needs `pip install 'fencepost[oxia]'`.

Each client of the store is one client of Oxia. Each record has an envelope there, since Oxia does not return the index keys of a record
that it found.
Notifications arrive in real time on threads of the client: `settle` writes a fence into each shard, waits until its notification has
reached each client with watches, so that all before it have too, and only then notifies the watches, in the calling thread.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from . import oxia_keys
from .envelope import Envelope
from .oxia_link import ANSWERS_WITHIN_S, Failure, Link
from .oxia_watches import Watches
from .record_keys import by_index, sequence_key
from .store import NEW, IndexEntry, KeyChange, StoreRecord, StoreSession, StoreWatch, Unavailable, Value, Version, VersionConflict
from .timely import within

_HIGHEST = "\U0010ffff"
_TICKETS_LEFT = 64
"""How many used tickets a client leaves before it deletes them: deleting them one by one would cost one more write for each append."""


class OxiaStore:
    """A client of the Oxia at `address`, as `127.0.0.1:6648`. Its `settle` also notifies the watches of the clients `beside` it.

    Raises Unavailable if it was closed; for a request that Oxia does not execute, what `failure` makes.
    """

    def __init__(self, address: str, *, beside: "OxiaStore | None" = None, failure: Failure = Unavailable) -> None:
        self._address, self._failure = address, failure
        self._link = Link(address, failure)
        self._fences = self._link.fences()
        self._watches = Watches(self._link)
        self._sessions: list[OxiaSession] = []
        self._tickets: list[tuple[str, str, int]] = []
        """Sequences with a used ticket, by prefix, partition key and its number."""
        self._settled_together: list[OxiaStore] = beside._settled_together if beside else []
        self._settled_together.append(self)

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        found = self._link.found(lambda client: client.get(oxia_keys.spelt(key), partition_key=partition_key))
        return StoreRecord(key, Envelope.opened(found[1]).value, found[2].version_id()) if found else None

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
        _, version = self._link.write(
            lambda client: client.put(
                oxia_keys.spelt(key),
                envelope.sealed(),
                partition_key=partition_key,
                expected_version_id=expected,
                secondary_indexes={oxia_keys.index_name(index): oxia_keys.spelt(at) for index, at in envelope.indexes.items()},
            ),
            key,
        )
        return StoreRecord(key, value, version.version_id())

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        by_index(indexes)
        ticket, _ = self._link.write(
            lambda client: client.put(oxia_keys.tickets(prefix), b"", partition_key=partition_key, sequence_keys_deltas=[1])
        )
        number = oxia_keys.number_of(ticket, prefix)
        if number is None:
            raise self._link.unavailable(f"it gave {ticket!r} for the next number of {prefix!r}")
        record = self.put(sequence_key(prefix, number), value, expected=NEW, partition_key=partition_key, indexes=indexes)
        if number > 1:
            self._is_over(prefix, partition_key, number - 1)
        return record

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        there = self._link.write(
            lambda client: client.delete(oxia_keys.spelt(key), partition_key=partition_key, expected_version_id=expected), key
        )
        if not there and expected not in (None, NEW):
            raise VersionConflict(f"{key!r} is not there, expected version {expected}")

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        return [record.key for record in self.scan(first, end, partition_key=partition_key)]

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        found = self._scan(first, end, partition_key=partition_key)
        return sorted((record for record, of in found if partition_key in (None, of.partition_key)), key=lambda record: record.key)

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        return [record.key for record in self.scan_by_index(index, first, end)]

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        # Oxia compares a bound with the index key followed by the record's key, so an entry at the very bound is beyond it.
        found = self._scan(first, end.rstrip("\0") + _HIGHEST, use_index=oxia_keys.index_name(index))
        inside = [(of.indexes[index], record) for record, of in found if first <= of.indexes[index] < end]
        return [record for _, record in sorted(inside, key=lambda one: (one[0], one[1].key))]

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        self._link.check_open()
        return self._watches.open_range(first, end, reported, self._fence)

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        self._link.check_open()
        return self._watches.open_sequence(prefix, reported, partition_key)

    def session(self) -> StoreSession:
        self._link.check_open()
        session = OxiaSession(self._address, self._failure)
        self._sessions.append(session)
        return session

    def settle(self) -> None:
        self._link.check_open()
        while self._settled():
            pass

    def hear(self) -> None:
        self._link.check_open()
        self._watches.take_what_came()
        self._watches.notify()

    def clear(self, prefix: str) -> None:
        """Delete all records whose keys begin so, with the tickets of their sequences. No watch is notified."""
        for start in (oxia_keys.spelt(prefix), oxia_keys.tickets_under(prefix)):
            self._link.write(lambda client, start=start: client.delete_range(start, start + _HIGHEST))  # type: ignore[misc]

    def close(self) -> None:
        if self in self._settled_together:
            self._settled_together.remove(self)
            with suppress(TimeoutError):
                within(ANSWERS_WITHIN_S, self._give_back)
            self._link.close()

    def _give_back(self) -> None:
        for session in self._sessions:
            session.close()
        self._watches.close()

    def _settled(self) -> bool:
        """Notify the watches of all clients of what was written until now; whether one of them wrote something because of it."""
        clients = [client for client in self._settled_together if client._watches.are_there()]
        if not clients:
            return False
        fences = self._fence()
        written = self._written()
        for client in clients:
            client._watches.take_in(fences)
        for client in clients:
            if client in self._settled_together:
                client._watches.notify()
        return self._written() != written

    def _written(self) -> list[int]:
        links = [link for client in self._settled_together for link in (client._link, *(one.link for one in client._sessions))]
        return [link.writes for link in links]

    def _fence(self) -> dict[str, int]:
        """Write a fence into each shard; returns its version there."""
        return {fence: self._write_fence(fence, partition_key) for fence, partition_key in self._fences.items()}

    def _write_fence(self, fence: str, partition_key: str) -> int:
        version: int = self._link.write(lambda client: client.put(fence, b"", partition_key=partition_key))[1].version_id()
        return version

    def _is_over(self, prefix: str, partition_key: str, number: int) -> None:
        """A ticket is not the newest any more; such tickets are deleted, many at a time."""
        self._tickets.append((prefix, partition_key, number))
        if len(self._tickets) < _TICKETS_LEFT:
            return
        newest = {(prefix, partition_key): number for prefix, partition_key, number in self._tickets}
        self._tickets.clear()
        for (prefix, partition_key), number in newest.items():
            start, end = oxia_keys.ticket(prefix, 0), oxia_keys.ticket(prefix, number + 1)
            self._link.write(lambda client, start=start, end=end, at=partition_key: client.delete_range(start, end, partition_key=at))  # type: ignore[misc]

    def _scan(
        self, first: str, end: str, *, partition_key: str | None = None, use_index: str | None = None
    ) -> list[tuple[StoreRecord, Envelope]]:
        """The records of that range, in any order, with their envelopes."""
        if first >= end:
            return []
        start, stop = oxia_keys.spelt(first), oxia_keys.spelt(end)
        rows = self._link.ask(lambda client: list(client.range_scan(start, stop, partition_key=partition_key, use_index=use_index)))
        found: list[tuple[StoreRecord, Envelope]] = []
        for spelling, stored, version in rows:
            key = oxia_keys.read(spelling)
            if key is not None:
                envelope = Envelope.opened(stored)
                found.append((StoreRecord(key, envelope.value, version.version_id()), envelope))
        return found


class OxiaSession:
    """A session with a dedicated client: Oxia's session ends with its client."""

    def __init__(self, address: str, failure: Failure) -> None:
        self.link = Link(address, failure)
        self._by_shard: dict[int, int] = {}

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> StoreRecord:
        spelling = oxia_keys.spelt(key)
        _, version = self.link.write(
            lambda client: client.put(spelling, Envelope(value).sealed(), expected_version_id=expected, ephemeral=True), key
        )
        # The client silently begins another session when one has expired.
        if self._by_shard.setdefault(self.link.shard_of(spelling), version.session_id()) != version.session_id():
            self.close()
            raise self.link.unavailable("the session has expired")
        return StoreRecord(key, value, version.version_id())

    def close(self) -> None:
        self.link.close()
