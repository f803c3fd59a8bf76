"""Compaction: readers of the compacted topic get only the last message of each key.

What is undecided or aborted does not count: a topic is compacted as its readers see it. PIP-31, "Compaction".
"""

from collections.abc import Iterator

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition, Readable, TransactionBuffer
from .cursor import EARLIEST


class TopicCompaction:
    """What compacting a topic has taken out so far. It is durable."""

    def __init__(self, disk: Disk, name: str, buffer: TransactionBuffer) -> None:
        self._journal: Journal[frozenset[MessagePosition]] = disk.journal(f"compaction {name}")
        self._buffer = buffer

    def compact(self) -> None:
        """Take out what is superseded by now."""
        self._journal.append(self.superseded())

    def superseded(self) -> frozenset[MessagePosition]:
        """Decision: the messages that are followed by a visible one of the same key."""
        rule("PIP31-97")
        rule("PIP31-149")
        rule("PIP31-156")
        keyed = [readable for readable in self._buffer.after(EARLIEST) if readable.message.key is not None]
        last = {readable.message.key: readable.place for readable in keyed}
        return frozenset(readable.place for readable in keyed if last[readable.message.key] != readable.place)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        """What readers of the compacted topic may see after that place."""
        *_, gone = (frozenset(), *self._journal)
        return (readable for readable in self._buffer.after(place) if readable.place not in gone)
