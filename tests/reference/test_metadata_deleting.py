"""The metadata store's records of a removed segment or subscription are removed too: no broker would look for them later."""

import pytest
from pulsar_reference_client import World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TxnAction, scalable
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile, paths
from fencepost.reference.scalable.scalable_profile import ScalableProfile

SEGMENT = "segment://public/default/events/0000-ffff-0"


@pytest.mark.parametrize("removed", ["topic", "subscription"])
def test_nothing_is_left_of_what_is_removed(removed: str) -> None:
    """Neither records of aborted and decided transactions, nor events about ends; a neighbour keeps its records."""
    data = MemoryData()
    kind = MetadataKind(MetadataProfile.load("seed"), MetadataParts(), lambda: MemoryStore(data), ScalableProfile.load("seed"))
    world = World(parts=MetadataParts(), kinds=[kind])
    probe = world.probe()
    value_of(probe.create_scalable_topic(scalable("events"), 1))
    consumers = [world.consumer(SEGMENT, name) for name in ("workers", "workers-2")]
    for action in (TxnAction.COMMIT, TxnAction.ABORT):
        txn = value_of(probe.new_transaction(60_000, scalable=True))
        world.send(world.producer(SEGMENT), "a1", txn)
        world.send(world.producer(SEGMENT), "p1")
        value_of(probe.end(txn, action))
        world.broker.advance(2_000)
    txn = value_of(probe.new_transaction(60_000, scalable=True))
    for consumer in consumers:
        value_of(probe.acknowledge(consumer, [world.messages(consumer)[0].id], transaction=txn))
    value_of(probe.end(txn, TxnAction.COMMIT))
    world.broker.advance(2_000)

    value_of(probe.delete_scalable_topic(scalable("events")) if removed == "topic" else probe.unsubscribe(consumers[0]))

    segment = paths.segment(SEGMENT)
    left = [key for key in MemoryStore(data).keys(*under("/txn/")) if segment in key and (removed == "topic" or ":workers-0" in key)]
    neighbours = MemoryStore(data).keys(*under(f"{paths.EVENTS}subscription/{segment}:workers-2-"))
    assert (left, bool(neighbours)) == ([], removed == "subscription")
