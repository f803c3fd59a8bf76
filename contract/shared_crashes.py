"""Crashes that several scenarios on one broker share.

Each of them reaches the fault, and waits there for the others that are still running; the fault is then done once, for all. A scenario
that acts right before the fault waits for the others before it acts (`gather`), so that they act at once and the fault follows the last of
their answers.

However many share a crash, only a few of them are busy at a time: one that waits leaves its place to another.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from .fair_places import FairPlaces

_GATHER = "gather"
_START = "start"
_KILLS = ("crash", "stop")
_AT_ONCE = (_GATHER, _START)
"""After these, scenarios act at the same moment, and so without a place: right before a crash, or while the broker starts."""


@dataclass
class _Fault:
    act: Callable[[], None]
    waiting: int = 0
    done: "Future[None]" = field(default_factory=Future)


class SharedCrashes:
    """The crashes of so many scenarios, each in its own thread; `places` are for those that are busy. `kills` counts how often the
    broker crashed. `broken` is the error of a fault that failed: the broker did not restart, for example.
    """

    def __init__(self, scenarios: int, places: FairPlaces) -> None:
        self.kills = 0
        self.broken: BaseException | None = None
        self._changed = threading.Lock()
        self._under_way = scenarios
        self._faults: dict[str, _Fault] = {}
        self._places = places

    def come(self) -> None:
        """A scenario begins, as soon as there is a place for it."""
        self._places.take()

    def together(self, fault: str, act: Callable[[], None]) -> None:
        """Do this when all running scenarios have reached a fault. Raises what it raises."""
        with self._changed:
            coming = self._faults.setdefault(fault, _Fault(act))
            coming.waiting += 1
        self._places.leave()
        self._go_on()
        try:
            coming.done.result()
        finally:
            if fault not in _AT_ONCE:
                self.come()

    def gather(self) -> None:
        """Wait until the others are as far: at a fault, or about to act before one."""
        self.together(_GATHER, lambda: None)

    def leave(self) -> None:
        """A scenario is over, and the others no longer wait for it."""
        with self._changed:
            self._under_way -= 1
        self._places.leave()
        self._go_on()

    def _go_on(self) -> None:
        """If all wait, do what they wait for: acts before a fault first, and faults in the order in which they were reached."""
        with self._changed:
            if not self._faults or sum(one.waiting for one in self._faults.values()) < self._under_way:
                return
            name = _GATHER if _GATHER in self._faults else next(iter(self._faults))
            due = self._faults.pop(name)
            self.kills += name in _KILLS
        try:
            due.act()
        except BaseException as error:
            self.broken = self.broken or error
            due.done.set_exception(error)
        else:
            due.done.set_result(None)


@runtime_checkable
class SharesCrashes(Protocol):
    """A session whose crashes may be shared with those of other sessions on the same broker."""

    def share(self, crashes: SharedCrashes) -> None:
        """From now on, its crashes and those of the others are the same."""
        ...

    def gather(self) -> None:
        """Wait until the others that share the next crash are as far; returns at once if none do."""
        ...


def gather(session: Any) -> None:
    """Does what `SharesCrashes.gather` does, for any session: called before an act that a crash follows at once."""
    if isinstance(session, SharesCrashes):
        session.gather()
