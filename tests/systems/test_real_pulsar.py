"""The Pulsar probe on a real Pulsar 4.0.7 in containers: what it was measured to do, seen through the probe."""

from collections.abc import Iterator
from typing import Any

import pytest
from docker_here import PULSAR_IMAGE, containers_of
from succeeded import value_of

from fencepost.adapters.common import owners
from fencepost.adapters.pulsar.levers import KEYS, LEVERS
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_container_system import PulsarContainerSystem
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import (
    AckKind,
    ReportedStatus,
    SubscriptionHandle,
    SubType,
    TransactionId,
    TxnAction,
    persistent,
)
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

pytestmark = pytest.mark.docker(PULSAR_IMAGE)

CRASH = frozenset({"crash"})


@pytest.fixture(scope="module")
def system() -> Iterator[PulsarContainerSystem]:
    """One for all tests; it is removed after them."""
    before = containers_of(owners.this_process())
    system = PulsarContainerSystem(PULSAR_IMAGE)
    system.prepare()
    try:
        handshake = system.open()
        assert (handshake.version, handshake.profile) == ("4.0.7", "pulsar-4.0")
        assert handshake.capabilities == CRASH | (LEVERS.keys() - {KEYS}) | {"hold-markers", "own-broker", "reload"}
        yield system
    finally:
        system.close()
    assert containers_of(owners.this_process()) == before


@pytest.fixture
def session(system: PulsarContainerSystem) -> Iterator[PulsarSession]:
    """A session on the broker that all share."""
    session = system.session("a tour")
    yield session
    session.close()


@pytest.fixture
def probe(session: PulsarSession) -> PulsarProbe:
    """A client."""
    return session.client("c")


@pytest.fixture
def topic(session: PulsarSession) -> str:
    """A topic that no other test has."""
    return persistent(session.unique("payments"))


def code(outcome: Outcome[Any]) -> int:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


def values(outcome: Outcome[Any]) -> list[str]:
    return [message.value for message in value_of(outcome)]


def test_a_commit_shows_both_topics_and_an_open_transaction_withholds(probe: PulsarProbe, session: PulsarSession, topic: str) -> None:
    """What comes after the first message of an open transaction is withheld; the commit shows all, in the order of the log."""
    other = persistent(session.unique("orders"))
    first, second = value_of(probe.producer(topic)), value_of(probe.producer(other))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic, other]))
    value_of(probe.send(first, "before"))
    value_of(probe.send(first, "a1", transaction=transaction))
    value_of(probe.send(first, "a2", transaction=transaction))
    value_of(probe.send(second, "b1", transaction=transaction))
    value_of(probe.send(first, "after"))
    consumer, on_other = value_of(probe.subscribe(topic, "s")), value_of(probe.subscribe(other, "s"))
    known = value_of(probe.transaction(transaction))
    buffer = value_of(probe.buffer_stats(topic))
    held_back = values(probe.receive_until(consumer, "before"))

    value_of(probe.end(transaction, TxnAction.COMMIT))

    assert (known.status, known.topics, known.timeout_ms) == (ReportedStatus.OPEN, {topic, other}, 60_000)
    assert (buffer.ongoing, buffer.max_read_position.entry) == (1, 0)
    assert held_back == ["before"]
    shown = value_of(probe.receive_until(consumer, "after"))
    assert [(message.value, message.transaction) for message in shown] == [("a1", transaction), ("a2", transaction), ("after", None)]
    assert values(probe.receive_until(on_other, "b1")) == ["b1"]
    assert value_of(probe.log_stats(topic)).entries == 5
    assert code(probe.transaction(transaction)) == 404


def test_an_abort_is_never_seen(probe: PulsarProbe, topic: str) -> None:
    """Only the sentinel, also for a subscription that is made later."""
    producer = value_of(probe.producer(topic))
    consumer = value_of(probe.subscribe(topic, "early"))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.send(producer, "lost", transaction=transaction))
    value_of(probe.end(transaction, TxnAction.ABORT))
    value_of(probe.send(producer, "sentinel"))

    assert values(probe.receive_until(consumer, "sentinel")) == ["sentinel"]
    assert values(probe.receive_until(value_of(probe.subscribe(topic, "late")), "sentinel")) == ["sentinel"]


def test_what_is_said_after_the_end(probe: PulsarProbe) -> None:
    """Nothing is known of it any more; a missing coordinator is answered differently."""
    transaction = value_of(probe.new_transaction())
    value_of(probe.end(transaction, TxnAction.COMMIT))

    assert [code(probe.end(transaction, action)) for action in TxnAction] == [24, 24]
    assert code(probe.add_topics(transaction, [persistent("t")])) == 24
    assert code(probe.end(TransactionId(7, 1), TxnAction.COMMIT)) == 20
    assert value_of(probe.new_transaction()) > transaction


