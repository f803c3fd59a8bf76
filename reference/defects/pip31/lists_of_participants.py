"""Defects of Pulsar in requests that add several participants."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.values import SubscriptionName, TxnId


class _AddsTheLastTopic(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[-1:])


class _AddsTheLastSubscription(LogCoordinator):
    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names[-1:])


LAST_TOPIC_OF_A_LIST = Defect(
    name="pulsar-last-topic-of-a-list",
    breaks={"PIP31-87": Symptom(what="^(readers of|pending in) orders$", expected='^("a1"|nothing)$', seen="^(nothing|A from .*)$")},
    story="Of the topics that one request adds, the last takes part.",
    origin="textbook: a variable of a loop that is used behind the loop",
    parts=Parts(coordinator=_AddsTheLastTopic),
)

LAST_SUBSCRIPTION_OF_A_LIST = Defect(
    name="pulsar-last-subscription-of-a-list",
    breaks={"PIP31-87": Symptom(what="early$", expected="^nothing$", seen='^("i1"|something of .*)$')},
    story="Of the subscriptions that one request adds, the last takes part: what the others acknowledged comes again after the commit.",
    origin="textbook: a variable of a loop that is used behind the loop",
    parts=Parts(coordinator=_AddsTheLastSubscription),
)
