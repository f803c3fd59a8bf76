"""One broker in a container of fencepost's own: started, awaited, crashed, started again and removed.

It is also the faults of the sessions on it. `start` may run in another thread than the rest; whoever needs the broker waits for it,
and `close` removes the container also while it is still starting.
"""

from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from fencepost.adapters.live import NoCrashPoints, OneNode, WallTime
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done

from .handshake import Offer
from .reach import Place, ask, reach, serves_transactions, wall_session
from .session import PulsarSession
from .settings import pulsar_settings

if TYPE_CHECKING:
    from .container import PulsarContainer

T = TypeVar("T")

_SERVES_WITHIN_S = 240.0
"""Ample: a broker whose container ended is not waited for, and a busy machine takes its time."""
_READY_WITHIN_S = 900.0
"""How long is waited for a broker that starts in another thread, behind others."""


class ContainerBroker(OneNode, NoCrashPoints):
    """A broker of an image, with the settings of a purpose in `fixtures/brokers.yaml`."""

    def __init__(self, image: str, purpose: str, patience_s: float) -> None:
        self.purpose = purpose
        self._image = image
        self._patience_s = patience_s
        self._started: Future[PulsarContainer] = Future()
        self._serving: Future[Offer] = Future()
        self._closed = False

    def start(self) -> None:
        """Start the container and wait until its broker serves transactions; errors are told to whoever needs the broker."""
        if self._closed:
            self._started.cancel()
            return
        try:
            from .container import start

            self._started.set_result(start(self._image, self.purpose))
            self._serving.set_result(self._await_serving())
        except BaseException as error:
            for unknown in (self._started, self._serving):
                if not unknown.done():
                    unknown.set_exception(error)

    @property
    def offer(self) -> Offer:
        """What the broker offers, once it serves. Raises SystemUnreachable."""
        return self._result(self._serving)

    @property
    def place(self) -> Place:
        """Where this machine reaches the broker."""
        return self._container().place

    def session(self) -> PulsarSession:
        """A fresh session."""
        self._result(self._serving)
        return wall_session(self.place, self._patience_s, self)

    def crash(self) -> None:
        """Kill the broker, and wait until it is down. Only one that no other scenario uses is killed."""
        if "crash" not in pulsar_settings().purpose(self.purpose).offers:
            raise WrongUsage(f"a scenario that does not say @needs:crash has no broker of its own to kill, only that for {self.purpose}")
        self._container().kill()

    def start_again(self) -> None:
        """Start the same container, whose disk was kept."""
        self._container().start_again()

    def restart(self) -> None:
        """The same, and wait until its broker serves transactions."""
        self.start_again()
        self._await_serving()

    def close(self) -> None:
        """Remove the container, now or as soon as it has been started."""
        if not self._closed:
            self._closed = True
            self._started.add_done_callback(_remove)

    def _container(self) -> "PulsarContainer":
        return self._result(self._started)

    def _result(self, future: "Future[T]") -> T:
        if self._closed:
            raise WrongUsage(f"the container of {self._image} is not open")
        try:
            return future.result(_READY_WITHIN_S)
        except TimeoutError:
            raise SystemUnreachable(
                f"the container of {self._image} for {self.purpose} was not ready within {_READY_WITHIN_S:g} s"
            ) from None

    def _await_serving(self) -> Offer:
        container = self._started.result()
        last: object = "nothing was tried"
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            if self._closed or not container.is_running():
                raise self._unreachable("ended", last)
            last = ask(container.place.service)
            if isinstance(last, Done):
                try:
                    offer = reach(container.place, within_s=5.0)
                except SystemUnreachable as error:
                    last = error
                    continue
                last = serves_transactions(container.place, patience_s=10.0)
                if isinstance(last, Done):
                    return offer
        raise self._unreachable(f"does not serve transactions within {_SERVES_WITHIN_S:g} s", last)

    def _unreachable(self, what: str, last: object) -> SystemUnreachable:
        return SystemUnreachable(
            f"the broker in the container of {self._image} for {self.purpose} {what}; the last that was seen: {last}. "
            f"The end of its log:\n{'' if self._closed else self._started.result().last_lines()}"
        )


def _remove(started: "Future[PulsarContainer]") -> None:
    if not started.cancelled() and started.exception() is None:
        started.result().stop()
