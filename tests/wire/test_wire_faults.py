"""Faults on the wire do just what was ordered, in process and through the proxy, and nothing else."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import fake_broker
import pytest
from commands import fencepost, verdicts
from fake_broker import FakeBroker
from hypothesis import given, settings
from hypothesis import strategies as st
from kio.static.protocol import RequestPayload, ResponsePayload
from lying_broker import LyingBroker

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.wire_faults import MAX_HELD, Fault, Orders
from fencepost.adapters.kafka.inprocess import InProcessWire
from fencepost.adapters.kafka.proxy import ProxiedWire
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered, SystemUnreachable, UnknownName, WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.reference.kafka import Profile, ReferenceKafka
from fencepost.wire.kafka.entities import plain, request

ASKED = request("api_versions", 0)
AMPLE_S = 10.0


@pytest.fixture
def wire() -> Iterator[ProxiedWire]:
    proxied = ProxiedWire()
    yield proxied
    proxied.close()


def at(broker: FakeBroker) -> Address:
    return Address("127.0.0.1", broker.port)


def test_without_orders_all_goes_through(wire: ProxiedWire) -> None:
    """What the node answers is what the client gets, over one connection, again and again."""
    with FakeBroker() as broker:
        transport = wire.connect("A", at(broker))

        outcomes = [transport.call(ASKED, AMPLE_S) for _ in range(3)]
        transport.close()

    assert [plain(outcome.value) for outcome in outcomes if isinstance(outcome, Done)] == [{"error_code": "NONE", "api_keys": []}] * 3
    assert broker.requests == 3


@pytest.mark.parametrize(("fault", "seen_by_node"), [(Fault.LOSE_REQUEST, 0), (Fault.LOSE_ANSWER, 1), (Fault.HOLD_UP, 0)])
def test_a_loss_leaves_the_client_not_knowing(wire: ProxiedWire, fault: Fault, seen_by_node: int) -> None:
    """The outcome is Unknown with a lost connection; what differs is what the node has seen. The next request is not harmed."""
    with FakeBroker() as broker:
        wire.orders.order("A", "api_versions", fault)
        transport = wire.connect("A", at(broker))

        lost = transport.call(ASKED, AMPLE_S)
        seen = broker.requests
        after = transport.call(ASKED, AMPLE_S)
        transport.close()
        wire.close()

    assert isinstance(lost, Unknown)
    assert lost.lost
    assert seen == seen_by_node
    assert isinstance(after, Done)


def test_a_doubled_request_is_answered_once(wire: ProxiedWire) -> None:
    """The node sees it twice, and the connection is in step afterwards."""
    with FakeBroker() as broker:
        wire.orders.order("A", "api_versions", Fault.ARRIVE_TWICE)
        transport = wire.connect("A", at(broker))

        first = transport.call(ASKED, AMPLE_S)
        seen = broker.requests
        second = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(first, Done)
    assert seen == 2
    assert isinstance(second, Done)


def test_a_held_request_has_been_answered_when_it_was_let_go(wire: ProxiedWire) -> None:
    """It reaches the node then and not earlier."""
    with FakeBroker() as broker:
        wire.orders.order("A", "api_versions", Fault.HOLD_UP)
        transport = wire.connect("A", at(broker))
        transport.call(ASKED, AMPLE_S)

        before, released, after = broker.requests, wire.orders.let_go(), broker.requests
        transport.close()

    assert (before, released, after) == (0, 1, 1)


def test_a_held_request_that_can_no_longer_arrive_is_reported(wire: ProxiedWire) -> None:
    """A node that has disconnected meanwhile gets nothing, and the caller that releases the request learns of it."""
    with FakeBroker(fake_broker.closes) as broker:
        wire.orders.order("A", "api_versions", Fault.HOLD_UP)
        transport = wire.connect("A", at(broker))
        transport.call(ASKED, AMPLE_S)

        with pytest.raises(SystemUnreachable, match="held up was let go, and the node closed the connection"):
            wire.orders.let_go()
        transport.close()


def test_an_order_is_for_one_client_and_one_api(wire: ProxiedWire) -> None:
    """Others pass."""
    with FakeBroker() as broker:
        wire.orders.order("B", "api_versions", Fault.LOSE_REQUEST)
        wire.orders.order("A", "end_txn", Fault.LOSE_REQUEST)
        transport = wire.connect("A", at(broker))

        outcome = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(outcome, Done)
    assert wire.orders.outstanding() == 2


@pytest.mark.parametrize("lie", [fake_broker.closes, fake_broker.closes_midway])
def test_a_node_that_hangs_up_looks_the_same_through_the_proxy(wire: ProxiedWire, lie: fake_broker.Lie) -> None:
    """Its end of the connection is the client's end too."""
    with FakeBroker(lie) as broker:
        transport = wire.connect("A", at(broker))

        outcome = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(outcome, Unknown)
    assert outcome.lost


