"""A proxy between the clients of a session and the nodes, which carries out orders about single requests.

Each connection of a client is one end of a pair of sockets, and the proxy has the other, so no other process can connect. The addresses
that a cluster advertises stay the same: the client names the node's address and gets a connection that leads there.

TLS ends at the proxy, which reads frames: it is between the proxy and the node, with the client's certificate. A login passes through like
any other request, so each connection has its own.

The proxy reads the length, the API's key and the correlation id of a request, and the length and the correlation id of an answer. It does
not interpret what is no frame: after a length that no node would accept, it passes bytes on unchanged, and so it does with a frame that the
end of a connection cuts off.

It runs in one thread with a separate event loop. It holds at most one frame for each direction of a connection, and the requests that it
was ordered to hold. When one side of a connection ends, so does the other.
"""

import asyncio
import contextlib
import itertools
import socket
import struct
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.wire_faults import Fault, Orders
from fencepost.contract.errors import SystemUnreachable
from fencepost.wire.kafka.entities import API_KEYS, API_NAMES

from .security import OPEN, KafkaSecurity
from .tcp import MAX_FRAME, KafkaTcpTransport
from .transport import KafkaTransport

T = TypeVar("T")

_LENGTH = struct.Struct(">i")
_REQUEST = struct.Struct(">hhi")
_CORRELATION = struct.Struct(">i")
_CHUNK = 64 * 1024
_WITHIN_S = 15.0
"""How long a task in the proxy's thread may take: longer than a node takes for any request of the suite."""


class ProxiedWire:
    """The connections to nodes over TCP, and TLS if there are TLS settings, through the proxy."""

    def __init__(self, security: KafkaSecurity = OPEN) -> None:
        self._security = security
        self.orders = Orders(API_KEYS)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault proxy", daemon=True)
        self._thread.start()
        self._connections: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    def connect(self, client: str, address: Address) -> KafkaTransport:
        """A transport whose connections lead to that node through the proxy."""
        return KafkaTcpTransport(f"fencepost-{client}", address, self._security.login, lambda node, _within_s: self.dial(client, node))

    def dial(self, client: str, node: Address) -> socket.socket:
        """That client's end of a connection to that node; it ends at once if the node does not listen."""
        ours, theirs = socket.socketpair()
        self._run(self._begin(client, node, theirs))
        return ours

    def close(self) -> None:
        """End all connections, and the thread."""
        if self._loop.is_closed():
            return
        self.orders.forget()
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_WITHIN_S)
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_WITHIN_S)

    async def _begin(self, client: str, node: Address, ours: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=ours)
        task = asyncio.ensure_future(self._serve(client, node, reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _stop(self) -> None:
        self._stopping.set()
        await asyncio.gather(*self._connections)

    async def _serve(self, client: str, node: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tls = self._security.tls
        try:
            to_node = await asyncio.open_connection(node.host, node.port, ssl=None if tls is None else tls.context)
            await _Connection(client, self.orders, (reader, writer), to_node).run(self._stopping)
        except OSError:
            pass  # as without a proxy, the client sees a connection that ends without an answer
        finally:
            await _close(writer)


class _Connection:
    """A connection of the client, and the corresponding one to the node."""

    def __init__(
        self,
        client: str,
        orders: Orders,
        to_client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        to_node: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._name = client
        self._orders = orders
        self._client_reader, self._client = to_client
        self._node_reader, self._node = to_node
        self._own_ids = itertools.count(-2, -1)
        """Correlation ids for the proxy's own requests; they count down, since those of clients count up."""
        self._kept: dict[int, asyncio.Future[bytes]] = {}
        """Answers that the client must not get, by correlation id."""

    async def run(self, stopping: asyncio.Event) -> None:
        """Pass frames on until one side ends, or `stopping` is set."""
        directions = {asyncio.ensure_future(work) for work in (self._requests(), self._answers(), stopping.wait())}
        try:
            done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            for ended in done:
                ended.result()
        finally:
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            await _close(self._node)

    async def _requests(self) -> None:
        while (frame := await _frame(self._client_reader, self._node, _REQUEST.size)) is not None:
            api_key, _, correlation_id = _REQUEST.unpack_from(frame, _LENGTH.size)
            match self._orders.take(self._name, API_NAMES.get(api_key)):
                case None:
                    await _send(self._node, frame)
                case Fault.LOSE_REQUEST:
                    return
                case Fault.LOSE_ANSWER:
                    await self._asked(frame, correlation_id)
                    return
                case Fault.HOLD_UP:
                    await self._hold(frame, correlation_id)
                    return
                case Fault.ARRIVE_TWICE:
                    first = self._asked(frame, correlation_id)
                    second = self._asked(_with_correlation_id(frame, own := next(self._own_ids)), own)
                    answer, _ = await asyncio.gather(first, second)
                    await _send(self._client, answer)

    async def _hold(self, frame: bytes, correlation_id: int) -> None:
        """Close the client's connection, and send the request to the node only on `let_go`, which waits for the node's answer."""
        loop = asyncio.get_running_loop()
        released: asyncio.Future[None] = loop.create_future()
        arrived: asyncio.Future[bool] = loop.create_future()

        async def let_go() -> None:
            if not released.done():
                released.set_result(None)
            if not await arrived:
                raise SystemUnreachable(f"a request of {self._name} that was held up was let go, and the node closed the connection")

        self._orders.hold(lambda: asyncio.run_coroutine_threadsafe(let_go(), loop).result(_WITHIN_S))
        self._client.close()
        has_arrived = False
        try:
            await released
            await self._asked(frame, correlation_id)
            has_arrived = True
        finally:
            arrived.set_result(has_arrived)

    async def _asked(self, frame: bytes, correlation_id: int) -> bytes:
        """Send a request to the node; returns its answer, which the client does not get."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._kept[correlation_id] = answer
        await _send(self._node, frame)
        return await answer

    async def _answers(self) -> None:
        while (frame := await _frame(self._node_reader, self._client, _CORRELATION.size)) is not None:
            correlation_id = _CORRELATION.unpack_from(frame, _LENGTH.size)[0]
            if (kept := self._kept.pop(correlation_id, None)) is not None:
                kept.set_result(frame)
            else:
                await _send(self._client, frame)


async def _frame(reader: asyncio.StreamReader, onward: asyncio.StreamWriter, least: int) -> bytes | None:
    """The next frame with its length; None at the end of the connection, after all bytes that are no frame were passed on."""
    try:
        prefix = await reader.readexactly(_LENGTH.size)
        length = _LENGTH.unpack(prefix)[0]
        if least <= length <= MAX_FRAME:
            try:
                return prefix + await reader.readexactly(length)
            except asyncio.IncompleteReadError as cut:
                await _send(onward, prefix + cut.partial)
                return None
        await _send(onward, prefix)
    except asyncio.IncompleteReadError as cut:
        await _send(onward, cut.partial)
        return None
    while chunk := await reader.read(_CHUNK):
        await _send(onward, chunk)
    return None


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    """Close, and ignore errors: the other side may have closed first."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def _with_correlation_id(frame: bytes, correlation_id: int) -> bytes:
    changed = bytearray(frame)
    _CORRELATION.pack_into(changed, _LENGTH.size + _REQUEST.size - _CORRELATION.size, correlation_id)
    return bytes(changed)
