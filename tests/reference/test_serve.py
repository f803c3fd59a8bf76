"""`fencepost serve kafka`: the reference on a loopback socket."""

import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from reference_client import TOPIC, Pair
from served import Served, serve_command, served_here
from tcp_client import TcpClient, versions
from wire_client import WireClient, framed

from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.serving.kafka import LONGEST_FRAME
from fencepost.reference.serving.unread_bytes import Memory
from fencepost.wire.kafka.batches import Batch, Record, encode
from fencepost.wire.kafka.entities import API_KEYS, request

PATIENCE_S = 20.0


def healthy(port: int, name: str = "healthy") -> None:
    """The broker still serves others."""
    client = TcpClient(port)
    client.whole_transaction(name)
    client.close()


def produce(acks: int, *, partition: int = 0) -> Any:
    data = encode(Batch((Record(b"v", timestamp=1),)))
    topic = {"name": TOPIC, "partition_data": [{"index": partition, "records": data}]}
    return request("produce", 9, transactional_id=None, acks=acks, timeout=1000, topic_data=[topic])


def fetch(max_bytes: int = 1 << 20, *, partition: int = 0, max_wait: int = 0, min_bytes: int = 0, offset: int = 0) -> Any:
    wanted = {"partition": partition, "fetch_offset": offset, "partition_max_bytes": max_bytes}
    fields = {"max_wait": max_wait, "min_bytes": min_bytes, "max_bytes": max_bytes, "isolation_level": 0, "forgotten_topics_data": []}
    return request("fetch", 12, topics=[{"topic": TOPIC, "partitions": [wanted]}], **fields)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_where_it_is_and_ends_when_it_is_notified_to(tmp_path: Path, ending: signal.Signals) -> None:
    """One line with the address and what to try; exit code 0, and no process listens there any longer."""
    with serve_command(tmp_path, end_with=ending) as served:
        healthy(served.port)
        idle = WireClient(served.port)

    assert served.greeting.startswith("The reference, profile seed, serves Kafka's protocol on 127.0.0.1:")
    assert f"fencepost run kafka --bootstrap 127.0.0.1:{served.port}" in served.greeting
    assert served.log.read_text() == ""
    assert idle.frame() is None
    idle.socket.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", served.port))


def test_a_port_that_is_taken_is_reported_with_what_to_do(tmp_path: Path) -> None:
    """Exit code 2, and another port is proposed."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = fencepost("serve", "kafka", "--port", port, expect=2, cwd=tmp_path)

    assert f"127.0.0.1:{port} cannot be opened: Address already in use; choose another port, or 0" in finished.err
    assert "Traceback" not in finished.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("kafak",), "unknown protocol 'kafak'; did you mean kafka?"),
        (("kafka", "--profile", "kafka-4.O"), "did you mean kafka-4.0?"),
        (("kafka", "--set", "cleanup=3"), "unknown setting 'cleanup'"),
        (("kafka", "--set", "transaction.abort.timed.out.transaction.cleanup.interval.ms"), "expected NAME=VALUE with a number"),
    ],
)
def test_what_cannot_be_served_is_reported(tmp_path: Path, arguments: tuple[str, ...], reported: str) -> None:
    """Exit code 2, with the nearest right word; before it takes a port, which may be another program's."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert reported in fencepost("serve", *arguments, "--port", port, expect=2, cwd=tmp_path).err


def test_its_time_passes_by_itself(tmp_path: Path) -> None:
    """A transaction that is open for longer than it may be is aborted without a request."""
    looks_often = "transaction.abort.timed.out.transaction.cleanup.interval.ms=10"
    with serve_command(tmp_path, "--set", looks_often) as served:
        client = TcpClient(served.port)
        pair = client.producer("x", timeout_ms=1)
        client.write("x", pair, 0, 0)
        end = time.monotonic() + PATIENCE_S
        while client.state("x")[0] != "CompleteAbort":
            assert time.monotonic() < end
        client.close()


