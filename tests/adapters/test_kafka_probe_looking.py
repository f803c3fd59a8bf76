"""The probe's calls for a closer look, on the reference: one page, a look-up by time, markers for several partitions, a coordinator."""

import pytest

from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import AbortedTransaction, IsolationLevel, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Refused

PAYMENTS = TopicPartition("payments", 0)
MISSING = TopicPartition("payments", 9)


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


@pytest.fixture
def transfer(probe: KafkaProbe) -> ProducerIdentity:
    """A producer with "a" undecided at offset 0."""
    match probe.init_producer_id("transfer"):
        case Done(pair):
            written = probe.produce(PAYMENTS, ["a"], producer=pair, transactional_id="transfer", sequence=0)
            assert isinstance(written, Done)
            return pair
        case trouble:
            pytest.fail(str(trouble))


def test_each_partition_of_a_marker_has_its_verdict(probe: KafkaProbe, transfer: ProducerIdentity) -> None:
    """The existing partition accepts it, the missing one refuses it."""
    answer = probe.write_markers([PAYMENTS, MISSING], transfer, commit=False, coordinator_epoch=0)

    assert isinstance(answer, Done)
    assert answer.value == {PAYMENTS: Done(None), MISSING: Refused("UNKNOWN_TOPIC_OR_PARTITION", 3)}


def test_a_page_lists_what_reaches_into_it(probe: KafkaProbe, transfer: ProducerIdentity) -> None:
    """From the marker's offset on, the aborted transaction is still listed; after it, no longer."""
    probe.write_marker(PAYMENTS, transfer, commit=False, coordinator_epoch=0)
    probe.produce(PAYMENTS, ["b"])

    pages = [probe.page(PAYMENTS, IsolationLevel.READ_COMMITTED, offset) for offset in (1, 2)]

    listed = [page.value.aborted for page in pages if isinstance(page, Done)]
    assert listed == [(AbortedTransaction(transfer.producer_id, 0),), ()]


def test_a_look_up_by_time_reports_offset_and_timestamp(probe: KafkaProbe, transfer: ProducerIdentity) -> None:
    """Only readers of uncommitted data see the undecided record."""
    view = probe.read(PAYMENTS, IsolationLevel.READ_UNCOMMITTED)
    assert isinstance(view, Done)
    assert view.value.batches[0].producer_id == transfer.producer_id
    timestamp = view.value.batches[0].records[0].timestamp

    assert probe.record_at(PAYMENTS, IsolationLevel.READ_UNCOMMITTED, timestamp) == Done((0, timestamp))
    assert probe.record_at(PAYMENTS, IsolationLevel.READ_COMMITTED, timestamp) == Done((-1, -1))


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


def test_partitions_that_are_read_together_show_what_each_shows_alone(probe: KafkaProbe, transfer: ProducerIdentity) -> None:
    """Each has its own batches, ends and aborted transactions, in any order of the request."""
    accounts = TopicPartition("accounts", 1)
    assert probe.create_topic("accounts", 2) == Done(None)
    probe.produce(accounts, ["b"])
    probe.write_marker(PAYMENTS, transfer, commit=False, coordinator_epoch=0)

    together = probe.read_together([accounts, PAYMENTS], IsolationLevel.READ_COMMITTED)

    assert isinstance(together, Done)
    assert list(together.value) == [accounts, PAYMENTS]
    assert {one: Done(view) for one, view in together.value.items()} == {
        one: probe.read(one, IsolationLevel.READ_COMMITTED) for one in (accounts, PAYMENTS)
    }
    assert [view.values() for view in together.value.values()] == [["b"], []]
