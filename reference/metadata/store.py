"""What metadata-driven transactions ask of a metadata store. PIP-471, "Metadata store primitives".

Keys are text, ordered by their UTF-8 bytes; values are bytes. Every record has a version that changes with each put, so that a put or
a deletion can expect one. There is no transaction over several keys.

What a watch tells arrives in `settle` and `hear`, and nowhere else. Whoever changes a store calls `settle` between two steps, so that a
run is the same each time on a store that works by itself: all that was written before is told when it returns, but for what a fault
holds back. Who lives in real time, beside others that write, calls `hear` now and then, which waits for nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol, TypeAlias

NEW = -1
"""The version of a record that is not there: a put that expects it creates, or fails."""

Version: TypeAlias = int
Value: TypeAlias = bytes


@dataclass(frozen=True)
class Record:
    """A record as it stands. `version` is the store's own; only its being equal or not means something."""

    key: str
    value: Value
    version: Version


@dataclass(frozen=True)
class IndexEntry:
    """Under which key of a secondary index a record is found. It lives as long as that version of the record."""

    index: str
    key: str


class ChangeKind(Enum):
    """What became of a key."""

    CREATED = auto()
    MODIFIED = auto()
    DELETED = auto()


@dataclass(frozen=True)
class Change:
    """A key that changed. `version` is that of the record since then; None where it is deleted."""

    key: str
    kind: ChangeKind
    version: Version | None


class StoreError(Exception):
    """The store did not do it."""


class VersionConflict(StoreError):
    """The record is not at the version that was expected: nothing was written."""


class Unavailable(StoreError):
    """The store is not there, or did not answer: nobody knows whether it was done."""


class Watch(Protocol):
    """Something that is told of changes until it is closed."""

    def close(self) -> None:
        """Tell nothing any more. Closing twice does no harm."""
        ...


class Session(Protocol):
    """A client's life as the store knows it: ephemeral records end with it."""

    def put_ephemeral(self, key: str, value: Value, *, expected: Version | None = None) -> Record:
        """Write a record that is gone when the session is. Raises VersionConflict, Unavailable (also when the session has expired)."""
        ...

    def close(self) -> None:
        """End it, and delete what was ephemeral. Closing twice does no harm."""
        ...


class MetadataStore(Protocol):
    """A store. All calls raise Unavailable where it does not answer. `partition_key` must be the same whenever a key is meant."""

    def get(self, key: str, *, partition_key: str | None = None) -> Record | None:
        """The record of that key; None where there is none."""
        ...

    def put(
        self,
        key: str,
        value: Value,
        *,
        expected: Version | None = None,
        partition_key: str | None = None,
        indexes: Sequence[IndexEntry] = (),
    ) -> Record:
        """Write a record, whatever is there, or only over that version; NEW creates only. Its index entries replace the former ones.

        Raises VersionConflict.
        """
        ...

    def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> Record:
        """Create a record whose key is `prefix-` and the next number of that prefix, of 20 digits, from 1 (a sequence key).

        Concurrent ones get different numbers, and numbers ascend also over deleted records.
        """
        ...

    def delete(self, key: str, *, expected: Version | None = None, partition_key: str | None = None) -> None:
        """Delete a record and its index entries. What is not there is no error where no version is expected. Raises VersionConflict."""
        ...

    def keys(self, first: str, behind: str, *, partition_key: str | None = None) -> list[str]:
        """The keys from `first` to before `behind`, in order; without a partition key, of all partitions."""
        ...

    def scan(self, first: str, behind: str, *, partition_key: str | None = None) -> list[Record]:
        """The records of those keys."""
        ...

    def keys_by_index(self, index: str, first: str, behind: str) -> list[str]:
        """The keys of the records whose index keys lie from `first` to before `behind`, by index key, then by key."""
        ...

    def scan_by_index(self, index: str, first: str, behind: str) -> list[Record]:
        """The records of those keys, in the same order."""
        ...

    def watch(self, first: str, behind: str, told: Callable[[Change], None]) -> Watch:
        """Be told of each change of the keys from `first` to before `behind`, in the order of the changes, from now on."""
        ...

    def watch_sequence(self, prefix: str, told: Callable[[str], None], *, partition_key: str) -> Watch:
        """Be told the newest key of a sequence: once when there is any, and whenever it grows. Some may be skipped by newer ones."""
        ...

    def session(self) -> Session:
        """A new session."""
        ...

    def settle(self) -> None:
        """Tell every watch what was written until now, and what is written because of it."""
        ...

    def hear(self) -> None:
        """Tell the watches of this client what has come until now of what was written, by whomever; what has not comes later."""
        ...

    def close(self) -> None:
        """Give everything back. Watches and sessions of this client end."""
        ...


def only(key: str) -> tuple[str, str]:
    """The range that holds just this key, for `watch`."""
    return key, key + "\0"


def under(prefix: str) -> tuple[str, str]:
    """The range of all keys that begin so."""
    return prefix, prefix + "\U0010ffff"
