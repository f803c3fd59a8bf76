"""Defects of the Kafka reference in deciding once, in time-outs, and in what survives a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import ending, ending_edges, recovery
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.wire.kafka.batches import Batch, MarkerType


class _WaitsForSomebody(MarkerSender):
    def send(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> None:
        if self.partitions_to_mark(transaction):
            super().send(transaction, coordinator_epoch, transaction_version)


class _BumpsForARetry(Coordinator):
    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        is_retry = self._asked_about(self._known(transactional_id), producer) is Asked.RETRY
        answered = super().end_transaction(transactional_id, producer, decision, api_version)
        if is_retry:
            transaction = self._known(transactional_id)
            self._install(replace(transaction, producer_epoch=transaction.producer_epoch + 1))
        return answered


class _AbortsOnceMore(Coordinator):
    def _end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if (state, decision, asked) == (State.COMPLETE_ABORT, Decision.ABORT, Asked.RETRY):
            return Ending.PREPARE
        return super()._end_of_new_client(state, decision, asked)


class _IndexesTheLastAbort(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:
        if (aborted := super().aborted_by(marker, before)) is not None or marker.marker is None or marker.marker.type is MarkerType.COMMIT:
            return aborted
        self._aborted = [known for known in self._aborted if known.producer_id != marker.producer_id]
        return AbortedTransaction(marker.producer_id, marker.base_offset, marker.base_offset)


class _ServesTheFenced(Coordinator):
    def _end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return Ending.ANSWER_AGAIN if asked is Asked.NEITHER else super()._end_of_new_client(state, decision, asked)


class _ForgetsTheOpen(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.state is not State.ONGOING


class _CommitsWhatItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        found = super()._recovered(transaction)
        return replace(found, state=State.PREPARE_COMMIT) if found.state is State.PREPARE_ABORT else found


class _AbortsTheOpenItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        found = super()._recovered(transaction)
        return replace(found, state=State.PREPARE_ABORT) if found.state is State.ONGOING else found


class _TellsTheFirstOfThoseItFinds(Coordinator):
    def _recovered(self, transaction: Transaction) -> Transaction:
        found = super()._recovered(transaction)
        return replace(found, partitions=frozenset(sorted(found.partitions)[:1])) if found.state in PREPARED else found


EMPTY_NEVER_COMPLETE = Defect(
    name="core-kafka-empty-never-complete",
    breaks={"CORE-10": Symptom(expected="the transaction of A is over", seen="^it is not")},
    story="Only the answer to a marker completes a transaction, and one without partitions is being aborted for ever.",
    origin="textbook: a countdown from 0",
    parts=Parts(marker_sender=_WaitsForSomebody),
)

SECOND_COMMIT_FENCES = Defect(
    name="core-kafka-second-commit-fences",
    breaks={"CORE-11": Symptom(seen=r"^\['a1'\]; what was asked last was refused")},
    story="A commit that is asked for again bumps the epoch again, which fences the writer from its next transaction.",
    origin="textbook: an epoch bump without the rule for retries",
    parts=Parts(coordinator=_BumpsForARetry),
)

SECOND_ABORT_UNDOES_THE_FIRST = Defect(
    name="core-kafka-second-abort-undoes-the-first",
    breaks={"CORE-12": Symptom(seen=r"^\['a1'\]")},
    story="An abort that is asked for again is told to the same partitions again, where it takes the first one's place in the index.",
    origin="textbook: a retry that is executed",
    parts=Parts(coordinator=_AbortsOnceMore, marker_sender=ending.MarksWhatItMarkedBefore, partition_log=_IndexesTheLastAbort),
)

COMMITTED_IS_ABORTED = Defect(
    name="core-kafka-committed-is-aborted",
    breaks={"CORE-13": Symptom(expected="a refusal", seen="^success")},
    story=ending.LATE_ABORT_OF_A_COMMIT_SUCCEEDS.story,
    origin=ending.LATE_ABORT_OF_A_COMMIT_SUCCEEDS.origin,
    parts=ending.LATE_ABORT_OF_A_COMMIT_SUCCEEDS.parts,
)

ABORTED_IS_COMMITTED = Defect(
    name="core-kafka-aborted-is-committed",
    breaks={"CORE-14": Symptom(expected="a refusal", seen="^success")},
    story=ending_edges.COMMIT_OF_ABORTED_SUCCEEDS.story,
    origin=ending_edges.COMMIT_OF_ABORTED_SUCCEEDS.origin,
    parts=ending_edges.COMMIT_OF_ABORTED_SUCCEEDS.parts,
)

NEVER_EXPIRES = Defect(
    name="core-kafka-never-expires",
    breaks={"CORE-15": Symptom(expected=r"is over|\['plain'\]", seen="^(it is not|nothing)")},
    story=recovery.TIMEOUT_IGNORED.story,
    origin=recovery.TIMEOUT_IGNORED.origin,
    parts=recovery.TIMEOUT_IGNORED.parts,
)

LATE_COMMIT_ACCEPTED = Defect(
    name="core-kafka-late-commit-accepted",
    breaks={"CORE-16": Symptom(expected="a refusal", seen="^success")},
    story="The coordinator has no timer, so that a commit which comes far too late finds its transaction open.",
    origin=recovery.TIMEOUT_IGNORED.origin,
    parts=recovery.TIMEOUT_IGNORED.parts,
)

LOST_TRANSACTION_IS_COMMITTED = Defect(
    name="core-kafka-lost-transaction-is-committed",
    breaks={"CORE-18": Symptom(expected="a refusal", seen="^success")},
    story="An instance that was taken over long ago commits, and is told that it is done.",
    origin="textbook: every older epoch taken for a retry",
    parts=Parts(coordinator=_ServesTheFenced),
)

OPEN_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-open-forgotten-by-crash",
    breaks={"CORE-24": Symptom(expected=r"\['a1', 'a2'\]", seen="^nothing")},
    story="Only decisions are in the transaction log, so a crash takes every open transaction from its writer.",
    origin="textbook: what is not decided held for not worth keeping",
    parts=Parts(transaction_log=_ForgetsTheOpen),
)

COMMIT_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-commit-forgotten-by-crash",
    breaks={"CORE-25": Symptom(expected=r"\['a1'\]", seen="^nothing")},
    story=recovery.DECISION_FORGOTTEN_BY_CRASH.story,
    origin=recovery.DECISION_FORGOTTEN_BY_CRASH.origin,
    parts=recovery.DECISION_FORGOTTEN_BY_CRASH.parts,
)

ABORT_COMMITTED_BY_CRASH = Defect(
    name="core-kafka-abort-committed-by-crash",
    breaks={"CORE-26": Symptom(seen=r"^\['a1'\]")},
    story="A coordinator that starts commits whatever it finds decided, an abort too.",
    origin="textbook: recovery that was only tried with commits",
    parts=Parts(coordinator=_CommitsWhatItFinds),
)

OPEN_ABORTED_BY_CRASH = Defect(
    name="core-kafka-open-aborted-by-crash",
    breaks={"CORE-27": Symptom(expected="what was asked is done", seen="^a refusal")},
    story="A coordinator that starts aborts whatever it finds open, as if its writer had gone with the crash.",
    origin="textbook: recovery of a database whose sessions end with it",
    parts=Parts(coordinator=_AbortsTheOpenItFinds),
)

FIRST_TOLD_AFTER_CRASH = Defect(
    name="core-kafka-first-told-after-crash",
    breaks={"CORE-28": Symptom(expected=r"\['a2'\]", seen="^nothing")},
    story="A coordinator that starts tells what it finds decided to the first of those who took part, and takes it for complete.",
    origin="textbook: recovery that was only tried with one participant",
    parts=Parts(coordinator=_TellsTheFirstOfThoseItFinds),
)
