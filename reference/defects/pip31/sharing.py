"""Defects of Pulsar where several consumers share a subscription."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import SubscriptionType


class _AllAreActive(Subscription):
    def announce_active(self) -> None:
        for consumer in self.consumers if self.kind is SubscriptionType.FAILOVER else ():
            consumer.active(True)


class _SharesWithoutKeys(Subscription):
    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        if self.kind is SubscriptionType.KEY_SHARED:
            return sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return super().served_first(readable)


TWO_ARE_ACTIVE = Defect(
    name="two-are-active",
    breaks={"PIP31-136": Symptom(what="^received by the two$", seen="as the active one and .* as the active one$")},
    story="Each consumer of a failover subscription is told that it is the active one, and does what only one may do.",
    origin="textbook: who joins is told, and not who was there",
    parts=Parts(subscription=_AllAreActive),
)

KEYS_ARE_NOT_LOOKED_AT = Defect(
    name="keys-are-not-looked-at",
    breaks={"PIP31-137": Symptom(what="^received by the two$", seen='^"a1", "a3" and "a2"$|^"a2" and "a1", "a3"$')},
    story="Messages of one key go to whoever has most permits: changes of one order overtake each other.",
    origin="textbook: a dispatcher that is shared with another kind",
    parts=Parts(subscription=_SharesWithoutKeys),
)
