"""Defects of Pulsar on one kind of subscription, and where two consumers of one acknowledge in the same transaction."""

import functools
from collections.abc import Mapping
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionType, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription


@defect(
    {"PIP31-93": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="textbook: a dispatcher that was added later",
)
class KeySharedWithoutTransactions(Subscription):
    """On a key-shared subscription an acknowledgement in a transaction deletes at once, and an abort brings nothing back."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        if self.kind is SubscriptionType.KEY_SHARED:
            self.acknowledge(wanted)
        else:
            super().acknowledge_in(txn, wanted)


@defect(
    {"PIP31-93": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")}, origin="textbook: a separate dispatcher"
)
class FailoverWithoutTransactions(Subscription):
    """On a failover subscription an acknowledgement in a transaction deletes at once, and an abort brings nothing back."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        if self.kind is SubscriptionType.FAILOVER:
            self.acknowledge(wanted)
        else:
            super().acknowledge_in(txn, wanted)


@defect(
    {"PIP31-93": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by others$")},
    origin="red team: all that the departed consumer had not acknowledged is delivered again",
)
class PulsarThePendingPassedOn(Subscription):
    """When a consumer leaves, another attached one receives also what is pending in a transaction."""

    def detach(self, consumer: Consumer) -> None:
        super().detach(consumer)
        if self.consumers:
            self._given_away = self.pending.transactions()
            self.give_back({})

    def withheld_units(self, readable: Readable) -> Units:
        missing = super().withheld_units(readable)
        if not getattr(self, "_given_away", frozenset()) & self.pending.transactions():
            return missing
        place = readable.place
        everything = frozenset(range(readable.message.units))
        return self.cursor.acknowledged(place, everything) | self._held.get(place, {}).keys()


class RewindsOverThePending(Subscription):
    """The abort of one transaction has a subscription read again from its cursor, and delivers what others have pending there."""

    _rewinds = False

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        held = txn in self.pending.transactions()
        super().apply_outcome(txn, action)
        if held and action is EndAction.ABORT and self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER):
            self._rewinds = True
            self._held.clear()
            self.give_back({})
            self._rewinds = False

    def withheld_units(self, readable: Readable) -> Units:
        if not self._rewinds:
            return super().withheld_units(readable)
        everything = frozenset(range(readable.message.units))
        return self.cursor.acknowledged(readable.place, everything) | self._held.get(readable.place, {}).keys()


@defect(
    {"PIP31-93": seen('^"i1", "i2"$', expected='^"i2"$', what="^received by workers$")},
    origin="red team; apache/pulsar#14327: an abort redelivered what was pending in another transaction",
)
class PulsarRewoundOverThePending(RewindsOverThePending):
    """On an exclusive or failover subscription an abort has the consumer read again from the cursor, and delivers also what is pending in
    another transaction."""


class GivesAwayWhatAnotherAcknowledged(Subscription):
    """When a consumer leaves, what it has received is delivered to others, also if one of them has acknowledged it in a transaction."""

    def __init__(self, *parts: Any) -> None:
        self._with_others: set[MessagePosition] = set()
        self._given_away: dict[MessagePosition, Units] = {}
        super().__init__(*parts)

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, wanted)
        if len(self.consumers) > 1:
            self._with_others |= wanted.keys()

    def detach(self, consumer: Consumer) -> None:
        for place, units in self._held_by(consumer).items():
            if place in self._with_others:
                self._given_away[place] = units & self.pending.units_at(place)
        super().detach(consumer)

    def withheld_units(self, readable: Readable) -> Units:
        again = self._given_away.get(readable.place, frozenset()) - self._held.get(readable.place, {}).keys()
        return super().withheld_units(readable) - again


@defect(
    {"PIP31-93": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by others$")},
    origin="red team: unacknowledged messages that are kept by their receivers",
)
class PulsarPendingWithItsReceiver(GivesAwayWhatAnotherAcknowledged):
    """When the receiver of a message leaves, the message is delivered to another consumer, though another one has acknowledged it in a
    transaction."""


class CommitsNothingUnlessShared(Subscription):
    """What a commit should delete stays pending on a subscription that is not shared."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if self.kind is SubscriptionType.SHARED or (action is EndAction.ABORT and txn not in self._stuck):
            super().apply_outcome(txn, action)
        else:
            self._stuck.add(txn)

    @functools.cached_property
    def _stuck(self) -> set[TxnId]:
        return set()


@defect(
    {"PIP31-93": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="red team: a check that looks once cannot distinguish what stays pending from what is deleted",
)
class PulsarCommitPendingUnlessShared(CommitsNothingUnlessShared):
    """On a subscription that is not shared a commit leaves its messages pending for ever: they are neither deleted nor redelivered."""


class NotesTheLastConsumer(Subscription):
    """A subscription notes for each transaction one consumer: the holder of what was acknowledged last."""

    @functools.cached_property
    def _last(self) -> dict[TxnId, Consumer]:
        return {}

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge_in(txn, wanted)
        for place in wanted:
            self._last.update((txn, owner) for owner in self._held.get(place, {}).values())

    def is_elsewhere(self, txn: TxnId, place: MessagePosition) -> bool:
        """Whether another consumer than the noted one has the message."""
        owners = self._held.get(place, {}).values()
        return bool(owners) and txn in self._last and self._last[txn] not in owners


@defect(
    {"PIP31-93": seen('^nothing and "i2"$', expected='^"i1", "i2" between them$', what="^received by the two$")},
    origin="red team: one consumer is noted for each transaction",
)
class PulsarAbortForOneConsumer(NotesTheLastConsumer):
    """An abort redelivers only what the consumer has received whose acknowledgement in the transaction was the last."""

    _aborting: TxnId | None = None

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._aborting = txn if action is EndAction.ABORT else None
        super().apply_outcome(txn, action)
        self._aborting = None

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        txn = self._aborting
        super().give_back({place: units for place, units in wanted.items() if txn is None or not self.is_elsewhere(txn, place)})


@defect(
    {"PIP31-93": seen('^"i1"$', expected="^nothing$", what="^received by others$")},
    origin="red team: one consumer is noted for each transaction",
)
class PulsarCommitForOneConsumer(NotesTheLastConsumer):
    """A commit deletes only what the consumer has received whose acknowledgement in the transaction was the last."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT:
            super().apply_outcome(txn, action)
            return
        waiting = self.pending.end(txn, action)
        mine = {place: units for place, units in waiting.individual.items() if not self.is_elsewhere(txn, place)}
        self.cursor.acknowledge(mine, self._buffer)
        self.cursor.acknowledge_up_to(waiting.cumulative or EARLIEST, self._buffer)
        self.pending.record_end(txn)


@defect(
    {"PIP31-93": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by others$")},
    origin="red team: a list of what is to be redelivered, which a commit does not look at",
)
class CommitLetsOutWhatWaitsForRedelivery(Subscription):
    """What was pending when its consumer left waits in a list for redelivery, and the commit does not take it out: another consumer
    receives it then."""

    def detach(self, consumer: Consumer) -> None:
        waiting: set[MessagePosition] = self.__dict__.setdefault("_waiting", set())
        waiting.update(place for place, units in self._held_by(consumer).items() if units & self.pending.units_at(place))
        super().detach(consumer)

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        super().apply_outcome(txn, action)
        waiting: set[MessagePosition] = self.__dict__.pop("_waiting", set())
        for readable in self._buffer.after(EARLIEST) if action is EndAction.COMMIT else ():
            for consumer in self.consumers[:1] if readable.place in waiting else ():
                consumer.deliver(Delivery(readable, 1, frozenset()))
