"""What a broker owes an attached consumer is redelivered on its next connection; each kind of it is seen lost and noticed."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from twin_plays import twins_of

from fencepost.reference.defects import CONFORMING, Defect
from fencepost.reference.pulsar.buffer import MessagePosition, Readable, ReadView
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_parts import PulsarParts
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionType, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.twins.twin import TwinVerdict


class _KeepsWhatTheLostHad(Subscription):
    """What a consumer had when its connection was lost stays that consumer's."""

    def detach(self, consumer: Consumer) -> None:
        self.consumers.remove(consumer)


class _CountsDeliveryAsDone(Subscription):
    """A loaded subscription continues after what was delivered before."""

    read: ClassVar[dict[object, MessagePosition]] = {}
    """It continues from the durable part of its cursor."""

    def offer(self, readable: Readable) -> bool:
        if self._is_loaded and readable.place <= self._read:
            return True
        self.read[self._name] = max(readable.place, self.read.get(self._name, readable.place))
        return super().offer(readable)

    def __init__(self, kind: SubscriptionType, buffer: ReadView, cursor: Cursor, pending: PendingAcks) -> None:
        super().__init__(kind, buffer, cursor, pending)
        self._name = cursor._journal
        self._is_loaded = self._name in self.read
        self._read = self.read.get(self._name, cursor.mark_delete)


class _GivesBackOneOfABatch(Subscription):
    """A batch of a lost consumer goes back with its first message alone."""

    def detach(self, consumer: Consumer) -> None:
        self.consumers.remove(consumer)
        self.give_back({place: frozenset([min(units)]) for place, units in self._held_by(consumer).items()})


class _DeletesWhatAnAbortReturned(Subscription):
    """When a consumer is lost, what aborts have returned is deleted."""

    def __init__(self, kind: SubscriptionType, buffer: ReadView, cursor: Cursor, pending: PendingAcks) -> None:
        super().__init__(kind, buffer, cursor, pending)
        self._is_abort, self._from_aborts = False, dict[MessagePosition, Units]()

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._is_abort = action is EndAction.ABORT
        super().apply_outcome(txn, action)
        self._is_abort = False

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        if self._is_abort:
            self._from_aborts.update(wanted)
        super().give_back(wanted)

    def detach(self, consumer: Consumer) -> None:
        self.cursor.acknowledge(self._from_aborts, self._buffer)
        super().detach(consumer)


class _ForgetsToReturnWhatItReplayed(Subscription):
    """An abort returns nothing of what was pending when the subscription was loaded."""

    def __init__(self, kind: SubscriptionType, buffer: ReadView, cursor: Cursor, pending: PendingAcks) -> None:
        super().__init__(kind, buffer, cursor, pending)
        self._replayed = set(pending.transactions())

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT and txn in self._replayed:
            self.pending.end(txn, action)
            self.pending.record_end(txn)
        else:
            super().apply_outcome(txn, action)


LOST = {
    "delivered": (_KeepsWhatTheLostHad, "PIP31-5*", "reconnect", "on its next connection"),
    "delivered, then a crash": (_CountsDeliveryAsDone, "PIP31-5*", "crash", "on its next connection"),
    "delivered, then a clean stop": (_CountsDeliveryAsDone, "PIP31-5*", "clean-stop", "on its next connection"),
    "delivered, then an unload": (_CountsDeliveryAsDone, "PIP31-5*", "unload", "on its next connection"),
    "part of a batch": (_GivesBackOneOfABatch, "PIP31-66", "reconnect", "on its next connection"),
    "aborted": (_DeletesWhatAnAbortReturned, "PIP31-*", "reconnect", "on its next connection"),
    "pending, and aborted later": (_ForgetsToReturnWhatItReplayed, "PIP31-84", "unload", "of what aborts have returned"),
}


@pytest.mark.parametrize("kind", LOST)
def test_what_is_owed_and_lost_is_noticed(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Also where no sentence of the scenario receives it; the reference without the defect is silent in the same twin."""
    subscription, requirement, disturbance, what = LOST[kind]
    monkeypatch.setitem(CONFORMING, "of-a-test", Defect("of-a-test", "made by a test", "a test", PulsarParts(subscription=subscription)))

    results = twins_of(requirement, [disturbance], defect="of-a-test")

    assert any(one.verdict is TwinVerdict.DIFFERS and what in (one.difference or "") for one in results)
