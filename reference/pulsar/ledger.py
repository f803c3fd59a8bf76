"""The managed ledger of a topic: entries in the order in which they were appended, durable when `append` returns.

Each time a topic is opened and written to, a new ledger begins, so positions grow over restarts as well.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .pulsar_types import BEFORE_ALL, EndAction, Message, Position, TxnId


@dataclass(frozen=True)
class LedgerMarker:
    """The end of a transaction in a topic. `messages` is what a commit makes readable here, if that is kept elsewhere."""

    txn: TxnId
    action: EndAction
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One entry."""

    position: Position
    content: Message | LedgerMarker


class Ledger:
    """The entries of one topic."""

    def __init__(self, disk: Disk, name: str) -> None:
        self._journal: Journal[Entry] = disk.journal(self.journal_name(name))
        self._ledger_ids: Journal[str] = disk.journal("ledger-ids")
        self._name = name
        self._entries = list(self._journal)
        self._by_position = {entry.position: entry for entry in self._entries}
        self._ledger_id: int | None = None
        self._next_entry = 0

    def journal_name(self, name: str) -> str:
        """Decision: where it is kept: under its topic's name, by which it is found when the topic is deleted."""
        return f"ledger {name}"

    def append(self, content: Message | LedgerMarker) -> Position:
        """Decision: make it durable; returns its position."""
        if self._ledger_id is None:
            self._ledger_id = len(self._ledger_ids)
            self._ledger_ids.append(self._name)
        entry = Entry(Position(self._ledger_id, self._next_entry), content)
        self._next_entry += 1
        if self.must_be_durable(content):
            self._journal.append(entry)
        self._entries.append(entry)
        self._by_position[entry.position] = entry
        return entry.position

    def must_be_durable(self, content: Message | LedgerMarker) -> bool:  # noqa: ARG002 - what a broken ledger would go by
        """Decision: whether a crash must not undo this. It must undo nothing whose receipt was sent."""
        rule("PIP31-47")
        rule("CORE-07")
        return True

    def after(self, position: Position) -> Sequence[Entry]:
        """The entries after that position, in order."""
        return self._entries[bisect_right(self._entries, position, key=lambda entry: entry.position) :]

    def at(self, position: Position) -> Entry | None:
        """The entry of that position."""
        return self._by_position.get(position)

    @property
    def last(self) -> Position:
        """The position of the last entry."""
        return self._entries[-1].position if self._entries else BEFORE_ALL

    def before(self, position: Position) -> Position:
        """The position of the last entry before that one."""
        place = bisect_left(self._entries, position, key=lambda entry: entry.position)
        return self._entries[place - 1].position if place > 0 else BEFORE_ALL

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
