"""The Pulsar reference over TCP and HTTP in a thread of this process, on a virtual clock, which is all in which it lies."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from served import Door, EventLoop

from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.serving.pulsar import Outgoing, PulsarConnection
from fencepost.reference.serving.pulsar_admin import AdminConnection
from fencepost.reference.serving.server import HOST, listen

T = TypeVar("T")


class ServedPulsar:
    """A broker at two separate ports. Its time passes only when it is advanced.

    Those that are nodes of one broker share `outgoing`: a request to one may cause a frame for a client of another.
    """

    def __init__(self, loop: EventLoop, make_broker: Callable[[str], ReferencePulsar], outgoing: Outgoing | None = None) -> None:
        binary, admin = listen(0), listen(0)
        broker = self.broker = make_broker(f"pulsar://{HOST}:{binary.getsockname()[1]}")
        outgoing = self._outgoing = outgoing or Outgoing()
        self._loop = loop
        self._doors = (
            Door(loop, binary, lambda memory, reader, writer: PulsarConnection(broker, outgoing, memory, reader, writer)),
            Door(loop, admin, lambda memory, reader, writer: AdminConnection(broker, outgoing, memory, reader, writer)),
        )
        self.port, self.admin_port = (door.port for door in self._doors)

    def do(self, act: Callable[[ReferencePulsar], T]) -> T:
        """Do something to the broker, between two frames; what it says then is sent."""

        def acted() -> T:
            try:
                return act(self.broker)
            finally:
                self._outgoing.flush()

        return self._loop.do(acted)

    def advance_until(self, happened: Callable[[], bool], most_ms: float, step_ms: float) -> None:
        """Let time pass in steps until that happened, at most so much; what the broker says at a step is sent before the next one."""

        def passed() -> None:
            left_ms = most_ms
            while left_ms > 0 and not happened():
                self.broker.advance(min(step_ms, left_ms))
                self._outgoing.flush()
                left_ms -= step_ms

        self._loop.do(passed)

    def close(self) -> None:
        """End it, with all its connections."""
        for door in self._doors:
            door.close()


@contextlib.contextmanager
def pulsar_here(profile: str = "seed", parts: PulsarParts | None = None) -> Iterator[ServedPulsar]:
    """A reference in this process."""
    with EventLoop() as loop:
        served = ServedPulsar(loop, lambda url: ReferencePulsar(PulsarProfile.load(profile), parts or PulsarParts(), url, nodes=1))
        try:
            yield served
        finally:
            served.close()
