"""The reference of PIP-31: messages whose transaction will never end, and the effect of a refused one on a topic."""

import pytest
from pulsar_reference_client import OTHER, TOPIC, World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import SubscriptionHandle, TxnAction
from fencepost.contract.outcomes import Refused


@pytest.mark.parametrize(("profile", "is_open"), [("seed", False), ("pulsar-4.0", True)])
def test_a_topic_that_was_never_added_ends_a_transaction_that_is_over(profile: str, is_open: bool) -> None:
    """By the text it finds out by itself; as shipped the message stays pending, and withholds later ones."""
    world = World(profile)
    txn = world.begin(TOPIC)
    stray = world.producer(OTHER)
    world.send(stray, "stray", txn)
    world.broker.advance(1_000)
    before = value_of(world.probe().transaction_in_buffer(txn, OTHER)).start

    world.end(txn, TxnAction.COMMIT)
    world.send(stray, "behind")

    assert before is not None, "a topic ended a transaction that was open"
    assert (value_of(world.probe().transaction_in_buffer(txn, OTHER)).start is not None) is is_open
    assert world.values(world.consumer(OTHER)) == ([] if is_open else ["behind"])


@pytest.mark.parametrize(("profile", "reported"), [("seed", None), ("pulsar-4.0", 22)])
def test_a_refused_late_message_harms_a_shipped_topic_until_it_is_reloaded(profile: str, reported: int | None) -> None:
    """Every later transaction is refused there, also one that has just begun."""
    world = World(profile)
    orders = world.producer()
    old, passed, later = world.begin(TOPIC), world.begin(TOPIC), world.begin(TOPIC)
    world.end(old, TxnAction.COMMIT)
    world.send(orders, "passed", passed)
    world.end(passed, TxnAction.COMMIT)
    late = world.probe().send(orders, "late", transaction=old)

    others = world.probe().send(orders, "another's", transaction=later)
    value_of(world.probe().unload_topic(TOPIC))
    world.send(orders, "after the unload", later)

    assert isinstance(late, Refused)
    assert late.code == 22
    assert (others.code if isinstance(others, Refused) else None) == reported


@pytest.mark.parametrize(("profile", "back"), [("seed", ["m"]), ("pulsar-4.0", [])])
def test_a_subscription_that_was_never_added_gives_back_what_is_pending_in_a_transaction_that_is_over(
    profile: str, back: list[str]
) -> None:
    """By the text it finds out by itself, once the transaction is over, not before; as shipped the message stays pending."""
    world = World(profile)
    world.send(world.producer(), "m")
    consumer = world.consumer()
    txn = world.begin()
    value_of(world.probe().acknowledge(consumer, [value_of(world.probe().receive(consumer)).id], transaction=txn))
    world.broker.advance(1_000)
    before = value_of(world.probe().pending_ack_stats(SubscriptionHandle(TOPIC, "sub"))).ongoing

    world.end(txn, TxnAction.COMMIT)

    assert before == 1
    assert world.values(consumer) == back


@pytest.mark.parametrize(("profile", "seen"), [("seed", ["a", "b"]), ("pulsar-4.0", ["a"])])
def test_a_sequence_id_counts_in_its_transaction(profile: str, seen: list[str]) -> None:
    """By the text the transaction is the producer; as shipped a producer's name is. Within one transaction it counts once in both."""
    world = World(profile)
    value_of(world.probe().set_deduplication("public/default", True))
    orders = world.producer()
    first, second = world.begin(TOPIC), world.begin(TOPIC)
    for value, txn in (("a", first), ("again", first), ("b", second)):
        value_of(world.probe().send(orders, value, transaction=txn, sequence_id=7))
    world.end(first, TxnAction.COMMIT)
    world.end(second, TxnAction.COMMIT)

    assert world.values(world.consumer()) == seen
