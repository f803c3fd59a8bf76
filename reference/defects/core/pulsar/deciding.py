"""Defects of the Pulsar reference in deciding once, in time-outs, and in what survives a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Coordinator, Reply
from fencepost.reference.pulsar.participants import Participants
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Action, Status, TxnId

_SECOND_MS = 1_000


class _WaitsForSomebody(Participants):
    def tell(self, transaction: Transaction, low_watermark: int) -> None:
        if self.to_tell(transaction):
            super().tell(transaction, low_watermark)


class _TellsAgain(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        transaction = self._known(txn)
        super().end(txn, action, reply)
        if transaction.status.is_complete:
            again = replace(transaction, status=Status.COMMITTING if action is Action.COMMIT else Status.ABORTING)
            self._install(again)
            self._participants.tell(again, self.low_watermark)


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


class _AbortsWhatIsCommitted(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        committed = self._known(txn).status.action is Action.COMMIT
        super().end(txn, Action.COMMIT if committed else action, reply)


class _CommitsWhatIsAborted(Coordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        aborted = self._known(txn).status.action is Action.ABORT
        super().end(txn, Action.ABORT if aborted else action, reply)


class _NeverExpires(Coordinator):
    def expire(self) -> None:
        return


class _WaitsTooLong(Coordinator):
    def _install(self, transaction: Transaction) -> None:
        is_new = transaction.txn not in self._transactions
        super()._install(replace(transaction, timeout_ms=transaction.timeout_ms * _SECOND_MS) if is_new else transaction)


class _ForgetsTheOpen(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.OPEN


class _AnswersBeforeItWrites(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.COMMITTING


class _CommitsWhatItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, status=Status.COMMITTING) if transaction.status is Status.ABORTING else transaction


class _AbortsTheOpenItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        found = super()._recovered(transaction)
        return replace(found, status=Status.ABORTING) if found.status is Status.OPEN else found


class _TellsTheFirstOfThoseItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        found = super()._recovered(transaction)
        return replace(found, partitions=found.partitions[:1]) if found.status.is_decided else found


EMPTY_NEVER_COMPLETE = Defect(
    name="core-pulsar-empty-never-complete",
    breaks={"CORE-10": Symptom(expected="the transaction of A is over", seen="^it is not")},
    story="Only a participant's answer completes a transaction, and one without participants is being aborted for ever.",
    origin="textbook: a countdown from 0",
    parts=Parts(participants=_WaitsForSomebody),
)

COMMITTED_TWICE = Defect(
    name="core-pulsar-committed-twice",
    breaks={"CORE-11": Symptom(seen=r"^\['a1', 'a1'")},
    story="A commit that is asked for again is told to the topics again, and each publishes the messages once more.",
    origin="textbook: a retry that is executed",
    parts=Parts(coordinator=_TellsAgain, sidecar_buffer=_MarksAgain),
)

SECOND_ABORT_UNDOES_THE_FIRST = Defect(
    name="core-pulsar-second-abort-undoes-the-first",
    breaks={"CORE-12": Symptom(seen=r"^\['a1'\]")},
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
    parts=Parts(coordinator=_CommitsWhatIsAborted),
)

NEVER_EXPIRES = Defect(
    name="core-pulsar-never-expires",
    breaks={"CORE-15": Symptom(expected="the transaction of A is over", seen="^it is not")},
    story="A transaction that its writer abandoned is open for ever.",
    origin="apache/pulsar#10306: what a client had acknowledged stayed pending after the client was killed",
    parts=Parts(coordinator=_NeverExpires),
)

SECONDS_FOR_MILLISECONDS = Defect(
    name="core-pulsar-seconds-for-milliseconds",
    breaks={"CORE-16": Symptom(expected="a refusal", seen="^success")},
    story="A time-out in milliseconds is taken for one in seconds, so that a late commit finds its transaction open.",
    origin="textbook: units",
    parts=Parts(coordinator=_WaitsTooLong),
)

LOST_TRANSACTION_IS_COMMITTED = Defect(
    name="core-pulsar-lost-transaction-is-committed",
    breaks={"CORE-18": Symptom(expected="a refusal", seen="^success")},
    story="A writer whose transaction an administrator has aborted is told that its commit is done.",
    origin="textbook: what has ended needs no end",
    parts=Parts(coordinator=_CommitsWhatIsAborted),
)

OPEN_FORGOTTEN_BY_CRASH = Defect(
    name="core-pulsar-open-forgotten-by-crash",
    breaks={"CORE-24": Symptom(expected=r"\['a1', 'a2'\]", seen="^nothing")},
    story="Only decisions are in the transaction log, so a crash takes every open transaction from its writer.",
    origin="textbook: what is not decided held for not worth keeping",
    parts=Parts(transaction_log=_ForgetsTheOpen),
)

COMMIT_FORGOTTEN_BY_CRASH = Defect(
    name="core-pulsar-commit-forgotten-by-crash",
    breaks={"CORE-25": Symptom(expected=r"\['a1'\]", seen="^nothing")},
    story="A commit is answered and is not in the transaction log, so a crash undoes what its writer was promised.",
    origin="textbook: acknowledging before writing",
    parts=Parts(transaction_log=_AnswersBeforeItWrites),
)

ABORT_COMMITTED_BY_CRASH = Defect(
    name="core-pulsar-abort-committed-by-crash",
    breaks={"CORE-26": Symptom(seen=r"^\['a1'\]")},
    story="A coordinator that starts commits whatever it finds decided, an abort too.",
    origin="textbook: recovery that was only tried with commits",
    parts=Parts(coordinator=_CommitsWhatItFinds),
)

OPEN_ABORTED_BY_CRASH = Defect(
    name="core-pulsar-open-aborted-by-crash",
    breaks={"CORE-27": Symptom(expected="what was asked is done", seen="^a refusal")},
    story="A coordinator that starts aborts whatever it finds open, as if its writer had gone with the crash.",
    origin="textbook: recovery of a database whose sessions end with it",
    parts=Parts(coordinator=_AbortsTheOpenItFinds),
)

FIRST_TOLD_AFTER_CRASH = Defect(
    name="core-pulsar-first-told-after-crash",
    breaks={"CORE-28": Symptom(expected=r"\['a2'\]", seen="^nothing")},
    story="A coordinator that starts tells what it finds decided to the first of those who took part, and takes it for complete.",
    origin="textbook: recovery that was only tried with one participant",
    parts=Parts(coordinator=_TellsTheFirstOfThoseItFinds),
)
