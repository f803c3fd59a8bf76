"""Defects of Pulsar in time-outs: when a transaction's time is up, who finds out, and what it may do then."""

import itertools
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, Status, TxnId

_ONE_FOR_ALL_MS = 2_000
_NEVER_MS = 2**40


class _WaitsForItsClient(LogCoordinator):
    def abort_timed_out(self) -> None:
        pass


class _ExpiresOthers(LogCoordinator):
    """A coordinator that also aborts what `is_taken_for_overdue`."""

    def is_taken_for_overdue(self, transaction: Transaction) -> bool:
        raise NotImplementedError

    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for transaction in self.transactions():
            if self.is_taken_for_overdue(transaction):
                self.decide(replace(transaction, status=Status.OPEN), Action.ABORT, None)


class _IsInAHurry(_ExpiresOthers):
    def is_taken_for_overdue(self, transaction: Transaction) -> bool:
        age = self._machine.clock.now - transaction.started_at
        return transaction.status is Status.OPEN and age > transaction.timeout_ms / 2


class _HasOneTimeOut(_ExpiresOthers):
    def is_taken_for_overdue(self, transaction: Transaction) -> bool:
        return transaction.status is Status.OPEN and self._machine.clock.now - transaction.started_at > _ONE_FOR_ALL_MS


class _LooksOnlyAtTheTime(_ExpiresOthers):
    def is_taken_for_overdue(self, transaction: Transaction) -> bool:
        return transaction.status is Status.COMMITTING and self._machine.clock.now - transaction.started_at > transaction.timeout_ms


