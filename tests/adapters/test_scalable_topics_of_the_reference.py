"""The Pulsar probe and the scalable topics of the reference."""

import pytest
from pulsar_reference_client import World
from scalable_world import metadata_kind
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction, scalable

EVENTS = scalable("events")


@pytest.fixture
def world() -> World:
    """The reference with a scalable topic of two segments."""
    world = World(nodes=2, kinds=[metadata_kind()])
    assert value_of(world.probe().create_scalable_topic(EVENTS, 2)) is None
    return world


def test_a_message_of_a_segment_is_in_a_scalable_transaction(world: World) -> None:
    """Its metadata has the id, and its topic shows the kind."""
    (segment, _) = value_of(world.probe().segments(EVENTS))
    plain = "persistent://public/default/plain"
    for topic, kind in ((segment.topic, True), (plain, False)):
        txn = value_of(world.probe().new_transaction(scalable=kind))
        world.send(world.producer(topic), "a", txn)
        if not kind:
            value_of(world.probe().add_topics(txn, [topic]))
        consumer = world.consumer(topic)
        world.end(txn, TxnAction.COMMIT)
        assert [message.transaction for message in world.messages(consumer)] == [TransactionId(0, 0, scalable=kind)]


def test_the_segments_of_the_reference_are_topics(world: World) -> None:
    """They are found, written and read, and the last message of each can be requested."""
    first, second = value_of(world.probe().segments(EVENTS))
    stored = world.send(world.producer(first.topic), "a")
    consumers = [world.consumer(segment.topic) for segment in (first, second)]

    assert [world.values(consumer) for consumer in consumers] == [["a"], []]
    assert value_of(world.probe().last_message_id(consumers[0])).position == stored.position
    assert not value_of(world.probe().last_message_id(consumers[1])).was_stored


def test_a_scalable_transaction_is_ended_at_its_own_coordinator(world: World) -> None:
    """On whichever node that is, also after that node has crashed."""
    (segment, _) = value_of(world.probe().segments(EVENTS))
    producer, consumer = world.producer(segment.topic), world.consumer(segment.topic)
    txn = value_of(world.probe().new_transaction(scalable=True))
    world.send(producer, "a", txn)
    before = world.values(consumer)

    world.broker.crash(1)
    world.broker.restart()
    world.end(txn, TxnAction.COMMIT)

    assert (before, world.values(consumer)) == ([], ["a"])


def test_the_unload_of_a_namespace_waits_until_clients_are_reported(world: World) -> None:
    """Clients of that namespace; those of others stay open."""
    (segment, _) = value_of(world.probe().segments(EVENTS))
    elsewhere = "persistent://public/default-2/plain"
    world.producer(segment.topic), world.producer(elsewhere)
    consumer = world.consumer(segment.topic)

    value_of(world.probe().unload_namespace("public/default"))

    assert [len(world.probe().open_producers(topic)) for topic in (segment.topic, elsewhere)] == [0, 1]
    assert not world.probe().is_subscribed(consumer)


def test_a_scalable_topic_of_the_reference_is_made_subscribed_and_deleted(world: World) -> None:
    """Refusals have the status of the call."""
    probe = world.probe()

    assert value_of(probe.register_subscription(EVENTS, "s")) is None
    assert [outcome.code for outcome in (probe.create_scalable_topic(EVENTS), probe.create_scalable_topic(scalable("x"), 0))] == [409, 412]
    assert value_of(probe.delete_scalable_topic(EVENTS)) is None
    assert [outcome.code for outcome in (probe.delete_scalable_topic(EVENTS), probe.segments(EVENTS))] == [404, 11]
