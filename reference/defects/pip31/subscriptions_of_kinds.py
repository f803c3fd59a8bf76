"""Defects of Pulsar on one kind of subscription."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import SubscriptionType, TxnId


class _KnowsNoTransactionsByKey(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        if self.kind is SubscriptionType.KEY_SHARED:
            self.acknowledge(wanted)
        else:
            super().acknowledge_in(txn, wanted)


class _FailoverDeletesAtOnce(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        if self.kind is SubscriptionType.FAILOVER:
            self.acknowledge(wanted)
        else:
            super().acknowledge_in(txn, wanted)


KEY_SHARED_WITHOUT_TRANSACTIONS = Defect(
    name="key-shared-without-transactions",
    breaks={"PIP31-93": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="On a key-shared subscription an acknowledgement in a transaction deletes at once, and an abort brings nothing back.",
    origin="textbook: a dispatcher that was added later",
    parts=Parts(subscription=_KnowsNoTransactionsByKey),
)

FAILOVER_WITHOUT_TRANSACTIONS = Defect(
    name="failover-without-transactions",
    breaks={"PIP31-93": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="On a failover subscription an acknowledgement in a transaction deletes at once, and an abort brings nothing back.",
    origin="textbook: a dispatcher of its own",
    parts=Parts(subscription=_FailoverDeletesAtOnce),
)


class _PassesThePendingOn(Subscription):
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


THE_PENDING_PASSED_ON = Defect(
    name="pulsar-the-pending-passed-on",
    breaks={"PIP31-93": Symptom(what="^received by others$", expected='^"i2", "i3"$', seen='^"i1", "i2", "i3"$')},
    story="When a consumer leaves, another attached one receives also what is pending in a transaction.",
    origin="red team: all that the one that left had not seen acknowledged is delivered again",
    parts=Parts(subscription=_PassesThePendingOn),
)
