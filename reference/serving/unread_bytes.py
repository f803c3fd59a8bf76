"""What all connections together may leave unread: the beginnings of requests, and answers that no client fetches.

Bytes count when they arrive, not when they are announced, so a client that announces much and sends little costs nothing. When the limit is
passed, the connection that holds most is closed. The others, which behave well, notice nothing.
"""

from typing import Protocol

LIMIT = 256 * 1024 * 1024


class Holder(Protocol):
    """A connection."""

    def give_up(self, why: str) -> None:
        """Drop everything and close."""
        ...


class Memory:
    """How much each holder has."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held: dict[Holder, int] = {}
        self._total = 0

    def hold(self, holder: Holder, size: int) -> None:
        """From now on the holder has that many bytes."""
        self._total += size - self._held.pop(holder, 0)
        if size:
            self._held[holder] = size
        while self._total > self._limit:
            largest = max(self._held, key=self._held.__getitem__)
            held = self._held.pop(largest)
            self._total -= held
            largest.give_up(f"it held {held} bytes, the most of all, when together they held more than {self._limit}")
