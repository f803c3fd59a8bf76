"""Pulsar's frames over TCP: read in pieces of any size, lost when the connection ends, refused if they are invalid."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from fencepost.adapters.common.address import Address
from fencepost.adapters.pulsar.http import HttpAdmin
from fencepost.adapters.pulsar.reach import ServiceUrls, ask, parse_addresses, reach
from fencepost.adapters.pulsar.tcp import PulsarTcpTransport
from fencepost.adapters.pulsar.transport import ConnectionLost
from fencepost.contract.errors import Malformed, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import SIZE, decode, encode, frame_of, size_of

PING = encode(frame_of(pb.CommandPing()))
CONNECTED = encode(frame_of(pb.CommandConnected(server_version="Pulsar Server4.0.7", protocol_version=21)))


@contextmanager
def serving(act: Callable[[socket.socket], None]) -> Iterator[Address]:
    """A server on loopback that does one thing with its one connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                act(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Address("127.0.0.1", server.getsockname()[1])
        finally:
            thread.join(10)


@contextmanager
def connected(address: Address) -> Iterator[PulsarTcpTransport]:
    transport = PulsarTcpTransport(address)
    try:
        yield transport
    finally:
        transport.close()


def unused_address() -> Address:
    """An address of this machine without a listener."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return Address("127.0.0.1", server.getsockname()[1])


def says(*pieces: bytes) -> Callable[[socket.socket], None]:
    """A server that sends these pieces and closes when the client does."""

    def act(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)
        while connection.recv(1000):
            pass

    return act


def test_frames_come_whole_in_whatever_pieces() -> None:
    """Two frames in three pieces; then nothing, for as long as the client waits."""
    both = CONNECTED + PING
    with serving(says(both[:3], both[3:40], both[40:])) as address, connected(address) as transport:
        names = [frame.name for frame in (transport.receive(5), transport.receive(5)) if frame]
        began = time.monotonic()

        assert names == ["CONNECTED", "PING"]
        assert transport.receive(0.05) is None
        assert time.monotonic() - began < 60
        assert transport.receive(0) is None


@pytest.mark.parametrize(("said", "reported"), [(b"", "its end came"), (PING[:7], "its end came with 7 bytes of a frame")])
def test_a_connection_that_ends_is_lost(said: bytes, reported: str) -> None:
    """Also in the middle of a frame: a killed broker cuts its frames."""
    with (
        serving(lambda connection: connection.sendall(said)) as address,
        connected(address) as transport,
        pytest.raises(ConnectionLost, match=reported),
    ):
        transport.receive(5)


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        (SIZE.pack(2**31), "announces 2147483648 bytes"),
        (SIZE.pack(7) + SIZE.pack(3) + b"\x08\xe7\x07", "of a type that is not known: 999"),
        (PING[:-1] + b"\xff", "a BaseCommand was due, and the codec refuses it"),
    ],
)
def test_bytes_that_are_no_frame_are_malformed(said: bytes, reported: str) -> None:
    """The error has the bytes, and the connection is closed."""
    with serving(says(said)) as address, connected(address) as transport:
        with pytest.raises(Malformed, match=reported) as raised:
            transport.receive(5)

        assert "the bytes: " in str(raised.value)
        with pytest.raises(ConnectionLost):
            transport.send(frame_of(pb.CommandPing()))


def test_without_a_listener_there_is_no_connection() -> None:
    """The reason names the address."""
    address = unused_address()

    with pytest.raises(ConnectionLost, match=f"{address} cannot be connected to"):
        PulsarTcpTransport(address)


def test_asking_what_a_broker_offers() -> None:
    """CONNECT first, and the content of CONNECTED is the offer."""
    asked = []

    def act(connection: socket.socket) -> None:
        size = size_of(connection.recv(SIZE.size, socket.MSG_WAITALL))
        asked.append(decode(connection.recv(size, socket.MSG_WAITALL)))
        says(CONNECTED)(connection)

    with serving(act) as address:
        offered = ask(ServiceUrls(address, ""), within_s=5)

    assert isinstance(offered, Done)
    assert (offered.value.server, offered.value.protocol_version) == ("Pulsar Server4.0.7", 21)
    assert asked[0].name == "CONNECT"


def test_a_broker_that_refuses_the_connection_is_unknown() -> None:
    """For example because it is overloaded."""
    refusal = encode(frame_of(pb.CommandError(request_id=2**64 - 1, error=pb.TooManyRequests, message="too much")))

    with serving(says(refusal)) as address:
        outcome = ask(ServiceUrls(address, ""), within_s=5)

    assert isinstance(outcome, Unknown)
    assert "too much" in outcome.reason


def test_a_broker_that_never_stops_talking_does_not_keep_the_client() -> None:
    """Its time ends although there is always something to read."""

    def act(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection.sendall(PING)

    with serving(act) as address:
        outcome = ask(ServiceUrls(address, ""), within_s=0.3)

    assert outcome == Unknown(f"{address} did not answer CONNECT within 0.3 s")


# --- places and HTTP ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("service", "admin"),
    [
        ("here:6650", "http://here:8080"),
        ("pulsar://here:x", "http://here"),
        ("pulsar://a:1,", "http://here"),
        ("pulsar+ssl://a:1,pulsar+ssl://b:2", "https://here"),
        ("pulsar://here", "https://"),
        ("pulsar://here", "here:8080"),
    ],
)
def test_a_place_that_is_none_is_refused(service: str, admin: str) -> None:
    """The error has a correct example."""
    with pytest.raises(WrongUsage, match=r"expected (pulsar|http)://HOST:PORT or (pulsar\+ssl|https)://HOST:PORT"):
        parse_addresses(service, admin, {})


def test_a_service_url_may_leave_out_the_port() -> None:
    """Then it is the protocol's default."""
    assert parse_addresses("pulsar://here", "http://here:8080", {}).services[0] == Address("here", 6650)


def test_an_unreachable_system_is_reported_in_time() -> None:
    """With its place, the last error, and what to check."""
    place = parse_addresses(f"pulsar://{unused_address()}", f"http://{unused_address()}", {}).place()
    began = time.monotonic()

    with pytest.raises(SystemUnreachable, match=r"no Pulsar broker answers at pulsar://127.0.0.1.*cannot be connected to"):
        reach(place, within_s=0.3)

    assert time.monotonic() - began < 60


def answering(response: bytes) -> Callable[[socket.socket], None]:
    """An HTTP server that answers with these bytes."""

    def act(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(response)

    return act


def test_an_admin_call_goes_over_http() -> None:
    """The status, and the bytes unread."""
    with serving(answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope")) as address:
        admin = HttpAdmin(f"http://{address}/")
        answer = admin.call(AdminRequest("GET", "/admin/v2/x"), 5)
        admin.close()

    assert answer == Done(AdminAnswer(404, b"nope"))


@pytest.mark.parametrize("response", [b"", b"this is not HTTP\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut"])
def test_an_admin_call_that_is_not_answered_is_unknown(response: bytes) -> None:
    """No listener, nonsense, or half an answer: the outcome is unknown."""
    with serving(answering(response)) as address:
        admin = HttpAdmin(f"http://{address}")
        answer = admin.call(AdminRequest("PUT", "/admin/v2/x"), 5)
        admin.close()

    assert isinstance(answer, Unknown)
    assert answer.lost
    assert "PUT /admin/v2/x" in answer.reason


def test_an_admin_call_that_takes_too_long_is_unknown() -> None:
    """And not lost: it may still be done."""
    with serving(says()) as address:
        admin = HttpAdmin(f"http://{address}")
        answer = admin.call(AdminRequest("GET", "/admin/v2/x"), 0.1)
        admin.close()

    assert isinstance(answer, Unknown)
    assert not answer.lost
