"""Pulsar's frames over a TCP connection, with TLS if there are TLS settings; with a login, CONNECT carries it.

* no connection, or one that ends, also in the middle of a frame: `ConnectionLost`. A killed broker cuts its frames too.
* TLS or a login is refused: AccessRefused with the remedy. Another protocol such as HTTP: SystemUnreachable.
* bytes that are no frame: `Malformed` with the bytes, and the connection is closed.

A frame is read as its bytes come, in pieces of any size; bytes of the next one are kept.
"""

import contextlib
import ssl
import time
from collections.abc import Callable, Iterator
from functools import partial

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.tls import Tls, dial, other_protocol, refused
from fencepost.contract.errors import AccessRefused, Malformed, SystemUnreachable
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import SIZE, Frame, decode, encode, size_of
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame
from fencepost.wire.pulsar.numbers import MINUS_ONE

from .pulsar_login import PulsarLogin, PulsarLoginRefused
from .transport import ConnectionLost

_CONNECTED_WITHIN_S = 5.0
_SENT_WITHIN_S = 10.0
_CHUNK = 1 << 16
_SAY_TLS = "Use pulsar+ssl://HOST:PORT, and --tls-ca FILE unless this machine trusts its authority"


class PulsarTcpTransport:
    """A connection to one broker."""

    def __init__(
        self, address: Address, tls: Tls | None = None, login: PulsarLogin | None = None, connected_within_s: float = _CONNECTED_WITHIN_S
    ) -> None:
        self._address = address
        self._login = login
        self._secret = ""
        """The last secret that was sent to log in; a broker may quote it."""
        self._is_own_login = False
        """Whether CONNECT has credentials of the scenario, so that the scenario judges a refusal."""
        self._incoming = bytearray()
        try:
            self._socket = dial(address, min(connected_within_s, _CONNECTED_WITHIN_S), tls)
        except OSError as error:
            raise ConnectionLost(f"{address} cannot be connected to: {error.strerror or error}") from error

    def send(self, frame: Frame) -> None:
        """Write the whole frame; the login is added to CONNECT. Raises AccessRefused if there is no token."""
        match frame.body:
            case pb.CommandConnect(auth_method_name=""):
                if (login := self._login) is not None:
                    frame = self._with_login(partial(login.connect_with, frame.body))
            case pb.CommandConnect():
                self._is_own_login = True
        with self._losing("did not take a frame"):
            self._socket.settimeout(_SENT_WITHIN_S)
            self._socket.sendall(encode(frame))

    def receive(self, within_s: float) -> Frame | None:
        """Read until a frame has come that is not about the login, or the time is over. Raises AccessRefused."""
        end = time.monotonic() + within_s
        while True:
            while (data := self._whole_frame()) is None:
                if not self._read(max(0.0, end - time.monotonic())):
                    return None
            try:
                frame = decode(data)
            except MalformedPulsarFrame as error:
                raise self._malformed(error) from error
            match frame.body, self._login:
                case pb.CommandAuthChallenge() as challenge, PulsarLogin() as login:
                    self.send(self._with_login(partial(login.answer_to, challenge)))
                case pb.CommandError(request_id=number, error=pb.AuthenticationError, message=why), _ if (
                    number == MINUS_ONE and not self._is_own_login
                ):
                    self.close()
                    why = why.replace(self._secret, "[hidden]") if self._secret else why
                    raise PulsarLoginRefused.by(self._address, why, has_token=bool(self._secret))
                case _:
                    return frame

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _with_login(self, made: Callable[[], tuple[Frame, str]]) -> Frame:
        try:
            frame, self._secret = made()
        except AccessRefused:
            self.close()
            raise
        return frame

    def _whole_frame(self) -> bytes | None:
        """The bytes of the first frame that has come, without their size."""
        if len(self._incoming) < SIZE.size:
            return None
        try:
            end = SIZE.size + size_of(bytes(self._incoming[: SIZE.size]))
        except MalformedPulsarFrame as error:
            if (other := other_protocol(bytes(self._incoming[: SIZE.size]), _SAY_TLS)) is not None:
                self.close()
                raise SystemUnreachable(f"{self._address} is no Pulsar broker, or not without TLS: {other}") from error
            raise self._malformed(error) from error
        if len(self._incoming) < end:
            return None
        data = bytes(self._incoming[SIZE.size : end])
        del self._incoming[:end]
        return data

    def _read(self, within_s: float) -> bool:
        """Read the bytes that have come; False if none come in time."""
        with self._losing("closed the connection"):
            self._socket.settimeout(within_s)
            try:
                chunk = self._socket.recv(_CHUNK)
            except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
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
            if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
                raise refused(error, self._address, takes_properties=False) from error
            raise ConnectionLost(f"{self._address} {what}: {error}") from error

    def _malformed(self, error: MalformedPulsarFrame) -> Malformed:
        self.close()
        return Malformed(f"{self._address}: {error}")
