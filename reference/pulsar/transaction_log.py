"""The transaction log of one coordinator: what it knows after a crash.

Every change is appended before it is in force and before anything is answered. The latest entry of a transaction is its state.
PIP-31, "Transaction Metadata Store": the entry COMMITTING or ABORTING is the point from which the outcome is certain.
"""

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .pulsar_types import TxnId
from .transaction import PulsarTransaction


class PulsarTransactionLog:
    """The journal of coordinator `tc_id`."""

    def __init__(self, disk: Disk, tc_id: int) -> None:
        self._entries: Journal[PulsarTransaction] = disk.journal(f"transaction-log-{tc_id}")

    def append(self, transaction: PulsarTransaction) -> None:
        """Decision: make a change durable, all of it."""
        if self.must_be_durable(transaction):
            self._entries.append(transaction)

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:  # noqa: ARG002 - what a broken log would go by
        """Decision: whether a crash must not undo this change. It must undo none."""
        rule("PIP31-28")
        rule("CORE-25")
        rule("CORE-26")
        return True

    def replay(self) -> dict[TxnId, PulsarTransaction]:
        """Decision: the state of each transaction after a start, complete ones too: ids are not given out twice."""
        return {entry.txn: entry for entry in self._entries}
