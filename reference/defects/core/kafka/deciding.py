"""Defects of the Kafka reference in deciding once."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import ending, ending_edges
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState
from fencepost.reference.kafka.transaction import Decision, State, Transaction
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
        is_retry = self.asked_about(self._known(transactional_id), producer) is Asked.RETRY
        answered = super().end_transaction(transactional_id, producer, decision, api_version)
        if is_retry:
            transaction = self._known(transactional_id)
            self.install(replace(transaction, producer_epoch=transaction.producer_epoch + 1))
        return answered


class _AbortsOnceMore(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if (state, decision, asked) == (State.COMPLETE_ABORT, Decision.ABORT, Asked.RETRY):
            return Ending.PREPARE
        return super().end_of_new_client(state, decision, asked)


class _IndexesTheLastAbort(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:
        if (aborted := super().aborted_by(marker, before)) is not None or marker.marker is None or marker.marker.type is MarkerType.COMMIT:
            return aborted
        self._aborted = [known for known in self._aborted if known.producer_id != marker.producer_id]
        return AbortedTransaction(marker.producer_id, marker.base_offset, marker.base_offset)


EMPTY_NEVER_COMPLETE = Defect(
    name="core-kafka-empty-never-complete",
    breaks={"CORE-10": Symptom(what="transaction of A", seen="^not over")},
    story="Only the answer to a marker completes a transaction, and one without partitions is being aborted for ever.",
    origin="textbook: a countdown from 0",
    parts=Parts(marker_sender=_WaitsForSomebody),
)

SECOND_COMMIT_FENCES = Defect(
    name="core-kafka-second-commit-fences",
    breaks={"CORE-11": Symptom(seen='^"a1"$', error="INVALID_PRODUCER_EPOCH")},
    story="A commit that is asked for again bumps the epoch again, which fences the writer from its next transaction.",
    origin="textbook: an epoch bump without the rule for retries",
    parts=Parts(coordinator=_BumpsForARetry),
)

SECOND_ABORT_UNDOES_THE_FIRST = Defect(
    name="core-kafka-second-abort-undoes-the-first",
    breaks={"CORE-12": Symptom(seen='^"a1"$')},
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
