"""Deduplication: a message that a producer sends again after a lost answer is stored once.

It goes by the producer's name and its sequence ids, which must grow, and is known again from the ledger. PIP-31 needs it of the
transaction buffer; for a whole topic it is a policy of the namespace.
"""

from collections.abc import Iterable

from fencepost.reference.kernel.rules import rule

from .values import Message


class Deduplication:
    """The highest sequence id of each producer of a topic."""

    def __init__(self, stored: Iterable[Message]) -> None:
        self._highest: dict[str, int] = {}
        for message in self.recovered(stored):
            self.remember(message)

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        """Decision: what is known after a start: every message that is in the ledger."""
        return stored

    def remember(self, message: Message) -> None:
        """The message is stored."""
        self._highest[message.producer] = max(self.last(message.producer), message.highest_sequence_id)

    def is_there(self, message: Message) -> bool:
        """Decision: whether the message, or the whole batch, was stored before."""
        if message.highest_sequence_id <= self.last(message.producer):
            rule("PIP31-48")
            return True
        return False

    def last(self, producer: str) -> int:
        """The highest sequence id that this producer has stored; -1 for none."""
        return self._highest.get(producer, -1)
