"""What a system may report about how it is started, line by line: `fencepost doctor` asks before the handshake."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class TriedLine:
    """One line, whether it works, and its result."""

    line: str
    works: bool
    reported: str


@runtime_checkable
class SystemTrial(Protocol):
    """A system that is started by lines of a file."""

    def tried(self) -> Iterator[TriedLine]:
        """Try each line; no process is left running."""
        ...
