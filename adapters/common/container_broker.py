"""One broker that fencepost runs, in containers or in processes: started, awaited, crashed, restarted and removed.

It also provides the faults of the sessions on it. `start` may run in another thread than the rest; a session that needs the broker waits
for it, and `close` removes what was started even while it is still starting. A process that a launcher starts has the same methods as a
container.
"""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.evidence import NeverBack
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.progress import Board

from .node_logs import Closing, NodeLog, since_now
from .system_faults import NoCrashPoints
from .time import WallTime

_SERVES_WITHIN_S = 240.0
"""Ample, for busy machines: a broker whose container ended is not awaited."""
_READY_WITHIN_S = 900.0
"""How long to wait for a broker that another thread starts, after others."""


_QUIET_FOR_S = 60.0
"""A broker that starts keeps writing to its log: an image that writes nothing for so long, and does not serve, is no broker's."""
_LOOKED_AT_EVERY_S = 5.0


@dataclass(frozen=True)
class Starting:
    """Where the start of a broker is shown, and why it is started."""

    board: Board = field(default_factory=Board)
    why: str = ""


class Containers(Protocol):
    """What was started: a container or a process, or one for each node. All calls but the last three are about the first node."""

    def kill(self) -> None:
        """End the broker's process at once; its disk stays."""
        ...

    def shut_down(self) -> None:
        """Have the broker's process end by itself; its disk stays. Raises SetUpFailed if it does not."""
        ...

    def start_again(self) -> None:
        """Start the container whose process has ended."""
        ...

    def is_running(self) -> bool:
        """Whether its process has not ended."""
        ...

    def last_lines(self) -> str:
        """The end of what each broker wrote."""
        ...

    @property
    def logs(self) -> Sequence[NodeLog]:
        """The log of each node."""
        ...

    def stop(self) -> None:
        """Remove all of them."""
        ...


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LINE = 300

C = TypeVar("C", bound=Containers)
O = TypeVar("O")  # noqa: E741 - what the broker offers
T = TypeVar("T")


