"""Defects at the end of the epochs, and in what a transaction has there besides its records, or after a crash."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import EXHAUSTED_EPOCH, MAX_EPOCH, NO_PRODUCER, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.ownership import ProducerIdOwnership
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState

_BEYOND_THE_LAST = r"^the largest of \d+ is 32767"


@defect({"KIP890-026": seen(r"^success with \(producer id \d+, epoch 32767\)")}, origin="textbook: an off-by-one at the largest value")
class LastEpochOneLate(ProducerIdOwnership):
    """InitProducerId raises epochs up to the largest number of 16 bits, and no epoch is left for the marker that ends the
    next transaction.
    """

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        if transaction.producer_epoch < MAX_EPOCH:
            return transaction.bump_epoch(expected_epoch, timeout_ms)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


@defect(
    {"KIP890-027": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: the producer id is compared before a retry is searched for"
)
class RotationNotRepeatable(ProducerIdOwnership):
    """A producer that lost the answer with its new producer id retries with the old one, and is fenced."""

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: KafkaTransaction) -> bool:
        return expected.producer_id in (NO_PRODUCER.producer_id, transaction.producer_id)


@defect({"KIP890-028": seen(_BEYOND_THE_LAST)}, origin="KAFKA-20310")
class NextProducerIdNotStored(KafkaCoordinator):
    """The new producer id of an overflow is in memory only: after a crash the old one stays, with the marker's epoch."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), previous_producer_id=-1, next_producer_id=-1)


@defect({"KIP890-028": seen(_BEYOND_THE_LAST)}, origin="KAFKA-20090")
class ServerFencesAtTheLastEpoch(KafkaCoordinator):
    """Only a client's EndTxn looks at the end of the epochs; when a timeout aborts, the producer is left with the marker's epoch."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=1, moves_on=False)


@defect(
    {"KIP890-076": seen(r"^success with \(producer id \d+, epoch 32767\)")},
    origin="textbook: an overflow that only InitProducerId looks for",
)
class OverflowKeepsTheProducerId(KafkaCoordinator):
    """The end of the last transaction answers the epoch of its marker, and the producer has no epoch for another one."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:  # noqa: ARG002
        return super().prepare(transaction, decision, bumps, moves_on=False)


