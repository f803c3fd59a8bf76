"""A broker that accepts a request and never answers delays a client no longer than the session is patient."""

import socket
import time
from collections.abc import Iterator

import pytest
from scripted_pulsar import ScriptedPulsar, ScriptedTime, nothing, session_with

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import ANSWER_WITHIN_S, answer_within_s
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.common.time import WallTime
from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.adapters.kafka.reach import wall_session as kafka_session
from fencepost.adapters.pulsar.reach import parse_addresses
from fencepost.adapters.pulsar.reach import wall_session as pulsar_session
from fencepost.contract.outcomes import Unknown

PATIENCE_S = 0.2
AMPLE_S = 10.0
"""Ample for a busy machine, and far below the 30 s for one answer."""


@pytest.fixture
def hanging() -> Iterator[Address]:
    """An address at which connections are accepted, and no request is answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Address("127.0.0.1", server.getsockname()[1])


@pytest.mark.parametrize(("patience_s", "within_s"), [(0.2, 0.2), (20.0, 20.0), (60.0, ANSWER_WITHIN_S)])
def test_an_answer_has_the_patience_of_the_session_and_no_more_than_its_own(patience_s: float, within_s: float) -> None:
    """A session that is patient for minutes waits that long for events, but not for one answer."""
    assert answer_within_s(WallTime(patience_s)) == within_s


def test_a_kafka_broker_that_hangs_ends_a_request_within_patience(hanging: Address) -> None:
    """Looking for the coordinator is the first request; its patience does not add to that."""
    session = kafka_session(
        hanging, KafkaOffer({"init_producer_id": VersionRange(0, 5), "find_coordinator": VersionRange(0, 6)}), PATIENCE_S, NoFaults("it")
    )
    began = time.monotonic()

    outcome = session.client("c").init_producer_id("t")

    assert outcome == Unknown(f"{hanging} did not answer FindCoordinator v6 within 0.2 s")
    assert time.monotonic() - began < AMPLE_S
    session.close()


def test_a_pulsar_broker_that_hangs_ends_a_request_within_patience(hanging: Address) -> None:
    """CONNECT is not answered."""
    session = pulsar_session(parse_addresses(f"pulsar://{hanging}", f"http://{hanging}", {}).place(), PATIENCE_S, NoFaults("it"))
    began = time.monotonic()

    outcome = session.client("c").producer("persistent://public/default/t")

    assert outcome == Unknown(f"{hanging} did not answer CONNECT within 0.2 s")
    assert time.monotonic() - began < AMPLE_S
    session.close()


@pytest.mark.parametrize("patience_s", [5.0, 60.0])
def test_a_coordinator_that_hangs_is_waited_for_by_its_brokers_clock(monkeypatch: pytest.MonkeyPatch, patience_s: float) -> None:
    """Other requests were answered; the clock has moved by the time for one answer, and not twice."""
    monkeypatch.setattr(ScriptedTime, "patience_s", patience_s)
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", nothing)
    probe, began = session_with(broker).client("c"), broker.now

    outcome = probe.new_transaction(5000)

    within_s = min(patience_s, ANSWER_WITHIN_S)
    assert outcome == Unknown(f"here:6650 did not answer NEW_TXN within {within_s:g} s")
    assert 1000 * within_s <= broker.now - began < 2000 * within_s
