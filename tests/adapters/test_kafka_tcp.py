"""The TCP transport against a broker that misbehaves: each failure has one outcome, and none outlives its call."""

import socket
import time
from collections.abc import Iterator
from threading import Thread

import fake_broker
import pytest
from fake_broker import FakeBroker, Lie
from kio.static.protocol import RequestPayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.inprocess import InProcessKafkaTransport
from fencepost.adapters.kafka.reach import parse_address, reach
from fencepost.adapters.kafka.tcp import KafkaTcpTransport
from fencepost.contract.errors import Malformed, SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.entities import plain, request

ASKED = request("api_versions", 0)
AMPLE_S = 10.0
BRIEF_S = 0.05

LOST: list[Lie] = [fake_broker.closes, fake_broker.closes_midway]
MALFORMED: list[tuple[Lie, str]] = [
    (fake_broker.swaps_correlation_ids, "with correlation id 1 was due, and the frame has correlation id 2; the bytes: 00 00 00 02"),
    (fake_broker.truncates, "the codec refuses it"),
    (fake_broker.adds_bytes, "2 bytes are left over after it; the bytes: 00 00 00 01 00 00 00 00 00 00 ca fe"),
    (fake_broker.announces_too_much, "a frame announces 2147483647 bytes"),
    (fake_broker.announces_less_than_nothing, "a frame announces -1 bytes"),
    (fake_broker.invents_an_error, "9999"),
]


class Never:
    """A broker in this process that never answers."""

    def handle(self, request: RequestPayload) -> None:
        del request


def transport_to(broker: FakeBroker) -> KafkaTcpTransport:
    return KafkaTcpTransport("test", Address("127.0.0.1", broker.port))


@pytest.fixture
def unused_address() -> Iterator[Address]:
    """An address without a listener, for as long as the test runs: it is bound, so no other process can take it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield Address("127.0.0.1", bound.getsockname()[1])


def test_an_honest_answer_is_done() -> None:
    """The transport returns the broker's answer."""
    with FakeBroker() as broker:
        transport = transport_to(broker)

        outcome = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(outcome, Done)
    assert plain(outcome.value) == {"error_code": "NONE", "api_keys": []}


def test_an_answer_that_was_left_unread_is_the_kits_own_fault() -> None:
    """It would be read as the answer to the next request; a new connection has no unread answers."""
    with FakeBroker() as broker:
        tcp, in_process = transport_to(broker), InProcessKafkaTransport(Never())
        for transport in (tcp, in_process):
            _unread, after_it = transport.send(ASKED, AMPLE_S), transport.send(ASKED, AMPLE_S)
            with pytest.raises(AssertionError, match="the answer to ApiVersions v0 is asked for, and 1 that come before it were not read"):
                after_it()
            transport.close()
            afresh = transport.call(ASKED, AMPLE_S)
            transport.close()

            assert isinstance(afresh, Done if transport is tcp else Unknown)


@pytest.mark.parametrize("lie", LOST, ids=lambda lie: lie.__name__)
def test_a_lost_connection_leaves_the_request_unknown_and_the_next_call_works(lie: Lie) -> None:
    """The broker may have executed a request whose answer was lost; the transport reconnects."""
    with FakeBroker(lie) as broker:
        transport = transport_to(broker)

        first = transport.call(ASKED, AMPLE_S)
        second = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(first, Unknown)
    assert first.lost
    assert "instead of answering ApiVersions v0" in first.reason
    assert isinstance(second, Done)


@pytest.mark.parametrize(("lie", "shown"), MALFORMED, ids=lambda value: getattr(value, "__name__", ""))
def test_bytes_that_the_protocol_forbids_are_malformed_and_the_next_call_works(lie: Lie, shown: str) -> None:
    """Invalid bytes are never taken for an answer; the error shows them, and the connection is closed."""
    with FakeBroker(lie) as broker:
        transport = transport_to(broker)

        with pytest.raises(Malformed) as malformed:
            transport.call(ASKED, AMPLE_S)
        after = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert shown in str(malformed.value)
    assert f"127.0.0.1:{broker.port}" in str(malformed.value)
    assert isinstance(after, Done)


