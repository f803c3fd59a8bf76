"""A listener of another protocol, as a client sees it that connects to the wrong port."""

import contextlib
import socket
from collections.abc import Iterator
from threading import Thread

from fencepost.adapters.common.address import LOOPBACK, Address


@contextlib.contextmanager
def answering(first: bytes) -> Iterator[Address]:
    """The address of a listener that answers its first client's first request with these bytes."""
    with socket.create_server((LOOPBACK, 0)) as listener:

        def answer() -> None:
            with listener.accept()[0] as connection:
                connection.recv(1024)
                connection.sendall(first)

        thread = Thread(target=answer)
        thread.start()
        yield Address(LOOPBACK, listener.getsockname()[1])
        thread.join(20)
