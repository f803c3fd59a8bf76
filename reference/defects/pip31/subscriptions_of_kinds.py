"""Defects of Pulsar on one kind of subscription."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.subscription import Subscription
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
