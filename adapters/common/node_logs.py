"""The logs that the nodes of a broker wrote while a session was open; they are kept with a red scenario."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

MOST_BYTES = 200_000
"""How much of one node's log is kept with one red scenario: its end."""


class NodeLog(Protocol):
    """The log of one node."""

    name: str

    def now(self) -> float:
        """The present end of the log: a time or a size, which only `between` of the same log understands."""
        ...

    def between(self, began: float, ended: float) -> str:
        """What was written between two ends, only the last part if it is much; empty if it can no longer be read."""
        ...


class FileLog:
    """A log that a process writes into a file; a position in it is a number of bytes."""

    def __init__(self, path: Path) -> None:
        self.name = path.parent.name
        self._path = path

    def now(self) -> float:
        return self._path.stat().st_size if self._path.exists() else 0

    def between(self, began: float, ended: float) -> str:
        start = max(int(began), int(ended) - MOST_BYTES)
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            file.seek(start)
            return file.read(int(ended) - start).decode(errors="replace")
        return ""


class Closing(Protocol):
    """A session."""

    def on_close(self, act: Callable[[], None]) -> None:
        """Add an action for when it closes."""
        ...


def since_now(logs: Callable[[], Sequence[NodeLog]], session: Closing) -> Callable[[], str]:
    """A function that returns what these logs have from now until the session closes. A node may be added later."""
    began = {log.name: log.now() for log in logs()}
    ended: dict[str, float] = {}
    session.on_close(lambda: ended.update({log.name: log.now() for log in logs()}))

    def written() -> str:
        until = ended or {log.name: log.now() for log in logs()}
        parts = ((log.name, log.between(began.get(log.name, 0), until[log.name])) for log in logs() if log.name in until)
        return "".join(f"--- {name}\n{text}\n" for name, text in parts)

    return written
