"""Every call of the probe once, on Apache Kafka in a container and on the reference: the same calls, the same outcomes."""

from collections.abc import Iterator

import pytest
from docker_here import IMAGE
from succeeded import value_of

from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_transaction_calls import BatchedAddition
from fencepost.adapters.kafka.kafka_values import (
    AbortedTransaction,
    Appended,
    CommittedOffset,
    IsolationLevel,
    ListedTransaction,
    ProducerIdentity,
    TopicPartition,
)
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import System
from fencepost.wire.kafka.batches import MarkerType

NEWEST = 13
"""Of Produce and of Fetch, the first version that names topics by their ids."""


@pytest.fixture(scope="module")
def reference() -> Iterator[ReferenceSystem]:
    started = ReferenceSystem("kafka-4.3")
    started.open()
    yield started
    started.close()


@pytest.fixture(params=[pytest.param("kafka", marks=pytest.mark.docker(IMAGE)), "reference"])
def system(request: pytest.FixtureRequest) -> System:
    if request.param == "reference":
        reference: System = request.getfixturevalue("reference")
        return reference
    shared: System = request.getfixturevalue("kafka_container")[0]
    return shared


@pytest.fixture
def session(system: System, request: pytest.FixtureRequest) -> Iterator[KafkaSession]:
    opened = system.session(request.node.name)
    assert isinstance(opened, KafkaSession)
    yield opened
    opened.close()


@pytest.fixture
def probe(session: KafkaSession) -> KafkaProbe:
    return session.client("tour")


@pytest.fixture
def payments(session: KafkaSession, probe: KafkaProbe) -> list[TopicPartition]:
    topic = session.unique("payments")
    value_of(probe.create_topic(topic, 2))
    return [TopicPartition(topic, number) for number in range(2)]


def pair_of(outcome: Outcome[ProducerIdentity | None]) -> ProducerIdentity:
    pair = value_of(outcome)
    assert isinstance(pair, ProducerIdentity)
    return pair


def next_epoch(pair: ProducerIdentity) -> ProducerIdentity:
    return pair.with_epoch(pair.epoch + 1)


def test_a_committed_transaction_is_seen_by_everyone(session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]) -> None:
    """The old way and the new way of adding partitions, a commit, and what each reader then gets."""
    name, (first, second) = session.unique("writer"), payments
    pair = pair_of(probe.init_producer_id(name))

    assert pair.epoch == 0
    assert probe.add_partitions(name, pair, [first]) == Done(None)
    assert probe.produce(first, ["a", "b"], producer=pair, transactional_id=name, sequence=0, version=11) == Done(Appended(0, 0))
    assert probe.produce(second, ["c"], producer=pair, transactional_id=name, sequence=0) == Done(Appended(0, 0))
    assert probe.end_offset(first, IsolationLevel.READ_UNCOMMITTED) == Done(2)
    assert probe.end_offset(first, IsolationLevel.READ_COMMITTED) == Done(0)
    assert probe.end_txn(name, pair, commit=True) == Done(next_epoch(pair))
    settled = probe.settled(name)
    assert isinstance(settled, Done)
    assert (settled.value.state, settled.value.producer, settled.value.partitions) == ("CompleteCommit", next_epoch(pair), frozenset())
    for isolation in IsolationLevel:
        view = probe.read(first, isolation)
        assert isinstance(view, Done)
        assert view.value.values() == ["a", "b"]
        assert view.value.markers() == [(next_epoch(pair), MarkerType.COMMIT)]
        assert (view.value.high_watermark, view.value.offset_of("b")) == (3, 1)


def test_an_aborted_transaction_is_seen_by_no_reader_of_committed_records(
    session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]
) -> None:
    """Its records stay in the log, and the answer lists it, so that readers leave them out."""
    name, (first, _) = session.unique("writer"), payments
    pair = pair_of(probe.init_producer_id(name))

    value_of(probe.produce(first, ["a"], producer=pair, transactional_id=name, sequence=0))
    assert probe.end_txn(name, pair, commit=False) == Done(next_epoch(pair))
    value_of(probe.settled(name))
    value_of(probe.produce(first, ["plain"]))
    committed, uncommitted = (probe.read(first, isolation) for isolation in reversed(IsolationLevel))
    assert isinstance(committed, Done)
    assert isinstance(uncommitted, Done)
    assert committed.value.aborted == (AbortedTransaction(pair.producer_id, 0),)
    assert committed.value.values() == ["plain"]
    assert uncommitted.value.values() == ["a", "plain"]


