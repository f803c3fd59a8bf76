"""What a system may say of how it is started, line by line: `fencepost doctor` asks, before it asks what the system is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Tried:
    """One line, whether it works, and what came of it."""

    line: str
    works: bool
    told: str


@runtime_checkable
class Trial(Protocol):
    """A system that is started by lines of a file."""

    def tried(self) -> Iterator[Tried]:
        """Try each line; nothing is left running."""
        ...
