"""Participants of metadata-driven transactions, and their coordinator's knowledge of them, where the wire does not show it; and the choices
that a profile may make and no bundled one makes.
"""

import contextlib
import dataclasses

import pytest

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import IndexEntry
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata_transactions import MetadataProfile, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.metadata_crash_points import CRASH_POINTS
from fencepost.reference.metadata_transactions.participation import Look, Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import Header, HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.store_client import StoreClient
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused

SEGMENT = "segment://public/default/events/0000-ffff-0"
WORKERS = SubscriptionName(SEGMENT, "workers")
MESSAGE = Message("p", 0, 0, b"", b"v")
WRITE = OperationRecord(kind="WRITE", segment=SEGMENT)
ACK = OperationRecord(kind="ACK", segment=SEGMENT, subscription="workers")


class World:
    """A store, and a machine with one coordinator."""

    def __init__(self, **choices: str) -> None:
        clock, self.faults = Clock(), StoreFaults()
        self.network = Network(clock)
        self.machine = Machine(clock, Disk(), self.network, CrashPoints(CRASH_POINTS))
        self.store = StoreClient(MemoryStore(faults=self.faults))
        self.records = TransactionRecords(self.store)
        self.profile = MetadataProfile.load("seed").model_copy(update=choices)
        self.coordinator = MetadataCoordinator(0, self.machine, self.records, self.profile, Collection)
        self.txn = self.coordinator.new(60_000)

    def subscription(self) -> PendingAckRecords:
        return PendingAckRecords(Site(WORKERS, self.machine, lambda *_: None), self.records, self.profile, Participation)

    def segment(self) -> MetadataBuffer:
        """Its buffer, reloaded each time."""
        ledger = Ledger(self.machine.disk, SEGMENT)
        return MetadataBuffer(Site(SEGMENT, self.machine, lambda *_: None), ledger, self.records, self.profile, Participation)


@pytest.fixture
def world() -> World:
    """A world with an open transaction."""
    return World()


@pytest.mark.parametrize(
    ("is_ended", "is_loaded", "operations", "is_applied"),
    [
        (False, True, (), False),
        (False, False, (WRITE,), False),
        (True, True, (WRITE,), False),
        (True, True, (WRITE, ACK), False),
        (True, True, (), True),
        (True, False, (WRITE, ACK), True),
    ],
)
def test_an_end_is_applied_when_it_is_decided_and_no_loaded_participant_has_records_left(
    world: World, is_ended: bool, is_loaded: bool, operations: tuple[OperationRecord, ...], is_applied: bool
) -> None:
    """A participant that is not loaded reads the header before it serves; a loaded one may not have been notified yet."""
    world.coordinator.is_loaded = lambda _: is_loaded
    for operation in operations:
        world.records.record(world.txn, operation)
    if is_ended:
        world.coordinator.decide(world.txn, EndAction.ABORT)

    assert world.coordinator.is_applied(world.txn) == is_applied


def test_an_end_is_not_applied_where_a_record_does_not_say_whose_it_is(world: World) -> None:
    """It may belong to a serving participant; a waiting client keeps waiting until the record is repaired."""
    key = paths.key_of(world.txn)
    entry = IndexEntry(paths.OPERATIONS_BY_TRANSACTION, key)
    world.store.append(paths.operations(world.txn), b"?", partition_key=key, indexes=[entry])
    world.coordinator.decide(world.txn, EndAction.ABORT)

    assert not world.coordinator.is_applied(world.txn)


def test_ids_that_are_taken_are_not_tried_for_ever(world: World) -> None:
    """A counter that was set back would keep its coordinator from everything else."""
    header = Header(state=HeaderState.OPEN, timeout=60_000, createdAt=world.machine.clock.now)
    for later in range(1, 200):
        world.records.create(TxnId(world.txn.tc_id, world.txn.sequence + later), header)

    with pytest.raises(CommandRefused, match=r"each of the last 100 ids of coordinator 0 has a header already"):
        world.coordinator.new(60_000)


@pytest.mark.parametrize(("action", "is_refused"), [(EndAction.COMMIT, False), (EndAction.ABORT, True)])
def test_a_message_that_the_end_has_overtaken_is_refused_after_an_abort(world: World, action: EndAction, is_refused: bool) -> None:
    """A commit includes it; after an abort its client must not learn that it was stored."""
    segment = world.segment()
    world.coordinator.decide(world.txn, action)
    world.faults.arm("stale-read", "/txn/id/")

    with pytest.raises(CommandRefused, match="was aborted meanwhile") if is_refused else contextlib.nullcontext():
        segment.publish(dataclasses.replace(MESSAGE, txn=world.txn))