class _CountsFromTheLastChange(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        self._install(replace(self.describe(txn), started_at=self._machine.clock.now))


class _ThanksForEveryCommit(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        aborted = self.describe(txn).status.action is Action.ABORT
        super().end(txn, Action.ABORT if aborted else action, reply)


class _TracksWhatItBegan(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, timeout_ms=_NEVER_MS)


class _TellsOnce(LogCoordinator):
    def send_again(self) -> None:
        pass


class _LooksAtTheClockAfterwards(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        is_late = self.describe(txn).is_overdue(self._machine.clock.now)
        super().end(txn, action, (lambda: None) if is_late else reply)
        if is_late:
            raise Refused(Error.INVALID_TXN_STATUS, f"the time-out of transaction {txn} has passed")


TIMEOUT_IGNORED = Defect(
    name="pulsar-timeout-ignored",
    breaks={"PIP31-39": Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$")},
    story="Only its client ends a transaction, and one whose client is gone is open for ever.",
    origin="textbook: nobody looks at the clock",
    parts=Parts(coordinator=_WaitsForItsClient),
)

TIMEOUT_TOO_EARLY = Defect(
    name="pulsar-timeout-too-early",
    breaks={"PIP31-40": Symptom(what="^status of A$", seen=r"^ABORT(ING|ED) \d+ ms before the time-out")},
    story="The coordinator aborts a transaction when half of its time has passed.",
    origin="textbook: a margin on the wrong side",
    parts=Parts(coordinator=_IsInAHurry),
)

TIMEOUT_OF_THE_COORDINATOR = Defect(
    name="pulsar-timeout-of-the-coordinator",
    breaks={"PIP31-40": Symptom(what="^status of A$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$")},
    story="The coordinator has one time-out for all, whatever a client asked for.",
    origin="textbook: a setting that is not looked at",
    parts=Parts(coordinator=_HasOneTimeOut),
)

TIMEOUT_FROM_THE_LAST_CHANGE = Defect(
    name="pulsar-timeout-from-the-last-change",
    breaks={"PIP31-41": Symptom(what="^answer to ADD_PARTITION_TO_TXN$", expected="^a refusal$", seen="^success$")},
    story="The time-out counts from the last update of the metadata, so a transaction that is added to never ends.",
    origin="textbook: an idle time-out",
    parts=Parts(coordinator=_CountsFromTheLastChange),
)

LATE_COMMIT_SUCCEEDS = Defect(
    name="pulsar-late-commit-succeeds",
    breaks={"PIP31-42": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="Whoever commits a transaction that has timed out is told that it is done, and its messages are gone.",
    origin="textbook: what has ended needs no end",
    parts=Parts(coordinator=_ThanksForEveryCommit),
)

TIMEOUT_FORGOTTEN_BY_CRASH = Defect(
    name="pulsar-timeout-forgotten-by-crash",
    breaks={"PIP31-43": Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$")},
    story="Only transactions that were begun since the last start are watched for their time-outs.",
    origin="textbook: a tracker that is not told of what a replay finds",
    parts=Parts(coordinator=_TracksWhatItBegan),
)

TIMEOUT_ABORTS_A_COMMIT = Defect(
    name="pulsar-timeout-aborts-a-commit",
    breaks={"PIP31-44": Symptom(what="^status of A$", expected="^COMMITTING, then COMMITTED$", seen="^ABORTING")},
    story="The scan looks only at the time, and aborts a commit for which a participant is still awaited.",
    origin="textbook: a time-out that does not look at the status",
    parts=Parts(coordinator=_LooksOnlyAtTheTime),
)

HELD_ABORT_STAYS = Defect(
    name="pulsar-held-abort-stays",
    breaks={"PIP31-45": Symptom(what="^status of A$", expected="^ABORTING, then ABORTED$", seen="^ABORTING, then ABORTING$")},
    story="A participant that could not abort is not told again, and the transaction is being aborted for ever.",
    origin="apache/pulsar#10131: the end of a transaction was not tried again after a failure",
    parts=Parts(coordinator=_TellsOnce),
)

COMMITTED_AND_CALLED_LATE = Defect(
    name="pulsar-committed-and-called-late",
    breaks={"PIP31-75": Symptom(what="^messages of orders$", expected="succeeded$")},
    story="Between the time-out and the scan a commit is carried out, and then answered as one that came too late.",
    origin="apache/pulsar#14370: a commit that raced with the time-out",
    parts=Parts(coordinator=_LooksAtTheClockAfterwards),
)

ABORTED_AND_CALLED_COMMITTED = Defect(
    name="pulsar-aborted-and-called-committed",
    breaks={"PIP31-75": Symptom(what="^messages of orders$", expected="16 succeeded$")},
    story="A commit that comes after the scan is answered with success, and the transaction stays aborted.",
    origin="textbook: an answer that is not made from the outcome",
    parts=Parts(coordinator=_ThanksForEveryCommit),
)


class _LooksFromTheOldestOn(LogCoordinator):
    def abort_timed_out(self) -> None:
        everything = self._transactions
        undecided = [one for one in everything.values() if not one.status.is_decided]
        overdue = itertools.takewhile(lambda one: one.is_overdue(self._machine.clock.now), undecided)
        self._transactions = {one.txn: one for one in overdue}
        super().abort_timed_out()
        self._transactions = everything | self._transactions


SHORT_WAITS_FOR_LONG = Defect(
    name="pulsar-short-waits-for-long",
    breaks={"PIP31-39": Symptom(what="^status of B$", expected="^ABORTED$", seen="^OPEN$")},
    story="Time-outs are looked at from the oldest transaction on, up to the first that has time left: those behind it have to wait.",
    origin="textbook: a queue in the order of beginnings, where time-outs differ",
    parts=Parts(coordinator=_LooksFromTheOldestOn),
)


class _BeginsAnew(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(super().recovered(transaction), started_at=self._machine.clock.now)


class _Halves(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(super().recovered(transaction), timeout_ms=transaction.timeout_ms // 2)


TIMEOUT_RESTARTED = Defect(
    name="pulsar-timeout-restarted",
    breaks={"PIP31-43": Symptom(what="^status of A when C had timed out$", expected="^not OPEN$", seen="^OPEN$")},
    story="With each start of the coordinator the timeout of an open transaction begins again.",
    origin="red team: a timer that is set when a transaction is put into memory",
    parts=Parts(coordinator=_BeginsAnew),
)

TIMEOUT_HALVED_BY_RESTART = Defect(
    name="pulsar-timeout-halved-by-restart",
    breaks={"PIP31-43": Symptom(what="^status of A$", expected="^OPEN until its timeout$", seen=r"^ABORT(ING|ED) \d+ ms before")},
    story="With each start of the coordinator an open transaction has half of its timeout left.",
    origin="red team: a timeout that is scaled when it is written, and again when it is read",
    parts=Parts(coordinator=_Halves),
)
