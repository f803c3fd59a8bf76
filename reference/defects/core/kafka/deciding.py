"""Defects of the Kafka reference in deciding once."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890 import ending, ending_edges
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch, MarkerType


@defect({"CORE-10": seen("^not over", what="transaction of A")}, origin="textbook: a countdown from 0")
class CoreKafkaEmptyNeverComplete(MarkerSender):
    """Only the answer to a marker completes a transaction, and one without partitions is being aborted for ever."""

    def send(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> None:
        if self.partitions_to_mark(transaction):
            super().send(transaction, coordinator_epoch, transaction_version)


@defect({"CORE-11": seen('^"a1"$', error="INVALID_PRODUCER_EPOCH")}, origin="textbook: an epoch bump without the rule for retries")
class CoreKafkaSecondCommitFences(KafkaCoordinator):
    """A commit that a client repeats bumps the epoch again, which fences the writer from its next transaction."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        is_retry = self.asked_about(self._known(transactional_id), producer) is RequestedTransaction.RETRY
        answered = super().end_transaction(transactional_id, producer, decision, api_version)
        if is_retry:
            transaction = self._known(transactional_id)
            self.install(replace(transaction, producer_epoch=transaction.producer_epoch + 1))
        return answered


class _IndexesTheLastAbort(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        if (aborted := super().aborted_by(marker, before)) is not None or marker.marker is None or marker.marker.type is MarkerType.COMMIT:
            return aborted
        self._aborted = [known for known in self._aborted if known.producer_id != marker.producer_id]
        return AbortedTxn(marker.producer_id, marker.base_offset, marker.base_offset)


@defect(
    {"CORE-12": seen('^"a1"$')}, origin="textbook: a retry that is executed", also=[ending.EmptyAbortWritesMarkers, _IndexesTheLastAbort]
)
class CoreKafkaSecondAbortUndoesTheFirst(KafkaCoordinator):
    """A coordinator sends a repeated abort to the same partitions again, where it takes the first one's place in the index."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if (state, decision, asked) == (KafkaTransactionState.COMPLETE_ABORT, Decision.ABORT, RequestedTransaction.RETRY):
            return EndTxnEffect.PREPARE
        return super().end_of_new_client(state, decision, asked)


@defect({"CORE-13": seen("^success", expected="a refusal")}, origin="textbook: a retry is recognised without comparing the command")
class CoreKafkaCommittedIsAborted(ending.LateAbortOfACommitSucceeds):
    """A retry is recognised by its epoch alone, so the abort of a committed transaction is answered with success."""


@defect({"CORE-14": seen("^success", expected="a refusal")}, origin="textbook: a retry is recognised by its epoch alone")
class CoreKafkaAbortedIsCommitted(ending_edges.CommitOfAbortedSucceeds):
    """A client whose transaction was aborted commits with that epoch and is answered with success; its data is gone."""
