"""Defects in notifying the participants of a Pulsar transaction, and in what participants do at a repeated notification."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import EndOn, Participant, Participants
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction


@defect(
    {"PIP31-29": seen("^no answer while the end is incomplete", what="^answer to END_TXN$")},
    origin="apache/pulsar#19747: the coordinator that shipped answers when every participant is done",
)
class PulsarAnsweredWhenComplete(LogCoordinator):
    """A client waits for the answer to its commit for as long as a single topic of the transaction is not available."""

    def answers_decisions(self) -> bool:
        return False


@defect({"PIP31-34": seen("^COMMITTED$", expected="^COMMITTING$", what="^status of A$")}, origin="textbook: a countdown that ends at one")
class PulsarLastOneIsNotAwaited(Participants):
    """A transaction counts as committed although one topic has not applied the end, and that topic is never notified again."""

    def check_complete(self, txn: TxnId) -> None:
        reported = self._missing.get(txn, {})
        if len(reported) == 1:
            reported.clear()
        super().check_complete(txn)


@defect(
    {"PIP31-35": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="textbook: two lists, of which one is gone through",
)
class PulsarTopicsOnly(Participants):
    """The coordinator notifies only the topics of a transaction, so what it acknowledged is redelivered after its commit."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        return list(transaction.partitions)


@defect({"PIP31-38": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: a loop that waits in its body")
class PulsarOneAfterAnother(Participants):
    """The coordinator notifies participants one after the other, so one that is unavailable blocks all after it."""

    def send(self, message: EndOn) -> None:
        if message.participant == next(iter(self._missing[message.txn])):
            super().send(message)


@defect(
    {"PIP31-36": seen('^"a1", "a2", "a1", "a2"$', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: at least once, without asking whether it was done",
)
class PulsarCommittedEachTime(SidecarBuffer):
    """A topic that receives a commit again shows the messages again."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-37": seen('^"i1"', expected="^nothing$", what="^received by workers$")},
    origin="apache/pulsar#25107: an abort redelivers what was delivered by another way already",
)
class PulsarGivenBackEachTime(Subscription):
    """A subscription that is notified of an abort again redelivers messages that its consumer has already received again and is
    processing."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        super().apply_outcome(txn, action)
        if action is EndAction.ABORT:
            self.give_back({place: frozenset(owners) for place, owners in self._held.items() if place in self._redelivery_counts})


@defect(
    {"PIP31-38": seen("^COMMITTING, then COMMITTING$", expected="^COMMITTING, then COMMITTED$", what="^status of B$")},
    origin="textbook: a queue that waits for its head",
)
class PulsarOldestIsToldAgain(Participants):
    """The coordinator notifies participants again for the oldest transaction only; while that one is stuck, no other completes."""

    def send_again(self) -> None:
        everybody = self._missing
        self._missing = dict(list(everybody.items())[:1])
        super().send_again()
        self._missing = everybody


@defect(
    {
        "PIP31-36": seen('^"a1", "b1"$', expected='^"a1"$', what="^readers of orders$"),
        "PIP31-37": seen("^nothing$", expected='^"b1"$', what="^readers of orders$"),
    },
    origin="red team: an end that is applied to what is open, and not to what it names",
)
class RepeatedEndTakesTheNextOne(SidecarBuffer):
    """A topic that receives an end again applies it to the transactions that are open there by now."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        is_repeated = txn in self._ended
        super().end(txn, action, low_watermark)
        for other in self.ongoing() if is_repeated else ():
            super().end(other, action, low_watermark)


@defect(
    {"PIP31-36": seen('^"a1", "a2", "a1", "a2"$', expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="red team: a repetition is recognised by what is in memory",
)
class PulsarCommitAgainAfterAReload(SidecarBuffer):
    """A topic that was reloaded makes the messages of a transaction visible once more when it receives the commit again."""

    def recover(self) -> None:
        super().recover()
        self._ended_before = set(self._ended)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn in self._ended_before and action is EndAction.COMMIT:
            self._ended_before.remove(txn)
            del self._ended[txn]
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-35": seen('"i1"', expected='^"a1"$', what="^received by workers$")},
    origin="red team: participants that are kept by topic, whichever part they have",
)
class PulsarTopicHidesItsSubscriptions(Participants):
    """A coordinator does not notify the subscriptions of a topic that is itself a participant: their acknowledgements stay pending."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        everything = super().recipients(transaction)
        return [one for one in everything if not (isinstance(one, SubscriptionName) and one.topic in transaction.partitions)]


@defect(
    {"PIP31-35": seen('^"i1", "i2"$', expected='^"i1", "i2", "a1"$', what="^readers of inputs$")},
    origin="red team: participants that are kept by topic, whichever part they have",
)
class PulsarSubscriptionsHideTheirTopic(Participants):
    """A coordinator does not notify a topic one of whose subscriptions is a participant: the messages stay undecided."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        read = {one.topic for one in transaction.subscriptions}
        return [one for one in super().recipients(transaction) if one not in read]


@defect(
    {"PIP31-36": seen('^"a1", "b1"$', expected='^"a1"$', what="^readers of orders$")},
    origin="red team: a repetition is recognised by what is in memory",
)
class PulsarCommitAgainTakesTheNextOne(SidecarBuffer):
    """A topic that was reloaded and receives a commit again applies it to the transactions that are open there by now."""

    def recover(self) -> None:
        super().recover()
        self._ended_before = frozenset(self._ended)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        for other in self.ongoing() if txn in self._ended_before else ():
            super().end(other, action, low_watermark)