def test_an_acknowledgement_waits_for_its_transaction(probe: PulsarProbe, topic: str) -> None:
    """It is pending: another transaction has a conflict; an abort redelivers, a commit does not."""
    subscription = SubscriptionHandle(topic, "s")
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    value_of(probe.send(producer, "in"))
    message = value_of(probe.receive(consumer))
    first, second = value_of(probe.new_transaction()), value_of(probe.new_transaction())
    value_of(probe.add_subscriptions(first, [subscription]))
    value_of(probe.acknowledge(consumer, [message.id], transaction=first))

    assert code(probe.acknowledge(consumer, [message.id], transaction=second)) == 23
    assert value_of(probe.transaction(first)).subscriptions == {subscription}
    value_of(probe.end(first, TxnAction.ABORT))
    again = value_of(probe.receive(consumer))
    assert (again.value, again.redelivery_count) == ("in", 1)

    value_of(probe.add_subscriptions(second, [subscription]))
    value_of(probe.acknowledge(consumer, [again.id], transaction=second))
    value_of(probe.end(second, TxnAction.COMMIT))
    value_of(probe.send(producer, "sentinel"))
    value_of(probe.redeliver(consumer))

    assert values(probe.receive_until(consumer, "sentinel")) == ["sentinel"]


def test_messages_of_a_batch_are_acknowledged_one_by_one(probe: PulsarProbe, topic: str) -> None:
    """Two transactions take a message each of one entry, without a conflict; the third is still there."""
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    value_of(probe.send_batch(producer, ["a", "b", "c"]))
    taken = value_of(probe.receive_until(consumer, "c"))
    transactions = [value_of(probe.new_transaction()) for _ in range(2)]
    for transaction, message in zip(transactions, taken, strict=False):
        value_of(probe.add_subscriptions(transaction, [SubscriptionHandle(topic, "s")]))
        value_of(probe.acknowledge(consumer, [message.id], transaction=transaction))

    assert code(probe.acknowledge(consumer, [taken[0].id], transaction=transactions[1])) == 23
    for transaction in transactions:
        value_of(probe.end(transaction, TxnAction.COMMIT))
    value_of(probe.redeliver(consumer))

    assert [message.id for message in value_of(probe.receive_until(consumer, "c"))] == [taken[2].id]


def test_a_cumulative_acknowledgement_is_one_transactions(probe: PulsarProbe, topic: str) -> None:
    """On an exclusive subscription; another transaction's has a conflict."""
    producer = value_of(probe.producer(topic))
    consumer = value_of(probe.subscribe(topic, "s", SubType.EXCLUSIVE))
    for text in ("a", "b", "c"):
        value_of(probe.send(producer, text))
    taken = value_of(probe.receive_until(consumer, "c"))
    first, second = value_of(probe.new_transaction()), value_of(probe.new_transaction())
    value_of(probe.add_subscriptions(first, [SubscriptionHandle(topic, "s")]))

    value_of(probe.acknowledge(consumer, [taken[1].id], kind=AckKind.CUMULATIVE, transaction=first))

    assert code(probe.acknowledge(consumer, [taken[2].id], kind=AckKind.CUMULATIVE, transaction=second)) == 23
    value_of(probe.end(first, TxnAction.COMMIT))
    value_of(probe.close_consumer(consumer))
    again = value_of(probe.subscribe(topic, "s", SubType.EXCLUSIVE))
    assert values(probe.receive_until(again, "c")) == ["c"]
    assert value_of(probe.last_message_id(again)).position == taken[2].id.position
    value_of(probe.seek(again, taken[0].id.position))
    assert values(probe.receive_until(again, "c")) == ["a", "b", "c"]


def test_an_abandoned_transaction_ends_by_itself(probe: PulsarProbe, topic: str) -> None:
    """After its timeout it is aborted: messages after it are delivered, and it cannot be committed."""
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    transaction = value_of(probe.new_transaction(timeout_ms=1000))
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.send(producer, "abandoned", transaction=transaction))
    value_of(probe.send(producer, "sentinel"))

    assert values(probe.receive_until(consumer, "sentinel")) == ["sentinel"]
    assert code(probe.end(transaction, TxnAction.COMMIT)) in (21, 24)


