"""Defects of Pulsar on one kind of subscription."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import SubscriptionType, TxnId


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
    {"PIP31-93": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")}, origin="textbook: a dispatcher of its own"
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
    origin="red team: all that the one that left had not seen acknowledged is delivered again",
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
