"""Kafka in containers of fencepost's own: started while scenarios are still being collected, removed on every way out.

There is one broker for each purpose that a selected scenario needs. They are started one after another in a thread, the one for
scenarios without special needs first, so that the others come up while that one is being judged.
"""

import atexit
import re
import threading
from collections.abc import Collection
from queue import SimpleQueue

from fencepost.adapters.live import PATIENCE_S
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import Handshake

from .container_broker import ContainerBroker
from .handshake import describe
from .nursery import AGED_IDS
from .reach import brokers
from .release import identify
from .session import KafkaSession
from .settings import kafka_settings

_CLOSED_WITHIN_S = 30.0


class KafkaContainerSystem:
    """Brokers of an image, each with the settings of a purpose in `fixtures/brokers.yaml`."""

    name = "kafka"

    def __init__(self, image: str, patience_s: float = PATIENCE_S) -> None:
        self._image = image
        self._patience_s = patience_s
        self._brokers: dict[str, ContainerBroker] = {}
        self._used: set[str] = set()
        """The fresh purposes whose broker has served a scenario."""
        self._to_start: SimpleQueue[ContainerBroker | None] = SimpleQueue()
        self._starter: threading.Thread | None = None
        self._is_open = False
        self._closed = False

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start the default broker, and those that scenarios with these needs will run on."""
        if self._starter is None:
            atexit.register(self.close)
            self._starter = threading.Thread(target=self._start_all, name=f"start {self._image}", daemon=True)
            self._starter.start()
        settings = kafka_settings()
        for purpose in (settings.default_purpose, *settings.purposes_for(needs)):
            self._broker(purpose, aged_ids=sum(AGED_IDS in need and settings.purposes_for([need]) == [purpose] for need in needs))

    def open(self) -> Handshake:
        """Wait until the default broker serves transactions."""
        self.prepare()
        settings = kafka_settings()
        broker = self._broker(settings.default_purpose)
        offer = broker.offer
        identity = identify(offer.supported.get("metadata.version"), settings.releases, exact_version(self._image))
        nodes = brokers(broker.address, offer)
        notes = [
            f"container of {self._image}, settings for {broker.purpose}",
            "nodes: " + ", ".join(f"{node} at {address}" for node, address in nodes.items()),
        ]
        self._is_open = True
        return describe(offer, identity, (self.name, identity.version), offered=settings.capabilities, notes=notes)

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:  # noqa: ARG002 - a broker has no use for a title
        """A fresh session on the broker for these needs."""
        if not self._is_open or self._closed:
            raise WrongUsage(f"a session with the container of {self._image} was asked for before open(), or after close()")
        purpose = kafka_settings().purpose_for(needs)
        if kafka_settings().purposes[purpose].fresh:
            self._throw_away_used(purpose)
        return self._broker(purpose).session(needs)

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        if self._closed or self._starter is None:
            return
        self._closed = True
        atexit.unregister(self.close)
        for broker in self._brokers.values():
            broker.close()
        self._to_start.put(None)
        self._starter.join(_CLOSED_WITHIN_S)

    def _throw_away_used(self, purpose: str) -> None:
        """Remove the broker of that purpose if a scenario has been on it; the next one that is asked for is a new one."""
        if purpose in self._used:
            self._brokers.pop(purpose).close()
        self._used.add(purpose)

    def _broker(self, purpose: str, aged_ids: int = 0) -> ContainerBroker:
        """The broker for that purpose; it is started when it is first asked for, and ages ids from then on."""
        if purpose not in self._brokers:
            self._brokers[purpose] = ContainerBroker(self._image, purpose, self._patience_s, aged_ids)
            self._to_start.put(self._brokers[purpose])
        return self._brokers[purpose]

    def _start_all(self) -> None:
        while (broker := self._to_start.get()) is not None:
            broker.start()


def exact_version(image: str) -> str | None:
    """The version that an image's tag names, such as 4.3.1; None for a tag that is no version."""
    tag = image.rpartition("/")[2].partition(":")[2].partition("@")[0]
    return tag if re.fullmatch(r"\d+\.\d+(\.\d+)?([-.+]\S+)?", tag) else None
