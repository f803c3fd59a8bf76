"""A segment whose load fails because the store stops answering: after the next load, the failed one must follow no end."""

import pytest
from pulsar_reference_client import World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction, scalable
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import StoreRecord, Unavailable
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile, paths
from fencepost.reference.scalable.scalable_profile import ScalableProfile

SEGMENT = "segment://public/default/events/0000-ffff-0"


class FailingStore(MemoryStore):
    """It does not answer the next request to the named index, or for records with that beginning."""

    failing = ""

    def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
        self._fail(first)
        return super().scan(first, end, partition_key=partition_key)

    def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
        self._fail(index)
        return super().scan_by_index(index, first, end)

    def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
        self._fail(key)
        return super().get(key, partition_key=partition_key)

    def _fail(self, asked: str) -> None:
        if FailingStore.failing and asked.startswith(FailingStore.failing):
            FailingStore.failing = ""
            raise Unavailable(f"the question for {asked!r} was not answered")


@pytest.fixture
def world() -> World:
    """A broker with a scalable topic of one segment."""
    data = MemoryData()
    kind = MetadataKind(MetadataProfile.load("seed"), MetadataParts(), lambda: FailingStore(data), ScalableProfile.load("seed"))
    made = World(parts=MetadataParts(), kinds=[kind])
    value_of(made.probe().create_scalable_topic(scalable("events"), 1))
    return made


def begin(world: World) -> TransactionId:
    return value_of(world.probe().new_transaction(60_000, scalable=True))


def reload(world: World, failing: str = "") -> None:
    """Unload the segment; if something is named, the first load fails there, and the next one does not."""
    value_of(world.probe().unload_namespace("public/default"))
    FailingStore.failing = failing


@pytest.mark.parametrize("failing", [paths.ACKS_BY_SUBSCRIPTION, paths.WATERMARKS])
def test_what_is_left_of_a_failed_load_follows_no_end(world: World, failing: str) -> None:
    """It does not know transactions begun since: its mark of decided ones would be after an open transaction."""
    older = begin(world)
    world.values(world.consumer(SEGMENT, "workers"))
    world.send(world.producer(SEGMENT), "a1", older)
    reload(world, failing)
    younger = begin(world)
    world.send(world.producer(SEGMENT), "b1", younger)
    assert not FailingStore.failing, "a load has failed"

    value_of(world.probe().end(older, TxnAction.COMMIT))
    world.broker.advance(2_000)
    reload(world)

    assert world.values(world.consumer(SEGMENT, "readers")) == ["a1"]


@pytest.mark.parametrize("failing", [paths.ABORTED, paths.WRITES_BY_SEGMENT, paths.WATERMARKS])
def test_a_segment_serves_no_client_before_the_store_has_reported_all(world: World, failing: str) -> None:
    """It would show messages of aborted or open transactions that it has not learnt of."""
    aborted, still_open = begin(world), begin(world)
    world.send(world.producer(SEGMENT), "a1", aborted)
    world.send(world.producer(SEGMENT), "p1")
    world.send(world.producer(SEGMENT), "b1", still_open)
    value_of(world.probe().end(aborted, TxnAction.ABORT))
    world.broker.advance(2_000)

    reload(world, failing)

    assert world.values(world.consumer(SEGMENT, "readers")) == ["p1"]
    assert not FailingStore.failing, "a load has failed"
