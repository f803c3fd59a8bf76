"""Defects in telling the participants of a Pulsar transaction, and in what they do when they are told again."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import EndOn, Participant, Participants
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, TxnId


class _AnswersWhenComplete(LogCoordinator):
    def answers_decisions(self) -> bool:
        return False


class _IsContentWithOne(Participants):
    def check_complete(self, txn: TxnId) -> None:
        told = self._missing.get(txn, {})
        if len(told) == 1:
            told.clear()
        super().check_complete(txn)


class _TellsTopicsOnly(Participants):
    def recipients(self, transaction: Transaction) -> list[Participant]:
        return list(transaction.partitions)


class _TellsOneAfterAnother(Participants):
    def send(self, message: EndOn) -> None:
        if message.participant == next(iter(self._missing[message.txn])):
            super().send(message)


class _MarksEachTime(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


class _GivesBackEachTime(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        super().apply_outcome(txn, action)
        if action is Action.ABORT:
            self.give_back({place: frozenset(owners) for place, owners in self._held.items() if place in self._redelivery_counts})


ANSWERED_WHEN_COMPLETE = Defect(
    name="pulsar-answered-when-complete",
    breaks={"PIP31-29": Symptom(what="^answer to END_TXN$", seen="^no answer while the end is incomplete")},
    story="A client waits for the answer to its commit for as long as a single topic of the transaction is not available.",
    origin="apache/pulsar#19747: the coordinator that shipped answers when every participant is done",
    parts=Parts(coordinator=_AnswersWhenComplete),
)

LAST_ONE_IS_NOT_AWAITED = Defect(
    name="pulsar-last-one-is-not-awaited",
    breaks={"PIP31-34": Symptom(what="^status of A$", expected="^COMMITTING$", seen="^COMMITTED$")},
    story="A transaction counts as committed while a topic has not followed, and nobody tells that topic any more.",
    origin="textbook: a countdown that ends at one",
    parts=Parts(participants=_IsContentWithOne),
)

TOPICS_ONLY = Defect(
    name="pulsar-topics-only",
    breaks={"PIP31-35": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="The end of a transaction is told to its topics, and what was acknowledged in it comes again after its commit.",
    origin="textbook: two lists, of which one is gone through",
    parts=Parts(participants=_TellsTopicsOnly),
)

COMMITTED_EACH_TIME = Defect(
    name="pulsar-committed-each-time",
    breaks={"PIP31-36": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen='^"a1", "a2", "a1", "a2"$')},
    story="A topic that is told of a commit again shows the messages again.",
    origin="textbook: at least once, without asking whether it was done",
    parts=Parts(sidecar_buffer=_MarksEachTime),
)

GIVEN_BACK_EACH_TIME = Defect(
    name="pulsar-given-back-each-time",
    breaks={"PIP31-37": Symptom(what="^received by workers$", expected="^nothing$", seen='^"i1"')},
    story="A subscription that is told of an abort again delivers once more what its consumer has got back and is busy with.",
    origin="apache/pulsar#25107: an abort redelivers what was delivered by another way already",
    parts=Parts(subscription=_GivesBackEachTime),
)

ONE_AFTER_ANOTHER = Defect(
    name="pulsar-one-after-another",
    breaks={"PIP31-38": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="Participants are told one after the other, so that one that is not available holds up all behind it.",
    origin="textbook: a loop that waits in its body",
    parts=Parts(participants=_TellsOneAfterAnother),
)


class _TellsTheOldestAgain(Participants):
    def send_again(self) -> None:
        everybody = self._missing
        self._missing = dict(list(everybody.items())[:1])
        super().send_again()
        self._missing = everybody


OLDEST_IS_TOLD_AGAIN = Defect(
    name="pulsar-oldest-is-told-again",
    breaks={"PIP31-38": Symptom(what="^status of B$", expected="^COMMITTING, then COMMITTED$", seen="^COMMITTING, then COMMITTING$")},
    story="Participants that did not answer are told again for the oldest transaction only; while that is stuck, no other is completed.",
    origin="textbook: a queue that waits for its head",
    parts=Parts(participants=_TellsTheOldestAgain),
)