def test_the_real_address_is_reported_wherever_an_address_is_reported() -> None:
    """Clients go where Metadata and FindCoordinator send them."""
    with served_here() as served:
        client = TcpClient(served.port)
        brokers = client.ask("metadata", 12, topics=None, include_topic_authorized_operations=False).brokers
        client.send("find_coordinator", 4, key_type=1, coordinator_keys=["x"])
        (by_keys,) = client.ask("find_coordinator", 4, key_type=1, coordinator_keys=["x"]).coordinators
        by_key = client.ask("find_coordinator", 3, key_type=1, key="x")
        client.close()

    assert {(node.host, int(node.port)) for node in (*brokers, by_keys, by_key)} == {("127.0.0.1", served.port)}


def test_an_unknown_version_of_api_versions_is_reported_what_there_is() -> None:
    """Error 35 in version 0, which every client can read; the connection goes on."""
    with served_here() as served, WireClient(served.port) as client:
        client.send(framed(struct.pack(">hhih", API_KEYS["api_versions"], 99, 7, -1)))
        answer = client.frame()
        client.ask(versions(), 8)

        assert answer is not None
        assert struct.unpack_from(">ih", answer) == (7, 35)
        assert struct.unpack_from(">i", answer, 6)[0] > 10
        assert client.correlation_id() == 8


