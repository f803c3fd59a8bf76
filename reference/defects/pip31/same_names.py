"""Defects of Pulsar in telling apart what has one name, or one number, in several places."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId


class _KnowsSubscriptionsByName(LogCoordinator):
    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = {one.name for one in self.describe(txn).subscriptions}
        super().add_subscriptions(txn, tuple(one for one in names if one.name not in known))


class _ComparesSequencesInAcks(Subscription):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        for other in self.pending.transactions():
            if other != txn and other.sequence <= low_watermark:
                self.apply_outcome(other, Action.ABORT)
        super().end(txn, action, low_watermark)


class _ComparesSequencesInTopics(MarkerBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        for other in list(self.ongoing()):
            if other.sequence <= low_watermark:
                super().end(other, Action.ABORT, low_watermark)


SUBSCRIPTIONS_BY_NAME = Defect(
    name="pulsar-subscriptions-by-name",
    breaks={"PIP31-131": Symptom(what="payers", seen='^("p1", "p2"|something of 1 transactions)$')},
    story="A transaction has one subscription of each name: what was acknowledged on the other topic stays pending for ever.",
    origin="textbook: a key without the half that tells apart",
    parts=Parts(coordinator=_KnowsSubscriptionsByName),
)

WATERMARK_OF_ANOTHER = Defect(
    name="pulsar-watermark-of-another-coordinator",
    breaks={"PIP31-132": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i1", "i3"$')},
    story="The low watermark of one coordinator is compared with the transactions of all, and ends what is open at another.",
    origin="textbook: a number that is compared without its owner",
    parts=Parts(subscription=_ComparesSequencesInAcks, marker_buffer=_ComparesSequencesInTopics),
)
