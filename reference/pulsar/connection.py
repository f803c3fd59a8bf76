"""A client's connection as the broker has it: frames in, and a queue of what is said to the client, asked or unasked."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from fencepost.wire.pulsar.frames import Frame

from .api import take
from .api.peer import Peer
from .node import Node

if TYPE_CHECKING:
    from .broker import ReferencePulsar


class Connection:
    """One connection. It lives until either side ends it, or the broker crashes."""

    def __init__(self, broker: "ReferencePulsar", node: Node, service_url: str, stirred: Callable[[], None]) -> None:
        self.is_open = True
        self._broker = broker
        self._said: deque[Frame] = deque()
        self._stirred = stirred
        self.peer = Peer(node, service_url, self._say)

    def handle(self, frame: Frame) -> None:
        """Take a frame from the client."""
        if self.is_open and not self._broker.run(lambda: take(self.peer, frame)):
            self.close()

    def take(self) -> Frame | None:
        """The next frame for the client, in the order in which they were said."""
        return self._said.popleft() if self._said else None

    def close(self) -> None:
        """The client has gone, or is sent away."""
        if self.is_open:
            self.is_open = False
            self._broker.forget(self)
            self._stirred()

    def cut(self) -> None:
        """The broker has crashed: nothing that was not taken arrives any more."""
        self.is_open = False
        self._said.clear()
        self._stirred()

    def _say(self, frame: Frame) -> None:
        self._said.append(frame)
        self._stirred()
