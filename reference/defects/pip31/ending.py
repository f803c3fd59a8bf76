"""Defects in ending a Pulsar transaction, in asking for its end again, and in asking for both ends at once."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.values import Action, Status, TxnId

_LOST_IN = 5
"""Of so many transactions, one is lost."""


class _TakesUnknownForEnded(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if txn in self._transactions:
            super().end(txn, action, reply)
        else:
            reply()


class _RefusesRepetition(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        self.describe(txn).opened()
        super().end(txn, action, reply)


class _RefusesTheCommitted(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self.describe(txn).status is Status.COMMITTED:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} is committed already")
        super().end(txn, action, reply)


class _RefusesTheAborted(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self.describe(txn).status is Status.ABORTED:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} is aborted already")
        super().end(txn, action, reply)


class _RefusesAndWrites(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused:
            if self.describe(txn).status is Status.ABORTING:
                self._install(replace(self.describe(txn), status=Status.COMMITTING))
            raise


class _ComparesBeforeOthersWrite(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self.describe(txn)
        if known.status.is_decided and not known.status.is_complete:
            self._install(replace(known, status=Status.OPEN))
        super().end(txn, action, reply)


class _AgreesToEverything(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        decided = self.describe(txn).status.action
        super().end(txn, action if decided is None else decided, reply)


class _WantsOperations(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self.describe(txn)
        if not known.partitions and not known.subscriptions:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} has no operations")
        super().end(txn, action, reply)


UNKNOWN_ENDS_WELL = Defect(
    name="pulsar-unknown-ends-well",
    breaks={"PIP31-22": Symptom(what="^answer to END_TXN$", expected="^a refusal with TransactionNotFound$", seen="^success$")},
    story="Whoever ends a transaction that was never begun is told that it is done, for what is not known must have ended.",
    origin="textbook: a retry made harmless by trusting the caller",
    parts=Parts(coordinator=_TakesUnknownForEnded),
)

REPETITION_IS_REFUSED = Defect(
    name="pulsar-repetition-is-refused",
    breaks={"PIP31-23": Symptom(what="^answer to END_TXN$", expected="^success$", error="InvalidTxnStatus")},
    story="A client that repeats its commit while that is on its way is refused, and does not know what became of it.",
    origin="apache/pulsar#10131: an end that was asked for again in COMMITTING or ABORTING failed",
    parts=Parts(coordinator=_RefusesRepetition),
)

REPEATED_COMMIT_IS_REFUSED = Defect(
    name="pulsar-repeated-commit-is-refused",
    breaks={
        "PIP31-24": Symptom(
            what="^answer to END_TXN$", expected="^success or a refusal with TransactionNotFound$", error="InvalidTxnStatus"
        )
    },
    story="A client that repeats its commit after it was done is told that the transaction cannot be committed, and does it all again.",
    origin="textbook: only what is open may be ended",
    parts=Parts(coordinator=_RefusesTheCommitted),
)

REPEATED_ABORT_IS_REFUSED = Defect(
    name="pulsar-repeated-abort-is-refused",
    breaks={
        "PIP31-25": Symptom(
            what="^answer to END_TXN$", expected="^success or a refusal with TransactionNotFound$", error="InvalidTxnStatus"
        )
    },
    story="A client that repeats its abort after it was done is told that the transaction cannot be aborted, and takes it for committed.",
    origin="textbook: only what is open may be ended",
    parts=Parts(coordinator=_RefusesTheAborted),
)

REFUSED_COMMIT_IS_WRITTEN = Defect(
    name="pulsar-refused-commit-is-written",
    breaks={"PIP31-26": Symptom(what="^status of A$", expected="^ABORTING$", seen="^COMMITTING$")},
    story="A commit of what is being aborted is refused, and stands in the log all the same.",
    origin="textbook: the entry is appended before the status is compared",
    parts=Parts(coordinator=_RefusesAndWrites),
)

PULSAR_ABORT_OF_A_COMMIT_SUCCEEDS = Defect(
    name="pulsar-abort-of-a-commit-succeeds",
    breaks={"PIP31-27": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="Whoever asks for the end of a decided transaction is told that it succeeded, also who asked for the opposite.",
    origin="textbook: a repetition is recognised without comparing the action",
    parts=Parts(coordinator=_AgreesToEverything),
)

PULSAR_EMPTY_END_REFUSED = Defect(
    name="pulsar-empty-end-refused",
    breaks={"PIP31-73": Symptom(what="^answer to END_TXN$", expected="^success$", error="InvalidTxnStatus")},
    story="A transaction in which nothing was done cannot be ended.",
    origin="textbook: an end needs somebody to tell",
    parts=Parts(coordinator=_WantsOperations),
)

BOTH_ENDS_WIN = Defect(
    name="pulsar-both-ends-win",
    breaks={"PIP31-74": Symptom(what="^ends of A$", expected="^one success$", seen="^COMMIT: success, ABORT: success$")},
    story="Two clients that end a transaction in opposite ways at the same time are both told that it is done.",
    origin="textbook: the status is compared in one step, and written in another",
    parts=Parts(coordinator=_ComparesBeforeOthersWrite, network=SlowNetwork),
)


class _ComparesBeforeOthersWriteAtTimes(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        known = self.describe(txn)
        if txn.sequence % _LOST_IN == _LOST_IN - 1 and known.status.is_decided and not known.status.is_complete:
            self._install(replace(known, status=Status.OPEN))
        super().end(txn, action, reply)


BOTH_ENDS_WIN_AT_TIMES = Defect(
    name="pulsar-both-ends-win-at-times",
    breaks={"PIP31-74": Symptom(what="^ends$", expected="^one success each$", seen="COMMIT: success, ABORT: success")},
    story=f"Of {_LOST_IN} transactions that two clients end in opposite ways at the same time, both are told of one that it is done.",
    origin="textbook: the status is compared in one step, and written in another",
    parts=Parts(coordinator=_ComparesBeforeOthersWriteAtTimes, network=SlowNetwork),
)


class AgreesToWhatEndedBefore(LogCoordinator):
    """Any end of what was complete before its last start succeeds."""

    _last_before = -1

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        self._last_before = super().last_given(replayed)
        return self._last_before

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if txn.sequence <= self._last_before and self.describe(txn).status.is_complete:
            reply()
        else:
            super().end(txn, action, reply)


ANY_END_OF_WHAT_ENDED_BEFORE_A_CRASH = Defect(
    name="pulsar-any-end-of-what-ended-before-a-crash",
    breaks={
        "PIP31-26": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$"),
        "PIP31-27": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$"),
    },
    story="After a crash a coordinator knows that a transaction has ended, and not how: whoever asks for an end is told that it is done.",
    origin="textbook: a record of completion without the outcome",
    parts=Parts(coordinator=AgreesToWhatEndedBefore),
)
