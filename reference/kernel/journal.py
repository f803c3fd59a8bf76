"""What survives a crash: a disk of named journals, to which records are appended.

A record is an immutable value and is durable when `append` returns. A broker that starts reads its journals from the beginning; whatever
else it knew is lost. It may drop records that it does not need by replacing all records at once.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

Record = TypeVar("Record")


class AppendRefused(Exception):
    """The disk did not accept a record, and nothing of it is durable."""


class Journal(Generic[Record]):
    """Records in the order in which they were appended."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self.refused_in = 0
        """Which append from now on is refused, once; 0 for none."""

    def append(self, record: Record) -> None:
        """Make the record durable. Raises AppendRefused if a fault was armed."""
        if self.refused_in:
            self.refused_in -= 1
            if not self.refused_in:
                raise AppendRefused
        self._records.append(record)

    def replace(self, records: Iterable[Record]) -> None:
        """Replace all records by these, which are durable."""
        self._records = list(records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


class Disk:
    """Journals by their names."""

    def __init__(self) -> None:
        self._journals: dict[str, Journal[Any]] = {}

    def journal(self, name: str) -> Journal[Any]:
        """The journal of that name, a new one if there is none; the caller knows what type its records have."""
        return self._journals.setdefault(name, Journal())

    def erase(self, matching: Callable[[str], bool]) -> None:
        """Delete the journals with such names, as if they had never been."""
        self._journals = {name: journal for name, journal in self._journals.items() if not matching(name)}
