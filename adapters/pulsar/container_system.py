"""Pulsar in containers of fencepost's own: started while scenarios are still being collected, removed on every way out.

Scenarios that need nothing special share one broker. For a purpose that is fresh, each scenario gets a broker of its own: the next
one is started ahead, in a thread, while the scenarios before are being judged, and it is removed when its session closes.
"""

import atexit
import threading
from collections import Counter
from collections.abc import Collection
from queue import SimpleQueue

from fencepost.adapters.live import PATIENCE_S
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import Handshake

from .container_broker import ContainerBroker
from .handshake import describe, identify
from .session import PulsarSession
from .settings import pulsar_settings

_CLOSED_WITHIN_S = 60.0


class PulsarContainerSystem:
    """Brokers of an image, each with the settings of a purpose in `fixtures/brokers.yaml`."""

    name = "pulsar"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        self._image = image
        self._patience_s = patience_s
        self._waiting: dict[str, ContainerBroker] = {}
        """For each purpose the broker that its next session gets."""
        self._to_come: Counter[str] = Counter()
        """How many more scenarios will ask for a broker of each purpose."""
        self._brokers: list[ContainerBroker] = []
        self._to_start: SimpleQueue[ContainerBroker | None] = SimpleQueue()
        self._starter: threading.Thread | None = None
        self._is_open = False
        self._closed = False

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start the shared broker, and one for each other purpose that scenarios with these needs run on."""
        if self._starter is None:
            atexit.register(self.close)
            self._starter = threading.Thread(target=self._start_all, name=f"start {self._image}", daemon=True)
            self._starter.start()
        settings = pulsar_settings()
        self._to_come = Counter(purpose for need in needs for purpose in settings.purposes_for([need]))
        for purpose in (settings.default_purpose, *settings.purposes_for(needs)):
            self._broker(purpose)

    def open(self) -> Handshake:
        """Wait until the shared broker serves transactions."""
        settings = pulsar_settings()
        if self._starter is None:
            self.prepare()
        broker = self._broker(settings.default_purpose)
        offer = broker.offer
        self._is_open = True
        notes = [f"container of {self._image}, settings for {broker.purpose}", f"at {broker.place}"]
        return describe(offer, identify(offer.server, settings.releases), offered=settings.capabilities, notes=notes)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:  # noqa: ARG002 - a broker has no use for a title
        """A fresh session on the broker for these needs, or on one of its own."""
        if not self._is_open or self._closed:
            raise WrongUsage(f"a session with the container of {self._image} was asked for before open(), or after close()")
        settings = pulsar_settings()
        purpose = settings.purpose_for(needs)
        broker = self._broker(purpose)
        session = broker.session()
        self._to_come[purpose] -= 1
        if settings.purpose(purpose).fresh:
            session.on_close(broker.close)
            del self._waiting[purpose]
            if self._to_come[purpose] > 0:
                self._broker(purpose)
        return session

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        if self._closed or self._starter is None:
            return
        self._closed = True
        atexit.unregister(self.close)
        for broker in self._brokers:
            broker.close()
        self._to_start.put(None)
        self._starter.join(_CLOSED_WITHIN_S)

    def _broker(self, purpose: str) -> ContainerBroker:
        """The broker that the next session for that purpose gets; it is started when it is first asked for."""
        if purpose not in self._waiting:
            broker = ContainerBroker(self._image, purpose, self._patience_s)
            self._waiting[purpose] = broker
            self._brokers.append(broker)
            self._to_start.put(broker)
        return self._waiting[purpose]

    def _start_all(self) -> None:
        while (broker := self._to_start.get()) is not None:
            broker.start()
