"""Writes the history of a soak run: the calls of each client and their answers, one event per line.

The events are those of `contract/events.py`, at the level of the port `TransactionalLog`: a write, an end, a read. A reader of committed
data does not know offsets, so `o` is a record's rank among the committed records of its log. On a system that keeps its promises the rank
never changes, and the checker compares ranks as it compares offsets.
"""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fencepost.contract.events import Error, Event, Mop, MopKind, Operation
from fencepost.contract.events import Outcome as Ending
from fencepost.contract.operations import Processes, no_answer
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

T = TypeVar("T")
Mops = Callable[[Any], Sequence[Mop]]
"""Turns the value of an answer into the records that the call wrote or read."""


def mop(kind: MopKind, log: str, value: str | None = None, rank: int | None = None) -> Mop:
    """One record; a soak run's log is a topic of one partition. `rank` counts the committed records of the log from 0."""
    return {"m": kind, "topic": log, "part": 0, "log": log, "v": value, "o": rank}


class HistoryFile:
    """A history on disk. Several clients may write to it at the same time; each call is one client's and ends before its next one.

    Each line is passed to the operating system when it is written, so a kill of this process loses only the line being written.
    """

    def __init__(self, path: Path, run_id: str, now_ms: Callable[[], float]) -> None:
        self.path = path
        self.run_id = run_id
        self._now_ms = now_ms
        self._began_ms = now_ms()
        self._file = path.open("w", buffering=1, encoding="utf-8")
        self._lock = threading.Lock()
        self._processes = Processes()
        self._count = 0

    def close(self) -> None:
        """Finish the file. A client that still waits for an answer writes nothing more."""
        with self._lock:
            self._file.close()

    def call(self, client: str, asked: Operation, act: Callable[[], Outcome[T]], mops: Mops | None = None) -> Outcome[T]:
        """Make a call between its two events. `mops` reads the records from the answer; without it they are those of the request."""
        op_id, process = self._invoked(client, asked)
        outcome: Outcome[T] = Unknown("Fencepost failed before the answer came")
        try:
            outcome = act()
        finally:
            answered = asked
            if mops is not None and isinstance(outcome, Done):
                answered = {**asked, "mops": list(mops(outcome.value))}
            self._completed(client, answered, outcome, op_id, process)
        return outcome

    def _invoked(self, client: str, asked: Operation) -> tuple[int, int]:
        with self._lock:
            process = self._processes.beginning(self._count, client)
            return self._written(client, asked, "invoke", None, self._count, process), process

    def _completed(self, client: str, answered: Operation, outcome: Outcome[Any], op_id: int, process: int) -> None:
        ending: Ending = "ok" if isinstance(outcome, Done) else "fail" if isinstance(outcome, Refused) else "info"
        with self._lock:
            self._processes.ending(op_id, for_good=ending == "info")
            self._written(client, answered, ending, _error_of(outcome), op_id, process)

    def _written(self, client: str, about: Operation, kind: Ending, error: Error | None, op_id: int, process: int) -> int:
        """Write one event, and return its number."""
        number, self._count = self._count, self._count + 1
        event: Event = {
            **about,
            "run_id": self.run_id,
            "idx": number,
            "t_ns": round((self._now_ms() - self._began_ms) * 1_000_000),
            "client": client,
            "node": "",
            "process": process,
            "op_id": op_id,
            "api": about["f"],
            "type": kind,
            "error": error,
        }
        if not self._file.closed:
            self._file.write(json.dumps(event) + "\n")
        return number


def _error_of(outcome: Outcome[Any]) -> Error | None:
    match outcome:
        case Refused(error, code, message):
            return {"class": error, "code": code, "msg": message, "definite": True}
        case Unknown(reason):
            return no_answer(reason)
        case _:
            return None
