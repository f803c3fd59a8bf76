"""The reference on a loopback socket, until it is cancelled.

One broker answers all connections on one event loop, one request at a time, since the reference itself has no other way. Its clock is
virtual; while it is served in real time, the wall clock moves it.
"""

import asyncio
import contextlib
import logging
import resource
import socket
import time
from collections.abc import Callable
from typing import TypeAlias

from .line import ClientConversation
from .unread_bytes import Memory

HOST = "127.0.0.1"
MOST_CONNECTIONS = 4_000
_BACKLOG = 1_024
_OTHER_FILES = 64
_TICK_S = 0.01
_READ_AHEAD = 16 * 1024
"""How much of later requests is read while one is being answered."""

Meet: TypeAlias = Callable[[Memory, asyncio.StreamReader, asyncio.StreamWriter], ClientConversation]
"""Makes of a new connection a conversation of the protocol that is served."""

_LOG = logging.getLogger("fencepost.serve")


def listen(port: int) -> socket.socket:
    """A loopback socket for that port, a free one for 0. OSError when the port cannot be had."""
    return socket.create_server((HOST, port), backlog=_BACKLOG)


class Server:
    """Answers every client that connects."""

    def __init__(self, meet: Meet) -> None:
        self._meet = meet
        self._memory = Memory()
        self._conversations: set[asyncio.Task[None]] = set()

    async def serve(self, listener: socket.socket) -> None:
        """Serve until cancelled; then every socket is closed."""
        server = await asyncio.start_server(self._accept, sock=listener, limit=_READ_AHEAD)
        try:
            await server.serve_forever()
        finally:
            server.close()
            for conversation in self._conversations:
                conversation.cancel()
            await asyncio.gather(*self._conversations, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._conversations) >= MOST_CONNECTIONS:
            _LOG.info("a connection was refused: there are %d already", MOST_CONNECTIONS)
            writer.transport.abort()
            return
        conversation = asyncio.get_running_loop().create_task(self._meet(self._memory, reader, writer).converse())
        self._conversations.add(conversation)
        conversation.add_done_callback(self._conversations.discard)


async def follow_the_wall_clock(advance: Callable[[int], None]) -> None:
    """Advance the virtual time as real time passes. An error in a timer's work is logged, and time goes on."""
    last = time.monotonic()
    while True:
        await asyncio.sleep(_TICK_S)
        passed_ms = int((time.monotonic() - last) * 1000)
        last += passed_ms / 1000
        try:
            advance(passed_ms)
        except Exception:
            _LOG.exception("the reference failed while time passed")


def allow_many_files() -> None:
    """Raise the limit of open sockets for this process, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