def test_a_transaction_is_described_with_its_segments_and_its_subscriptions(world: World) -> None:
    """Each once, and each as what it is."""
    for operation in (WRITE, ACK, WRITE):
        world.records.record(world.txn, operation)

    described = world.coordinator.describe(world.txn)

    assert (described.partitions, described.subscriptions) == ((SEGMENT,), (WORKERS,))


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_look_that_arrives_when_its_participant_is_out_of_memory_ends_nothing(world: World, is_closed: bool) -> None:
    """Another participant may serve by then, and know of transactions that this one does not."""
    ended: list[tuple[TxnId, HeaderState]] = []
    participation = Participation(SEGMENT, world.machine, world.records, world.profile, lambda: [world.txn], lambda *end: ended.append(end))
    world.coordinator.decide(world.txn, EndAction.COMMIT)
    world.network.hold(lambda content: isinstance(content, Look))
    participation.reported()

    if is_closed:
        participation.close()
    world.network.release()
    world.network.deliver()

    assert ended == ([] if is_closed else [(world.txn, HeaderState.COMMITTED)])


def test_nothing_is_left_of_an_acknowledgement_that_the_store_took_in_part(world: World) -> None:
    """Its client got an error: after the next load nothing of it is pending."""
    waiting = PendingAck(world.txn, individual={MessagePosition(Position(1, entry)): frozenset({0}) for entry in (0, 1)})
    world.faults.arm("write-fails-before", f"/txn/op/{world.txn.tc_id}_{world.txn.sequence}-{2:020}")

    with pytest.raises(CommandRefused):
        world.subscription().append(waiting)

    assert (world.records.acknowledgements(WORKERS), world.subscription().replay()) == ([], [])


def test_a_header_that_was_changed_meanwhile_is_not_written_over(world: World) -> None:
    """A reader that read before the commit decides nothing any more, whatever it read."""
    world.coordinator.decide(world.txn, EndAction.COMMIT)
    world.faults.arm("stale-read", "/txn/id/")

    with pytest.raises(CommandRefused):
        world.coordinator.decide(world.txn, EndAction.ABORT)

    found = world.records.header(world.txn)
    assert found is not None
    assert found[0] == Header(
        state=HeaderState.COMMITTED, timeout=60_000, createdAt=world.machine.clock.now, finalizedAt=world.machine.clock.now
    )


@pytest.mark.parametrize("notification", ["events", "headers"])
def test_a_participant_learns_of_an_end_as_its_profile_says(notification: str) -> None:
    """By an event that the coordinator writes for it, or by a watch on the header; no time passes in which it could look."""
    world = World(notification=notification)
    ended: list[tuple[TxnId, HeaderState]] = []
    participation = Participation(SEGMENT, world.machine, world.records, world.profile, lambda: [world.txn], lambda *end: ended.append(end))
    participation.takes_part(world.txn)
    world.records.record(world.txn, WRITE)

    world.coordinator.decide(world.txn, EndAction.COMMIT)
    world.store.settle()
    world.network.deliver()

    assert ended == [(world.txn, HeaderState.COMMITTED)]


@pytest.mark.parametrize(("publish_order", "entries"), [("record-first", 0), ("append-first", 1)])
def test_what_a_write_leaves_first_is_there_when_the_other_fails(publish_order: str, entries: int) -> None:
    """If the store refuses a write's operation record, the text's order leaves an entry in the segment (Q4)."""
    world = World(publish_order=publish_order)
    segment = world.segment()
    world.faults.arm("write-fails-before", "/txn/op/")

    with pytest.raises(CommandRefused):
        segment.publish(dataclasses.replace(MESSAGE, txn=world.txn))

    assert len(list(segment.stored())) == entries


@pytest.mark.parametrize(("unknown_txn", "shown"), [("visible", 1), ("aborted", 0)])
def test_a_message_whose_transaction_is_forgotten_is_shown_or_not(unknown_txn: str, shown: int) -> None:
    """The text treats it as aborted, and so loses committed messages (Q5)."""
    world = World(unknown_txn=unknown_txn)
    never_begun = TxnId(world.txn.tc_id, world.txn.sequence + 1)
    Ledger(world.machine.disk, SEGMENT).append(dataclasses.replace(MESSAGE, txn=never_begun))

    assert len(list(world.segment().after(MessagePosition(BEFORE_ALL)))) == shown


@pytest.mark.parametrize(("gc_leftovers", "left"), [("notified-again", [WORKERS]), ("deleted", [])])
def test_what_is_left_of_an_ended_transaction_is_reported_again_or_deleted(gc_leftovers: str, left: list[SubscriptionName]) -> None:
    """A participant that is notified again applies it; one whose records are gone never does (Q6)."""
    world = World(gc_leftovers=gc_leftovers)
    world.records.record(world.txn, ACK)
    world.coordinator.decide(world.txn, EndAction.COMMIT)

    Collection(world.machine, world.records, world.profile, lambda *_: None).collect(world.txn, HeaderState.COMMITTED)

    assert list(world.records.participants(world.txn)) == left
