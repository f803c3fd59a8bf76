"""A broker on loopback that misbehaves on purpose.

It understands one request, ApiVersions v0, and answers that it offers nothing. For each request it takes the next lie from a
list; when the list is used up it is honest. The lies:

* `closes`: hangs up instead of answering
* `closes_midway`: hangs up in the middle of the answer's frame
* `answers_then_closes`: answers truly, and hangs up before the next request
* `answers_once`: answers the first request of a connection, and hangs up when it gets another, as if that came while it was hanging up
* `swaps_correlation_ids`: answers with another request's correlation id
* `truncates`: a whole frame, and the message in it ends too early
* `adds_bytes`: a whole frame, and bytes are left over after the message
* `announces_too_much`, `announces_less_than_nothing`: a frame with an absurd length
* `invents_an_error`: an error code that Kafka does not have
* `answers_late`: nothing, until another connection has had its answer; then the true answer

Nothing else is wrong with it: a test that fails here has found a fault of the client.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TypeAlias

Lie: TypeAlias = Callable[["FakeBroker", socket.socket, int], None]

_NO_ERROR = 0


def _message(correlation_id: int, error_code: int = _NO_ERROR) -> bytes:
    """ApiVersions v0: the correlation id, an error code, and an empty list of APIs."""
    return struct.pack(">ihi", correlation_id, error_code, 0)


def _framed(message: bytes) -> bytes:
    return struct.pack(">i", len(message)) + message


def is_honest(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id)))


def closes(_: "FakeBroker", connection: socket.socket, _correlation_id: int) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def closes_midway(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id))[:7])
    connection.shutdown(socket.SHUT_RDWR)


def answers_then_closes(broker: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    is_honest(broker, connection, correlation_id)
    connection.shutdown(socket.SHUT_RDWR)
    broker.hung_up.set()


def answers_once(broker: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    lie = closes if connection in broker.answered else is_honest
    broker.answered.append(connection)
    lie(broker, connection, correlation_id)


def swaps_correlation_ids(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id + 1)))


def truncates(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id)[:-1]))


def adds_bytes(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id) + b"\xca\xfe"))


def announces_too_much(_: "FakeBroker", connection: socket.socket, _correlation_id: int) -> None:
    connection.sendall(struct.pack(">i", 0x7FFFFFFF))


def announces_less_than_nothing(_: "FakeBroker", connection: socket.socket, _correlation_id: int) -> None:
    connection.sendall(struct.pack(">i", -1))


def invents_an_error(_: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    connection.sendall(_framed(_message(correlation_id, error_code=9999)))


def answers_late(broker: "FakeBroker", connection: socket.socket, correlation_id: int) -> None:
    broker.another_was_answered.wait(10)
    with contextlib.suppress(OSError):  # the client may have hung up, which is what it should do
        connection.sendall(_framed(_message(correlation_id)))


class FakeBroker:
    """Listens while the `with` block lasts; `requests` counts what it was asked."""

    def __init__(self, *lies: Lie) -> None:
        self._lies = list(lies)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.port: int = self._listener.getsockname()[1]
        self.requests = 0
        self.another_was_answered = threading.Event()
        self.hung_up = threading.Event()
        self.answered: list[socket.socket] = []

    def __enter__(self) -> "FakeBroker":
        self._run(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.another_was_answered.set()
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts; closing alone would not
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for held in (self._listener, *self._connections):
            held.close()

    def _run(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                self._run(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection.makefile("rb") as received:
            while prefix := received.read(4):
                frame = received.read(struct.unpack(">i", prefix)[0])
                self.requests += 1
                lie = self._lies.pop(0) if self._lies else is_honest
                lie(self, connection, struct.unpack_from(">i", frame, 4)[0])
                if lie is not answers_late:
                    self.another_was_answered.set()
