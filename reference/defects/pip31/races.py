"""Defects of Pulsar in ends that race."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Action, Status, TxnId


class _TellsAgain(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self.describe(txn)
        super().end(txn, action, reply)
        if known.status.is_decided and not known.status.is_complete:
            self._participants.send_to_all(known, self.low_watermark)


class _WritesEachTime(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


class _RollsBackWhatIsUnderWay(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self.describe(txn)
        super().end(txn, action, reply)
        if known.status is Status.COMMITTING:
            self._install(replace(known, status=Status.ABORTING))


REPEATED_COMMIT_SHOWS_TWICE = Defect(
    name="pulsar-repeated-commit-shows-twice",
    breaks={"PIP31-91": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen='^"a1", "a2", "a1", "a2"$')},
    story="A commit that is repeated while it is under way is told to the topics again, which show the messages again.",
    origin="textbook: at least once, and nobody who remembers",
    parts=Parts(coordinator=_TellsAgain, sidecar_buffer=_WritesEachTime, network=SlowNetwork),
)

REPEATED_COMMIT_ROLLS_BACK = Defect(
    name="pulsar-repeated-commit-rolls-back",
    breaks={"PIP31-91": Symptom(what="^status of A$", expected="^COMMITTED$", seen="^ABORTED$")},
    story="A commit that is found under way by another one is taken for one that failed, and is rolled back.",
    origin="textbook: a leftover of a crash, and a request of right now, look the same",
    parts=Parts(coordinator=_RollsBackWhatIsUnderWay, network=SlowNetwork),
)


class _AnswersTheLast(LogCoordinator):
    def answers_decisions(self) -> bool:
        return False

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self.describe(txn).status.action is action:
            self._waiting.pop(txn, None)
        super().end(txn, action, reply)


LAST_ONE_IS_ANSWERED = Defect(
    name="pulsar-last-one-is-answered",
    breaks={"PIP31-91": Symptom(what="^answered ends of A$", expected="^all of 2$", seen="^1 of 2$")},
    story="Of the clients that ask for the same end while it is under way, the last is answered; the others wait for ever.",
    origin="textbook: a table with one place for each transaction",
    parts=Parts(coordinator=_AnswersTheLast),
)
