"""Telling every participant of a decided transaction, again and again until each has answered.

PIP-31, "Transaction Coordinator": the coordinator sends the action to all partitions and subscriptions, and the transaction is
complete when all have answered. A participant that is not there only delays that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from fencepost.reference.kernel.network import Network
from fencepost.reference.kernel.rules import rule

from .errors import Refused
from .transaction import Transaction
from .values import Action, SubscriptionName, TxnId

Participant: TypeAlias = str | SubscriptionName
"""A partition by its name, or a subscription."""


@dataclass(frozen=True)
class EndOn:
    """What a participant is told. Every transaction of that coordinator up to `low_watermark` is complete."""

    txn: TxnId
    participant: Participant
    action: Action
    low_watermark: int


EndAt: TypeAlias = Callable[[EndOn], None]
"""A participant's way to end its part. Raises Refused while it cannot."""


class Participants:
    """Who has still to answer, transaction by transaction. `complete` is called once nobody has."""

    def __init__(self, network: Network, end_at: EndAt, complete: Callable[[TxnId], None]) -> None:
        self._network = network
        self._end_at = end_at
        self._complete = complete
        self._missing: dict[TxnId, dict[Participant, EndOn]] = {}

    def tell(self, transaction: Transaction, low_watermark: int) -> None:
        """Send the decision to all participants."""
        action = transaction.status.action
        assert action is not None, "only what is decided is told"
        rule("PIP31-35")
        everybody = self.to_tell(transaction)
        self._missing[transaction.txn] = {one: EndOn(transaction.txn, one, action, low_watermark) for one in everybody}
        for message in self._missing[transaction.txn].values():
            self._send(message)
        self._check(transaction.txn)

    def to_tell(self, transaction: Transaction) -> list[Participant]:
        """Who must follow the decision: everybody who was taken in."""
        return [*transaction.partitions, *transaction.subscriptions]

    def tell_again(self) -> None:
        """Send to those that could not do it, or were not reached."""
        in_flight = set(self._network.in_flight)
        for messages in list(self._missing.values()):
            for message in [message for message in messages.values() if message not in in_flight]:
                rule("PIP31-38")
                rule("PIP31-44")
                rule("PIP31-45")
                self._send(message)

    def missing(self, txn: TxnId) -> tuple[Participant, ...]:
        """Those that have not answered."""
        return tuple(self._missing.get(txn, ()))

    def _send(self, message: EndOn) -> None:
        self._network.send(message, self._arrived, lambda _: None)

    def _arrived(self, message: EndOn) -> None:
        try:
            self._end_at(message)
        except Refused:
            return  # it is told again
        self._missing.get(message.txn, {}).pop(message.participant, None)
        self._check(message.txn)

    def _check(self, txn: TxnId) -> None:
        if txn in self._missing and not self._missing[txn]:
            rule("PIP31-34")
            del self._missing[txn]
            self._complete(txn)
