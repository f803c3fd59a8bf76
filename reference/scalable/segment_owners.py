"""What a change of a layout asks of the brokers that own the segments."""

from collections.abc import Collection
from typing import Protocol


class Segments(Protocol):
    """Segments by the names of their topics, wherever they are owned. Each call is idempotent.

    All raise CommandRefused: SERVICE_NOT_READY if the owner cannot be asked; the outcome is unknown then.
    """

    def subscriptions_of(self, segment: str) -> Collection[str]:
        """The subscriptions that the segment has, also those that are not registered for the scalable topic."""
        ...

    def create(self, segment: str, subscriptions: Collection[str]) -> None:
        """Create the segment if it does not exist, with these subscriptions from its first message on."""
        ...

    def terminate(self, segment: str) -> None:
        """Have it accept no more messages, for ever; what was accepted before stays readable."""
        ...

    def inherit(self, parents: Collection[str], child: str) -> None:
        """Give a child what all its parents, which are terminated, know of their producers."""
        ...

    def delete(self, segment: str) -> None:
        """Delete it with everything that it stored. A missing one is no error."""
        ...

    def is_drained(self, segment: str, subscription: str) -> bool:
        """Whether the subscription has acknowledged everything there, for good; true if the segment does not have the subscription."""
        ...

    def has_open_transactions(self, segment: str) -> bool:
        """Whether an open transaction has messages or pending acknowledgements there."""
        ...
