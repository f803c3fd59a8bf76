"""Defects in what survives a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kernel.machine import Machine


class _AnswersBeforeItWrites(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.state not in PREPARED


DECISION_FORGOTTEN_BY_CRASH = Defect(
    name="decision-forgotten-by-crash",
    breaks={"KIP890-160": Symptom(seen=r"last stable offset \d+, high watermark \d+; transactions: .*Ongoing")},
    story="A decision is answered before it is in the transaction log, so a crash undoes what the producer was promised.",
    origin="textbook: acknowledging before writing",
    parts=Parts(transaction_log=_AnswersBeforeItWrites),
)


class _LosesProducers(PartitionLog):
    def __init__(self, machine: Machine, profile: Profile, producer_states: type[ProducerStates], name: TopicPartition) -> None:
        super().__init__(machine, profile, producer_states, name)
        self.producers = producer_states()


OPEN_TRANSACTION_FORGOTTEN_BY_CRASH = Defect(
    name="open-transaction-forgotten-by-crash",
    breaks={"KIP890-094": Symptom(what="answer to Produce", error="^(OUT_OF_ORDER_SEQUENCE_NUMBER|INVALID_TXN_STATE)$")},
    story="What the log knows of its producers is only in memory; after a restart the next batch of an open transaction is out of order.",
    origin="textbook: a snapshot that is not rebuilt from the log",
    parts=Parts(partition_log=_LosesProducers),
)


class _WaitsForEver(Coordinator):
    def abort_timed_out(self) -> None:
        return


TIMEOUT_IGNORED = Defect(
    name="timeout-ignored",
    breaks={"KIP890-156": Symptom(expected="over|one ABORT marker", seen="^(Ongoing|none)")},
    story="A transaction that its producer abandoned is never ended, and readers of committed data wait behind it.",
    origin="hanging transactions, the reason for KIP-890",
    parts=Parts(coordinator=_WaitsForEver),
)


class _AbortsWithoutFencing(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=0)


TIMED_OUT_PRODUCER_GOES_ON = Defect(
    name="timed-out-producer-goes-on",
    breaks={"KIP890-157": Symptom(seen="^(success|a refusal with INVALID_TXN_STATE)")},
    story="The coordinator aborts an abandoned transaction and leaves the epoch as it was, so its producer writes on without noticing.",
    origin="KAFKA-6119: the epoch was not bumped when a transaction expired",
    parts=Parts(coordinator=_AbortsWithoutFencing),
)


class _FencesAtLevelTwo(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        if self._levels.transaction_version >= 2:
            super().abort_by_server(transaction)
        else:
            self.prepare(transaction, Decision.ABORT, bumps=0)


TIMED_OUT_PRODUCER_GOES_ON_BELOW_LEVEL_TWO = Defect(
    name="timed-out-producer-goes-on-below-level-two",
    breaks={"KIP890-157": Symptom(what="answer to Produce", expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="The abort at a time-out bumps the epoch as an end of the new protocol does, and below level 2 it bumps nothing.",
    origin="textbook: the old protocol's fence is taken for a part of the new one",
    parts=Parts(coordinator=_FencesAtLevelTwo),
)


class _PresumesAbort(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        return replace(recovered, state=State.PREPARE_ABORT) if recovered.state is State.PREPARE_COMMIT else recovered


UNANSWERED_COMMIT_PRESUMED_ABORTED = Defect(
    name="unanswered-commit-presumed-aborted",
    breaks={"KIP890-161": Symptom(seen="^a refusal with INVALID_TXN_STATE")},
    story="A coordinator that finds a commit in its log, and not all markers, aborts it after a restart: perhaps nobody was told.",
    origin="textbook: presumed abort, applied behind the point of decision",
    parts=Parts(coordinator=_PresumesAbort),
)


class _WaitsBehindWhatIsPrepared(Coordinator):
    def abort_timed_out(self) -> None:
        if not any(transaction.state in PREPARED for transaction in self.transactions()):
            super().abort_timed_out()


TIMER_STOPS_AT_WHAT_IS_PREPARED = Defect(
    name="timer-stops-at-what-is-prepared",
    breaks={
        "KIP890-156": Symptom(what="transaction of B", expected="over", seen="^Ongoing"),
        "KIP890-159": Symptom(what="transaction of B", expected="over", seen="^Ongoing"),
    },
    story="The timer leaves the loop where it finds a prepared transaction, and one that is stuck keeps all others open.",
    origin="textbook: a return where the next turn of the loop was meant",
    parts=Parts(coordinator=_WaitsBehindWhatIsPrepared),
)


class _CountsFromTheLastPartition(Coordinator):
    def abort_timed_out(self) -> None:
        for transaction in self.transactions():
            if transaction.state is State.ONGOING and transaction.updated_at + transaction.timeout_ms < self._machine.clock.now:
                self.abort_by_server(transaction)


TIMEOUT_RENEWED_BY_EACH_PARTITION = Defect(
    name="timeout-renewed-by-each-partition",
    breaks={"KIP890-156": Symptom(what="transaction of A", expected="over", seen="^Ongoing")},
    story="The time-out counts from the last change of the record, so a producer that adds a partition now and then never times out.",
    origin="textbook: the time of the last change taken for that of the begin",
    parts=Parts(coordinator=_CountsFromTheLastPartition),
)


class _AbortsWhatItFindsOverdue(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        is_overdue = recovered.started_at + recovered.timeout_ms < self._machine.clock.now
        return replace(recovered, state=State.PREPARE_ABORT) if recovered.state is State.PREPARE_COMMIT and is_overdue else recovered


OVERDUE_COMMIT_ABORTED_BY_RECOVERY = Defect(
    name="overdue-commit-aborted-by-recovery",
    breaks={"KIP890-160": Symptom(what="^transaction of A", expected="^CompleteCommit", seen="^CompleteAbort")},
    story="A coordinator that was away for longer than a time-out aborts what it finds, also what its producer was told is committed.",
    origin="textbook: time-outs are looked at before decisions are",
    parts=Parts(coordinator=_AbortsWhatItFindsOverdue),
)


class _TakesAllForNewClients(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        return replace(recovered, transaction_version=2) if recovered.state in PREPARED else recovered


PREPARED_BY_AN_OLD_CLIENT_STUCK = Defect(
    name="prepared-by-an-old-client-stuck",
    breaks={"KIP890-160": Symptom(what="^transaction of A", expected="over", seen="^Prepare(Commit|Abort)")},
    story="After a restart, markers carry the version of the cluster, so partitions refuse the epoch of an old client's transaction.",
    origin="textbook: what was decided under the old protocol is told under the new one",
    parts=Parts(coordinator=_TakesAllForNewClients),
)