def test_an_address_listens_where_a_connection_stays_open(unused_address: Address) -> None:
    """Nothing is sent to find out; a forwarder that accepts a connection without a broker closes it again."""
    with FakeBroker() as broker, socket.create_server(("127.0.0.1", 0)) as forwarder:
        thread = Thread(target=lambda: forwarder.accept()[0].close())
        thread.start()
        at = [Address("127.0.0.1", broker.port), Address("127.0.0.1", forwarder.getsockname()[1]), unused_address]
        found = [KafkaTcpTransport("test", address).is_listened_to() for address in at]
        thread.join(AMPLE_S)

    assert found == [True, False, False]


def test_an_answer_that_comes_late_is_never_taken_for_another_ones() -> None:
    """After a deadline the connection is closed, so the late answer cannot arrive."""
    with FakeBroker(fake_broker.answers_late) as broker:
        transport = transport_to(broker)

        late = transport.call(ASKED, BRIEF_S)
        after = [transport.call(ASKED, AMPLE_S) for _ in range(2)]
        transport.close()

    assert late == Unknown(f"127.0.0.1:{broker.port} did not answer ApiVersions v0 within 0.05 s")
    assert all(isinstance(outcome, Done) for outcome in after)


def test_a_connection_that_ended_while_nothing_was_asked_is_replaced_silently() -> None:
    """Nothing was in flight, so nothing is uncertain."""
    with FakeBroker(fake_broker.answers_then_closes) as broker:
        transport = transport_to(broker)

        first = transport.call(ASKED, AMPLE_S)
        assert broker.hung_up.wait(AMPLE_S)
        second = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert broker.requests == 2


@pytest.mark.parametrize(("idle_s", "outcome"), [(0.9, Unknown), (1.1, Done)])
def test_a_connection_that_was_idle_for_a_second_is_replaced(
    idle_s: float, outcome: type[Done[object] | Unknown], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node may close it while the next request is in flight, and the client cannot know what became of the request."""
    with FakeBroker(*[fake_broker.answers_once] * 2) as broker:
        transport = transport_to(broker)
        assert isinstance(transport.call(ASKED, AMPLE_S), Done)

        later = time.monotonic() + idle_s
        monkeypatch.setattr("time.monotonic", lambda: later)
        second = transport.call(ASKED, AMPLE_S)
        transport.close()

    assert isinstance(second, outcome)


def test_a_refused_connection_is_unknown_and_lost(unused_address: Address) -> None:
    """An address without a listener gives no answer either."""
    outcome = KafkaTcpTransport("test", unused_address).call(ASKED, AMPLE_S)

    assert isinstance(outcome, Unknown)
    assert outcome.lost
    assert f"{unused_address} cannot be connected to for ApiVersions v0" in outcome.reason


def test_an_unreachable_broker_is_reported_with_its_address_and_the_last_error(unused_address: Address) -> None:
    """A user learns which address was tried and what happened."""
    with pytest.raises(SystemUnreachable, match=f"no Kafka broker answers at {unused_address} within 0.05 s; .*Connection refused"):
        reach(unused_address, BRIEF_S)


@pytest.mark.parametrize(
    ("text", "address"),
    [("localhost:9092", Address("localhost", 9092)), ("[::1]:1", Address("::1", 1)), ("10.0.0.1:65535", Address("10.0.0.1", 65535))],
)
def test_an_address_is_a_host_and_a_port(text: str, address: Address) -> None:
    """As users write it for --bootstrap."""
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "localhost:",
        ":9092",
        "localhost:0",
        "localhost:65536",
        "localhost:nine",
        "one:9092,two:9092",
        "::1:9092",
        "localhost:²",
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    """The error shows the text, and a correct example."""
    with pytest.raises(WrongUsage, match=r"is not an address; expected HOST:PORT"):
        parse_address(text)
