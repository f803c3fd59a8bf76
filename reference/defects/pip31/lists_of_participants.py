"""Defects of Pulsar in requests that add several participants."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import SubscriptionName, TxnId


@defect(
    {"PIP31-87": seen("^(nothing|A from .*)$", expected='^("a1"|nothing)$', what="^(readers of|pending in) orders$")},
    origin="textbook: a variable of a loop that is used after the loop",
)
class PulsarLastTopicOfAList(LogCoordinator):
    """If a request adds several topics, only the last one becomes a participant."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[-1:])


@defect(
    {"PIP31-87": seen('^("i1"|something of .*)$', expected="^nothing$", what="early$")},
    origin="textbook: a variable of a loop that is used after the loop",
)
class PulsarLastSubscriptionOfAList(LogCoordinator):
    """If a request adds several subscriptions, only the last one becomes a participant: the others redeliver their messages after the
    commit."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names[-1:])


@defect(
    {"PIP31-87": seen("^nothing$", expected='^"a3"$', what="^readers of refunds$")},
    origin="red team: a log entry with room for one name",
)
class PulsarLogsTheFirstTopicOfAList(LogCoordinator):
    """If a request adds several topics, the coordinator logs only the first one: after a crash, the end does not reach the others."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[:1])
        self._transactions[txn] = self._transactions[txn].with_partitions(names)
