"""Defects in what a refused or empty request leaves behind."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import NO_MEMBER, GroupOffsets, OffsetAndMetadata, Sender
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import NONE, EpochStanding
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


@defect(
    {"KIP890-271": Symptom(what="answer to InitProducerId", error="^CONCURRENT_TRANSACTIONS$")},
    origin="Kafka 4.0 to 4.3.1 at transaction.version 0",
)
class StuckAtLevelZero(KafkaCoordinator):
    """A record of the transaction log does not keep the client's protocol, so what was begun with it is pending for ever."""

    def can_be_stored(self, transaction: KafkaTransaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2  # the client's protocol is in the record


@defect(
    {"KIP890-272": seen("^CompleteAbort", what="^transaction of [AB]")},
    origin="Kafka 4.0 to 4.3.1, where InitProducerId aborts before it looks at the epoch",
)
class FencedInstanceAborts(KafkaCoordinator):
    """An instance that has long been fenced initialises, is refused, and has aborted the transaction of its successor."""

    def may_end_what_is_open(self, transaction: KafkaTransaction, expected: ProducerIdAndEpoch) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-273": seen("^Ongoing in payments-", what="^transaction of A")},
    origin="Kafka 4.0 to 4.3.1, where adding comes before appending",
)
class RefusedBatchStaysAdded(Verification):
    """The partition is added before the log refuses the batch, and a producer that wrote nothing has a transaction."""

    def check_before_adding(self, log: PartitionLog, batch: Batch) -> None:  # noqa: ARG002 - it does not look
        return


@defect(
    {"KIP890-274": seen("^Ongoing in payments-", what="^transaction of A")},
    origin="Kafka 4.0 to 4.3.1, where adding comes before appending",
)
class ReplayOpensATransaction(Verification):
    """A record that was committed is sent again, is known, and opens a transaction in which nothing was written."""

    def is_known(self, log: PartitionLog, batch: Batch) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def check_before_adding(self, log: PartitionLog, batch: Batch) -> None:
        if log.producers.duplicate_of(batch) is None:
            super().check_before_adding(log, batch)


@defect(
    {"KIP890-275": seen("^Ongoing in no partition", what="^transaction of A")}, origin="Kafka 4.0 to 4.3.1: all of no partitions are added"
)
class EmptyAdditionOpens(KafkaCoordinator):
    """A request that names no partition opens a transaction, and its timeout fences the producer."""

    def begins(self, partitions: frozenset[PartitionName]) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-276": Symptom(what="answer to InitProducerId", error="^UNKNOWN_SERVER_ERROR$")},
    origin="Kafka 4.1 and 4.2 answer UNKNOWN_SERVER_ERROR there, for another reason: KAFKA-20090",
)
class OwnerLostWithItsLastEpoch(ProducerIdOwnership):
    """The server's abort moves the transactional id to a new producer id, and its owner retries with the old one in vain."""

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: KafkaTransaction) -> bool:
        if expected.producer_id not in (-1, transaction.producer_id):
            raise RequestRefused(Errors.UNKNOWN_SERVER_ERROR)
        return super().may_initialise(expected, transaction)


@defect(
    {"KIP890-407": seen("^Ongoing", expected="^(Empty|CompleteCommit)", what="transaction of A")},
    origin="textbook: the partition is added before the request is read to its end",
)
class NothingToStoreOpens(GroupOffsets):
    """A TxnOffsetCommit of which nothing can be stored opens a transaction all the same."""

    def commit_in_transaction(
        self,
        group: str,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        offsets: Mapping[PartitionName, OffsetAndMetadata],
        operation: TransactionSupport,
        sender: Sender = NO_MEMBER,
    ) -> dict[PartitionName, Errors]:
        if group and operation is TransactionSupport.ADD:
            batch = Batch((), producer_id=producer.producer_id, producer_epoch=producer.epoch, transactional=True)
            self._verification.before_offset_commit(self._log(), transactional_id, batch, operation)
        return super().commit_in_transaction(group, transactional_id, producer, offsets, operation, sender)


@defect(
    {"KIP890-411": seen("^a stable offset", expected="^UNSTABLE_OFFSET_COMMIT", what="^stable offset of payments-0")},
    origin="red team: the old offsets are removed before the sender of the new ones is checked",
)
class RefusedMemberDropsPendingOffsets(GroupOffsets):
    """A TxnOffsetCommit of an unknown member is refused, and the offsets of the group that are pending already are dropped."""

    def check_membership(self, group: str, sender: Sender) -> None:
        try:
            super().check_membership(group, sender)
        except RequestRefused:
            for places in self._pending.values():
                for place in [place for place in places if place.group == group]:
                    del places[place]
            raise


@defect(
    {"KIP890-411": seen("begun at", what="^transaction of A")},
    origin="red team: the transition is made before the check that it needs",
)
class RefusedProducerRenewsTheTransaction(KafkaCoordinator):
    """A request with a foreign producer id, or another epoch, is refused, and the timeout of the open transaction begins again."""

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        try:
            super().check_producer(transaction, producer)
        except RequestRefused:
            if transaction.state is KafkaTransactionState.ONGOING:
                renewed = replace(transaction, started_at=transaction.started_at + 1)
                self._transactions[transaction.transactional_id] = renewed
            raise


@defect(
    {"KIP890-411": seen("^a stable offset", expected="^UNSTABLE_OFFSET_COMMIT", what="^stable offset of payments-0")},
    origin="red team: what a fenced instance has left is removed, and the instance is the previous transaction of the same one",
)
class FencedOffsetsDropPendingOnes(GroupOffsets):
    """A TxnOffsetCommit with an old epoch is refused, and what the open transaction of its producer has pending is dropped."""

    def commit_in_transaction(
        self,
        group: str,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        offsets: Mapping[PartitionName, OffsetAndMetadata],
        operation: TransactionSupport,
        sender: Sender = NO_MEMBER,
    ) -> dict[PartitionName, Errors]:
        try:
            return super().commit_in_transaction(group, transactional_id, producer, offsets, operation, sender)
        except RequestRefused as refusal:
            if refusal.error is Errors.INVALID_PRODUCER_EPOCH and self.partitions_of(group):
                self._pending.pop(producer.producer_id, None)
            raise


@defect(
    {"KIP890-411": seen("^last stable offset 3", what="^last stable offset of payments-0")},
    origin="red team: a producer is treated as gone where one of its batches is refused",
)
class FencedWriteHidesTheTransaction(Verification):
    """A batch with an old epoch is refused, and the leader forgets the open transaction of its producer, whose records are then shown."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        if log.producers.standing(producer) is EpochStanding.FENCED:
            known = {state.producer.producer_id: state for state in log.producers.all()}
            known[batch.producer_id] = replace(known[batch.producer_id], transaction_start=NONE)
            log.producers.restore(known.values())
        return super().before_produce(log, transactional_id, batch, operation)
