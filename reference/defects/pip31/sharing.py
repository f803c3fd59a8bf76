"""Defects of Pulsar where several consumers share a subscription."""

from collections.abc import Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import SubscriptionType


@defect(
    {"PIP31-136": seen("as the active one and .* as the active one$", what="^received by the two$")},
    origin="textbook: who joins is told, and not who was there",
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
