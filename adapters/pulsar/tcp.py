"""Pulsar's frames over a TCP connection.

* no connection, or it ends, also in the middle of a frame: `ConnectionLost`. A broker that is killed cuts its frames too.
* bytes that are no frame: `Malformed` with the bytes, and the connection is closed.

A frame is read as its bytes come, in whatever pieces; what has come of the next one is kept.
"""

import contextlib
import socket
import time
from collections.abc import Iterator

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import Malformed
from fencepost.wire.pulsar.frames import SIZE, Frame, decode, encode, size_of
from fencepost.wire.pulsar.reading import MalformedFrame

from .transport import ConnectionLost

_CONNECTED_WITHIN_S = 5.0
_SENT_WITHIN_S = 10.0
_CHUNK = 1 << 16


class TcpTransport:
    """A connection to one broker."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._incoming = bytearray()
        try:
            self._socket = socket.create_connection((address.host, address.port), _CONNECTED_WITHIN_S)
        except OSError as error:
            raise ConnectionLost(f"{address} cannot be connected to: {error.strerror or error}") from error
        # Requests are small and each waits for its answer, so nothing is won by collecting bytes.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, frame: Frame) -> None:
        """Write the whole frame."""
        with self._losing("did not take a frame"):
            self._socket.settimeout(_SENT_WITHIN_S)
            self._socket.sendall(encode(frame))

    def receive(self, within_s: float) -> Frame | None:
        """Read until a frame is there, or the time is over."""
        end = time.monotonic() + within_s
        while (data := self._whole_frame()) is None:
            if not self._read(max(0.0, end - time.monotonic())):
                return None
        try:
            return decode(data)
        except MalformedFrame as error:
            raise self._malformed(error) from error

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _whole_frame(self) -> bytes | None:
        """The bytes of the first frame that has come, without their size."""
        if len(self._incoming) < SIZE.size:
            return None
        try:
            end = SIZE.size + size_of(bytes(self._incoming[: SIZE.size]))
        except MalformedFrame as error:
            raise self._malformed(error) from error
        if len(self._incoming) < end:
            return None
        data = bytes(self._incoming[SIZE.size : end])
        del self._incoming[:end]
        return data

    def _read(self, within_s: float) -> bool:
        """Read what there is; False when nothing comes in time."""
        with self._losing("closed the connection"):
            self._socket.settimeout(within_s)
            try:
                chunk = self._socket.recv(_CHUNK)
            except (TimeoutError, BlockingIOError):
                return False
            if not chunk:
                raise ConnectionError(f"its end came with {len(self._incoming)} bytes of a frame" if self._incoming else "its end came")
        self._incoming += chunk
        return True

    @contextlib.contextmanager
    def _losing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.close()
            raise ConnectionLost(f"{self._address} {what}: {error}") from error

    def _malformed(self, error: MalformedFrame) -> Malformed:
        self.close()
        return Malformed(f"{self._address}: {error}")