def test_an_open_transaction_can_be_inspected(session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]) -> None:
    """Coordinator and partition leader both know of it."""
    name, (first, second) = session.unique("writer"), payments
    pair = pair_of(probe.init_producer_id(name, timeout_ms=30_000))
    fresh = probe.describe_transaction(name)
    value_of(probe.produce(first, ["a", "b"], producer=pair, transactional_id=name, sequence=0))
    open_one = probe.describe_transaction(name)
    listed = probe.list_transactions(states=["Ongoing", "Nonsense"], producer_ids=[pair.producer_id])
    producers = probe.describe_producers(first)

    assert isinstance(fresh, Done)
    assert (fresh.value.state, fresh.value.start_time, fresh.value.timeout_ms) == ("Empty", -1, 30_000)
    assert isinstance(open_one, Done)
    assert (open_one.value.state, open_one.value.producer, open_one.value.partitions) == ("Ongoing", pair, frozenset({first}))
    assert isinstance(listed, Done)
    assert listed.value.transactions == {ListedTransaction(name, pair.producer_id, "Ongoing")}
    assert listed.value.unknown_states == {"Nonsense"}
    assert isinstance(producers, Done)
    (producer,) = producers.value
    assert (producer.producer, producer.last_sequence, producer.transaction_start) == (pair, 1, 0)
    asked = [BatchedAddition(name, pair, (first, second), verify_only=True)]
    assert probe.add_partitions_batched(asked) == Done(
        {name: {first: Done(None), second: Refused("TRANSACTION_ABORTABLE", 120, str(second))}}
    )
    assert isinstance(probe.describe_transaction(session.unique("nobody")), Refused)


def test_offsets_travel_in_a_transaction(session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]) -> None:
    """They count from the commit on; until then a reader that wants stable ones is answered to wait."""
    name, group, (first, _) = session.unique("writer"), session.unique("group"), payments
    nowhere = TopicPartition(first.topic, 9)
    pair = pair_of(probe.init_producer_id(name))

    assert probe.committed_offset(group, first) == Done(None)
    assert probe.add_offsets(name, pair, group) == Done(None)
    assert probe.commit_offsets(name, pair, group, {first: 5}) == Done(None)
    assert probe.committed_offset(group, first) == Done(None)
    assert probe.committed_offset(group, first, require_stable=True) == Refused("UNSTABLE_OFFSET_COMMIT", 88, str(first))
    pair = pair_of(probe.end_txn(name, pair, commit=True))
    value_of(probe.settled(name))
    assert probe.committed_offset(group, first, require_stable=True) == Done(5)
    entries = {first: CommittedOffset(6, "six"), nowhere: CommittedOffset(1)}
    unknown = Refused("UNKNOWN_TOPIC_OR_PARTITION", 3, str(nowhere))
    assert probe.commit_each_offset(name, pair, group, entries) == Done({first: Done(None), nowhere: unknown})
    value_of(probe.end_txn(name, pair, commit=False))
    value_of(probe.settled(name))
    assert probe.committed(group, first) == Done(CommittedOffset(5, ""))


def test_a_marker_can_be_written_by_hand(session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]) -> None:
    """WriteTxnMarkers ends what is open in a partition, and a stale epoch is refused."""
    name, (first, second) = session.unique("writer"), payments
    pair = pair_of(probe.init_producer_id(name)).with_epoch(5)
    before = probe.write_marker(second, pair, commit=True, coordinator_epoch=0)
    stale = probe.write_marker(second, pair.with_epoch(4), commit=True, coordinator_epoch=0)
    newer = probe.write_marker(first, pair, commit=False, coordinator_epoch=3, version=2, transaction_version=2)
    view = probe.read(first, IsolationLevel.READ_COMMITTED)

    assert before == Done(None)
    assert isinstance(stale, Refused)
    assert stale.error == "INVALID_PRODUCER_EPOCH"
    assert newer == Done(None)
    assert isinstance(view, Done)
    assert view.value.markers() == [(pair, MarkerType.ABORT)]


def test_a_fenced_producer_is_refused_with_what_the_answer_carries(session: KafkaSession, probe: KafkaProbe) -> None:
    """A second instance takes the epoch over; the first one's requests name PRODUCER_FENCED."""
    name = session.unique("writer")
    old = pair_of(probe.init_producer_id(name))
    new = pair_of(session.client("other").init_producer_id(name))

    assert new == next_epoch(old)
    nobody = {"producer_id": -1, "producer_epoch": -1}
    assert probe.end_txn(name, old.with_epoch(old.epoch - 5), commit=True) == Refused("PRODUCER_FENCED", 90, None, nobody)
    assert probe.init_producer_id(name, current=old.with_epoch(9)) == Refused("PRODUCER_FENCED", 90, None, nobody)
    assert pair_of(probe.init_producer_id(None)).epoch == 0


def test_a_topic_can_be_named_by_its_id(session: KafkaSession, probe: KafkaProbe, payments: list[TopicPartition]) -> None:
    """The newest versions of Produce and Fetch no longer carry names; all that was said is on record."""
    value_of(probe.produce(payments[0], ["a"], version=NEWEST))
    view = probe.read(payments[0], IsolationLevel.READ_COMMITTED, version=NEWEST)

    assert isinstance(view, Done)
    assert view.value.values() == ["a"]
    assert {f"Produce v{NEWEST}", f"Fetch v{NEWEST}"} <= {exchange.name for exchange in session.exchanges()}


def test_an_exchange_says_who_asked_whom_and_when(session: KafkaSession, probe: KafkaProbe) -> None:
    """What a history and a report are made from."""
    value_of(probe.init_producer_id(session.unique("writer")))
    *_, find, init = session.exchanges()

    assert (find.client, init.client) == ("tour", "tour")
    assert init.name == "InitProducerId v5"
    assert init.request["transactional_id"] == session.unique("writer")
    assert init.answer is not None
    assert (init.answer["error_code"], init.lost) == ("NONE", None)
    assert init.at_ms >= find.at_ms
    assert init.took_ms >= 0
