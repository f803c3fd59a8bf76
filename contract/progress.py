"""What a system is doing, for a person who waits for it.

A system may have `doing()` in addition to the members of `System`; for one without, nothing is shown. A system
whose brokers start in threads keeps a `Board`:

    with board.doing("starting apache/kafka:4.3.1, configuration two-nodes", "12 scenarios that need two-nodes") as task:
        task.waits_for("Docker to start node 1 of 2")
        ...
        task.waits_for("the broker to serve transactions")
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Activity:
    """Something in progress: what, why, and what it waits for at the moment; the last two may be empty.

    `what` begins with a verb, such as "starting apache/kafka:4.3.1, configuration plain". `since` is seconds since 1970.
    """

    what: str
    why: str = ""
    waits_for: str = ""
    since: float = field(default_factory=time.time)

    def __str__(self) -> str:
        return self.what + (f", for {self.why}" if self.why else "") + (f"; waits for {self.waits_for}" if self.waits_for else "")


class ActivityTask:
    """Something in progress, as the code that does it sees it."""

    def __init__(self, what: str, why: str) -> None:
        self.now = Activity(what, why)

    def waits_for(self, what: str) -> None:
        """Set what must happen next; the empty text for nothing."""
        self.now = Activity(self.now.what, self.now.why, what, self.now.since)


class Board:
    """What is in progress, in the order in which it began. Any thread may report, and any may look."""

    def __init__(self) -> None:
        self._tasks: list[ActivityTask] = []
        self._lock = threading.Lock()

    @contextmanager
    def doing(self, what: str, why: str = "") -> Iterator[ActivityTask]:
        """Show this for as long as the block runs, however it ends."""
        task = ActivityTask(what, why)
        with self._lock:
            self._tasks.append(task)
        try:
            yield task
        finally:
            with self._lock:
                self._tasks.remove(task)

    def now(self) -> tuple[Activity, ...]:
        """All that is in progress."""
        with self._lock:
            return tuple(task.now for task in self._tasks)


def doing_of(system: object) -> Sequence[Activity]:
    """What a system reports that it does; nothing if it does not report. A fault in its report must not end a run."""
    doing = getattr(system, "doing", None)
    try:
        return tuple(one for one in doing() if isinstance(one, Activity)) if callable(doing) else ()
    except Exception:  # whatever a package's own code raises
        return ()
