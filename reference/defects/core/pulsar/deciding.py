"""Defects of the Pulsar reference in deciding once."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.ending import AgreesToWhatEndedBefore
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.participants import Participants
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, Status, TxnId


class _WaitsForSomebody(Participants):
    def send_to_all(self, transaction: Transaction, low_watermark: int) -> None:
        if self.recipients(transaction):
            super().send_to_all(transaction, low_watermark)


class _TellsAgain(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        transaction = self.describe(txn)
        super().end(txn, action, reply)
        if transaction.status.is_complete:
            again = replace(transaction, status=Status.COMMITTING if action is Action.COMMIT else Status.ABORTING)
            self._install(again)
            self._participants.send_to_all(again, self.low_watermark)


class _MarksAgain(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._ended.pop(txn, None)
        super().end(txn, action, low_watermark)


class _TakesTheAbortBack(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        was_aborted = self._ended.get(txn) is Action.ABORT
        if was_aborted:
            del self._ended[txn]
        super().end(txn, Action.COMMIT if was_aborted else action, low_watermark)


class _AbortsWhatIsCommitted(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        committed = self.describe(txn).status.action is Action.COMMIT
        super().end(txn, Action.COMMIT if committed else action, reply)


class CommitsWhatIsAborted(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        aborted = self.describe(txn).status.action is Action.ABORT
        super().end(txn, Action.ABORT if aborted else action, reply)


EMPTY_NEVER_COMPLETE = Defect(
    name="core-pulsar-empty-never-complete",
    breaks={"CORE-10": Symptom(what="transaction of A", seen="^not over")},
    story="Only a participant's answer completes a transaction, and one without participants is being aborted for ever.",
    origin="textbook: a countdown from 0",
    parts=Parts(participants=_WaitsForSomebody),
)

COMMITTED_TWICE = Defect(
    name="core-pulsar-committed-twice",
    breaks={"CORE-11": Symptom(seen='^"a1", "a1"')},
    story="A commit that is asked for again is told to the topics again, and each publishes the messages once more.",
    origin="textbook: a retry that is executed",
    parts=Parts(coordinator=_TellsAgain, sidecar_buffer=_MarksAgain),
)

SECOND_ABORT_UNDOES_THE_FIRST = Defect(
    name="core-pulsar-second-abort-undoes-the-first",
    breaks={"CORE-12": Symptom(seen='^"a1"$')},
    story="An abort that is asked for again is told to the topics again, and finds the abort in the way, which each takes back.",
    origin="textbook: a flag that is flipped where it should be set",
    parts=Parts(coordinator=_TellsAgain, sidecar_buffer=_TakesTheAbortBack),
)

COMMITTED_IS_ABORTED = Defect(
    name="core-pulsar-committed-is-aborted",
    breaks={"CORE-13": Symptom(expected="a refusal", seen="^success")},
    story="Whoever aborts a committed transaction is told that it is done.",
    origin="textbook: what has ended needs no end",
    parts=Parts(coordinator=_AbortsWhatIsCommitted),
)

ABORTED_IS_COMMITTED = Defect(
    name="core-pulsar-aborted-is-committed",
    breaks={"CORE-14": Symptom(expected="a refusal", seen="^success")},
    story="Whoever commits an aborted transaction is told that it is done, and its data is gone.",
    origin="textbook: what has ended needs no end",
    parts=Parts(coordinator=CommitsWhatIsAborted),
)


ANY_END_OF_WHAT_ENDED_BEFORE_A_CRASH = Defect(
    name="core-pulsar-any-end-of-what-ended-before-a-crash",
    breaks={"CORE-13": Symptom(expected="^a refusal$", seen="^success$"), "CORE-14": Symptom(expected="^a refusal$", seen="^success$")},
    story="After a crash a coordinator knows that a transaction has ended, and not how: whoever asks for an end is told that it is done.",
    origin="textbook: a record of completion without the outcome",
    parts=Parts(coordinator=AgreesToWhatEndedBefore),
)
