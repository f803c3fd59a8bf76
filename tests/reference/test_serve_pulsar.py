"""`fencepost serve pulsar`: the Pulsar reference on loopback sockets."""

import signal
import socket
import time
from pathlib import Path

import httpx
import pytest
from commands import fencepost
from pulsar_clients import PATIENCE_S, PulsarWire, healthy, session
from pulsar_mutations import TOPIC, recorded
from served import Command, serve_command
from served_pulsar import pulsar_here

from fencepost.contract.outcomes import Done, Unknown
from fencepost.reference.pulsar import PulsarParts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.serving.pulsar_admin import LONGEST_BODY
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import MAX_FRAME, SIZE, Payload, decode, encode, frame_of


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_where_it_is_and_ends_when_it_is_notified_to(tmp_path: Path, ending: signal.Signals) -> None:
    """One line with both addresses and what to try; exit code 0, and no process listens there any longer."""
    with serve_command(tmp_path, system="pulsar", end_with=ending) as served:
        healthy(served)
        idle = PulsarWire(served.port)

    service_url, admin_url = f"pulsar://127.0.0.1:{served.port}", f"http://127.0.0.1:{served.admin_port}"
    assert f"serves Pulsar's protocol at {service_url} and its admin calls at {admin_url}; " in served.greeting
    assert f"fencepost run pulsar --service-url {service_url} --admin-url {admin_url}" in served.greeting
    assert served.log.read_text() == ""
    assert idle.frame() is None
    idle.socket.close()
    for port in (served.port, served.admin_port):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize("taken_option", ["--port", "--admin-port"])
def test_a_port_that_is_taken_is_reported_with_what_to_do(tmp_path: Path, taken_option: str) -> None:
    """Exit code 2, the option is named, and another port is proposed."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = {"--port": 0, "--admin-port": 0, taken_option: port}
        given = [text for option, number in ports.items() for text in (option, number)]
        finished = fencepost("serve", "pulsar", *given, expect=2, cwd=tmp_path)

    assert f"{taken_option} {port}: 127.0.0.1:{port} cannot be opened: Address already in use; choose another port, or 0" in finished.err
    assert "Traceback" not in finished.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("pulser",), "did you mean pulsar?"),
        (("pulsar", "--profile", "pulsar-4.O"), "did you mean pulsar-4.0?"),
        (("pulsar", "--set", "x=3"), "--set is for kafka"),
        (("kafka", "--admin-port", "0"), "--admin-port is for pulsar"),
    ],
)
def test_what_cannot_be_served_is_reported(tmp_path: Path, arguments: tuple[str, ...], reported: str) -> None:
    """Exit code 2, with the nearest right word."""
    assert reported in fencepost("serve", *arguments, expect=2, cwd=tmp_path).err


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Command:  # type: ignore[misc]
    with serve_command(tmp_path_factory.mktemp("served"), system="pulsar") as command:
        yield command
        assert "Traceback" not in command.log.read_text()


def test_its_time_passes_by_itself(served: Command) -> None:
    """A transaction that is open for longer than it may be is aborted without a request."""
    ours = session(served.port, served.admin_port)
    probe = ours.client("c")
    opened = probe.new_transaction(1)
    assert isinstance(opened, Done)
    url = f"http://127.0.0.1:{served.admin_port}/admin/v3/transactions/transactionMetadata/{opened.value.coordinator_bits}/{opened.value.sequence}"
    end = time.monotonic() + PATIENCE_S
    while '"OPEN"' in httpx.get(url, trust_env=False).text:
        assert time.monotonic() < end
    ours.close()


def test_lookup_reports_the_real_address(served: Command) -> None:
    """Clients go where it sends them."""
    with PulsarWire(served.port) as client:
        client.ask(pb.CommandLookupTopic(topic=TOPIC, request_id=1))
        data = client.frame()

    assert data is not None
    assert decode(data).body.broker_service_url == f"pulsar://127.0.0.1:{served.port}"


def test_what_one_client_sends_reaches_another_that_only_waits(served: Command) -> None:
    """A consumer's connection is written to while its client sends nothing."""
    sent, subscribed = recorded(), PulsarWire(served.port)
    by_name = {frame.name: frame for frame in reversed(sent)}
    subscribed.send(encode(by_name["SUBSCRIBE"]) + encode(by_name["FLOW"]))
    assert subscribed.name() == "SUCCESS"
    with PulsarWire(served.port) as producer:
        producer.send(encode(by_name["PRODUCER"]) + encode(by_name["SEND"]))
        assert [producer.name(), producer.name()] == ["PRODUCER_SUCCESS", "SEND_RECEIPT"]
    assert subscribed.name() == "MESSAGE"
    subscribed.socket.close()


PING = encode(frame_of(pb.CommandPing()))
SEND = encode(next(frame for frame in recorded() if frame.name == "SEND"))


