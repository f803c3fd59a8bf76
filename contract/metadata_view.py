"""What a scenario may look at in the metadata store of a system, and which faults that store may have.

With `metadata-store` headers and operation records can be seen, with `metadata-indexes` the secondary indexes, and with `store-faults`
the store can fail. Transactions are named by coordinator and sequence. With `entry-counts` the entries of a log can be counted on disk.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class HeaderSeen:
    """A header. `state` is OPEN, COMMITTED or ABORTED; moments are milliseconds since 1970, `ended_ms` None while it is open."""

    state: str
    created_ms: float
    deadline_ms: float
    ended_ms: float | None


@dataclass(frozen=True)
class OperationSeen:
    """An operation record: a write if there is no subscription. `position` is the ledger and entry of an acknowledgement."""

    topic: str
    subscription: str | None
    position: tuple[int, int] | None
    is_cumulative: bool = False


class MetadataView(Protocol):
    """The store, read-only."""

    def header(self, coordinator: int, sequence: int) -> HeaderSeen | None:
        """The header of a transaction; None if there is none."""
        ...

    def operations(self, coordinator: int, sequence: int) -> Sequence[OperationSeen]:
        """The operation records of a transaction."""
        ...

    def is_kept_together(self, coordinator: int, sequence: int) -> bool:
        """Whether all records of a transaction have its id as partition key. `metadata-indexes`."""
        ...

    def found_by_deadline(self) -> Sequence[tuple[int, int]]:
        """The transactions that the index by deadline has, in its order. `metadata-indexes`."""
        ...

    def found_by_final_state(self, state: str) -> Sequence[tuple[int, int]]:
        """The transactions that the index by final state has in that state, in its order. `metadata-indexes`."""
        ...

    def operations_found(self, coordinator: int, sequence: int) -> int:
        """How many entries the indexes of operation records have of a transaction. `metadata-indexes`."""
        ...


@runtime_checkable
class ShowsMetadata(Protocol):
    """A session with a system that offers `metadata-store`."""

    @property
    def metadata(self) -> MetadataView:
        """Its store."""
        ...


@runtime_checkable
class TroublesStore(Protocol):
    """The faults of a system that offers `store-faults` have these in addition to those of `Faults`."""

    def trouble_store(self, fault: str, records: str) -> None:
        """Make the store fail once, with the next record of that kind: `headers`, `operations`, `events`, `aborts`, `watermarks`
        or `layouts`; or with the layout of that scalable topic, by its name, or with one header: `header 0_3`, of coordinator 0. With
        `operations after one`, and so for each kind, the store does the next such request and fails with the one after it.

        A fault is `stale-read`, `read-fails`, `write-fails-before`, `write-fails-after`, `version-conflict`, `watch-lost`, `watch-late`
        or `watch-doubled`.
        """
        ...

    def release_store(self) -> None:
        """Deliver what was late."""
        ...


@runtime_checkable
class ShowsLedgers(Protocol):
    """A session with a system that offers `entry-counts`."""

    def length_of(self, log: str) -> int:
        """How many entries a log has, by its name in the system, whatever they are and whether or not readers may see them."""
        ...
