"""Crash points in a session: reached, waited for, and not offered by a system that is killed from outside."""

import pytest

from fencepost.adapters.common.faults import NoFaults
from fencepost.adapters.kafka.values import TopicPartition
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered, SystemUnreachable
from fencepost.contract.outcomes import Done


def test_a_restart_waits_for_the_crash_point() -> None:
    """A marker is written after the answer, so the crash is still ahead when the restart is asked for."""
    system = ReferenceSystem()
    system.open()
    session = system.session("a commit")
    client, topic = session.client("A"), session.unique("orders")
    client.create_topic(topic, 1)
    pair = client.init_producer_id("t")
    assert isinstance(pair, Done)
    client.produce(TopicPartition(topic, 0), ["a"], producer=pair.value, transactional_id="t", sequence=0)
    session.faults.crash_at("after-marker-written")

    outcome = client.end_txn("t", pair.value, commit=False)
    session.faults.restart()
    described = client.describe_transaction("t")

    assert isinstance(outcome, Done)
    assert isinstance(described, Done)
    assert described.value.is_settled


def test_a_crash_point_that_is_never_reached_is_told() -> None:
    """Otherwise a scenario would go on as if the crash had been."""
    system = ReferenceSystem(patience_s=1)
    system.open()
    session = system.session("nothing happens")
    session.faults.crash_at("after-marker-written")

    with pytest.raises(SystemUnreachable, match="did not come to its crash point after-marker-written within 1 s"):
        session.faults.restart()


def test_a_system_that_is_killed_from_outside_has_no_crash_points() -> None:
    """Nobody can see from outside where its code is."""
    with pytest.raises(NotOffered, match="crash-points: the system is killed from outside"):
        NoFaults("127.0.0.1:9092").crash_at("after-decision-logged")
