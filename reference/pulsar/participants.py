"""Sending the end of a decided transaction to every participant, again and again until each has answered.

PIP-31, "Transaction Coordinator": the coordinator sends the action to all partitions and subscriptions, and the transaction is complete
when all have answered. A missing participant only delays that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .pulsar_types import EndAction, SubscriptionName, TxnId
from .server_errors import CommandRefused
from .transaction import PulsarTransaction

Participant: TypeAlias = str | SubscriptionName
"""A partition by its name, or a subscription."""


@dataclass(frozen=True)
class EndOn:
    """What a participant is sent. Every transaction of that coordinator up to `low_watermark` is complete."""

    txn: TxnId
    participant: Participant
    action: EndAction
    low_watermark: int

    @property
    def topic(self) -> str:
        """The topic that the participant is, or belongs to."""
        return self.participant.topic if isinstance(self.participant, SubscriptionName) else self.participant


EndOnParticipant: TypeAlias = Callable[[EndOn], None]
"""Has a participant end its part, on whichever node it is. Raises CommandRefused: whatever the participant answers when it cannot."""


class Participants:
    """The participants that have still to answer, by transaction. `complete` is called once none has."""

    def __init__(self, machine: Machine, end_on: EndOnParticipant, complete: Callable[[TxnId], None]) -> None:
        self._machine = machine
        self._end_on = end_on
        self._complete = complete
        self._missing: dict[TxnId, dict[Participant, EndOn]] = {}

    def send_to_all(self, transaction: PulsarTransaction, low_watermark: int) -> None:
        """Decision: send the decision to all participants; if there are none, the transaction is complete."""
        action = transaction.status.action
        assert action is not None, "only what is decided is sent"
        rule("PIP31-03" if action is EndAction.COMMIT else "PIP31-04")
        rule("PIP31-35")
        rule("CORE-01")
        everybody = self.recipients(transaction)
        if not everybody:
            rule("PIP31-73")
        self._missing[transaction.txn] = {one: EndOn(transaction.txn, one, action, low_watermark) for one in everybody}
        for message in self._missing[transaction.txn].values():
            self.send(message)
        self.check_complete(transaction.txn)

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        """Decision: who must follow the end of a transaction: every partition and subscription that was added."""
        rule("CORE-22")
        rule("PIP31-122")
        return [*transaction.partitions, *transaction.subscriptions]

    def send_again(self) -> None:
        """Decision: participants that could not do it, or were not reached, are sent the end again."""
        in_flight = set(self._machine.network.in_flight)
        for messages in list(self._missing.values()):
            for message in [message for message in messages.values() if message not in in_flight]:
                rule("PIP31-38")
                rule("PIP31-44")
                rule("PIP31-45")
                self.send(message)

    def send(self, message: EndOn) -> None:
        """Decision: send to one participant, without waiting for the answers of others."""
        rule("PIP31-88")
        self._machine.send(message, self._arrived)

    def check_complete(self, txn: TxnId) -> None:
        """Decision: a transaction is complete when every participant has answered."""
        if txn in self._missing and not self._missing[txn]:
            rule("PIP31-34")
            rule("CORE-10")
            del self._missing[txn]
            self._complete(txn)

    def _arrived(self, message: EndOn) -> None:
        try:
            self._end_on(message)
        except CommandRefused:
            return  # it is sent again
        self._missing.get(message.txn, {}).pop(message.participant, None)
        self.check_complete(message.txn)
