"""Crash points and doubled answers in a session: reached, awaited, and not offered by a system that is killed from outside."""

import pytest

from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered
from fencepost.contract.evidence import PointNotReached
from fencepost.contract.outcomes import Done


def begun(title: str) -> tuple[KafkaSession, KafkaProbe, TopicPartition]:
    """A session with the reference, a client of it, and a partition that the client has made."""
    system = ReferenceSystem()
    system.open()
    session = system.session(title)
    client, topic = session.client("A"), session.unique("orders")
    client.create_topic(topic, 1)
    return session, client, TopicPartition(topic, 0)


def test_a_restart_waits_for_the_crash_point() -> None:
    """A marker is written after the answer, so the crash is still ahead when the restart is requested."""
    session, client, partition = begun("a commit")
    pair = client.init_producer_id("t")
    assert isinstance(pair, Done)
    client.produce(partition, ["a"], producer=pair.value, transactional_id="t", sequence=0)
    session.faults.crash_at("after-marker-written")

    outcome = client.end_txn("t", pair.value, commit=False)
    session.faults.restart()
    described = client.describe_transaction("t")

    assert isinstance(outcome, Done)
    assert isinstance(described, Done)
    assert described.value.is_settled


def test_a_crash_point_that_is_never_reached_is_reported() -> None:
    """Otherwise a scenario would continue as if the crash had happened."""
    system = ReferenceSystem(patience_s=1)
    system.open()
    session = system.session("nothing happens")
    session.faults.crash_at("after-marker-written")

    with pytest.raises(PointNotReached, match="did not come to its crash point after-marker-written within 1 s"):
        session.faults.restart()


def test_a_second_answer_comes_just_before_a_crash() -> None:
    """It is the answer to an earlier marker: the transaction that is being ended stays prepared, and completes after the crash."""
    session, client, partition = begun("two commits")
    pair = client.init_producer_id("t")
    session.faults.double_answers()
    for _ in range(2):
        assert isinstance(pair, Done)
        client.produce(partition, ["a"], producer=pair.value, transactional_id="t", sequence=0)
        pair = client.end_txn("t", pair.value, commit=True)
    session.faults.crash()
    session.faults.restart()

    view = client.read(partition, IsolationLevel.READ_COMMITTED)

    assert isinstance(view, Done)
    assert view.value.values() == ["a", "a"]
    assert len(view.value.markers(since=0)) > 2, "the first marker arrived twice"


def test_a_system_that_is_killed_from_outside_has_no_crash_points() -> None:
    """An observer outside cannot see where its code is."""
    with pytest.raises(NotOffered, match="crash-points: the system is killed from outside"):
        NoFaults("127.0.0.1:9092").crash_at("after-decision-logged")
