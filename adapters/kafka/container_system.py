"""Kafka in a container of fencepost's own: started while scenarios are still being collected, removed on every way out.

`prepare` starts the container in a thread; `open` waits until its broker serves transactions; `close` removes it, also while it
is still starting, and also at the interpreter's end when nobody called it.
"""

import atexit
import re
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from fencepost.adapters.ports import Done, Handshake, SystemUnreachable, WrongUsage

from .handshake import ask, describe
from .offer import Offer
from .reach import brokers, connect, serves_transactions, wall_session
from .release import identify
from .session import PATIENCE_S, KafkaSession, WallTime
from .settings import kafka_settings
from .transport import Address

if TYPE_CHECKING:
    from .container import KafkaContainer

_SERVES_WITHIN_S = 60.0
_CLOSED_WITHIN_S = 30.0


class KafkaContainerSystem:
    """A broker of an image, with the settings of a purpose in `fixtures/brokers.yaml`. It is also the faults of its sessions."""

    name = "kafka"

    def __init__(self, image: str, purpose: str = "short", patience_s: float = PATIENCE_S) -> None:
        self._image = image
        self._purpose = purpose
        self._patience_s = patience_s
        self._started: Future[KafkaContainer] | None = None
        self._starter: threading.Thread | None = None
        self._offer: Offer | None = None
        self._closed = False

    def prepare(self) -> None:
        """Begin to start the container."""
        if self._started is None:
            kafka_settings().environment(self._purpose, port=0)  # a purpose that does not exist is an error here, not in the thread
            self._started = Future()
            self._starter = threading.Thread(target=self._start, args=(self._started,), name=f"start {self._image}", daemon=True)
            atexit.register(self.close)
            self._starter.start()

    def open(self) -> Handshake:
        """Wait until the broker serves transactions."""
        self.prepare()
        self._offer = self._await_serving()
        version = exact_version(self._image)
        identity = identify(self._offer.supported.get("metadata.version"), kafka_settings().releases, version)
        nodes = brokers(self.address, self._offer)
        notes = [
            f"container of {self._image}, settings for {self._purpose}",
            "nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()),
        ]
        return describe(self._offer, identity, (self.name, identity.version), offered=["crash", "hold-markers"], notes=notes)

    @property
    def address(self) -> Address:
        """Where this machine reaches the broker."""
        return self._container().address

    def session(self, title: str) -> KafkaSession:  # noqa: ARG002 - the protocol's; a broker has no use for a scenario's title
        """A fresh session; a broker that the last one left dead is started again."""
        if self._offer is None:
            raise WrongUsage(f"a session with the container of {self._image} was asked for before open()")
        if not self._container().is_running():
            self.restart()
        return wall_session(self.address, self._offer, self._patience_s, self)

    def crash(self) -> None:
        """Kill the broker, and wait until it is down."""
        self._container().kill()

    def restart(self) -> None:
        """Start the same container, whose disk was kept, and wait until its broker serves transactions."""
        self._container().start_again()
        self._await_serving()

    def close(self) -> None:
        """Remove the container, now or as soon as it has been started."""
        if self._closed or self._started is None or self._starter is None:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._started.add_done_callback(_remove)
        self._starter.join(_CLOSED_WITHIN_S)

    def _start(self, started: "Future[KafkaContainer]") -> None:
        try:
            from .container import start

            started.set_result(start(self._image, self._purpose))
        except BaseException as error:
            started.set_exception(error)

    def _container(self) -> "KafkaContainer":
        if self._started is None or self._closed:
            raise WrongUsage(f"the container of {self._image} is not open")
        return self._started.result(_SERVES_WITHIN_S)

    def _await_serving(self) -> Offer:
        container = self._container()
        last: object = "nothing was tried"
        for _ in WallTime(_SERVES_WITHIN_S).attempts():
            if not container.is_running():
                raise self._unreachable("ended", last)
            transport = connect("handshake", container.address)
            try:
                answer = ask(transport, deadline_s=5.0)
            finally:
                transport.close()
            last = answer
            if isinstance(answer, Done):
                last = serves_transactions(container.address, answer.value, patience_s=5.0)
                if isinstance(last, Done):
                    return answer.value
        raise self._unreachable(f"does not serve transactions within {_SERVES_WITHIN_S:g} s", last)

    def _unreachable(self, what: str, last: object) -> SystemUnreachable:
        return SystemUnreachable(
            f"the broker in the container of {self._image} {what}; the last that was seen: {last}. The end of its log:\n"
            f"{self._container().last_lines()}"
        )


def exact_version(image: str) -> str | None:
    """The version that an image's tag names, such as 4.3.1; None for a tag that is no version."""
    tag = image.rpartition("/")[2].partition(":")[2].partition("@")[0]
    return tag if re.fullmatch(r"\d+\.\d+(\.\d+)?([-.+]\S+)?", tag) else None


def _remove(started: "Future[KafkaContainer]") -> None:
    if started.exception() is None:
        started.result().stop()
