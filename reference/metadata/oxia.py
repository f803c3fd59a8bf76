"""A metadata store on Oxia, by its official Python client. Needs `pip install 'fencepost[oxia]'`.

Each client of the store is one of Oxia's. A record has an envelope there, since Oxia does not tell under which index keys it found one.
Notifications come in real time on threads of the client: `settle` writes a fence into each shard, waits until its own notification is
there, so all before it are too, and only then tells, in the thread that called it.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from . import oxia_keys
from .envelope import Envelope
from .keys import by_index, sequence_key, sequence_of
from .oxia_arrivals import Arrivals
from .oxia_link import ANSWERS_WITHIN_S, KINDS, Link
from .store import NEW, Change, ChangeKind, IndexEntry, Record, Session, Unavailable, Value, Version, VersionConflict, Watch
from .timely import within

_HIGHEST = "\U0010ffff"


@dataclass(eq=False)
class _Watch:
    """Who is told, until it is closed."""

    is_open: bool = field(default=True, init=False)

    def close(self) -> None:
        self.is_open = False


@dataclass(eq=False)
class _RangeWatch(_Watch):
    first: str
    behind: str
    told: Callable[[Change], None]


@dataclass(eq=False)
class _SequenceWatch(_Watch):
    prefix: str
    partition_key: str
    told: Callable[[str], None]
    may_have_grown: bool = field(default=True, init=False)
    last: int = field(default=0, init=False)


class OxiaStore:
    """A client of the Oxia at `address`, as `127.0.0.1:6648`. `settle` of one tells also those `beside` it. Raises Unavailable."""

    def __init__(self, address: str, namespace: str = "default", *, beside: "OxiaStore | None" = None) -> None:
        self._address, self._namespace = address, namespace
        self._link = Link(address, namespace)
        try:
            self._notifications = self._link.ask(lambda client: client.get_notifications())
            self._fences = self._link.fences()
        except Unavailable:
            self._link.close()
            raise
        self._arrivals = Arrivals(self._notifications)
        self._pending: deque[tuple[_RangeWatch, Change]] = deque()
        self._ranges: list[_RangeWatch] = []
        self._sequences: list[_SequenceWatch] = []
        self._sessions: list[OxiaSession] = []
        self._settled_together: list[OxiaStore] = beside._settled_together if beside else []
        self._settled_together.append(self)

    def get(self, key: str, *, partition_key: str | None = None) -> Record | None:
        found = self._link.found(lambda client: client.get(oxia_keys.spelt(key), partition_key=partition_key))
        return Record(key, Envelope.opened(found[1]).value, found[2].version_id()) if found else None

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> Record:
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
        return Record(key, value, version.version_id())

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> Record:
        by_index(indexes)
        ticket, _ = self._link.write(
            lambda client: client.put(oxia_keys.tickets(prefix), b"", partition_key=partition_key, sequence_keys_deltas=[1])
        )
        number = oxia_keys.number_of(ticket, prefix)
        if number is None:
            raise self._link.unavailable(f"it gave {ticket!r} for the next number of {prefix!r}")
        record = self.put(sequence_key(prefix, number), value, expected=NEW, partition_key=partition_key, indexes=indexes)
        # Only the newest is needed.
        self._link.write(lambda client: client.delete(oxia_keys.ticket(prefix, number - 1), partition_key=partition_key))
        return record

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        there = self._link.write(
            lambda client: client.delete(oxia_keys.spelt(key), partition_key=partition_key, expected_version_id=expected), key
        )
        if not there and expected not in (None, NEW):
            raise VersionConflict(f"{key!r} is not there, expected version {expected}")

    def keys(self, first: str, behind: str, *, partition_key: str | None = None) -> list[str]:
        return [record.key for record in self.scan(first, behind, partition_key=partition_key)]

    def scan(self, first: str, behind: str, *, partition_key: str | None = None) -> list[Record]:
        found = self._scan(first, behind, partition_key=partition_key)
        return sorted((record for record, of in found if partition_key in (None, of.partition_key)), key=lambda record: record.key)

    def keys_by_index(self, index: str, first: str, behind: str) -> list[str]:
        return [record.key for record in self.scan_by_index(index, first, behind)]

    def scan_by_index(self, index: str, first: str, behind: str) -> list[Record]:
        # Oxia compares a bound with the index key and the record's key behind it, so an entry at the very bound is beyond it.
        found = self._scan(first, behind.rstrip("\0") + _HIGHEST, use_index=oxia_keys.index_name(index))
        inside = [(of.indexes[index], record) for record, of in found if first <= of.indexes[index] < behind]
        return [record for _, record in sorted(inside, key=lambda one: (one[0], one[1].key))]

    def watch(self, first: str, behind: str, told: Callable[[Change], None]) -> Watch:
        self._take_in()
        watch = _RangeWatch(first, behind, told)
        self._ranges.append(watch)
        return watch

    def watch_sequence(self, prefix: str, told: Callable[[str], None], *, partition_key: str) -> Watch:
        self._take_in()
        watch = _SequenceWatch(prefix, partition_key, told)
        self._sequences.append(watch)
        return watch

    def session(self) -> Session:
        self._link.check_open()
        session = OxiaSession(self._address, self._namespace)
        self._sessions.append(session)
        return session

    def settle(self) -> None:
        self._link.check_open()
        while sum(client._tell() for client in tuple(self._settled_together)):
            pass

    def close(self) -> None:
        if self in self._settled_together:
            self._settled_together.remove(self)
            with suppress(TimeoutError):
                within(ANSWERS_WITHIN_S, self._give_back)
            self._link.close()

    def _give_back(self) -> None:
        for session in self._sessions:
            session.close()
        self._notifications.close()

    def _tell(self) -> bool:
        """Tell the watches of this client what was written until now, and say whether there was anything."""
        if self not in self._settled_together:
            return False
        self._take_in()
        told = False
        while self._pending:
            watch, change = self._pending.popleft()
            if watch.is_open:
                told = True
                watch.told(change)
        for sequence in list(self._sequences):
            if sequence.is_open and sequence.may_have_grown:
                sequence.may_have_grown = False
                told = self._tell_newest(sequence) or told
        return told

    def _tell_newest(self, watch: _SequenceWatch) -> bool:
        """Tell the newest key of a sequence, if it is not the last that was told."""
        ticket = self._link.last_up_to(oxia_keys.last_ticket(watch.prefix), watch.partition_key)
        number = (oxia_keys.number_of(ticket, watch.prefix) if ticket else None) or 0
        if number <= watch.last:
            return False
        watch.last = number
        watch.told(sequence_key(watch.prefix, number))
        return True

    def _take_in(self) -> None:
        """Have all that was written until now, by whomever, pending for the watches that there are."""
        self._ranges = [watch for watch in self._ranges if watch.is_open]
        self._sequences = [watch for watch in self._sequences if watch.is_open]
        versions = {fence: self._write_fence(fence, partition_key) for fence, partition_key in self._fences.items()}
        try:
            arrived = self._arrivals.until(versions, ANSWERS_WITHIN_S)
        except TimeoutError as error:
            raise self._link.unavailable(error) from error
        for notification in arrived:
            key = oxia_keys.read(notification.key())
            if key is not None:
                kind = KINDS[notification.notification_type()]
                self._arrived(Change(key, kind, None if kind is ChangeKind.DELETED else notification.version_id()))

    def _write_fence(self, fence: str, partition_key: str) -> int:
        version: int = self._link.write(lambda client: client.put(fence, b"", partition_key=partition_key))[1].version_id()
        return version

    def _arrived(self, change: Change) -> None:
        for watch in self._ranges:
            if watch.first <= change.key < watch.behind:
                self._pending.append((watch, change))
        numbered = sequence_of(change.key)
        for sequence in self._sequences:
            if change.kind is ChangeKind.CREATED and numbered and numbered[0] == sequence.prefix:
                sequence.may_have_grown = True

    def _scan(
        self, first: str, behind: str, *, partition_key: str | None = None, use_index: str | None = None
    ) -> list[tuple[Record, Envelope]]:
        """The records of that range, in any order, with what their envelopes say."""
        if first >= behind:
            return []
        start, end = oxia_keys.spelt(first), oxia_keys.spelt(behind)
        rows = self._link.ask(lambda client: list(client.range_scan(start, end, partition_key=partition_key, use_index=use_index)))
        found: list[tuple[Record, Envelope]] = []
        for spelling, stored, version in rows:
            key = oxia_keys.read(spelling)
            if key is not None:
                envelope = Envelope.opened(stored)
                found.append((Record(key, envelope.value, version.version_id()), envelope))
        return found


class OxiaSession:
    """A session of its own, with a client of its own: Oxia's ends with its client."""

    def __init__(self, address: str, namespace: str) -> None:
        self._link = Link(address, namespace)
        self._by_shard: dict[int, int] = {}

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> Record:
        spelling = oxia_keys.spelt(key)
        _, version = self._link.write(
            lambda client: client.put(spelling, Envelope(value).sealed(), expected_version_id=expected, ephemeral=True), key
        )
        # The client silently begins another session where one has expired.
        if self._by_shard.setdefault(self._link.shard_of(spelling), version.session_id()) != version.session_id():
            self.close()
            raise self._link.unavailable("the session has expired")
        return Record(key, value, version.version_id())

    def close(self) -> None:
        self._link.close()
