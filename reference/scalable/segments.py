"""What a change of a layout asks of the brokers that own the segments."""

from collections.abc import Collection
from typing import Protocol


class Segments(Protocol):
    """Segments by the names of their topics, wherever they are owned. Each call may be made again, and does no harm then.

    All raise Refused: SERVICE_NOT_READY where the owner cannot be asked; nobody knows then whether it was done.
    """

    def subscriptions_of(self, segment: str) -> Collection[str]:
        """The subscriptions that the segment has, also those that nobody registered for the scalable topic."""
        ...

    def create(self, segment: str, subscriptions: Collection[str]) -> None:
        """Make the segment where it is not yet, with these subscriptions from its first message on."""
        ...

    def terminate(self, segment: str) -> None:
        """Let it take no more messages, for ever; what was accepted before stays readable."""
        ...

    def inherit(self, parents: Collection[str], child: str) -> None:
        """Have a child know what all its parents, which are terminated, have stored of their producers."""
        ...

    def delete(self, segment: str) -> None:
        """Remove it with everything that it stored. What is not there is no error."""
        ...

    def is_drained(self, segment: str, subscription: str) -> bool:
        """Whether the subscription has acknowledged everything there, for good; one that the segment does not have is."""
        ...

    def has_open_transactions(self, segment: str) -> bool:
        """Whether an open transaction has messages or pending acknowledgements there."""
        ...
