"""A system in containers of fencepost's own: started while scenarios are still being collected, removed on every way out.

Brokers are started one after another in a thread, the one for scenarios without special needs first, so that the others come up while
that one is being judged.
"""

import atexit
import threading
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import Image

_CLOSED_WITHIN_S = 60.0


class Broker(Protocol):
    """One broker, in containers."""

    def start(self) -> None:
        """Start it and wait until it serves; errors are raised where it is needed."""
        ...

    def close(self) -> None:
        """Remove its containers; may be called at any moment and twice."""
        ...


B = TypeVar("B", bound=Broker)


class ContainerSystem(Generic[B]):
    """Brokers of an image, each with a configuration of `fixtures/brokers.yaml`."""

    def __init__(self, image: str, patience_s: float) -> None:
        self._image = image
        self._patience_s = patience_s
        self._launched: list[B] = []
        self._to_start: SimpleQueue[B | None] = SimpleQueue()
        self._starter: threading.Thread | None = None
        self._is_open = False
        self._closed = False

    def image(self) -> Image:
        """What the brokers are started from, by the name that the user gave and the digest that Docker knows."""
        from .containers import digest_of

        return Image(self._image, digest_of(self._image))

    def close(self) -> None:
        """Remove the containers, now or as soon as they have been started."""
        if self._closed or self._starter is None:
            return
        self._closed = True
        atexit.unregister(self.close)
        for broker in self._launched:
            broker.close()
        self._to_start.put(None)
        self._starter.join(_CLOSED_WITHIN_S)

    def _launch(self, broker: B) -> B:
        """Have a broker started in the thread, behind those that wait already."""
        if self._starter is None:
            atexit.register(self.close)
            self._starter = threading.Thread(target=self._start_all, name=f"start {self._image}", daemon=True)
            self._starter.start()
        self._launched.append(broker)
        self._to_start.put(broker)
        return broker

    def _check_open(self) -> None:
        if not self._is_open or self._closed:
            raise WrongUsage(f"a session with the container of {self._image} was asked for before open(), or after close()")

    def _start_all(self) -> None:
        while (broker := self._to_start.get()) is not None:
            broker.start()
