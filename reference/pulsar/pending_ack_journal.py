"""The journal of a subscription's pending acknowledgements."""

from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.journal import Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .pending_ack_store import PendingAck
from .pulsar_types import EndAction, SubscriptionName, TxnId


@dataclass(frozen=True)
class TransactionEnded:
    """The end of a transaction on this subscription."""

    txn: TxnId
    action: EndAction


class PendingAckJournal:
    """The pending acknowledgements of one subscription, each durable before its client is answered."""

    def __init__(self, machine: Machine, name: SubscriptionName) -> None:
        self._machine = machine
        self._journal: Journal[PendingAck | TransactionEnded] = machine.disk.journal(self.journal_name(name))

    def journal_name(self, name: SubscriptionName) -> str:
        """Decision: where they are kept: each subscription of each topic has a separate journal. A topic's name has no space."""
        rule("PIP31-180")
        return f"pending-acks {name.topic} {name.name}"

    def append(self, waiting: PendingAck) -> None:
        if self.must_be_durable(waiting):
            self._journal.append(waiting)

    def must_be_durable(self, waiting: PendingAck) -> bool:  # noqa: ARG002 - what a broken journal would go by
        """Decision: whether a crash must not undo this. It must undo nothing that was answered."""
        rule("PIP31-60")
        return True

    def end(self, txn: TxnId, action: EndAction) -> None:
        self._machine.crash_points.reach("before-acknowledgement-ended")
        self._journal.append(TransactionEnded(txn, action))
        self._machine.crash_points.reach("after-marker-written")

    def replay(self) -> Sequence[PendingAck]:
        """Decision: what is pending after a crash is what was acknowledged and has not ended."""
        pending: list[PendingAck] = []
        for record in self._journal:
            if isinstance(record, PendingAck):
                rule("PIP31-60")
                pending.append(record)
            else:
                pending = [waiting for waiting in pending if waiting.txn != record.txn]
        return pending

    def erase(self) -> None:
        self._journal.replace(())
