"""The collection of headers. PIP-471, "Garbage collection".

The text deletes operation records that are left after the retention. They are left because a participant has not applied the end yet: to
delete them loses acknowledgements of a committed transaction (Q6), and without a header the outcome is lost. So participants are notified
again, and a header is deleted only when no participant has records of its transaction left.
"""

import contextlib
from collections.abc import Callable

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import VersionConflict
from fencepost.reference.pulsar.pulsar_types import TxnId

from .metadata_profile import MetadataProfile
from .record_models import HeaderState, MalformedRecord
from .transaction_records import TransactionRecords


class Collection:
    """A coordinator's periodic work on transactions that ended long ago. `notify` notifies participants of an end again."""

    def __init__(
        self,
        machine: Machine,
        records: TransactionRecords,
        profile: MetadataProfile,
        notify: Callable[[TxnId, HeaderState], None],
    ) -> None:
        self._machine = machine
        self._records = records
        self._profile = profile
        self._notify = notify
        self._next_at = machine.clock.now + profile.gc_interval_ms

    def sweep(self) -> None:
        """Collect, when it is time to."""
        if self._machine.clock.now < self._next_at:
            return
        self._next_at = self._machine.clock.now + self._profile.gc_interval_ms
        for state in (HeaderState.COMMITTED, HeaderState.ABORTED):
            for txn in self._records.finalized_before(state, self.oldest_kept()):
                with contextlib.suppress(MalformedRecord):  # a malformed record does not delay the others
                    self.collect(txn, state)

    def oldest_kept(self) -> int:
        """Decision: the moment since which ended transactions are kept, even without records."""
        rule("PIP471-37")
        return self._machine.clock.now - self._profile.gc_retention_ms

    def collect(self, txn: TxnId, state: HeaderState) -> None:
        """Decision: delete the header of a transaction without operation records; otherwise notify the participants that have some."""
        left = self._records.participants(txn)
        if left and self._profile.gc_leftovers == "notified-again":
            rule("PIP471-39")
            self._notify(txn, state)
            return
        for participant in left:
            self._records.delete_operations(txn, participant)
        found = self._records.header(txn)
        if found is not None:
            rule("PIP471-38")
            self._machine.crash_points.reach("during-collection")
            try:
                self._records.delete_header(txn, found[1])
            except VersionConflict:
                return  # another broker collects it concurrently
