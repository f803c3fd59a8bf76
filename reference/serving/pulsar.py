"""Pulsar's connections: frames in, and out what the broker sends to this client, answers and notifications.

During one client's request, others may be sent something: a message, the end of a transaction, that their producer is closed. So after
every frame, every admin call and every bit of time `Outgoing.flush` writes to each socket what the broker has for it. A client that does
not read is not read from either; what it is sent meanwhile waits in its socket's buffer, and counts.

What is no frame ends the connection, as with Apache Pulsar: a wrong size, magic or checksum, an unknown command.
"""

import asyncio

from fencepost.reference.pulsar import ReferencePulsar
from fencepost.wire.pulsar.frames import SIZE, decode, encode, size_of
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

from .line import ClientConversation
from .unread_bytes import Memory

ENOUGH_UNREAD = 64 * 1024
"""A client with more unread bytes is sent no notifications until it has read."""


class Outgoing:
    """The open connections."""

    def __init__(self) -> None:
        self._connections: set[PulsarConnection] = set()

    def add(self, connection: "PulsarConnection") -> None:
        """The broker may send something there."""
        self._connections.add(connection)

    def forget(self, connection: "PulsarConnection") -> None:
        """The connection is closed."""
        self._connections.discard(connection)

    def flush(self) -> None:
        """Write everything that is queued, and count what waits for clients that do not read."""
        for connection in tuple(self._connections):
            connection.write()


class PulsarConnection(ClientConversation):
    """A conversation with one client of Pulsar's binary protocol."""

    not_understood = MalformedPulsarFrame

    def __init__(
        self,
        broker: ReferencePulsar,
        outgoing: Outgoing,
        memory: Memory,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        super().__init__(memory, reader, writer)
        self._outgoing = outgoing
        self._connection = broker.connect()
        self._waiting = 0
        outgoing.add(self)

    def write(self) -> None:
        """Write what the broker has queued. If the broker has closed the connection, so does this."""
        if self._connection is None:
            return
        while (frame := self._connection.take(with_news=not self._is_slow())) is not None:
            self._writer.write(encode(frame))
        waiting = self._writer.transport.get_write_buffer_size()
        if waiting != self._waiting:  # what it has sent counts as well
            self._memory.hold(self, waiting)
            self._waiting = waiting
        if not self._connection.is_open:
            self._writer.close()

    def _is_slow(self) -> bool:
        """Whether the client leaves so much unread that notifications wait for it at the broker, which keeps only the newest."""
        return self._writer.transport.get_write_buffer_size() > ENOUGH_UNREAD

    async def _talk(self) -> None:
        if self._connection is None:  # the broker is down
            self._outgoing.forget(self)
            return
        try:
            while self._connection.is_open:
                size = size_of(await self._reader.readexactly(SIZE.size))
                frame = decode(await self._read(size))
                try:
                    self._connection.handle(frame)
                finally:
                    self._outgoing.flush()
                await self._drained()
                # A client that sends many frames at once takes turns with the others.
                await asyncio.sleep(0)
        finally:
            self._connection.close()
            self._outgoing.flush()
            self._outgoing.forget(self)
