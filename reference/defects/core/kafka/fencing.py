"""Defects of the Kafka reference in timeouts, and in what a writer may do that was fenced."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890 import recovery
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.producer_state import EpochStanding, ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import Decision, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch


@defect({"CORE-18": seen("^success", expected="a refusal")}, origin="textbook: every older epoch treated as a retry")
class CoreKafkaLostTransactionIsCommitted(KafkaCoordinator):
    """An instance that was taken over long ago commits, and is answered that it is done."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        return EndTxnEffect.ANSWER_AGAIN if asked is RequestedTransaction.NEITHER else super().end_of_new_client(state, decision, asked)


@defect({"CORE-15": seen("^(not over|nothing)", expected=r'^over|^"plain"$')}, origin="hanging transactions, the reason for KIP-890")
class CoreKafkaNeverExpires(recovery.TimeoutIgnored):
    """A transaction that its producer abandoned is never ended, and blocks readers of committed data."""


@defect({"CORE-16": seen("^success", expected="a refusal")}, origin="hanging transactions, the reason for KIP-890")
class CoreKafkaLateCommitAccepted(recovery.TimeoutIgnored):
    """The coordinator has no timer, so that a commit long after the timeout finds its transaction open."""


@defect({"CORE-19": seen("^nothing", expected='^"plain"$')}, origin="KAFKA-14402: hanging transactions")
class CoreKafkaLateWriteHangs(ProducerStates):
    """A batch with an older epoch is stored and opens its transaction again, and no client will ever end it."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        standing = super().standing(producer)
        return EpochStanding.IN_OPEN_TRANSACTION if standing is EpochStanding.FENCED else standing

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if not self.is_late(batch):
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)

    def is_late(self, batch: Batch) -> bool:
        """Whether its epoch is older than its producer's."""
        state = self.get(batch.producer_id)
        return state is not None and batch.producer_epoch < state.producer.epoch


@defect({"CORE-19": seen("^nothing", expected='^"plain"$', what="readers of payments")}, origin="KAFKA-14402: hanging transactions")
class CoreKafkaLateWriteHangsElsewhere(KafkaCoordinator):
    """The coordinator treats a late producer as a slow one and ignores its request to add a partition, so a late batch to another partition
    opens a transaction there.
    """

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if producer.epoch >= self.describe(transactional_id).producer_epoch:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect({"CORE-17": seen('^"late"')}, origin="textbook: epochs that are compared for markers only")
class CoreKafkaLateWriteShown(CoreKafkaLateWriteHangs):
    """A partition stores a batch with an older epoch and opens no transaction for it, so every reader receives it."""

    def apply(self, batch: Batch) -> ProducerState | None:
        return self.get(batch.producer_id) if batch.marker is None and self.is_late(batch) else super().apply(batch)
