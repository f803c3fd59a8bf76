"""One client's connection as bytes of any protocol: what every connection does with its socket.

An error in our code ends that connection, and is written to the log with its traceback; the others go on. What a client sends and what it
does not read counts in the memory that all connections share.
"""

import asyncio
import logging
from abc import ABC, abstractmethod

from .unread_bytes import Memory

_CHUNK = 64 * 1024
_LOG = logging.getLogger("fencepost.serve")


class ClientConversation(ABC):
    """A conversation with one client. A subclass has the protocol."""

    not_understood: type[Exception]
    """What the protocol's codec raises for bytes that it does not understand; it ends the connection."""

    def __init__(self, memory: Memory, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._memory = memory
        self._reader = reader
        self._writer = writer
        self._name = "{}:{}".format(*writer.get_extra_info("peername"))
        writer.transport.set_write_buffer_limits(0)  # so that drained means that nothing waits any more

    async def converse(self) -> None:
        """Answer until one side ends it."""
        try:
            await self._talk()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        except self.not_understood as error:
            _LOG.info("%s: closed: %s", self._name, error)
        except Exception:  # whatever is wrong with the reference, the other clients go on
            _LOG.exception("%s: closed: the reference failed", self._name)
        finally:
            self._memory.hold(self, 0)
            self._writer.transport.abort()

    def give_up(self, why: str) -> None:
        """Close at once, whatever is in flight."""
        _LOG.info("%s: closed: %s", self._name, why)
        self._writer.transport.abort()

    @abstractmethod
    async def _talk(self) -> None:
        """Speak the protocol until the connection is to be closed."""

    async def _read(self, length: int) -> bytes:
        """That many bytes."""
        if length <= _CHUNK:
            return await self._reader.readexactly(length)
        data = bytearray()
        while len(data) < length:
            chunk = await self._reader.read(min(length - len(data), _CHUNK))
            if not chunk:
                raise asyncio.IncompleteReadError(bytes(data), length)
            data += chunk
            self._memory.hold(self, len(data))
        self._memory.hold(self, 0)
        return bytes(data)

    async def _drained(self) -> None:
        """Wait until the client has taken what was written."""
        if waiting := self._writer.transport.get_write_buffer_size():
            self._memory.hold(self, waiting)
            await self._writer.drain()
            self._memory.hold(self, 0)
