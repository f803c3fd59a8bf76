"""Kafka's frames over a TCP connection: one connection for each client and node, whose answers are read in the order of the requests.

How each failure is handled:

* no connection: `Unreachable`. A connection that is lost before the whole answer has come: `Unknown(lost=True)`. A frame that the end of
  the connection cuts off counts as lost, since a killed node cuts its frames too.
* no whole answer before the deadline: `Unknown`, and the connection is closed, so that a late answer can never be taken for the answer
  to another request.
* no login, no TLS, or an answer in another protocol such as HTTP: SystemUnreachable with the remedy, and the connection is closed.
* bytes that are not the expected answer: `Malformed` with the bytes, and the connection is closed.

The next call after a failure opens a new connection. A connection that the node closed while no request was in flight is replaced silently:
nothing was sent, so nothing is uncertain. So is a connection whose login is about to expire, and one that was idle for a second: a node
that closes idle connections may do so while the next request is in flight, and the client cannot know then whether the node got it.
"""

import socket
import ssl
import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.shared_outcomes import Unreachable
from fencepost.adapters.common.tls import dial, other_protocol, refused
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.frames import LENGTH, MalformedKafkaFrame, decode_response, encode_request

from .kafka_login import KafkaLogin
from .transport import Answer, ReadingOrder, named

T = TypeVar("T")

Dial: TypeAlias = Callable[[Address, float], socket.socket]
"""A new connection to a node, made within so many seconds. Raises SystemUnreachable, OSError."""

MAX_FRAME = 64 * 1024 * 1024
"""The longest answer that is accepted; a broker's own default for requests is 100 MiB, and no answer to the suite comes near."""

_SAY_TLS = "Use --tls-ca FILE (or --tls-ca system)"
_CONNECTED_WITHIN_S = 1.0
_CLOSED_WITHIN_S = 0.005
"""How long to check that a new connection stays open; a busy machine may take longer to close it, and then a request is lost."""
_IDLE_AT_MOST_S = 1.0
"""How long a connection may have been idle when it is used again; brokers and what stands before them close it after seconds or minutes."""
_USED_OF_LOGIN = 0.8
"""The part of a login's lifetime during which a connection is used; the node closes it if a request comes after the lifetime."""


