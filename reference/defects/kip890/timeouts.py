"""Defects in what follows a time-out, and in what a coordinator knows after a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.reference.kernel.journal import Disk

_FIRST_LIFE = 9
"""The coordinator's first epoch; each start makes it smaller by one."""


class _TakesACommitForARetry(Coordinator):
    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except Refused as refusal:
            if refusal.error is Error.INVALID_TXN_STATE:
                return self.describe(transactional_id).producer
            raise


class _AbortsWhatIsPrepared(Coordinator):
    def abort_timed_out(self) -> None:
        super().abort_timed_out()
        for transaction in self.transactions():
            overdue = transaction.started_at + transaction.timeout_ms < self._machine.clock.now
            if transaction.state is State.PREPARE_COMMIT and overdue:
                self._transactions[transaction.transactional_id] = replace(transaction, state=State.PREPARE_ABORT)


class _GrowsYounger(TransactionLog):
    def __init__(self, disk: Disk) -> None:
        super().__init__(disk)
        self.coordinator_epoch = max(_FIRST_LIFE - self.coordinator_epoch, 0)


class _ForgetsTheDecision(TransactionLog):
    def replay(self) -> dict[str, Transaction]:
        return {name: replace(transaction, state=State.EMPTY) for name, transaction in super().replay().items()}


class _ForgetsTheLastEpoch(TransactionLog):
    def replay(self) -> dict[str, Transaction]:
        return {name: replace(transaction, last_producer_epoch=-1) for name, transaction in super().replay().items()}


class _ForgetsTheLastEpochOfWhatIsPrepared(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        return replace(recovered, last_producer_epoch=-1) if recovered.state in PREPARED else recovered


LATE_COMMIT_TAKEN_FOR_A_RETRY = Defect(
    name="late-commit-taken-for-a-retry",
    breaks={"KIP890-158": Symptom(expected="INVALID_TXN_STATE or PRODUCER_FENCED", seen="^success with")},
    story="A commit that comes after the server's abort is answered as if it had been done, and the data is lost without a word.",
    origin="textbook: the retry is told by the epoch alone, whatever was decided",
    parts=Parts(coordinator=_TakesACommitForARetry),
)

PREPARED_COMMIT_ABORTED_BY_TIMEOUT = Defect(
    name="prepared-commit-aborted-by-timeout",
    breaks={"KIP890-159": Symptom(seen="^PrepareAbort")},
    story="The timer aborts whatever is not complete in time, also what was promised to be committed.",
    origin="textbook: the state is not looked at, only the clock",
    parts=Parts(coordinator=_AbortsWhatIsPrepared),
)

COORDINATOR_EPOCH_FALLS = Defect(
    name="coordinator-epoch-falls",
    breaks={"KIP890-162": Symptom(what="coordinator epochs of the markers in payments-0", seen=r"^\[\d+\] before the When, \[\] since")},
    story="A coordinator that starts again has a smaller epoch than before, so partitions take its markers for outdated ones.",
    origin="textbook: an epoch counted in memory, beside partitions that remember the last one",
    parts=Parts(transaction_log=_GrowsYounger),
)

END_FORGOTTEN_BY_CRASH = Defect(
    name="end-forgotten-by-crash",
    breaks={"KIP890-163": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="After a crash the coordinator knows who owns an id and not how its last transaction ended, so a retry is fenced.",
    origin="textbook: only what is open is loaded",
    parts=Parts(transaction_log=_ForgetsTheDecision),
)

LAST_EPOCH_FORGOTTEN_BY_CRASH = Defect(
    name="last-epoch-forgotten-by-crash",
    breaks={"KIP890-164": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="The epoch before the last InitProducerId is not stored, so its retry is taken for a stale producer after a crash.",
    origin="KAFKA-20357",
    parts=Parts(transaction_log=_ForgetsTheLastEpoch),
)

LAST_EPOCH_OF_AN_ABORT_FORGOTTEN_BY_CRASH = Defect(
    name="last-epoch-of-an-abort-forgotten-by-crash",
    breaks={"KIP890-164": Symptom(expected="epoch 1", seen="^a refusal with PRODUCER_FENCED")},
    story="The coordinator aborts for the owner, which waits for that; after a crash it is completed, and the owner is a stranger.",
    origin="textbook: the last epoch is read back for what is complete alone",
    parts=Parts(coordinator=_ForgetsTheLastEpochOfWhatIsPrepared),
)
