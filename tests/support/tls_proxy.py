"""TLS before a server of this machine that has none."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import trustme

from fencepost.adapters.common.address import LOOPBACK as HOST
from fencepost.adapters.common.address import Address

AMPLE_S = 10.0


@contextmanager
def over_tls(port: int, ca: trustme.CA, name: str = HOST, wants: trustme.CA | None = None) -> Iterator[Address]:
    """TLS before a broker that has none: each connection is decrypted, and handed on. `wants` signs the clients that may come in."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ca.issue_cert(name).configure_cert(context)
    if wants is not None:
        wants.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server((HOST, 0))
    threads: list[Thread] = []

    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for one in (source, sink):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def serve(raw: socket.socket) -> None:
        with context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False) as client:
            try:
                client.do_handshake()
            except OSError:
                with suppress(OSError):
                    while socket.socket.recv(client, 65536):  # closed before all is read, it would be reset, and the alert be lost
                        pass
                return
            hand_on(client)

    def hand_on(client: socket.socket) -> None:
        with socket.create_connection((HOST, port)) as node:
            back = Thread(target=pump, args=(node, client))
            back.start()
            pump(client, node)
            back.join(AMPLE_S)

    def accept() -> None:
        try:
            while True:
                threads.append(Thread(target=serve, args=(listener.accept()[0],)))
                threads[-1].start()
        except OSError:
            pass

    accepting = Thread(target=accept)
    accepting.start()
    try:
        yield Address(HOST, listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join(AMPLE_S)
        listener.close()
        for thread in threads:
            thread.join(AMPLE_S)