@pytest.mark.parametrize(
    "data",
    [
        SIZE.pack(0),
        SIZE.pack(MAX_FRAME + 1),
        SIZE.pack(2**32 - 1),
        SIZE.pack(4) + SIZE.pack(9),
        SIZE.pack(6) + SIZE.pack(2) + b"\x08\x7f",
        PING[:-1] + b"\xff",
        SEND[:-1] + b"x",
        SEND.replace(b"\x0e\x01", b"\x0e\x02"),
        encode(frame_of(pb.CommandPong())).replace(b"\x08\x13", b"\x08\x03"),
        encode(frame_of(pb.CommandSuccess(request_id=1))),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=lambda data: data[:14].hex(),
)
def test_what_the_broker_does_not_understand_ends_that_connection(served: Command, data: bytes) -> None:
    """Wrong sizes, magic and checksum, unknown commands, and those that no client sends; other connections go on."""
    with PulsarWire(served.port) as other:
        other.send(PING)
        with PulsarWire(served.port) as client:
            client.send(data)
            assert client.frame() is None
        other.send(PING)
        assert [other.name(), other.name()] == ["PONG", "PONG"]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /admin/v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"GET /" + b"x" * 300_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431),
        (b"PUT /admin/v2/x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{x}", 400),
        (b"PUT /admin/v2/x HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + b"[" * 200_000, 400),
        (b"PUT /admin/v2/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + b" " * (LONGEST_BODY + 1), 413),
        (b"PUT /admin/v3/transactions/transactionCoordinator/replicas HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n99999999", 409),
    ],
    ids=lambda value: value[:24].decode() if isinstance(value, bytes) else str(value),
)
def test_what_the_admin_port_does_not_understand_is_reported(served: Command, request_bytes: bytes, status: int) -> None:
    """Invalid HTTP and invalid JSON are 400, an unknown path is 404, and a request that is too large has its own status."""
    method_fits = request_bytes.replace(b"PUT /admin/v3", b"POST /admin/v3")
    with PulsarWire(served.admin_port) as client:
        client.send(method_fits)
        assert client.socket.recv(12) == b"HTTP/1.1 %d" % status
    healthy(served)


def test_a_connection_to_the_admin_port_serves_several_calls(served: Command) -> None:
    """As HTTP/1.1 requires."""
    with httpx.Client(base_url=f"http://127.0.0.1:{served.admin_port}", trust_env=False) as client:
        statuses = [client.put("/admin/v2/persistent/public/default/calls").status_code for _ in range(2)]
        assert client.get("/admin/v3/transactions/coordinators").json() == [{"id": 0}]

    assert statuses == [204, 409]


def test_an_error_of_the_reference_ends_one_connection_and_is_written_down(caplog: pytest.LogCaptureFixture) -> None:
    """The traceback is in the log, and other connections go on."""

    class Faulty(LogCoordinator):
        def new(self, timeout_ms: int) -> TxnId:  # noqa: ARG002
            raise ZeroDivisionError("the fault")

    with pulsar_here(parts=PulsarParts(coordinator=Faulty)) as here, PulsarWire(here.port) as other:
        ours = session(here.port, here.admin_port)
        assert isinstance(ours.client("c").new_transaction(), Unknown)
        ours.close()
        other.send(PING)
        assert other.name() == "PONG"

    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "the fault"


def test_a_crash_ends_the_connections_until_the_restart() -> None:
    """While the broker is down it answers no client, at neither port."""
    url = "/admin/v3/transactions/coordinators"
    with pulsar_here() as here, PulsarWire(here.port) as client, httpx.Client(trust_env=False) as http:
        client.send(PING)
        assert client.name() == "PONG"
        here.do(lambda broker: broker.crash())
        assert client.frame() is None
        with PulsarWire(here.port) as early:
            assert early.frame() is None
        with pytest.raises(httpx.RemoteProtocolError):
            http.get(f"http://127.0.0.1:{here.admin_port}{url}")
        here.do(lambda broker: broker.restart())
        with PulsarWire(here.port) as late:
            late.send(PING)
            assert late.name() == "PONG"
        assert http.get(f"http://127.0.0.1:{here.admin_port}{url}").status_code == 200


def test_a_client_that_does_not_read_is_not_read_from_and_blocks_no_other(served: Command) -> None:
    """Readers that ask for everything and read nothing: others are served, and in the end the answers are complete."""
    topic, count, size = "persistent://public/default/slow", 40, 200_000
    slow = [PulsarWire(served.port) for _ in range(5)]
    for number, client in enumerate(slow):
        client.ask(pb.CommandSubscribe(topic=topic, subscription=f"s{number}", sub_type="Exclusive", consumer_id=1, request_id=1))
        client.ask(pb.CommandFlow(consumer_id=1, message_permits=count))
        assert client.name() == "SUCCESS"
    with PulsarWire(served.port) as producer:
        producer.ask(pb.CommandProducer(topic=topic, producer_id=1, request_id=1, producer_name="p"))
        for number in range(count):
            metadata = pb.MessageMetadata(producer_name="p", sequence_id=number, publish_time=1)
            producer.ask(pb.CommandSend(producer_id=1, sequence_id=number), Payload(metadata, b"v" * size))
        assert [producer.name() for _ in range(count + 1)] == ["PRODUCER_SUCCESS", *["SEND_RECEIPT"] * count]
    healthy(served)
    for client in slow:
        assert [client.name() for _ in range(count)] == ["MESSAGE"] * count
        client.socket.close()
    healthy(served, "afterwards")


def test_a_thousand_idle_connections_and_as_many_half_frames(tmp_path: Path) -> None:
    """They cost little and disturb no other client."""
    with serve_command(tmp_path, system="pulsar", itself=True) as served:
        idle = [PulsarWire(served.port if number % 4 else served.admin_port) for number in range(1000)]
        for number, client in enumerate(idle):
            client.send(SIZE.pack(MAX_FRAME)[: number % 5] if number % 2 else SIZE.pack(MAX_FRAME) + b"half")
        healthy(served)
        memory_kb = served.memory_kb()
        for client in idle:
            client.socket.close()
        healthy(served, "afterwards")

    assert memory_kb < 200_000