def test_a_terminated_topic_holds_the_end_until_it_is_deleted(probe: PulsarProbe, session: PulsarSession, topic: str) -> None:
    """Until then END_TXN is not answered, the other participant is done, and the opposite is refused with the state."""
    held = persistent(session.unique("held"))
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    value_of(probe.create_topic(held))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic, held]))
    value_of(probe.send(producer, "a", transaction=transaction))
    value_of(probe.terminate_topic(held))

    pending = value_of(probe.begin_end(transaction, TxnAction.COMMIT))

    assert values(probe.receive_until(consumer, "a")) == ["a"]
    assert isinstance(probe.ended(pending, within_s=0.5), Unknown)
    opposite = probe.end(transaction, TxnAction.ABORT)
    assert code(opposite) == 21
    assert "COMMITTING" in str(opposite)
    assert code(probe.add_topics(transaction, [topic])) == 21
    value_of(probe.delete_topic(held))
    assert probe.ended(pending) == Done(None)


def test_an_unload_keeps_an_open_transaction(probe: PulsarProbe, topic: str) -> None:
    """Consumers are closed and opened again; what was withheld still is, and the commit shows both parts."""
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.send(producer, "before", transaction=transaction))

    value_of(probe.unload_topic(topic))

    # The broker may notify the old producer late that it is closed: what that one sends until then is not known to be stored.
    producer = value_of(probe.producer(topic))
    value_of(probe.send(producer, "after", transaction=transaction))
    value_of(probe.send(producer, "sentinel"))
    assert value_of(probe.buffer_stats(topic)).ongoing == 1
    value_of(probe.end(transaction, TxnAction.COMMIT))
    assert values(probe.receive_until(consumer, "sentinel")) == ["before", "after", "sentinel"]


def test_a_transaction_of_a_topic_that_is_not_loaded_is_reported(probe: PulsarProbe, topic: str) -> None:
    """As after a restart: to ask loads no topic, so that the probe does."""
    transaction = value_of(probe.new_transaction())
    value_of(probe.create_topic(topic))
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.unload_topic(topic))

    assert value_of(probe.transaction(transaction)).topics == {topic}
    value_of(probe.end(transaction, TxnAction.ABORT))


def test_a_repeated_message_is_stored_once_where_it_is_recognised(probe: PulsarProbe, session: PulsarSession) -> None:
    """With deduplication in the namespace; the receipt of the second has no place."""
    namespace = f"public/{session.unique('once')}"
    value_of(probe.create_namespace(namespace))
    value_of(probe.set_deduplication(namespace, True))
    topic = persistent("t", namespace)
    producer, consumer = value_of(probe.producer(topic, name="me")), value_of(probe.subscribe(topic, "s"))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic]))

    stored = value_of(probe.send(producer, "once", transaction=transaction, sequence_id=5))
    repeated = value_of(probe.send(producer, "once", transaction=transaction, sequence_id=5))
    value_of(probe.end(transaction, TxnAction.COMMIT))
    value_of(probe.send(producer, "sentinel"))

    assert (stored.was_stored, repeated.was_stored) == (True, False)
    assert values(probe.receive_until(consumer, "sentinel")) == ["once", "sentinel"]
    value_of(probe.close_producer(producer))
    assert value_of(probe.producer(topic, name="me")).last_sequence_id == 6


def test_a_client_may_end_a_transaction_on_a_participant(probe: PulsarProbe, topic: str) -> None:
    """Twice, and then the coordinator again: it is delivered once."""
    producer, consumer = value_of(probe.producer(topic)), value_of(probe.subscribe(topic, "s"))
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.send(producer, "once", transaction=transaction))

    for _ in range(2):
        value_of(probe.end_on_topic(transaction, topic, TxnAction.COMMIT))
    value_of(probe.end(transaction, TxnAction.COMMIT))
    value_of(probe.send(producer, "sentinel"))

    assert values(probe.receive_until(consumer, "sentinel")) == ["once", "sentinel"]


def test_a_late_message_is_taken_and_withholds(probe: PulsarProbe, topic: str) -> None:
    """A message of a transaction that has ended is not refused at once; the probe reports the broker's answer."""
    producer = value_of(probe.producer(topic))
    older = value_of(probe.new_transaction())
    transaction = value_of(probe.new_transaction())
    value_of(probe.add_topics(transaction, [topic]))
    value_of(probe.send(producer, "a", transaction=transaction))
    value_of(probe.end(transaction, TxnAction.COMMIT))

    late = probe.send(producer, "late", transaction=transaction)
    buffer = value_of(probe.buffer_stats(topic))
    value_of(probe.end(older, TxnAction.ABORT))

    assert isinstance(late, Done)
    assert buffer.ongoing == 1


def test_only_a_broker_of_its_own_is_killed(session: PulsarSession) -> None:
    """The one that all share is not."""
    with pytest.raises(WrongUsage, match="does not say @needs:crash"):
        session.faults.crash()
