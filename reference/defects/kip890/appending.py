"""Defects in appending to a partition."""

from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, EpochStanding, ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch, MarkerType

from .producing import LooksForDuplicatesFirst


@defect({"KIP890-100": seen("^success with Appended")}, origin="textbook: the delayed message of the proposal's introduction")
class StaleEpochAccepted(ProducerStates):
    """A late batch of an earlier transaction is appended to the one that is open in its partition now, whatever its epoch."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        state = self.get(producer.producer_id)
        is_open = state is not None and state.has_open_transaction
        return EpochStanding.IN_OPEN_TRANSACTION if is_open else super().standing(producer)


@defect({"KIP890-090": seen("^Empty in no partition")}, origin="hanging transactions, the reason for KIP-890")
class WrittenButNotAdded(Verification):
    """A new client's batch is appended, and the coordinator never learns of the partition, so no client can end the transaction."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if operation is not TransactionSupport.ADD:
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=True).guard


@defect({"KIP890-095": seen("^success", expected="INVALID_TXN_STATE")}, origin="Kafka before 3.6, KAFKA-14402")
class OldClientsUnverified(Verification):
    """The leader does not ask whether an old client has announced the partition, so a late or stray batch opens a transaction for ever."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if operation is not TransactionSupport.VERIFY:
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard


@defect({"KIP890-096": seen("^a refusal with INVALID_TXN_STATE")}, origin="Kafka before 3.8, where the error was new")
class AbortableToldAsFatal(Verification):
    """A client that would understand TRANSACTION_ABORTABLE is answered INVALID_TXN_STATE, which ends it instead of its transaction."""

    def refusal_of_produce(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        return super().refusal_of_produce(
            error, TransactionSupport.VERIFY if operation is TransactionSupport.VERIFY_ABORTABLE else operation
        )


@defect(
    {"KIP890-097": Symptom(what="answer to Produce", error="^(INVALID_TXN_STATE|TRANSACTION_ABORTABLE)$")},
    origin="textbook: the question is answered from a cache that announcements do not reach",
)
class AnnouncedIsRefused(KafkaCoordinator):
    """The coordinator says of every partition that it is not in the transaction, and old clients cannot write any longer."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:  # noqa: ARG002 - that is the defect
        return False


@defect({"KIP890-102": seen("^success", expected="INVALID_PRODUCER_EPOCH")}, origin="textbook: only older epochs are refused")
class FutureEpochAppended(KafkaCoordinator):
    """An epoch that was never given out is taken for a newer one, and the batch fences the producer that owns the transaction."""

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        if producer.epoch <= transaction.producer_epoch:
            super().check_producer(transaction, producer)


@defect({"KIP890-095": seen("^success with Appended")}, origin="KAFKA-14561: no broker verified anything before it")
class NoVerification(Verification):
    """The verification of old clients is off unless an operator switches it on."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if operation is not TransactionSupport.ADD:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        return super().before_produce(log, transactional_id, batch, operation)


@defect(
    {"KIP890-102": seen("^success", expected="INVALID_PRODUCER_EPOCH")},
    origin="textbook: open transactions are checked, and not their owners",
)
class FutureEpochJoins(ProducerStates):
    """While a transaction is open in a partition, a batch of any newer epoch joins it unverified, and no marker fits any more."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        state = self.get(producer.producer_id)
        joins = state is not None and state.has_open_transaction and producer.epoch > state.producer.epoch
        return EpochStanding.IN_OPEN_TRANSACTION if joins else super().standing(producer)


@defect({"KIP890-095": seen("success", what="answer to Produce")}, origin="textbook: a cache of verifications whose key lacks the producer")
class VerifiedByPartition(KafkaCoordinator):
    """A partition that any transaction has added passes for one that the producer has added."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) or any(partition in other.partitions for other in self._transactions.values())


@defect(
    {
        "KIP890-095": seen("success", what="answer to Produce"),
        "KIP890-096": seen("success", what="answer to Produce"),
    },
    origin="textbook: a cache of verifications that no marker clears",
)
class VerifiedForEver(KafkaCoordinator):
    """A partition that was verified for a producer once is verified for all transactions with that epoch."""

    def __init__(self, *parts: Any) -> None:
        self._verified: set[tuple[ProducerIdAndEpoch, PartitionName]] = set()
        super().__init__(*parts)

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        if super().is_member(transaction, partition):
            self._verified.add((transaction.producer, partition))
            return True
        return transaction.state is KafkaTransactionState.ONGOING and (transaction.producer, partition) in self._verified


@defect({"KIP890-095": seen("success", what="answer to Produce")}, origin="red team: a cache of verifications whose key lacks the topic")
class VerifiedByNumber(KafkaCoordinator):
    """A partition passes for one of the transaction if the transaction has a partition of the same number in any topic."""

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        return super().is_member(transaction, partition) or any(partition.partition == one.partition for one in transaction.partitions)


@defect(
    {"KIP890-100": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="^answer to Produce")},
    origin="red team: the batches of an aborted transaction stay, for their producer may send them once more",
    also=[LooksForDuplicatesFirst],
)
class DuplicateOfAnAbortedBatch(ProducerStates):
    """An aborted batch that is sent again is answered with success, so its producer believes that the record is written."""

    def __init__(self) -> None:
        super().__init__()
        self._aborted: dict[tuple[int, int, int], AppendedBatch] = {}

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if before is not None and batch.marker is not None and batch.marker.type is MarkerType.ABORT:
            producer = before.producer
            self._aborted |= {(producer.producer_id, producer.epoch, one.first_sequence): one for one in before.batches}
        return before

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        return super().duplicate_of(batch) or self._aborted.get((batch.producer_id, batch.producer_epoch, batch.base_sequence))
