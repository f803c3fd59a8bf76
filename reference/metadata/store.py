"""What metadata-driven transactions need of a metadata store. PIP-471, "Metadata store primitives".

Keys are text, ordered by their UTF-8 bytes; values are bytes. Every record has a version that changes with each put, so that a put or a
deletion can expect one. There is no transaction over several keys.

Watches are notified only in `settle` and `hear`. A caller that changes a store calls `settle` between two steps, so that a run is the same
each time on a store that works on its own threads: when it returns, watches were notified of all that was written before, except what a
fault holds back. A process that runs in real time, concurrently with other writers, calls `hear` periodically, which does not wait.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol, TypeAlias

NEW = -1
"""The version of a missing record: a put that expects it creates, or fails."""

Version: TypeAlias = int
Value: TypeAlias = bytes


@dataclass(frozen=True)
class StoreRecord:
    """A record. `version` is the store's; it can only be compared for equality."""

    key: str
    value: Value
    version: Version


@dataclass(frozen=True)
class IndexEntry:
    """The key in a secondary index under which a record is found. The entry lives as long as that version of the record."""

    index: str
    key: str


class ChangeKind(Enum):
    """What happened to a key."""

    CREATED = auto()
    MODIFIED = auto()
    DELETED = auto()


@dataclass(frozen=True)
class KeyChange:
    """A key that changed. `version` is the version of the record after the change; None if it was deleted."""

    key: str
    kind: ChangeKind
    version: Version | None


class StoreError(Exception):
    """The store did not execute the request."""


class VersionConflict(StoreError):
    """The record does not have the expected version: nothing was written."""


class Unavailable(StoreError):
    """The store is unreachable, or did not answer: the outcome of the request is unknown."""


class StoreWatch(Protocol):
    """A watch is notified of changes until it is closed."""

    def close(self) -> None:
        """Stop notifications. Closing twice does no harm."""
        ...


class StoreSession(Protocol):
    """A client's life as the store knows it: ephemeral records end with it."""

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> StoreRecord:
        """Write a record that is deleted when the session ends. Raises VersionConflict, Unavailable (also when the session has expired)."""
        ...

    def close(self) -> None:
        """End the session, and delete its ephemeral records. Closing twice does no harm."""
        ...


class MetadataStore(Protocol):
    """A store. All calls raise Unavailable if it does not answer. All calls for a key must pass the same `partition_key`."""

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        """The record of that key; None if there is none."""
        ...

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> StoreRecord:
        """Write a record unconditionally, or only over the expected version; NEW creates only. Its index entries replace the former ones.

        Raises VersionConflict.
        """
        ...

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
        """Create a record whose key is `prefix-` and the next number of that prefix, of 20 digits, from 1 (a sequence key).

        Concurrent appends get different numbers, and numbers grow also when records are deleted.
        """
        ...

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        """Delete a record and its index entries. A missing record is no error if no version is expected. Raises VersionConflict."""
        ...

    def keys(self, first: str, end: str, *, partition_key: str | None = None) -> list[str]:
        """The keys from `first` to before `end`, in order; without a partition key, of all partitions."""
        ...

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        """The records of those keys."""
        ...

    def keys_by_index(self, index: str, first: str, end: str) -> list[str]:
        """The keys of the records whose index keys lie from `first` to before `end`, by index key, then by key."""
        ...

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        """The records of those keys, in the same order."""
        ...

    def watch(self, first: str, end: str, reported: Callable[[KeyChange], None]) -> StoreWatch:
        """Call `reported` for each change of the keys from `first` to before `end`, in the order of the changes, from now on."""
        ...

    def watch_sequence(self, prefix: str, reported: Callable[[str], None], *, partition_key: str) -> StoreWatch:
        """Call `reported` with the newest key of a sequence: once when there is any, and whenever it grows.

        Newer keys may replace older ones.
        """
        ...

    def session(self) -> StoreSession:
        """A new session."""
        ...

    def settle(self) -> None:
        """Notify every watch of what was written until now, and of what is written because of that."""
        ...

    def hear(self) -> None:
        """Notify this client's watches of the writes, by any client, whose notifications have arrived; a later call reports the others."""
        ...

    def close(self) -> None:
        """Release all resources. Watches and sessions of this client end."""
        ...


def only(key: str) -> tuple[str, str]:
    """The range that holds just this key, for `watch`."""
    return key, key + "\0"


def under(prefix: str) -> tuple[str, str]:
    """The range of all keys with this prefix."""
    return prefix, prefix + "\U0010ffff"