def test_a_node_that_is_not_there_is_lost(wire: ProxiedWire) -> None:
    """As without a proxy."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        transport = wire.connect("A", Address("127.0.0.1", bound.getsockname()[1]))

        outcome = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(outcome, Unknown)
    assert outcome.lost


def _echoed(data: bytes) -> tuple[bytes, bytes]:
    """What arrives at a node, and what is returned, when these bytes are sent through a proxy and the node sends them back."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        received = bytearray()

        def echo() -> None:
            connection, _ = listener.accept()
            with connection:
                while len(received) < len(data) and (chunk := connection.recv(65536)):
                    received.extend(chunk)
                connection.sendall(received)

        node = threading.Thread(target=echo)
        node.start()
        wire = ProxiedWire()
        address = Address("127.0.0.1", listener.getsockname()[1])
        returned = bytearray()
        with wire.dial("A", address) as client:
            client.settimeout(AMPLE_S)
            client.sendall(data)
            while chunk := client.recv(65536):
                returned.extend(chunk)
        node.join(AMPLE_S)
        wire.close()
    return bytes(received), bytes(returned)


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.builds(
            lambda length, rest: length.to_bytes(4, "big", signed=True) + rest,
            st.sampled_from([-1, 0, 3, 7, 2**31 - 1, -(2**31)]),
            st.binary(max_size=200),
        ),
        st.lists(st.binary(min_size=8, max_size=60), min_size=1, max_size=4).map(
            lambda bodies: b"".join(len(body).to_bytes(4, "big") + body for body in bodies)
        ),
    )
)
def test_bytes_go_through_unharmed(data: bytes) -> None:
    """Frames or not, in both directions: what is sent is what arrives."""
    assert _echoed(data) == (data, data)


def test_the_threads_and_sockets_of_a_wire_end_with_it() -> None:
    """Closing ends connections, held requests and the thread; twice is once."""
    before = threading.active_count()
    with FakeBroker() as broker:
        inside = threading.active_count()
        wire = ProxiedWire()
        wire.orders.order("A", "api_versions", Fault.HOLD_UP)
        transport = wire.connect("A", at(broker))
        transport.call(ASKED, AMPLE_S)

        wire.close()
        wire.close()
        transport.close()

        assert inside == before + 1
        assert broker.requests == 0
    assert threading.active_count() == before


def test_held_requests_are_bounded() -> None:
    """Each is a frame in memory."""
    orders = Orders(["produce"])
    for _ in range(MAX_HELD):
        orders.hold(lambda: None)

    with pytest.raises(WrongUsage, match="delayed already"):
        orders.hold(lambda: None)


def test_an_order_about_no_request_is_refused() -> None:
    """It would never be carried out, and the scenario would judge a system that nothing has happened to."""
    orders = Orders(["produce"])

    with pytest.raises(UnknownName, match="'prodcue'"):
        orders.order("A", "prodcue", Fault.LOSE_ANSWER)
    assert orders.outstanding() == 0


REFERENCE = Address("reference", 9092)


@pytest.mark.parametrize(
    ("fault", "is_unknown", "seen"),
    [(Fault.LOSE_REQUEST, True, 0), (Fault.LOSE_ANSWER, True, 1), (Fault.ARRIVE_TWICE, False, 2), (Fault.HOLD_UP, True, 0)],
)
def test_the_same_levers_exist_in_process(fault: Fault, is_unknown: bool, seen: int) -> None:
    """The client sees the same, and so does the broker."""
    counting = _Counting(ReferenceKafka(Profile.load("seed")))
    wire = InProcessWire(lambda _: counting)
    wire.orders.order("A", "api_versions", fault)

    outcome = wire.connect("A", REFERENCE).call(ASKED, AMPLE_S)

    assert isinstance(outcome, Unknown) == is_unknown
    assert counting.requests == seen
    assert wire.orders.let_go() == (fault is Fault.HOLD_UP)
    assert counting.requests == seen + (fault is Fault.HOLD_UP)


class _Counting:
    def __init__(self, broker: ReferenceKafka) -> None:
        self._broker = broker
        self.requests = 0

    def handle(self, message: RequestPayload) -> ResponsePayload | None:
        self.requests += 1
        return self._broker.handle(message)


def test_a_session_has_faults_on_its_wire_when_its_scenario_says_so() -> None:
    """Otherwise its clients are connected directly, and the wish is refused with the reason."""
    system = ReferenceSystem()

    assert "wire-faults" in system.open().capabilities
    with pytest.raises(NotOffered, match="@needs:wire-faults"):
        _ = system.session("without").wire
    assert system.session("with", frozenset({"wire-faults"})).wire.let_go() == 0


def test_the_scenarios_with_faults_on_the_wire_are_judged_over_tcp_too(tmp_path: Path) -> None:
    """At the address of a broker that fencepost did not start, through the proxy."""
    judged = ["KIP890-064", "KIP890-065", "KIP890-079", "KIP890-091"]
    with LyingBroker("end_txn", lambda truth: truth) as honest:
        only = [argument for identifier in judged for argument in ("--only", identifier)]
        fencepost("run", "kafka", "--bootstrap", f"127.0.0.1:{honest.port}", *only, "--results", tmp_path, expect=0)

    assert verdicts(tmp_path) == dict.fromkeys(judged, "met")
