"""The clients of a soak run: writers that transact, and an observer that reads committed data.

A client does one step at a time, and each step is one call on the system. On a broker every client has its own thread; on the reference,
whose clock is virtual, one thread steps them in a drawn order.

Each value is written once in a run, so a checker knows for every record which client wrote it and in which transaction. After a call with
an unknown outcome a writer does what its users do: it aborts, and if that has no answer either, it restarts under the same name.
"""

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fencepost.contract.events import Mop, MopKind, Operation
from fencepost.contract.operations import NamedTransaction, operation
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Time
from fencepost.contract.transactional_log import Follower, TransactionalLog
from fencepost.contract.transactional_log import Writer as PortWriter

from .history_writer import HistoryFile, mop
from .measurements import SoakFigures

T = TypeVar("T")
TIMEOUT_MS = 10_000
"""The timeout after which the system aborts a transaction that its writer left open."""

_MOST_WRITES = 4
_TAKES, _ABORTS, _TAKEOVERS = 0.25, 0.2, 0.03
"""The probabilities that a transaction has input of a group, ends with an abort, and belongs to a new instance of its writer."""
LATE, STALL = "late", "stall"
_LATE, _LATE_WRITES, _STALLS = 0.1, 0.5, 0.02
"""For clients that misbehave, the probabilities of a late request after an end, that it is a write, and that an end is never sent."""