class ContainerBroker(NoCrashPoints, ABC, Generic[C, O]):
    """A broker of an image, or of a launcher, with a configuration of `fixtures/brokers.yaml`."""

    def __init__(self, image: str, configuration: str, patience_s: float, starting: Starting | None = None) -> None:
        self.configuration = configuration
        self._image = image
        self.reported = f"the broker in the container of {image}, configuration {configuration}"
        self._patience_s = patience_s
        self._starting = starting or Starting()
        self._started: Future[C] = Future()
        self._serving: Future[O] = Future()
        self._closed = False
        self.died: str | None = None
        """Why it does not serve any more, if it did not serve again after it had been down: it never will."""

    in_doubt: str
    """What may be wrong with a broker that does not serve: the kind of image that is expected, or how its process ended."""

    @abstractmethod
    def start_containers(self, waits_for: Callable[[str], None]) -> C:
        """Start the containers and return at once; `waits_for` is called with what takes time."""

    @abstractmethod
    def ask(self, containers: C) -> Outcome[O]:
        """The broker's offer, if it serves transactions by now; asked once."""

    def on_serving(self, offer: O, waits_for: Callable[[str], None]) -> None:
        """Prepare a broker that serves, before sessions use it."""

    def shown(self, log: str) -> str:
        """The end of a broker's log, in the form that users may see."""
        return log

    def log_during(self, session: Closing) -> Callable[[], str]:
        """A function that returns what the nodes wrote while the session was open, in the form that users may see."""
        written = since_now(lambda: self._started.result().logs, session)
        return lambda: self.shown(_plain(written()))

    def start(self) -> None:
        """Start the containers and wait until the broker serves transactions; sessions that need the broker get the errors."""
        if self._closed:
            self._started.cancel()
            return
        try:
            with self._starting.board.doing(f"starting {self._image}, configuration {self.configuration}", self._starting.why) as task:
                self._started.set_result(self.start_containers(task.waits_for))
                task.waits_for("its broker to serve transactions")
                offer = self._await_serving(_QUIET_FOR_S)
                self.on_serving(offer, task.waits_for)
            self._serving.set_result(offer)
        except BaseException as error:
            for unknown in (self._started, self._serving):
                if not unknown.done():
                    unknown.set_exception(error)

    @property
    def offer(self) -> O:
        """What the broker offers, once it serves. Raises SystemUnreachable."""
        return self._result(self._serving)

    @property
    def containers(self) -> C:
        """What was started, as soon as it is. Raises SystemUnreachable."""
        return self._result(self._started)

    def crash(self) -> None:
        """Kill the broker, or the first of several, and wait until it is down."""
        self.containers.kill()

    def stop(self) -> None:
        """Have the broker, or the first of several, stop as its operator would, and wait until it is down."""
        self.containers.shut_down()

    def start_again(self) -> None:
        """Start the same container, whose disk was kept."""
        self.containers.start_again()

    def restart(self) -> None:
        """Start it again, and wait until its broker serves transactions. Raises NeverBack."""
        if self.died is None:
            self.start_again()
        self.await_again()

    def give_up(self, why: str) -> None:
        """Note that it does not serve any more, unless it is known already."""
        self.died = self.died or why

    def await_again(self) -> None:
        """Wait until a broker that was down serves transactions. Raises NeverBack; it is then given up, and not awaited once more."""
        if self.died is None:
            try:
                self._await_serving()
            except SystemUnreachable as error:
                if self._closed or not self._serving.done():  # it has not been in use
                    raise
                self.give_up(str(error))
        if self.died is not None:
            raise NeverBack(self.died)

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        if not self._closed:
            self._closed = True
            self._started.add_done_callback(_remove)

    def unreachable(self, what: str, last: object) -> SystemUnreachable:
        """The error with what the broker does, the last attempt, and the end of its log."""
        log = "" if self._closed else self.shown(_plain(self._started.result().last_lines())).strip()
        return SystemUnreachable(
            f"{self.reported}, {what}; the last attempt: {last.reason if isinstance(last, Unknown) else last}. "
            + (f"The end of its log:\n{log}" if log else "Its log is empty.")
        )

    def _result(self, future: "Future[T]") -> T:
        if self._closed:
            raise WrongUsage(f"{self.reported}, is not open")
        try:
            return future.result(_READY_WITHIN_S)
        except TimeoutError:
            raise SystemUnreachable(f"{self.reported}, was not ready within {_READY_WITHIN_S:g} s") from None

    def _await_serving(self, quiet_for_s: float = _SERVES_WITHIN_S) -> O:
        """The broker's offer, once it serves. Raises SystemUnreachable if it ends, or writes nothing into its log for so long."""
        containers = self._started.result()
        last: object = "nothing was tried"
        log, changed, looked = "", time.monotonic(), time.monotonic()
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            if self._closed or not containers.is_running():
                raise self.unreachable(f"ended before it served ({self.in_doubt})", last)
            last = self.ask(containers)
            if isinstance(last, Done):
                offer: O = last.value
                return offer
            now = time.monotonic()
            if now - looked < _LOOKED_AT_EVERY_S:
                continue
            looked, written = now, containers.last_lines()
            if written != log:
                log, changed = written, now
            elif now - changed >= quiet_for_s:
                raise self.unreachable(f"does not serve, and has written nothing for {quiet_for_s:g} s ({self.in_doubt})", last)
        raise self.unreachable(f"does not serve transactions within {_SERVES_WITHIN_S:g} s", last)


def _plain(log: str) -> str:
    """The log without colours, and with long lines cut."""
    return "\n".join(line[:_LINE] for line in _COLOUR.sub("", log).splitlines())


def _remove(started: "Future[C]") -> None:
    if not started.cancelled() and started.exception() is None:
        started.result().stop()
