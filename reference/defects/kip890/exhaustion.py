"""Defects at the end of the epochs."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import RequestedTransaction
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.ownership import Ownership
from fencepost.reference.kafka.transaction import Decision, Transaction
from fencepost.reference.kafka.values import EXHAUSTED_EPOCH, MAX_EPOCH, NO_PRODUCER, ProducerIdAndEpoch, TopicPartition

_BEYOND_THE_LAST = r"^the largest of \d+ is 32767"


@defect({"KIP890-026": seen(r"^success with \(producer id \d+, epoch 32767\)")}, origin="textbook: an off-by-one at the largest value")
class LastEpochOneLate(Ownership):
    """InitProducerId goes up to the largest number of 16 bits, and no epoch is left for the marker that ends the next transaction."""

    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        if transaction.producer_epoch < MAX_EPOCH:
            return transaction.bump_epoch(expected_epoch, timeout_ms)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


@defect(
    {"KIP890-027": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: the producer id is compared before a retry is looked for"
)
class RotationNotRepeatable(Ownership):
    """A producer whose answer with the new producer id was lost retries with the old one, and is answered that it is fenced."""

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        return expected.producer_id in (NO_PRODUCER.producer_id, transaction.producer_id)


@defect({"KIP890-028": seen(_BEYOND_THE_LAST)}, origin="KAFKA-20310")
class NextProducerIdNotStored(Coordinator):
    """The new producer id of an overflow is in memory only: after a crash the old one stays, with the marker's epoch."""

    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(super().recovered(transaction), previous_producer_id=-1, next_producer_id=-1)


@defect({"KIP890-028": seen(_BEYOND_THE_LAST)}, origin="KAFKA-20090")
class ServerFencesAtTheLastEpoch(Coordinator):
    """Only a client's EndTxn looks at the end of the epochs; when a timeout aborts, the producer is left with the marker's epoch."""

    def abort_by_server(self, transaction: Transaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=1, moves_on=False)


@defect(
    {"KIP890-076": seen(r"^success with \(producer id \d+, epoch 32767\)")},
    origin="textbook: an overflow that only InitProducerId looks for",
)
class OverflowKeepsTheProducerId(Coordinator):
    """The end of the last transaction answers the epoch of its marker, and the producer has no epoch for another one."""

    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:  # noqa: ARG002
        return super().prepare(transaction, decision, bumps, moves_on=False)


@defect(
    {"KIP890-077": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the producer id is compared before a retry is looked for",
)
class OverflowNotRepeatable(Coordinator):
    """A producer whose answer with the new producer id was lost cannot find out how its transaction has ended."""

    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        return super().asked_about(transaction, producer) if producer.producer_id == transaction.producer_id else None


@defect({"KIP890-078": seen("^success", expected="INVALID_PRODUCER_ID_MAPPING")}, origin="textbook: half of a comparison")
class OldProducerIdEnds(Coordinator):
    """After an overflow a client with the old producer id is answered that its transaction is committed, whichever that was."""

    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_from_before = producer.producer_id == transaction.previous_producer_id != transaction.producer_id
        return RequestedTransaction.RETRY if is_from_before else super().asked_about(transaction, producer)


@defect(
    {"KIP890-078": seen("^success", expected="INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the previous producer id is not cleared when the next transaction is complete",
)
class OverflowRememberedForEver(Coordinator):
    """The producer id from before the overflow passes for a retry for ever: an instance that slept through several transactions is
    given the identity in force."""

    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_from_before = producer.producer_id < transaction.producer_id and producer.epoch == EXHAUSTED_EPOCH
        return RequestedTransaction.RETRY if is_from_before else super().asked_about(transaction, producer)


@defect(
    {"KIP890-027": seen("^success", expected="PRODUCER_FENCED")},
    origin="feared by readers of the proposal: two producer ids, and one epoch that both are compared with",
)
class EachEpochOfTheExhaustedId(Ownership):
    """Behind a rotation the exhausted producer id is the owner's with any epoch: a zombie whose old epoch is the number in force takes
    the transactional id over."""

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        return super().may_initialise(expected, transaction) or expected.producer_id == transaction.previous_producer_id


@defect(
    {"KIP890-124": seen(r"^payments-0: COMMIT \(producer id \d+, epoch 0\)", what="markers added to payments-0")},
    origin="textbook: the producer id and epoch of the answer used for the markers",
)
class MarkerOfTheNextProducerId(MarkerSender):
    """At an overflow the marker has the new producer id, which wrote nothing; the data of the old one stays undecided."""

    def marker_for(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        return replace(marker, producer=transaction.next_producer)


@defect(
    {"KIP890-124": seen("^payments-1: none", what="markers added to payments-1")},
    origin="feared by readers of the proposal: a producer id that changes while markers are written",
)
class OverflowMarksOnePartition(MarkerSender):
    """At an overflow one partition gets its marker with the old producer id, and the others are left to the new one."""

    def partitions_to_mark(self, transaction: Transaction) -> list[TopicPartition]:
        partitions = super().partitions_to_mark(transaction)
        return partitions if transaction.producer_epoch < MAX_EPOCH else partitions[:1]
