"""An acknowledgement of everything up to a message, while readers are shown fewer: an earlier end is not applied there yet."""

from collections.abc import Iterator, Sequence

import pytest

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_crash_points import CRASH_POINTS
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, SubscriptionType, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription

TXN, OTHER = TxnId(0, 1), TxnId(0, 2)
NAME = SubscriptionName("orders", "workers")
ONE = frozenset({0})


class Readers:
    """Four messages, the number that is shown, and a subscription that has to receive them."""

    def __init__(self) -> None:
        self.shown = 4
        self.disk = Disk()
        machine = Machine(Clock(), self.disk, Network(Clock()), CrashPoints(CRASH_POINTS))
        self.places = [MessagePosition(Position(0, number)) for number in range(4)]
        pending = PendingAcks(PendingAckJournal(machine, NAME))
        self.subscription = Subscription(SubscriptionType.SHARED, self, Cursor(self.disk, NAME, EARLIEST), pending)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        found = [Readable(one, Message("p", number, number, b"", b"v")) for number, one in enumerate(self.places[: self.shown])]
        return (readable for readable in found if readable.place > place)

    def left(self) -> Sequence[int]:
        """The messages that a new consumer receives, once all are shown."""
        self.shown = 4
        got: list[Delivery] = []
        self.subscription.attach(Consumer(1, "c", got.append, permits=10), SubscriptionType.SHARED)
        self.subscription.dispatch()
        return [delivery.readable.place.position.entry for delivery in got]


@pytest.mark.parametrize("shown", [0, 1, 4])
@pytest.mark.parametrize("txn", [None, TXN])
def test_everything_up_to_a_message_is_gone_whatever_is_shown(txn: TxnId | None, shown: int) -> None:
    """In a transaction that commits, or without one; and it is durable at once."""
    readers = Readers()
    readers.shown = shown

    if txn is None:
        readers.subscription.acknowledge_up_to(readers.places[2])
    else:
        readers.subscription.acknowledge_up_to_in(txn, readers.places[2])
        readers.subscription.end(txn, EndAction.COMMIT, -1)

    assert readers.left() == [3]
    assert Cursor(readers.disk, NAME, EARLIEST).mark_delete == readers.places[2]


def test_an_earlier_message_acknowledged_later_takes_nothing_back() -> None:
    """The mark only moves forward."""
    readers = Readers()
    readers.subscription.acknowledge_up_to(readers.places[2])

    readers.subscription.acknowledge_up_to(readers.places[0])

    assert readers.left() == [3]


def test_what_was_acknowledged_individually_after_the_mark_stays_acknowledged() -> None:
    """And the mark moves over it, when it is complete."""
    readers = Readers()
    readers.subscription.acknowledge({readers.places[0]: ONE, readers.places[2]: ONE})

    readers.subscription.acknowledge_up_to(readers.places[1])

    assert readers.subscription.cursor.mark_delete == readers.places[2]
    assert readers.left() == [3]


@pytest.mark.parametrize(("pending", "left"), [(0, [0, 3]), (2, [2, 3]), (3, [3])])
def test_without_a_transaction_what_is_pending_stays_its_transactions(pending: int, left: list[int]) -> None:
    """A plain acknowledgement deletes the others up to its message; an abort redelivers those of the transaction."""
    readers = Readers()
    readers.subscription.acknowledge_in(OTHER, {readers.places[pending]: ONE})

    readers.subscription.acknowledge_up_to(readers.places[2])
    readers.subscription.end(OTHER, EndAction.ABORT, -1)

    assert readers.left() == left