class KafkaTcpTransport:
    """A connection to one node, opened when it is first needed; with a login, the login is the first thing that it carries."""

    def __init__(self, client_id: str, address: Address, login: KafkaLogin | None = None, dial: Dial = dial) -> None:
        self._client_id = client_id
        self._address = address
        self._login = login
        self._dial = dial
        self._logged_in_until: float | None = None
        self._early = bytearray()
        """Bytes that came before an answer was expected; the next answer begins with them."""
        self._socket: socket.socket | None = None
        self._order = ReadingOrder()
        self._last_correlation_id = 0
        self._used_at = 0.0

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        """Send one request and read its answer."""
        return self.send(request, deadline_s)()

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:
        """Send one request; if it cannot be sent, the returned function gives the failure."""
        asked = named(request)
        deadline = _Deadline(deadline_s)
        try:
            connection, is_new = self._connected(deadline)
        except TimeoutError:
            late = Unknown(f"{self._address} did not accept a connection for {asked} within {deadline_s:g} s")
            return lambda: late
        except OSError as error:
            unreachable = Unreachable(f"{self._address} cannot be connected to for {asked}: {error.strerror or error}")
            return lambda: unreachable

        def exchange(step: Callable[[], T]) -> T | Unknown:
            try:
                return step()
            except (SystemUnreachable, Malformed):
                self.close()
                raise
            except TimeoutError:
                self.close()
                return Unknown(f"{self._address} did not answer {asked} within {deadline_s:g} s")
            except OSError as error:
                self.close()
                if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
                    raise refused(error, self._address, takes_properties=True) from error
                return Unknown(f"{self._address} closed the connection instead of answering {asked}: {error}", lost=True)
            except MalformedKafkaFrame as error:
                self.close()
                raise Malformed(f"{self._address}: {error}") from error

        def write() -> int:
            if is_new and self._login is not None:
                self._log_in(self._login, connection, deadline)
            return self._write(connection, request, deadline)

        match exchange(write):
            case Unknown() as trouble:
                return lambda: trouble
            case correlation_id:
                order, number = self._order, self._order.note_sent()

        def read() -> Done[ResponsePayload] | Unknown:
            order.check_next(number, request)
            return exchange(lambda: Done(self._read(connection, request, correlation_id, deadline)))

        return read

    def is_listened_to(self) -> bool:
        """Whether a connection opens and stays open. Docker's forwarder accepts one while the broker is down too, and closes it at once."""
        try:
            with self._dial(self._address, _CONNECTED_WITHIN_S) as connection:
                return not _was_closed_by_peer(connection, bytearray(), _CLOSED_WITHIN_S)
        except OSError:
            return False

    def opened(self, within_s: float) -> socket.socket:
        """A new, logged-in connection, which the caller uses and closes. Raises SystemUnreachable, Malformed, OSError."""
        deadline = _Deadline(within_s)
        connection = self._dial(self._address, within_s)
        try:
            if self._login is not None:
                self._log_in(self._login, connection, deadline)
            connection.settimeout(within_s)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket, self._order, self._logged_in_until = None, ReadingOrder(), None
            self._early.clear()

    def _connected(self, deadline: "_Deadline") -> tuple[socket.socket, bool]:
        """The connection, and whether it was opened just now."""
        if self._socket is not None and (_was_closed_by_peer(self._socket, self._early) or self._is_login_over() or self._was_idle()):
            self.close()
        is_new = self._socket is None
        if self._socket is None:
            self._socket = self._dial(self._address, deadline.left())
        return self._socket, is_new

    def _is_login_over(self) -> bool:
        """Whether the login has expired or soon will; never while an answer is in flight."""
        return self._logged_in_until is not None and time.monotonic() > self._logged_in_until and not self._order.is_awaiting

    def _was_idle(self) -> bool:
        """Whether nothing was in flight for so long that the node may be closing the connection now."""
        is_silent = not self._order.is_awaiting and not self._early
        return is_silent and time.monotonic() > self._used_at + _IDLE_AT_MOST_S

    def _log_in(self, login: KafkaLogin, connection: socket.socket, deadline: "_Deadline") -> None:
        try:
            holds_s = login.over(lambda message: self._exchange(connection, message, deadline), self._address)
            self._logged_in_until = None if holds_s is None else time.monotonic() + _USED_OF_LOGIN * holds_s
        except MalformedKafkaFrame:
            what = f"{self._address}: the answer to the login of the user {login.user!r} is none that the protocol allows"
            raise Malformed(f"{what}; its bytes are not shown, because they may contain the password") from None

    def _exchange(self, connection: socket.socket, request: RequestPayload, deadline: "_Deadline") -> ResponsePayload:
        return self._read(connection, request, self._write(connection, request, deadline), deadline)

    def _write(self, connection: socket.socket, request: RequestPayload, deadline: "_Deadline") -> int:
        """Send a request; returns its correlation id."""
        self._last_correlation_id += 1
        connection.settimeout(deadline.left())
        connection.sendall(encode_request(request, self._last_correlation_id, self._client_id))
        self._used_at = time.monotonic()
        return self._last_correlation_id

    def _read(self, connection: socket.socket, request: RequestPayload, correlation_id: int, deadline: "_Deadline") -> ResponsePayload:
        frame = self._read_frame(connection, deadline)
        self._used_at = time.monotonic()
        return decode_response(request, correlation_id, frame)

    def _read_frame(self, connection: socket.socket, deadline: "_Deadline") -> bytes:
        prefix = _read_exactly(connection, LENGTH.size, deadline, self._early)
        length: int = LENGTH.unpack(prefix)[0]
        if (other := other_protocol(prefix, _SAY_TLS)) is not None and not 0 <= length <= MAX_FRAME:
            raise SystemUnreachable(f"{self._address} is no Kafka broker, or not without TLS: {other}")
        if not 0 <= length <= MAX_FRAME:
            raise MalformedKafkaFrame(f"a frame announces {length} bytes, expected 0 to {MAX_FRAME}", prefix)
        return _read_exactly(connection, length, deadline)


class _Deadline:
    """A moment that all parts of one call share."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left. Raises TimeoutError if there are none."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _read_exactly(connection: socket.socket, size: int, deadline: _Deadline, early: bytearray | None = None) -> bytes:
    data = bytearray(early or b"")
    if early:
        early.clear()
    while len(data) < size:
        connection.settimeout(deadline.left())
        chunk = connection.recv(min(size - len(data), 1 << 20))
        if not chunk:
            raise ConnectionError(f"end of the connection after {len(data)} of {size} bytes")
        data += chunk
    return bytes(data)


def _was_closed_by_peer(connection: socket.socket, early: bytearray, within_s: float = 0) -> bool:
    """Whether the connection has ended while no request is in flight; an unexpected byte is kept in `early` for the next answer."""
    if early:
        return False
    connection.settimeout(within_s)
    try:
        early += (byte := connection.recv(1))  # TLS cannot look at a byte without taking it
        return not byte
    except (BlockingIOError, TimeoutError, ssl.SSLWantReadError):
        return False
    except OSError:
        return True
