"""The probe's calls for a closer look, on the reference: a look-up by time, and a coordinator."""

import pytest

from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done

PAYMENTS = TopicPartition("payments", 0)


@pytest.fixture
def session() -> KafkaSession:
    system = ReferenceSystem("kafka-4.3")
    system.open()
    return system.session("looking")


@pytest.fixture
def probe(session: KafkaSession) -> KafkaProbe:
    probe = session.client("looking")
    assert probe.create_topic("payments", 1) == Done(None)
    return probe


@pytest.mark.parametrize(("timestamp", "highest"), [(-3, 6), (-4, 7), (-5, 8)])
def test_a_special_timestamp_needs_the_version_that_has_it(session: KafkaSession, timestamp: int, highest: int) -> None:
    """In an earlier one a broker refuses it with UNSUPPORTED_VERSION, which would look like a violation."""
    session.speak_at_most("list_offsets", highest)
    probe = session.client("older")

    with pytest.raises(NotOffered, match=r"ListOffsets .*the broker offers v"):
        probe.record_at(PAYMENTS, IsolationLevel.READ_UNCOMMITTED, timestamp)


@pytest.mark.parametrize("version", [1, 3, 4, 6])
def test_a_coordinator_is_found_in_every_version(probe: KafkaProbe, version: int) -> None:
    """With one key, and with a batch of keys; the first answers are that it is not available yet."""
    assert probe.coordinator_node("transfer", version) == Done(1)
