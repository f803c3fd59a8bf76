"""One broker in a container of fencepost's own, for one purpose: started, awaited, crashed, started again and removed.

A purpose may have more nodes, each a container. They are started when the first one serves, so that it has the brokers' own topics; that
one coordinates, and it is what a crash ends.

It is also the faults of the sessions on it. `start` may run in another thread than the rest; whoever needs the broker waits for it,
and `close` removes the containers also while they are still starting.
"""

from concurrent.futures import Future
from typing import TYPE_CHECKING

from fencepost.adapters.live import NoCrashPoints, WallTime
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done

from .ageing import age
from .handshake import ask
from .login import Passwords
from .nursery import Nursery
from .offer import Offer
from .reach import Users, brokers, serves_transactions, wall_session
from .session import KafkaSession
from .settings import kafka_settings
from .transport import Address

if TYPE_CHECKING:
    from .container_nodes import KafkaNodes

_SERVES_WITHIN_S = 180.0
"""Ample: a broker whose container ended is not waited for, and a busy machine takes its time."""
_READY_WITHIN_S = 600.0
"""How long is waited for a broker that starts in another thread, behind the brokers of other purposes."""


class ContainerBroker(NoCrashPoints):
    """A broker of an image, with the settings of a purpose in `fixtures/brokers.yaml`."""

    def __init__(self, image: str, purpose: str, patience_s: float, aged_ids: int = 0) -> None:
        self.purpose = purpose
        self._image = image
        self._patience_s = patience_s
        self._users = Users(Passwords.made_up_for(kafka_settings().users(purpose)))
        self._started: Future[KafkaNodes] = Future()
        self._serving: Future[Offer] = Future()
        self._nursery = Nursery(patience_s)
        self._aged_ids = aged_ids
        self._is_back = True
        self._closed = False

    def start(self) -> None:
        """Start the container and wait until its broker serves transactions; errors are told to whoever needs the broker."""
        if self._closed:
            self._started.cancel()
            return
        try:
            from .container_nodes import start

            self._started.set_result(start(self._image, self.purpose, self._users.passwords))
            offer = self._await_serving()
            self._start_others(offer)
            address = self.address
            self._nursery.open(lambda progress: age(address, offer, progress))
            self._nursery.expect(self._aged_ids)
            self._serving.set_result(offer)
        except BaseException as error:
            for unknown in (self._started, self._serving):
                if not unknown.done():
                    unknown.set_exception(error)

    @property
    def offer(self) -> Offer:
        """What the broker offers, once it serves. Raises SystemUnreachable."""
        self._check_open()
        try:
            return self._serving.result(_READY_WITHIN_S)
        except TimeoutError:
            raise SystemUnreachable(
                f"the container of {self._image} for {self.purpose} was not ready within {_READY_WITHIN_S:g} s"
            ) from None

    @property
    def address(self) -> Address:
        """Where this machine reaches the broker."""
        return self._nodes().first.address

    def session(self, needs: frozenset[str]) -> KafkaSession:
        """A fresh session for these needs; a broker that the last one left dead, or on its way up, is brought back first."""
        offer = self.offer
        if not self._nodes().first.is_running():
            self.restart()
        elif not self._is_back:
            self._await_back()
        return wall_session(self.address, offer, self._patience_s, self, needs, users=self._users, take_aged=self._nursery.take)

    def crash(self) -> None:
        """Kill the broker, the first where there are several, and wait until it is down."""
        self._nodes().first.kill()

    def start_again(self) -> None:
        """Start the same container, whose disk was kept."""
        self._is_back = False
        self._nodes().first.start_again()

    def restart(self) -> None:
        """The same, and wait until its broker serves transactions."""
        self.start_again()
        self._await_back()

    def pause(self, node: int) -> None:
        """Let a node do nothing until `resume`."""
        self._nodes().node(node).pause()

    def resume(self, node: int) -> None:
        """Let the paused node go on, and wait until the others count it among the living."""
        self._nodes().node(node).resume()
        self._await_all(self.offer)

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        if not self._closed:
            self._closed = True
            self._nursery.close()
            self._started.add_done_callback(_remove)

    def _check_open(self) -> None:
        if self._closed:
            raise WrongUsage(f"the container of {self._image} is not open")

    def _nodes(self) -> "KafkaNodes":
        self._check_open()
        return self._started.result(_READY_WITHIN_S)

    def _start_others(self, offer: Offer) -> None:
        nodes = self._started.result()
        nodes.start_others()
        if nodes.count > 1:
            self._await_all(offer)

    def _await_all(self, offer: Offer) -> None:
        """Wait until the first node names all nodes, each of which answers."""
        nodes = self._started.result()
        last: object = "nothing was tried"
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            if not nodes.are_running():
                raise self._unreachable("has lost a node, whose container ended", last)
            try:
                last = brokers(nodes.first.address, offer)
            except SystemUnreachable as error:
                last = error
            else:
                if len(last) == nodes.count:
                    return
        raise self._unreachable(f"does not come to {nodes.count} nodes within {_SERVES_WITHIN_S:g} s", last)

    def _await_back(self) -> None:
        self._await_serving()
        self._is_back = True

    def _await_serving(self) -> Offer:
        container = self._started.result().first
        last: object = "nothing was tried"
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            if not container.is_running():
                raise self._unreachable("ended", last)
            transport = self._users.connect("handshake", container.address)
            try:
                answer = ask(transport, deadline_s=5.0)
            finally:
                transport.close()
            last = answer
            if isinstance(answer, Done):
                last = serves_transactions(container.address, answer.value, patience_s=5.0, users=self._users)
                if isinstance(last, Done):
                    return answer.value
        raise self._unreachable(f"does not serve transactions within {_SERVES_WITHIN_S:g} s", last)

    def _unreachable(self, what: str, last: object) -> SystemUnreachable:
        return SystemUnreachable(
            f"the broker in the container of {self._image} for {self.purpose} {what}; the last that was seen: {last}. "
            f"The end of its log:\n{self._users.passwords.hidden_in(self._started.result().last_lines())}"
        )


def _remove(started: "Future[KafkaNodes]") -> None:
    if not started.cancelled() and started.exception() is None:
        started.result().stop()
