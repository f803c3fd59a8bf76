"""Defects in transactions of several partitions."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import EpochStanding
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.wire.kafka.batches import Batch

from .producing import VerifiedFirst

_AT_A_TIME = 10


@defect(
    {"KIP890-211": seen(r"^Ongoing in payments-\w+-0$", expected="^Ongoing in payments-0 and payments-1$")},
    origin="textbook: a flag of the request where one of each partition is due",
)
class OnlyTheFirstIsAdded(Verification):
    """The leader asks the coordinator once for each request, about the first partition, and the others are open without
    being known there.
    """

    _has_added = False

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        self._has_added = False
        return super().refusal_of_request(transactional_id, batches)

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        if self._has_added and log.producers.standing(producer) is EpochStanding.NEW:
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=True).guard
        guard = super().before_produce(log, transactional_id, batch, operation)
        self._has_added = operation is TransactionSupport.ADD
        return guard


@defect(
    {"KIP890-211": seen(r"^Ongoing in payments-\w+-0$", expected="^Ongoing in payments-0 and accounts-0$")},
    origin="red team: a loop over the partitions inside of one over the topics",
)
class OnlyTheFirstTopicIsAdded(Verification):
    """The leader asks the coordinator about the first topic of a request, and partitions of the others are open without
    being known there.
    """

    _first: str | None = None

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        self._first = None
        return super().refusal_of_request(transactional_id, batches)

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        self._first = self._first or log.name.topic
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        if operation is TransactionSupport.ADD and log.name.topic != self._first and log.producers.standing(producer) is EpochStanding.NEW:
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=True).guard
        return super().before_produce(log, transactional_id, batch, operation)


@defect(
    {"KIP890-212": seen("^otherwise in 2: .*markers none", what="^partitions of ledger")},
    origin="textbook: a page of a list is treated as the list",
)
class MarkersSentUpToALimit(MarkerSender):
    """Markers are sent ten at a time, and the transaction is complete with the first ten."""

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        return super().partitions_to_mark(transaction)[:_AT_A_TIME]


@defect(
    {"KIP890-212": seen("refunds-0: none", what="^markers added")},
    origin="red team: a pair is taken apart, and the rest is left over",
)
class ThirdTopicUnmarked(MarkerSender):
    """Markers are sent to the partitions of two topics, and the transaction is complete with these."""

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        marked = sorted({partition.topic for partition in transaction.partitions})[:2]
        return [partition for partition in super().partitions_to_mark(transaction) if partition.topic in marked]


@defect(
    {"KIP890-212": seen("^otherwise in 10: .*markers none", what="^partitions of ledger")},
    origin="red team: a pair is taken apart, and the rest is left over",
)
class TwoPartitionsRecovered(KafkaCoordinator):
    """After a crash a transaction has the first two of its partitions."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), partitions=frozenset(sorted(transaction.partitions)[:2]))


@defect({"KIP890-211": seen("^Ongoing in", what="transaction of A")}, origin="textbook: a pair is taken apart, and the rest is left over")
class ThirdPartitionNotAdded(VerifiedFirst):
    """Produce v12 adds only its first two partitions, and the records in the others stay undecided for ever."""

    def asks_for(self, operation: TransactionSupport) -> bool:
        self._verified += 1
        return operation is not TransactionSupport.ADD or self._verified <= 2


@defect(
    {"KIP890-212": seen("^payments-0: none", expected="^one COMMIT", what="^markers added to payments-0")},
    origin="red team: a record of what is new, where one of all is due",
)
class RecordOfThisLife(KafkaTransactionLog):
    """The record of an open transaction has the partitions that were added since the coordinator started: a second crash loses others."""

    def __init__(self, disk: Disk) -> None:
        self._added: Journal[tuple[str, frozenset[PartitionName]]] = disk.journal("partitions of this life")
        super().__init__(disk)
        self._at_start = self.replay()

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        name, is_open = transaction.transactional_id, transaction.state is KafkaTransactionState.ONGOING
        before = self._at_start.get(name) if is_open else self._at_start.pop(name, None)
        is_known = before is not None and before.state is KafkaTransactionState.ONGOING
        self._added.append((name, transaction.partitions - (before.partitions if before is not None and is_known else frozenset())))
        return super().must_be_durable(transaction)

    def replay(self) -> dict[str, KafkaTransaction]:
        added = dict(self._added)
        return {
            name: replace(transaction, partitions=added[name])
            if transaction.state is KafkaTransactionState.ONGOING and added.get(name)
            else transaction
            for name, transaction in super().replay().items()
        }
