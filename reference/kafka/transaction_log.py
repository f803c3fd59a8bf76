"""The transaction log, `__transaction_state`: what a coordinator knows after a crash.

Every transition is appended before it is in force, so that no answer and no marker reveals a decision that a crash could undo. The latest
record of a transactional id is its state, so now and then the log is compacted to that; a tombstone says that the id is forgotten. Producer
ids and the coordinator's epoch are kept separately: an id is given out once, and the epoch grows with each start, so that markers of an
earlier life differ from those of this one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.reference.kernel.journal import AppendRefused, Disk, Journal
from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .transaction import KafkaTransaction

_FIRST_PRODUCER_ID = 1_000
_COMPACTED_FROM = 50
"""A log with fewer records, in addition to two for each transactional id, is not compacted."""


@dataclass(frozen=True)
class Tombstone:
    """The record of a forgotten transactional id."""

    transactional_id: str


class KafkaTransactionLog:
    """The coordinator's journals."""

    def __init__(self, disk: Disk) -> None:
        self._records: Journal[KafkaTransaction | Tombstone] = disk.journal("__transaction_state")
        self._producer_ids: Journal[int] = disk.journal("producer-ids")
        starts: Journal[int] = disk.journal("coordinator-starts")
        self.earlier_starts = len(starts)
        """How many coordinators have started with this disk before this one."""
        starts.append(len(starts))
        self.coordinator_epoch = len(starts) - 1
        self._compact_at = _COMPACTED_FROM

    def append(self, transaction: KafkaTransaction) -> None:
        """Make a transition durable. Raises RequestRefused: COORDINATOR_NOT_AVAILABLE when the log does not accept it, and nothing has
        changed.
        """
        if self.must_be_durable(transaction):
            self._append(transaction)
            if len(self._records) >= self._compact_at:
                self.compact()

    def compact(self) -> None:
        """Keep the latest record of each transactional id."""
        latest = self.replay()
        self._records.replace(self.kept_by_compaction(latest.values()))
        self._compact_at = _COMPACTED_FROM + 2 * len(latest)

    def kept_by_compaction(self, latest: Iterable[KafkaTransaction]) -> list[KafkaTransaction]:
        """Decision: a compaction keeps all of the latest records, also those of ids with nothing open, for they identify the owner."""
        return list(latest)

    def forget(self, transactional_id: str) -> None:
        """Decision: a transactional id that has expired gets a tombstone. Raises RequestRefused: as `append`."""
        self._append(Tombstone(transactional_id))

    def _append(self, record: KafkaTransaction | Tombstone) -> None:
        try:
            self._records.append(record)
        except AppendRefused as refusal:
            rule("KIP890-460")
            rule("KIP890-461")
            rule("KIP890-462")
            raise RequestRefused(Errors.COORDINATOR_NOT_AVAILABLE, "the transaction log does not take the record") from refusal

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - each has to be
        """Decision: whether a crash must not undo this transition. It must undo none, least of all a prepared end."""
        rule("KIP890-160")
        rule("CORE-25")
        rule("CORE-26")
        return True

    def replay(self) -> dict[str, KafkaTransaction]:
        """Decision: after a crash, the latest record of each transactional id is its state."""
        latest = {record.transactional_id: record for record in self._records}
        return {name: record for name, record in latest.items() if isinstance(record, KafkaTransaction)}

    def new_producer_id(self) -> int:
        """Decision: a producer id that was never given out before."""
        producer_id = max(self._producer_ids, default=_FIRST_PRODUCER_ID - 1) + 1
        self._producer_ids.replace([producer_id])
        return producer_id