@defect(
    {"KIP890-077": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the producer id is compared before a retry is searched for",
)
class OverflowNotRepeatable(KafkaCoordinator):
    """A producer that lost the answer with its new producer id cannot find out how its transaction has ended."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        return super().asked_about(transaction, producer) if producer.producer_id == transaction.producer_id else None


@defect({"KIP890-078": seen("^success", expected="INVALID_PRODUCER_ID_MAPPING")}, origin="textbook: half of a comparison")
class OldProducerIdEnds(KafkaCoordinator):
    """After an overflow a client with the old producer id is answered that its transaction is committed, whichever that was."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_from_before = producer.producer_id == transaction.previous_producer_id != transaction.producer_id
        return RequestedTransaction.RETRY if is_from_before else super().asked_about(transaction, producer)


@defect(
    {"KIP890-078": seen("^success", expected="INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the previous producer id is not cleared when the next transaction is complete",
)
class OverflowRememberedForEver(KafkaCoordinator):
    """The producer id from before the overflow passes for a retry for ever: an instance that slept through several transactions is
    given the identity in force."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_from_before = producer.producer_id < transaction.producer_id and producer.epoch == EXHAUSTED_EPOCH
        return RequestedTransaction.RETRY if is_from_before else super().asked_about(transaction, producer)


@defect(
    {"KIP890-027": seen("^success", expected="PRODUCER_FENCED")},
    origin="feared by readers of the proposal: two producer ids, and one epoch that both are compared with",
)
class EachEpochOfTheExhaustedId(ProducerIdOwnership):
    """After a rotation the exhausted producer id still belongs to the owner, with any epoch: a zombie whose old epoch equals the current
    one takes over the transactional id.
    """

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: KafkaTransaction) -> bool:
        return super().may_initialise(expected, transaction) or expected.producer_id == transaction.previous_producer_id


@defect(
    {"KIP890-124": seen(r"^payments-0: COMMIT \(producer id \d+, epoch 0\)", what="markers added to payments-0")},
    origin="textbook: the producer id and epoch of the answer used for the markers",
)
class MarkerOfTheNextProducerId(MarkerSender):
    """At an overflow the marker has the new producer id, which wrote nothing; the data of the old one stays undecided."""

    def marker_for(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        return replace(marker, producer=transaction.next_producer)


@defect(
    {"KIP890-124": seen("^payments-1: none", what="markers added to payments-1")},
    origin="feared by readers of the proposal: a producer id that changes while markers are written",
)
class OverflowMarksOnePartition(MarkerSender):
    """At an overflow one partition gets its marker with the old producer id, and the others are left to the new one."""

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        partitions = super().partitions_to_mark(transaction)
        return partitions if transaction.producer_epoch < MAX_EPOCH else partitions[:1]


@defect({"KIP890-405": Symptom(what="offset")}, origin="textbook: the producer id of the answer used for some of the markers")
class OffsetsOfTheNextProducerId(MarkerSender):
    """At an overflow the group coordinator is sent a marker with the new producer id, so the offsets of the old one stay pending."""

    def marker_in(self, partition: PartitionName, marker: TransactionMarker, transaction: KafkaTransaction) -> TransactionMarker:
        if partition == OFFSETS_PARTITION:
            return replace(marker, producer=transaction.next_producer)
        return super().marker_in(partition, marker, transaction)


@defect(
    {"KIP890-405": seen("last stable offset 0", what="payments-")},
    origin="textbook: the next producer id is in force before the last marker is sent",
)
class LaterPartitionsOfTheNextProducerId(MarkerSender):
    """At an overflow only the first partition has the marker of the old producer id; the records in all others stay undecided."""

    def marker_in(self, partition: PartitionName, marker: TransactionMarker, transaction: KafkaTransaction) -> TransactionMarker:
        if partition != min(transaction.partitions):
            return replace(marker, producer=transaction.next_producer)
        return super().marker_in(partition, marker, transaction)


@defect(
    {"KIP890-076": seen(r"^success with \(producer id \d+, epoch 32767\)")},
    origin="textbook: an overflow that only transactions with partitions look for",
)
class EmptyAbortAtTheLastEpoch(KafkaCoordinator):
    """An abort without an open transaction raises the last epoch to that of markers, and the producer can begin no transaction."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        return super().prepare(transaction, decision, bumps, moves_on=moves_on and bool(transaction.partitions))


@defect({"KIP890-124": seen("epoch 32766")}, origin="red team: an epoch that is not raised where it cannot be raised for a client")
class NoBumpForTheLastTakeover(KafkaCoordinator):
    """A takeover at the last usable epoch aborts with a marker of that epoch, by which no late write of the old instance is fenced."""

    def abort_before_takeover(self, transaction: KafkaTransaction) -> None:
        if transaction.epoch_is_exhausted:
            self.prepare(transaction, Decision.ABORT, bumps=0)
        else:
            super().abort_before_takeover(transaction)


@defect(
    {"KIP890-077": seen("^success with", expected="^a refusal with INVALID_TXN_STATE or PRODUCER_FENCED", what="answer to EndTxn")},
    origin="red team: the old producer id alone shows that a request is a retry",
)
class CommitOfTheLastAbortSucceeds(KafkaCoordinator):
    """After an overflow a client that asks for the commit of its aborted transaction is answered with success; its data is gone."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if (
            known is not None
            and known.state is KafkaTransactionState.COMPLETE_ABORT
            and known.producer_id != known.previous_producer_id == producer.producer_id
        ):
            decision = Decision.ABORT
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect(
    {"KIP890-078": seen("^success", expected="INVALID_PRODUCER_EPOCH or INVALID_PRODUCER_ID_MAPPING", what="answer to Produce")},
    origin="red team: the identity of a retry is accepted by requests that are none",
)
class OldProducerIdAddsPartitions(KafkaCoordinator):
    """After an overflow a partition is added for the old producer id too. Its record has no marker to come, and blocks readers for ever."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        known = self._transactions.get(transactional_id)
        if known is not None and producer == ProducerIdAndEpoch(known.previous_producer_id, EXHAUSTED_EPOCH) and transaction_version == 2:
            producer = known.producer
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-076": seen("epoch 32767", expected="a new producer id", what="^answer to EndTxn")},
    origin="red team: the protocol of the addition, where that of the end counts",
)
class OldBeginningDoesNotOverflow(KafkaCoordinator):
    """EndTxn v5 at the last usable epoch returns no new producer id if an old client's request has begun the transaction."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        is_new = transaction.transaction_version == 2 or transaction.is_idle
        return super().prepare(transaction, decision, bumps, moves_on=moves_on and is_new)
