"""Unreadable records in the metadata store: the log and the client's error name each one, nothing is lost, and other transactions go on."""

import logging

import pytest
from pulsar_reference_client import World
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction, scalable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import IndexEntry, under
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile, paths
from fencepost.reference.scalable.scalable_profile import ScalableProfile

SEGMENT = "segment://public/default/events/0000-ffff-0"
HEADERS, OPERATIONS = "/txn/id/", "/txn/op/"


class OnAStore:
    """A broker with a scalable topic of one segment, and its store."""

    def __init__(self) -> None:
        data = MemoryData()
        kind = MetadataKind(MetadataProfile.load("seed"), MetadataParts(), lambda: MemoryStore(data), ScalableProfile.load("seed"))
        self.world = World(parts=MetadataParts(), kinds=[kind])
        self.store = MemoryStore(data)
        value_of(self.world.probe().create_scalable_topic(scalable("events"), 1))

    def begin(self) -> TransactionId:
        return value_of(self.world.probe().new_transaction(60_000, scalable=True))

    def send(self, value: str, txn: TransactionId | None = None) -> None:
        self.world.send(self.world.producer(SEGMENT), value, txn)

    def end(self, txn: TransactionId, action: TxnAction = TxnAction.COMMIT) -> object:
        outcome = self.world.probe().end(txn, action)
        self.world.broker.advance(2_000)
        return outcome

    def spoil(self, prefix: str, txn: TransactionId, value: bytes) -> str:
        """Write that over the transaction's first record with that prefix; returns its key."""
        owner = f"{txn.coordinator}_{txn.sequence}"
        key = self.store.keys(*under(prefix + owner))[0]
        found = [IndexEntry(paths.WRITES_BY_SEGMENT, paths.segment(SEGMENT)), IndexEntry(paths.OPERATIONS_BY_TRANSACTION, owner)]
        self.store.put(key, value, partition_key=owner, indexes=found if prefix == OPERATIONS else ())
        return key

    def read(self) -> list[str]:
        return self.world.values(self.world.consumer(SEGMENT, "readers"))


@pytest.fixture
def broker() -> OnAStore:
    """An empty broker."""
    return OnAStore()


@pytest.mark.parametrize("value", [b"", b"{", b"[]", b'{"state":"OPEN"}', b'{"state":"HALF","timeout":1,"createdAt":1}', b"\xff"])
def test_an_unreadable_header_is_named_to_the_client_that_ends_it(broker: OnAStore, value: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """With its key and what was expected; the record stays unchanged, for an administrator to repair."""
    txn = broker.begin()
    key = broker.spoil(HEADERS, txn, value)

    with caplog.at_level(logging.WARNING):
        outcome = broker.end(txn)

    assert isinstance(outcome, Unknown)
    assert f"{key}: expected Header as JSON" in outcome.reason
    assert key in caplog.text
    record = broker.store.get(key, partition_key=f"{txn.coordinator}_{txn.sequence}")
    assert record is not None
    assert record.value == value


def test_a_transaction_with_an_unreadable_header_is_not_waited_for(broker: OnAStore) -> None:
    """Other transactions end on the same segment; later messages in the segment are withheld, since it may be undecided."""
    others, spoiled = broker.begin(), broker.begin()
    broker.send("o1", others)
    broker.send("s1", spoiled)
    broker.spoil(HEADERS, spoiled, b"{")

    assert broker.end(others) == Done(None)

    assert broker.read() == ["o1"]


def test_a_header_that_is_mended_ends_as_ever(broker: OnAStore) -> None:
    """Nothing of its transaction was lost meanwhile."""
    txn = broker.begin()
    broker.send("a1", txn)
    key = f"{txn.coordinator}_{txn.sequence}"
    before = broker.store.get(HEADERS + key, partition_key=key)
    assert before is not None
    broker.spoil(HEADERS, txn, b"{")
    broker.world.broker.advance(5_000)

    broker.spoil(HEADERS, txn, before.value)
    broker.end(txn)

    assert broker.read() == ["a1"]


def test_an_unreadable_operation_record_keeps_no_end_from_being_decided(broker: OnAStore, caplog: pytest.LogCaptureFixture) -> None:
    """The end is answered, the other participants follow, the record is named and stays, and so does the header."""
    txn = broker.begin()
    broker.send("a1", txn)
    broker.send("a2", txn)
    spoiled = broker.spoil(OPERATIONS, txn, b'{"kind":"READ"}')

    with caplog.at_level(logging.WARNING):
        outcome = broker.end(txn)

    assert outcome == Done(None)
    assert broker.read() == ["a1", "a2"]
    assert f"{spoiled}: expected OperationRecord as JSON" in caplog.text
    broker.world.broker.advance(3_600_000)
    key = f"{txn.coordinator}_{txn.sequence}"
    assert broker.store.get(spoiled, partition_key=key) is not None
    assert broker.store.get(HEADERS + key, partition_key=key) is not None


def test_the_collection_continues_after_a_transaction_that_it_cannot_read(broker: OnAStore) -> None:
    """Only that one stays."""
    spoiled, other = broker.begin(), broker.begin()
    broker.send("a1", spoiled)
    broker.send("b1", other)
    broker.spoil(OPERATIONS, spoiled, b"{")
    broker.end(spoiled)
    broker.end(other)

    broker.world.broker.advance(3_600_000)

    assert broker.store.keys(*under(HEADERS)) == [f"{HEADERS}{spoiled.coordinator}_{spoiled.sequence}"]


def test_the_sweep_continues_after_a_header_that_it_cannot_read(broker: OnAStore) -> None:
    """It is the first by its deadline, and other overdue ones do not wait for its repair."""
    spoiled, other = broker.begin(), broker.begin()
    broker.send("b1", other)
    broker.send("p1")
    owner = f"{spoiled.coordinator}_{spoiled.sequence}"
    broker.store.put(HEADERS + owner, b"{", partition_key=owner, indexes=[IndexEntry(paths.BY_DEADLINE, paths.number(1))])

    broker.world.broker.advance(120_000)

    assert broker.read() == ["p1"]


def test_an_operation_record_without_a_header_keeps_no_segment_from_loading(broker: OnAStore) -> None:
    """Its transaction is taken for aborted, which hides its messages and deletes none of them."""
    txn = broker.begin()
    broker.send("a1", txn)
    key = f"{txn.coordinator}_{txn.sequence}"
    broker.store.delete(HEADERS + key, partition_key=key)

    broker.world.broker.crash()
    broker.world.broker.restart()
    broker.send("p1")
    broker.world.broker.advance(2_000)

    assert broker.read() == ["p1"]
