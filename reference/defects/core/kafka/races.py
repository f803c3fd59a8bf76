"""Defects of the Kafka reference in concurrent requests."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch

from . import fencing


@defect(
    {"CORE-36": seen('^"a1";', expected='^"a1", "a2"$', what="readers of orders")},
    origin="textbook: a receipt for what was thrown away",
    also=[fencing.CoreKafkaLateWriteHangs],
)
class CoreKafkaAcknowledgedAndDropped(PartitionLog):
    """A leader drops and acknowledges a batch whose transaction has just ended, since no reader could see it any more."""

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        state = self.producers.get(batch.producer_id)
        if state is not None and batch.producer_epoch < state.producer.epoch:
            return self.end_offset
        return super().append(batch, data, guard, checks_sequence=checks_sequence)


@defect({"CORE-37": seen("success.*success", what="two ends at the same time")}, origin="textbook: a check, and then an act")
class CoreKafkaBothDecidersWin(KafkaCoordinator):
    """While a transaction is being ended, the coordinator answers every EndTxn with success, whether it asks for a commit or an abort."""

    def must_wait(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        return super().end_of_new_client(state, decision, asked) if state is KafkaTransactionState.ONGOING else EndTxnEffect.ANSWER_AGAIN
