"""The bundled Pulsar reference as a system that is reached over TCP and HTTP, on the same virtual clock and with the same names.

It does not lie: that it says the same as the bundled one, event by event, is what tests ask of it.

A client that waits lets time pass, so it must know whether anything is in flight. It does: the connection in the broker counts what
it took and said, and a client goes on when everything that it sent was taken, and reads when something was said that it has not read.
"""

from served import EventLoop
from served_pulsar import ServedPulsar

from fencepost.adapters.common.address import Address
from fencepost.adapters.pulsar.http import HttpAdmin
from fencepost.adapters.pulsar.tcp import PulsarTcpTransport
from fencepost.adapters.pulsar.transport import Connect, ConnectAdmin, ConnectionLost
from fencepost.adapters.reference_pulsar import NODES, PulsarReferenceSystem, number_of
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.pulsar import ReferencePulsar
from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.serving.pulsar import Outgoing
from fencepost.reference.serving.server import HOST
from fencepost.wire.pulsar.frames import Frame

_STEP_MS = 20
_WITHIN_S = 20.0


class CountingNode:
    """A node of the broker, which counts what goes over its connections."""

    def __init__(self, broker: ReferencePulsar, number: int) -> None:
        self.broker = broker
        self.number = number
        self.connections: list[CountingConnection] = []

    def connect(self):  # type: ignore[no-untyped-def]
        connection = self.broker.connect(self.number)
        if connection is not None:
            self.connections.append(CountingConnection(connection))
            return self.connections[-1]
        self.connections.append(CountingConnection(None))
        return None

    def __getattr__(self, name: str) -> object:
        return getattr(self.broker, name)


class CountingConnection:
    """A connection in the broker."""

    def __init__(self, connection: ServerConnection | None) -> None:
        self._connection = connection
        self.handled = 0
        self.said = 0

    @property
    def is_open(self) -> bool:
        return self._connection is not None and self._connection.is_open

    def handle(self, frame: Frame) -> None:
        assert self._connection is not None
        try:
            self._connection.handle(frame)
        finally:
            self.handled += 1

    def take(self, *, with_news: bool = True) -> Frame | None:
        assert self._connection is not None
        frame = self._connection.take(with_news=with_news)
        self.said += frame is not None
        return frame

    def close(self) -> None:
        assert self._connection is not None
        self._connection.close()


class VirtualTcpTransport:
    """A connection over TCP whose client waits in virtual time."""

    def __init__(self, loop: EventLoop, served: ServedPulsar, counting: CountingNode) -> None:
        self._loop, self._served = loop, served
        before = loop.do(lambda: len(counting.connections))
        self._tcp = PulsarTcpTransport(Address(HOST, served.port))
        while loop.do(lambda: len(counting.connections)) == before:
            pass  # the loop has other things to do before it accepts
        self._there = counting.connections[before]
        if self._there._connection is None:
            self._tcp.close()
            raise ConnectionLost("the broker is down")
        self._sent = self._received = 0

    def send(self, frame: Frame) -> None:
        self._check()
        self._tcp.send(frame)
        self._sent += 1
        while self._loop.do(lambda: self._there.handled < self._sent and self._there.is_open):
            pass  # it is on its way to the broker

    def receive(self, within_s: float) -> Frame | None:
        there, received = self._there, self._received
        self._served.advance_until(lambda: there.said != received or not there.is_open, within_s * 1000, _STEP_MS)
        if self._loop.do(lambda: there.said) == received:
            self._check()
            return None
        frame = self._tcp.receive(_WITHIN_S)
        assert frame is not None, "the broker said something, and it did not come"
        self._received += 1
        return frame

    def close(self) -> None:
        self._tcp.close()
        while self._loop.do(lambda: self._there.is_open):
            pass  # the end is on its way to the broker

    def _check(self) -> None:
        if not self._loop.do(lambda: self._there.is_open):
            raise ConnectionLost("the broker closed the connection")


class ServedPulsarSystem(PulsarReferenceSystem):
    """Each node of each session's broker is served on separate ports. What a session does to its broker, it does while no client waits.

    Whatever address the broker reports for a node, clients connect to the port at which the node is served.
    """

    _loop: EventLoop | None = None
    _served: tuple[ServedPulsar, ...] = ()

    def ways_to(self, broker: ReferencePulsar) -> tuple[Connect, ConnectAdmin]:
        loop = self._loop = self._loop or EventLoop().__enter__()
        for served in self._served:
            served.close()
        outgoing = Outgoing()
        nodes = [CountingNode(broker, FIRST_NODE + place) for place in range(NODES)]
        self._served = tuple(ServedPulsar(loop, lambda _, node=node: node, outgoing) for node in nodes)  # type: ignore[misc]
        places = {node.number: (served, node) for served, node in zip(self._served, nodes, strict=True)}
        return (
            lambda _client, address: VirtualTcpTransport(loop, *places[number_of(address)]),
            lambda: HttpAdmin(f"http://{HOST}:{places[FIRST_NODE][0].admin_port}"),
        )

    def close(self) -> None:
        for served in self._served:
            served.close()
        self._served = ()
        if self._loop is not None:
            self._loop.__exit__(None, None, None)
            self._loop = None
