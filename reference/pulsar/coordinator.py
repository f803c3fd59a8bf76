"""What a broker needs of a transaction coordinator, whichever way it keeps its transactions. `log_coordinator` is PIP-31's."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from .pulsar_types import EndAction, SubscriptionName, TxnId
from .transaction import PulsarTransaction

Reply: TypeAlias = Callable[[], None]
"""Answers a client that its transaction is ended as it asked."""


class TransactionCoordinator(Protocol):
    """One coordinator of several, which share nothing."""

    last_sequence: int
    """The sequence that was given last; -1 before the first."""

    def new(self, timeout_ms: int) -> TxnId:
        """Begin a transaction; it is durable before its id is returned."""
        ...

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        """Add partitions. Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when the end is decided."""
        ...

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        """Add subscriptions. Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when the end is decided."""
        ...

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        """Commit or abort. `reply` is called when the client may be answered.

        Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when it is ended the other way.
        """
        ...

    def sweep(self) -> None:
        """The timer's work: overdue transactions, and incomplete ones."""
        ...

    def describe(self, txn: TxnId) -> PulsarTransaction:
        """The state of a transaction. Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none of that id."""
        ...

    def is_over(self, txn: TxnId) -> bool:
        """Whether no participant will be notified of that transaction any more: all have answered, or it never was."""
        ...

    def is_applied(self, txn: TxnId) -> bool:
        """Whether it is over, and every participant has done its part."""
        ...

    def transactions(self) -> tuple[PulsarTransaction, ...]:
        """All transactions that it knows."""
        ...

    @property
    def low_watermark(self) -> int:
        """The highest sequence up to which every transaction is complete; -1 while there is none."""
        ...
