"""Defects of the Kafka reference in requests that come late or twice."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import LogEntry, PartitionLog, ReadIsolation
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch

from . import fencing


@defect(
    {"CORE-30": seen('^"a1", "a2"$', expected='^"a1"$', what="readers of orders")},
    origin="before KIP-890, where all transactions of an instance have one epoch",
)
class CoreKafkaRepeatedEndEndsTheNext(KafkaCoordinator):
    """An end with an earlier epoch is taken for one of the transaction that is open now."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_late = _is_of_an_earlier_epoch(transaction, producer)
        return RequestedTransaction.CURRENT if is_late else super().asked_about(transaction, producer)

    def check_old_client(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        if not _is_of_an_earlier_epoch(transaction, producer):
            super().check_old_client(transaction, producer)


def _is_of_an_earlier_epoch(transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> bool:
    """Whether the producer is the one of the open transaction, with an epoch that it had before."""
    is_its = producer.producer_id == transaction.producer_id and producer.epoch < transaction.producer_epoch
    return is_its and transaction.state is KafkaTransactionState.ONGOING


@defect(
    {"CORE-31": seen("^nothing", expected='^"a1"$')},
    origin="textbook: a punishment that meets the wrong one",
    also=[fencing.CoreKafkaLateWriteHangs],
)
class CoreKafkaLateToItsCommitHides(PartitionLog):
    """A partition that refuses a late batch treats its producer as broken, and returns none of its records any more."""

    late: frozenset[int] = frozenset()

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        state = self.producers.get(batch.producer_id)
        if state is not None and batch.producer_epoch < state.producer.epoch:
            self.late |= {batch.producer_id}
            raise RequestRefused(Errors.INVALID_PRODUCER_EPOCH)
        return super().append(batch, data, guard, checks_sequence=checks_sequence)

    def is_handed_out(self, entry: LogEntry, isolation: ReadIsolation) -> bool:  # noqa: ARG002 - to no reader does it matter
        return entry.batch.producer_id not in self.late


@defect({"CORE-38": seen('^"a1", "a2", "a2"$', expected='^"a1", "a2"$')}, origin="textbook: at least once")
class CoreKafkaRepeatedWriteIsStored(ProducerStates):
    """A batch that is sent again is appended again."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:  # noqa: ARG002 - it does not look
        return None

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if super().duplicate_of(batch) is None:
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


@defect({"CORE-31": seen('"late"')}, origin="textbook: epochs that are compared for markers only")
class CoreKafkaLateToItsCommitShown(fencing.CoreKafkaLateWriteShown):
    """A partition stores a batch with an older epoch and opens no transaction for it, so every reader receives it."""


@defect({"CORE-31": seen('^"a1"$', expected='^"a1", "plain"$')}, origin="KAFKA-14402: hanging transactions")
class CoreKafkaLateToItsCommitHangs(fencing.CoreKafkaLateWriteHangs):
    """A batch with an older epoch is stored and opens its transaction again, and no client will ever end it."""
