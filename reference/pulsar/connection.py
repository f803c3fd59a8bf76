"""A client's connection as a node has it: frames in, and a queue of answers and notifications for the client."""

from collections import deque
from collections.abc import Callable

from fencepost.wire.pulsar.frames import Frame

from .api import take
from .api.peer import Peer
from .node import PulsarNode


class ServerConnection:
    """One connection. It lives until either side ends it, or the node crashes.

    `run` runs something as the node, and returns None when the node crashed during that; `notify` gets the notifications of the node, and
    returns an empty list if that failed.
    """

    def __init__(
        self,
        node: PulsarNode,
        run: Callable[[Callable[[], bool]], bool | None],
        notify: Callable[[Callable[[], Frame | None]], list[Frame | None]],
        left: Callable[["ServerConnection"], None],
        hung_up: Callable[["ServerConnection"], None],
    ) -> None:
        self.is_open = True
        self._run = run
        self._notify = notify
        self._left = left
        self._hung_up = hung_up
        self._said: deque[Frame] = deque()
        self.peer = Peer(node, self._said.append, self.hang_up)

    def handle(self, frame: Frame) -> None:
        """Handle a frame from the client."""
        if self.is_open and not self._run(lambda: take(self.peer, frame)):
            self.close()

    def take(self, *, with_news: bool = True) -> Frame | None:
        """The next frame for the client: what is queued, in order, and then the notifications of its watches.

        For a client that does not read, notifications can be left in the watches, which are bounded.
        """
        if self._said:
            return self._said.popleft()
        if not with_news:
            return None
        if not (reported := self._notify(self.peer.news)):
            self.close()
            return None
        return reported[0]

    def hang_up(self) -> None:
        """The node closes the connection, during a request of another client."""
        if self.is_open:
            self.is_open = False
            self._hung_up(self)

    def close(self) -> None:
        """The client has closed the connection, or is disconnected."""
        if self.is_open:
            self.is_open = False
            self._left(self)

    def cut(self) -> None:
        """The node has crashed: frames that were not taken are lost."""
        self.is_open = False
        self._said.clear()
        self.peer.watches.clear()