@pytest.mark.parametrize(
    "data",
    [
        framed(struct.pack(">hhih", 9999, 0, 1, -1)),
        framed(struct.pack(">hhih", -1, 0, 1, -1)),
        framed(struct.pack(">hhih", API_KEYS["end_txn"], 99, 1, -1)),
        framed(struct.pack(">hhih", API_KEYS["end_txn"], -1, 1, -1)),
        framed(struct.pack(">hhih", API_KEYS["delete_topics"], 4, 1, -1)),
        framed(struct.pack(">hhih", API_KEYS["end_txn"], 5, 1, -1)),
        framed(struct.pack(">hhih", API_KEYS["api_versions"], 0, 1, -1) + b"left over"),
        framed(b""),
        framed(b"abc"),
        struct.pack(">i", -1),
        struct.pack(">i", LONGEST_FRAME + 1),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=lambda data: data[:14].hex(),
)
def test_what_the_broker_does_not_understand_ends_that_connection(data: bytes) -> None:
    """Unknown APIs and versions, malformed requests and absurd lengths; other connections go on."""
    with served_here() as served:
        other = TcpClient(served.port)
        with WireClient(served.port) as client:
            client.send(data)
            assert client.frame() is None
        other.whole_transaction("x")
        other.close()


def test_answers_come_in_the_order_of_their_requests() -> None:
    """However many are sent at once, and whatever they are."""
    with served_here() as served, WireClient(served.port) as client:
        for number in range(500):
            client.ask(versions() if number % 3 else fetch(), number)
        assert [client.correlation_id() for _ in range(500)] == list(range(500))


def test_acks_0_gets_no_answer() -> None:
    """The record is stored, and the next answer is that of the next request; a refused one ends the connection."""
    with served_here() as served:
        client = TcpClient(served.port)
        with WireClient(served.port) as sender:
            sender.ask(produce(0), 1)
            sender.ask(versions(), 2)
            assert sender.correlation_id() == 2
            assert client.end_offset(0) == 1

            sender.ask(produce(0, partition=9), 3)
            assert sender.frame() is None
        client.close()


def test_a_fetch_waits_for_records_and_for_no_longer_than_it_says() -> None:
    """It is answered when enough is there, others are served in the meantime, and an empty answer comes at the end of its wait."""
    with served_here() as served:
        client = TcpClient(served.port)
        with WireClient(served.port) as reader:
            reader.ask(fetch(max_wait=60_000, min_bytes=1), 1)
            assert client.plain(0) == 0
            assert reader.correlation_id() == 1
            reader.ask(fetch(offset=1, max_wait=50, min_bytes=1), 2)
            assert reader.correlation_id() == 2
        client.close()


def test_an_error_of_the_reference_ends_one_connection_and_is_written_down(caplog: pytest.LogCaptureFixture) -> None:
    """The traceback is in the log, and other connections go on."""

    class Faulty(TransactionFilter):
        def passes(self, *_: object) -> bool:
            raise ZeroDivisionError("the fault")

    with served_here(parts=KafkaParts(transaction_filter=Faulty)) as served:
        client = TcpClient(served.port)
        client.producer("x")
        assert client.send("list_transactions", 0, state_filters=[], producer_id_filters=[]) is None
        client.whole_transaction("y")
        client.close()

    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "the fault"


def test_a_crash_ends_what_is_asked_until_the_restart() -> None:
    """While the broker is down it answers no client."""
    with served_here() as served:
        client = TcpClient(served.port)
        pair = client.producer("x")
        client.write("x", pair, 0, 0)
        served.do(lambda broker: broker.crash())
        assert client.send("api_versions", 0) is None
        served.do(lambda broker: broker.restart())
        assert client.end("x", pair, commit=True)[0] == 0
        client.close()


def fill(served: Served, records: int, size: int) -> None:
    client = TcpClient(served.port)
    for _ in range(records):
        client.plain(0, "v" * size)
    client.close()


def test_a_client_that_does_not_read_is_not_read_from_and_blocks_no_other() -> None:
    """Ten readers that ask for much and read nothing: others are served, and in the end the answers are complete."""
    asked = 40
    with served_here() as served:
        fill(served, 8, 100_000)
        slow = [WireClient(served.port) for _ in range(10)]
        for client in slow:
            for number in range(asked):
                client.ask(fetch(), number)
        healthy(served.port)
        assert [slow[0].correlation_id() for _ in range(asked)] == list(range(asked))
        for client in slow:
            client.socket.close()
        healthy(served.port, "afterwards")


def test_a_thousand_idle_connections_and_as_many_half_frames(tmp_path: Path) -> None:
    """They cost little and disturb no other client."""
    with serve_command(tmp_path, itself=True) as served:
        idle = [WireClient(served.port) for _ in range(1000)]
        for number, client in enumerate(idle):
            client.send(struct.pack(">i", LONGEST_FRAME)[: number % 5] if number % 2 else struct.pack(">i", LONGEST_FRAME) + b"half")
        healthy(served.port)
        memory_kb = served.memory_kb()
        for client in idle:
            client.socket.close()
        healthy(served.port, "afterwards")

    assert memory_kb < 200_000


def test_only_received_bytes_count_and_the_connection_that_holds_most_is_closed() -> None:
    """Bytes are counted over all connections; the limit closes the largest holder and no other."""

    class Holder:
        given_up = ""

        def give_up(self, why: str) -> None:
            self.given_up = why

    small, large, late = Holder(), Holder(), Holder()
    memory = Memory(limit=100)
    memory.hold(small, 10)
    memory.hold(large, 60)
    memory.hold(late, 30)
    assert not large.given_up
    memory.hold(late, 31)
    assert "it held 60 bytes" in large.given_up
    memory.hold(late, 0)
    memory.hold(small, 90)
    assert (small.given_up, late.given_up) == ("", "")


def test_large_requests_that_never_end_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Many beginnings of large requests: the largest are closed, and a small client goes on."""
    piece = b"x" * (1 << 20)
    with serve_command(tmp_path, itself=True) as served:
        greedy = [WireClient(served.port) for _ in range(6)]
        for client in greedy:
            client.send(struct.pack(">i", LONGEST_FRAME))
        for _ in range(64):
            for client in greedy:
                try:
                    client.send(piece)
                except ConnectionError:
                    continue
        healthy(served.port)
        memory_kb = served.memory_kb()
        for client in greedy:
            client.socket.close()
        assert "held" in served.log.read_text()

    assert memory_kb < 450_000


def test_pairs_are_those_of_the_wire() -> None:
    """The bytes carry the reference's values: the epoch grows with each end."""
    with served_here() as served:
        client = TcpClient(served.port)
        pair = client.producer("x")
        client.write("x", pair, 0, 0)
        assert client.end("x", pair, commit=True) == (0, Pair(pair.producer_id, pair.epoch + 1))
        client.close()
