"""A client of bytes: what it sends may be anything, and it reads frames."""

import socket
import struct
from types import TracebackType

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.frames import encode_request

PATIENCE_S = 20.0


class WireClient:
    """One connection to a port of this machine."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_S)

    def __enter__(self) -> "WireClient":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, request: RequestPayload, correlation_id: int = 1) -> None:
        """Send a request, and do not wait for its answer."""
        self.send(encode_request(request, correlation_id, "test"))

    def frame(self) -> bytes | None:
        """The next frame without its length; None when the connection was closed instead."""
        prefix = self._exactly(4)
        return None if prefix is None else self._exactly(struct.unpack(">i", prefix)[0])

    def correlation_id(self) -> int | None:
        """That of the next answer; None when the connection was closed instead."""
        frame = self.frame()
        return None if frame is None else int(struct.unpack_from(">i", frame)[0])

    def _exactly(self, size: int) -> bytes | None:
        data = b""
        while len(data) < size:
            try:
                chunk = self.socket.recv(size - len(data))
            except ConnectionError:
                return None
            if not chunk:
                return None
            data += chunk
        return data


def framed(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data