@dataclass
class Shared:
    """What the clients of one segment share. The system's observer is one client, so `observing` lets one of them use it at a time."""

    log: TransactionalLog
    logs: Sequence[str]
    groups: Sequence[str]
    history: HistoryFile
    figures: SoakFigures
    time: Time
    misbehaviour: frozenset[str] = frozenset()
    """How its writers misbehave now and then: `late`, `stall`."""
    observing: threading.RLock = field(default_factory=threading.RLock)
    followers: dict[str, Follower] = field(default_factory=dict)
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each log, the rank of every committed value that was read so far."""
    _newcomers: int = 0

    def follow(self, log: str) -> Outcome[Sequence[str]]:
        """Continue reading with the follower of a log, and note the ranks of new values."""
        with self.observing:
            if log not in self.followers:
                match self.log.follow(log):
                    case Done(follower):
                        self.followers[log] = follower
                    case trouble:
                        return trouble
            known = self.ranks.setdefault(log, {})
            asked, before = operation("poll", iso="rc"), len(known)
            seen = self.history.call(
                f"follower of {log}",
                asked,
                self.followers[log].seen,
                lambda values: [mop("recv", log, value, rank) for rank, value in enumerate(values) if rank >= before],
            )
            if isinstance(seen, Done):
                known.update((value, rank) for rank, value in enumerate(seen.value))
            return seen

    def read(self, log: str) -> Outcome[Sequence[str]]:
        """Read the committed data of a log from its beginning, with a new reader."""
        with self.observing:
            return self.history.call(
                self._newcomer(f"reader of {log}"),
                operation("poll", iso="rc"),
                lambda: self.log.committed(log),
                lambda values: [mop("recv", log, value, rank) for rank, value in enumerate(values)],
            )

    def read_what_is_left(self, group: str, log: str) -> Outcome[Sequence[str]]:
        """Read the remaining input of a group in a log, with a new member, for the last time."""
        with self.observing:
            known = self.ranks.get(log, {})
            return self.history.call(
                self._newcomer(f"member of {group}"),
                operation("final_read", grp={"id": group}, iso="rc"),
                lambda: self.log.left(group, log),
                lambda values: [mop("recv", log, value, known.get(value)) for value in values],
            )

    def write(self, log: str, value: str) -> Outcome[None]:
        """Write a value outside of every transaction."""
        with self.observing:
            return self.history.call("observer", operation("send", mops=[mop("send", log, value)]), lambda: self.log.write(log, value))

    def _newcomer(self, what: str) -> str:
        """An unused client name. A client that continues is expected to read on from its position."""
        self._newcomers += 1
        return f"{what} {self._newcomers}"


class WriterClient:
    """A writer of transactions. Its name is its transactional id, if the system has those."""

    def __init__(self, name: str, shared: Shared, chance: random.Random) -> None:
        self.name = name
        self._shared = shared
        self._chance = chance
        self._writer: PortWriter | None = None
        self._transactions = self._values = 0
        self._steps_left = 0
        self._is_open = False
        self._is_broken = False
        self._silent_until_ms = 0.0

    def step(self) -> None:
        """One call: a new instance, a write, an input, or an end."""
        if self._shared.time.now_ms() < self._silent_until_ms:
            return
        if self._writer is None:
            self._start()
        elif self._is_open and (self._steps_left == 0 or self._is_broken):
            self._end(commit=not self._is_broken and self._chance.random() >= _ABORTS)
        else:
            self._go_on()

    def finish(self) -> None:
        """End the open transaction, if there is one."""
        if self._writer is not None and self._is_open:
            self._end(commit=not self._is_broken)

    @property
    def _transaction(self) -> NamedTransaction:
        named = f"{self.name}/{self._transactions}"
        return NamedTransaction(named, {"tid": self.name, "pid": 0, "epoch": None})

    def _start(self) -> None:
        made = self._call(operation("init_txn"), lambda: self._shared.log.writer(self.name, TIMEOUT_MS))
        if isinstance(made, Done):
            self._writer = made.value

    def _go_on(self) -> None:
        if not self._is_open:
            if self._chance.random() < _TAKEOVERS:
                self._writer = None
                return
            self._is_open, self._is_broken = True, False
            self._transactions += 1
            self._steps_left = self._chance.randint(1, _MOST_WRITES)
            if self._shared.groups and self._chance.random() < _TAKES:
                self._take()
                return
        self._steps_left -= 1
        self._write()

    def _write(self) -> None:
        assert self._writer is not None
        log, value, writer = self._chance.choice(self._shared.logs), self._next_value(), self._writer
        asked = operation("send", self._transaction, mops=[mop("send", log, value)])
        self._is_broken |= not isinstance(self._call(asked, lambda: writer.write(log, value)), Done)

    def _take(self) -> None:
        """Consume the input that a group receives, and make the group's position part of the transaction."""
        assert self._writer is not None
        group, log, writer, shared = (
            self._chance.choice(self._shared.groups),
            self._chance.choice(self._shared.logs),
            self._writer,
            self._shared,
        )
        with shared.observing:
            known = shared.ranks.setdefault(log, {})

            def taken() -> Outcome[Sequence[str]]:
                outcome = shared.figures.timed("take", lambda: writer.take_what_is_free(group, log))
                if isinstance(outcome, Done) and any(value not in known for value in outcome.value):
                    shared.follow(log)
                return outcome

            def of(kind: MopKind, values: Sequence[str]) -> list[Mop]:
                return [mop(kind, log, value, known.get(value)) for value in values]

            polled = operation("poll", grp={"id": group}, iso="rc")
            outcome = shared.history.call(self.name, polled, taken, lambda values: of("recv", values))
            if isinstance(outcome, Done):
                acknowledged = operation("ack", self._transaction, grp={"id": group}, mops=of("ack_ind", outcome.value))
                shared.history.call(self.name, acknowledged, lambda: Done(None))
        self._is_broken |= not isinstance(outcome, Done)

    def _end(self, *, commit: bool) -> None:
        assert self._writer is not None
        if STALL in self._shared.misbehaviour and self._chance.random() < _STALLS:
            self._leave_open()
            return
        writer = self._writer
        ended = self._call(operation("commit" if commit else "abort", self._transaction), lambda: writer.end(commit))
        self._is_open = self._is_broken = False
        if not isinstance(ended, Done):
            self._writer = None
        elif LATE in self._shared.misbehaviour and self._chance.random() < _LATE:
            self._come_late(writer)

    def _leave_open(self) -> None:
        """Do nothing until the system has aborted the transaction, and then restart."""
        self._writer, self._is_open, self._is_broken = None, False, False
        self._silent_until_ms = self._shared.time.now_ms() + 2 * TIMEOUT_MS

    def _come_late(self, writer: PortWriter) -> None:
        """Write once more in the transaction that has ended, or end it once more, in the same way or the other one.

        An end may be answered before every log has learned of it, and until then a write is not late.
        """
        if self._chance.random() < _LATE_WRITES:
            if not any(writer.is_over() == Done(True) for _ in self._shared.time.attempts()):
                return
            log, value = self._chance.choice(self._shared.logs), self._next_value()
            self._call(operation("send", self._transaction, mops=[mop("send", log, value)]), lambda: writer.write_late(log, value))
            return
        commit = self._chance.random() < _LATE_WRITES
        self._call(operation("commit" if commit else "abort", self._transaction), lambda: writer.end_again(commit))

    def _next_value(self) -> str:
        self._values += 1
        return f"{self.name}-{self._values}"

    def _call(self, asked: Operation, act: Callable[[], Outcome[T]]) -> Outcome[T]:
        return self._shared.history.call(self.name, asked, lambda: self._shared.figures.timed(asked["f"], act))


class Observer:
    """Reads committed data while the writers write: with followers that stay, and now and then from the beginning."""

    _FRESH = 0.1

    def __init__(self, shared: Shared, chance: random.Random) -> None:
        self.name = "observer"
        self._shared = shared
        self._chance = chance

    def step(self) -> None:
        """One read of one log."""
        log = self._chance.choice(self._shared.logs)
        read = self._shared.read if self._chance.random() < self._FRESH else self._shared.follow
        self._shared.figures.timed("read", lambda: read(log))

    def finish(self) -> None:
        """Nothing is left open by a reader."""
