"""A segment of a soak run: a session with its own logs, groups, writers and history.

Each segment begins while the previous one still reads its logs for the last time, so the system is never idle, and the effect of one
segment's load on the logs of the previous one is seen. A history is self-contained: none of its records is in another segment. So the
checker judges segment after segment, and neither the kit nor the checker ever holds more than two of them.
"""

import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from fencepost.contract.errors import SystemUnreachable
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import PassesTime, Session

from .history_writer import HistoryFile
from .load_clients import TIMEOUT_MS, Observer, Shared, WriterClient
from .measurements import SoakFigures

LOGS = ("orders", "payments", "stock")
GROUPS = ("billing", "shipping")
SENTINEL = "the end of the segment"
"""The last record of each log."""


class SoakSegment:
    """One segment; `history` has the calls of its clients, and may be judged after `close`."""

    def __init__(
        self,
        number: int,
        session: Session,
        file: Path,
        writers: int,
        seed: int,
        figures: SoakFigures,
        misbehaviour: frozenset[str] = frozenset(),
    ) -> None:
        self.number = number
        self.session = session
        chance = random.Random(f"{seed}-{number}")  # noqa: S311 - a workload is no secret
        self.history = HistoryFile(file, f"segment-{number}", session.time.now_ms)
        self._shared = Shared(session.transactional_log(), LOGS, GROUPS, self.history, figures, session.time, misbehaviour)
        self.clients: Sequence[WriterClient | Observer] = [
            *(WriterClient(f"writer-{one}", self._shared, random.Random(chance.random())) for one in range(1, writers + 1)),  # noqa: S311
            Observer(self._shared, random.Random(chance.random())),  # noqa: S311
        ]

    @property
    def writers(self) -> Sequence[str]:
        """The names of the clients that write."""
        return [client.name for client in self.clients if isinstance(client, WriterClient)]

    def prepare(self) -> Self:
        """Create the logs. Raises SystemUnreachable if the system does not allow that within the session's patience."""
        for log in LOGS:
            for _ in self.session.time.attempts():
                made = self._shared.log.create(log)
                if isinstance(made, Done):
                    break
            else:
                raise SystemUnreachable(f"no log could be made for segment {self.number}: {made}")
        return self

    def look_last(self) -> None:
        """End what is open, and read every log for the last time.

        First a record outside of every transaction is written to each log. A reader of committed data that has received it has received
        everything before it that it will ever receive. The wait for it lasts for the transaction timeout and the session's patience; if it
        does not arrive, something blocks readers for ever, and the records after that count as lost.
        """
        for client in self.clients:
            client.finish()
        for log in LOGS:
            sentinel = self._written_sentinel(log)
            for _ in self.session.time.attempts(TIMEOUT_MS / 1000 + self.session.time.patience_s):
                match self._shared.follow(log):
                    case Done(values) if sentinel in values:
                        break
            for group in GROUPS:
                self._shared.read_what_is_left(group, log)
            self._shared.read(log)

    def _written_sentinel(self, log: str) -> str:
        for number in self.session.time.attempts():
            sentinel = f"{SENTINEL}, {number}"
            if isinstance(self._shared.write(log, sentinel), Done):
                break
        return sentinel

    def close(self) -> None:
        """Close the session, and finish the history file."""
        self.history.close()
        self.session.close()


def step_by_turns(segment: SoakSegment, chance: random.Random, per_s: float) -> None:
    """One step of one client on a system with a virtual clock, which is advanced by the time between two steps."""
    chance.choice(segment.clients).step()
    time = segment.session.time
    assert isinstance(time, PassesTime), "the system has a virtual clock"
    time.let_pass(1000 / per_s)


class Threads:
    """The clients of a segment on a broker, each in its own thread, together at most `per_s` steps a second."""

    def __init__(self, segment: SoakSegment, per_s: float) -> None:
        self._stop = threading.Event()
        self._failure: Exception | None = None
        wait_s = len(segment.clients) / per_s
        self._threads = [threading.Thread(target=self._run, args=(client, wait_s), name=client.name) for client in segment.clients]
        for thread in self._threads:
            thread.start()

    def _run(self, client: WriterClient | Observer, wait_s: float) -> None:
        try:
            while not self._stop.wait(wait_s):
                client.step()
        except Exception as error:  # it is raised in the thread that waits for the clients
            self._failure = error
            self._stop.set()

    def check(self) -> None:
        """Raise the error that stopped a client."""
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Let each client finish its step, and wait for that. Raises the error that stopped one."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.check()
