"""Defects of Pulsar where several consumers share a subscription."""

from collections.abc import Collection, Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionType, TxnId
from fencepost.reference.pulsar.subscription import Consumer, Subscription


@defect(
    {"PIP31-136": seen("as the active one and .* as the active one$", what="^received by the two$")},
    origin="textbook: a consumer that joins is notified, and not the one that was there",
)
class TwoAreActive(Subscription):
    """Every consumer of a failover subscription is notified that it is the active one, so several do what only one may do."""

    def announce_active(self) -> None:
        for consumer in self.consumers if self.kind is SubscriptionType.FAILOVER else ():
            consumer.active(True)


@defect(
    {"PIP31-136": seen("^nothing as the active one and nothing$", what="^received by the two$")},
    origin="apache/pulsar#26164",
)
class HandoverReadsOn(Subscription):
    """After the active consumer of a failover subscription leaves, the next one is served from where the dispatcher was, so it does not
    receive what the first one had not acknowledged.
    """

    def detach(self, consumer: Consumer) -> None:
        if self.kind is not SubscriptionType.FAILOVER:
            super().detach(consumer)
            return
        self.consumers.remove(consumer)
        self.announce_active()


@defect(
    {"PIP31-137": seen('^"a1", "a3" and "a2"$|^"a2" and "a1", "a3"$', what="^received by the two$")},
    origin="textbook: a dispatcher that is shared with another kind",
)
class KeysAreNotLookedAt(Subscription):
    """A key-shared subscription sends messages of one key to the consumer with the most permits, so changes of one order overtake each
    other."""

    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        if self.kind is SubscriptionType.KEY_SHARED:
            return sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return super().served_first(readable)


@defect(
    {"PIP31-137": seen('^"p1"$', expected="^nothing$", what="^received by others$")},
    origin="red team: two ways to a consumer, of which only one looks at keys",
)
class AbortedGoToTheIdlest(Subscription):
    """What an abort redelivers goes to the consumer with the most permits, also on a key-shared subscription: it is processed while
    another consumer has a message of the same key."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._is_aborting = action is EndAction.ABORT
        super().apply_outcome(txn, action)
        self._is_aborting = False

    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        if getattr(self, "_is_aborting", False):
            return sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return super().served_first(readable)


@defect(
    {"PIP31-137": seen('"p1"', expected='^"p2", "p3"', what="^received by the two$")},
    origin="red team: a dispatcher that begins again for all of its consumers",
)
class RedeliveryTakesFromOthers(Subscription):
    """A consumer that requests redelivery also receives what another consumer of the subscription has and still processes."""

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        super().redeliver(consumer, places)
        self.give_back({place: frozenset(owners) for place, owners in self._held.items()})
