"""Defects in what a leader appends to its log, and in what it answers."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, EpochStanding, ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch, encode

from .adding import AddsForThePreviousEpoch


@defect({"KIP890-091": seen(r"^the next record got offset \d+")}, origin="textbook: a write that does not wait for its permission")
class AppendedBeforeTheCoordinatorAgreed(Verification):
    """A batch is appended while the leader asks the coordinator, and stays in the log when the coordinator refuses."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except RequestRefused:
            attempt = log.guards.current(ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch))
            if operation is TransactionSupport.ADD and attempt is not None:
                log.append(batch, encode(batch), attempt.guard)
            raise


@defect(
    {"KIP890-092": seen("^a refusal with NOT_ENOUGH_REPLICAS", what="answer to Produce")},
    origin="textbook: a question whose answer is in the log, asked each time",
)
class EachBatchOfAnOldClientVerified(Verification):
    """A leader asks the coordinator about each batch of an old client, and while that is not reachable refuses batches of a transaction
    that is open in its log.
    """

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        guard = super().before_produce(log, transactional_id, batch, operation)
        if operation is not TransactionSupport.ADD:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            try:
                self._coordinator.verify_partitions(transactional_id, producer, [log.name])
            except RequestRefused as refusal:
                raise self.refusal_of_produce(refusal.error, operation) from refusal
        return guard


@defect(
    {"KIP890-092": seen(r"^\[\d+\]", what="start of the transaction of A in payments-0")},
    origin="textbook: a field that is set where it should be set once",
)
class StartMovesWithEachBatch(ProducerStates):
    """Each batch of a transaction is taken for its first one, so the last stable offset passes undecided records."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is None and batch.transactional:
            self._states[batch.producer_id] = replace(self._states[batch.producer_id], transaction_start=batch.base_offset)
        return before


@defect(
    {"KIP890-093": seen(r"^offset \d+", what="start of the transaction of A in payments-0")},
    origin="textbook: a hanging transaction made by the log itself",
)
class StartStaysAfterTheMarker(ProducerStates):
    """The marker leaves the start of the transaction in the producer's state, as if it were still open."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is not None and before is not None:
            self._states[batch.producer_id] = replace(self._states[batch.producer_id], transaction_start=before.transaction_start)
        return before


@defect({"KIP890-098": seen(r"payments-\d: .*Appended")}, origin="textbook: one verdict for a list of questions")
class OneAnnouncedPartitionLetsAllPass(KafkaCoordinator):
    """The coordinator finds a transaction with partitions in it, and does not look which ones."""

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        results = super().verify_partitions(transactional_id, producer, partitions)
        return dict.fromkeys(results, Errors.NONE) if self.describe(transactional_id).partitions else results


def _key(batch: Batch) -> tuple[int, int, int, int]:
    return batch.producer_id, batch.producer_epoch, batch.base_sequence, len(batch.records)


class LooksForDuplicatesFirst(Verification):
    """A leader that does not ask the coordinator about a batch that it has."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if log.producers.duplicate_of(batch) is not None:
            return None
        return super().before_produce(log, transactional_id, batch, operation)


@defect({"KIP890-103": seen("^a refusal with NOT_ENOUGH_REPLICAS")}, origin="textbook: every refusal of the coordinator in one coat")
class ForeignProducerIdCalledTransient(Verification):
    """A batch with another client's producer id is refused with a retriable error, so its producer retries for ever."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        try:
            return super().before_produce(log, transactional_id, batch, operation)
        except RequestRefused as refusal:
            if refusal.error is Errors.INVALID_PRODUCER_ID_MAPPING:
                raise RequestRefused(Errors.NOT_ENOUGH_REPLICAS, "the transaction could not be verified") from refusal
            raise


@defect(
    {"KIP890-120": seen("^base offset -1, log start offset 2$")}, origin="textbook: two offsets of one log, and the wrong one in the answer"
)
class LogEndToldForItsStart(PartitionLog):
    """A refusal says that the log starts where it ends, so the producer assumes that its records are deleted."""

    def start_reported_to_producers(self) -> int:
        return self.end_offset


_TAKEN = "^success with Appended"


