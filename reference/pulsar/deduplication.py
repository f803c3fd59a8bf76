"""Deduplication: a message that a producer sends again after a lost answer is stored once.

It compares the producer's name and its sequence ids, which must grow; its state is recovered from the ledger. PIP-31 needs it of the
transaction buffer, where each transaction has separate sequence ids; for a whole topic it is a policy of the namespace.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from fencepost.reference.kernel.rules import rule

from .pulsar_types import Message, TxnId

Known: TypeAlias = Mapping[tuple[str, TxnId | None], int]
"""The highest sequence id of each producer, in each transaction and outside of all."""


class Deduplication:
    """The highest sequence id of each producer of a topic, in each transaction and outside of all."""

    def __init__(self, stored: Iterable[Message]) -> None:
        self._highest: dict[tuple[str, TxnId | None], int] = {}
        for message in self.recovered(stored):
            self.remember(message)

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        """Decision: what is known after a start: every message that is in the ledger."""
        return stored

    def remember(self, message: Message) -> None:
        """The message is stored."""
        scope = message.producer, self.scope(message)
        self._highest[scope] = max(self._highest.get(scope, -1), message.highest_sequence_id)

    def known(self) -> Known:
        """All that it knows."""
        return dict(self._highest)

    def inherit(self, known: Known) -> None:
        """Take over what the producers have stored elsewhere."""
        for scope, highest in known.items():
            self._highest[scope] = max(self._highest.get(scope, -1), highest)

    def is_there(self, message: Message) -> bool:
        """Decision: whether the message, or the whole batch, was stored before."""
        if message.highest_sequence_id <= self._highest.get((message.producer, self.scope(message)), -1):
            rule("PIP31-48")
            rule("CORE-38")
            return True
        return False

    def scope(self, message: Message) -> TxnId | None:
        """Decision: in which transaction the producer's sequence ids are compared; None is outside of all."""
        rule("PIP31-90")
        return message.txn

    def last(self, producer: str) -> int:
        """Decision: the highest sequence id that this producer has stored; -1 for none."""
        rule("PIP31-144")
        return max((highest for (name, _), highest in self._highest.items() if name == producer), default=-1)