@defect(
    {"KIP890-104": seen("^a refusal with CONCURRENT_TRANSACTIONS")},
    origin="KAFKA-15459: the coordinator's errors reached producers that did not expect them in Produce",
)
class OldClientsToldTheCause(Verification):
    """An old client is answered CONCURRENT_TRANSACTIONS by Produce, which it does not expect there and takes for fatal."""

    def refusal_of_produce(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        busy = error is Errors.CONCURRENT_TRANSACTIONS
        return RequestRefused(error) if busy else super().refusal_of_produce(error, operation)


@defect(
    {"KIP890-104": seen("COORDINATOR_LOAD_IN_PROGRESS", what="refusals of Produce")},
    origin="KAFKA-15459: the coordinator's errors reached producers that did not expect them in Produce",
)
class ProducersToldThatTheCoordinatorLoads(Verification):
    """Produce passes on that the coordinator loads, which clients expect of a coordinator and of no leader."""

    def refusal_of_produce(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        return RequestRefused(error) if error is Errors.COORDINATOR_LOAD_IN_PROGRESS else super().refusal_of_produce(error, operation)


@defect({"KIP890-105": seen("^a refusal with NOT_ENOUGH_REPLICAS")}, origin="textbook: one translation of errors for all versions")
class NewClientsToldNotEnoughReplicas(Verification):
    """A new client gets NOT_ENOUGH_REPLICAS while its last transaction completes, as if replicas were missing."""

    def refusal_of_produce(self, error: Errors, operation: TransactionSupport) -> RequestRefused:
        busy = error is Errors.CONCURRENT_TRANSACTIONS
        return super().refusal_of_produce(error, TransactionSupport.VERIFY if busy else operation)


@defect(
    {"KIP890-099": seen(_TAKEN)},
    origin="KAFKA-12671: a batch that came after the marker of its transaction held the last stable offset for ever",
)
class LateBatchOfKnownProducerAccepted(ProducerStates):
    """A partition that knows a producer does not ask the coordinator about its batches, so a late batch begins a transaction that no
    client ends."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        standing = super().standing(producer)
        is_known = self.get(producer.producer_id) is not None
        return EpochStanding.IN_OPEN_TRANSACTION if standing is EpochStanding.NEW and is_known else standing


@defect({"KIP890-099": seen(_TAKEN)}, origin="red team: a cache of verifications that a COMMIT marker alone clears")
class VerifiedUntilACommit(KafkaCoordinator):
    """What was verified for an old client passes after an abort too, so a late batch begins a transaction that no client ends."""

    def __init__(self, *parts: Any) -> None:
        self._verified: set[tuple[ProducerIdAndEpoch, PartitionName]] = set()
        super().__init__(*parts)

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        if super().is_member(transaction, partition):
            self._verified.add((transaction.producer, partition))
            return True
        return transaction.state is KafkaTransactionState.COMPLETE_ABORT and (transaction.producer, partition) in self._verified


@defect({"KIP890-101": seen(_TAKEN)}, origin="textbook: two checks in the wrong order", also=[LooksForDuplicatesFirst])
class DuplicateOfAnOlderEpoch(ProducerStates):
    """A partition looks for duplicates before it checks the epoch, so a fenced producer that repeats a batch is answered with success."""

    def __init__(self) -> None:
        super().__init__()
        self._all: dict[tuple[int, int, int, int], AppendedBatch] = {}

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is None:
            self._all[_key(batch)] = self._states[batch.producer_id].batches[-1]
        return before

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        return self._all.get(_key(batch))


@defect({"KIP890-106": seen(_TAKEN)}, origin="textbook: no id, so no check")
class TransactionalBatchWithoutAnId(Verification):
    """A partition appends a transactional batch from a request without a transactional id, because it cannot ask a coordinator about
    it."""

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        return None if transactional_id is None else super().refusal_of_request(transactional_id, batches)

    def before_produce(self, log: PartitionLog, transactional_id: str | None, batch: Batch, operation: TransactionSupport) -> int | None:
        if transactional_id is None:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        return super().before_produce(log, transactional_id, batch, operation)


@defect({"KIP890-107": seen(_TAKEN)}, origin="textbook: a log that looks at the batch and not at its producer")
class PlainBatchInAnOpenTransaction(PartitionLog):
    """A batch outside of transactions is appended amid the same producer's open transaction."""

    def has_open_transaction(self, producer_id: int) -> bool:  # noqa: ARG002 - that is the defect
        return False


class VerifiedFirst(Verification):
    """A leader that has only so many partitions of one request verified."""

    _most = 1
    _verified = 0

    def refusal_of_request(self, transactional_id: str | None, batches: Iterable[Batch]) -> Errors | None:
        self._verified = 0
        return super().refusal_of_request(transactional_id, batches)

    def asks_for(self, operation: TransactionSupport) -> bool:
        self._verified += 1
        return super().asks_for(operation) and (operation is TransactionSupport.ADD or self._verified <= self._most)


@defect({"KIP890-098": seen("success", what="answer to Produce")}, origin="textbook: a pair is taken apart, and the rest is left over")
class ThirdPartitionNotVerified(VerifiedFirst):
    """Only the first two partitions of a Produce are verified, and what is written to the others is in no transaction."""

    _most = 2


@defect(
    {"KIP890-091": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="answer to Produce")},
    origin="red team: the retry of the new protocol, in a request that has none",
)
class LateBatchInTheNextTransaction(AddsForThePreviousEpoch):
    """A late batch of an ended transaction adds its partition to the next one, whose end makes the batch visible."""

    protocol = 2


@defect(
    {"KIP890-091": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="answer to Produce")},
    origin="red team: the hang of the proposal's first lines, left in for an abort",
)
class LateBatchAfterAnAbort(KafkaCoordinator):
    """A late batch of an aborted transaction begins a transaction in another partition, which its producer does not know and never ends."""

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        aborted = ProducerIdAndEpoch(transaction.producer_id, transaction.producer_epoch - 1)
        if transaction.state is not KafkaTransactionState.COMPLETE_ABORT or producer != aborted:
            super().check_producer(transaction, producer)
