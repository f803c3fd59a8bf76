"""Defects at the end of the epochs that show in what a transaction has besides its records, or after a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import Decision, Transaction
from fencepost.reference.kafka.values import TopicPartition


@defect({"KIP890-405": Symptom(what="offset")}, origin="textbook: the producer id of the answer used for some of the markers")
class OffsetsOfTheNextProducerId(MarkerSender):
    """At an overflow the group coordinator is sent a marker with the new producer id, so the offsets of the old one stay pending."""

    def marker_in(self, partition: TopicPartition, marker: TransactionMarker, transaction: Transaction) -> TransactionMarker:
        if partition == OFFSETS_PARTITION:
            return replace(marker, producer=transaction.next_producer)
        return super().marker_in(partition, marker, transaction)


@defect(
    {"KIP890-405": seen("last stable offset 0", what="payments-")},
    origin="textbook: the next producer id is in force before the last marker is sent",
)
class LaterPartitionsOfTheNextProducerId(MarkerSender):
    """At an overflow only the first partition has the marker of the old producer id; the records in all others stay undecided."""

    def marker_in(self, partition: TopicPartition, marker: TransactionMarker, transaction: Transaction) -> TransactionMarker:
        if partition != min(transaction.partitions):
            return replace(marker, producer=transaction.next_producer)
        return super().marker_in(partition, marker, transaction)


@defect(
    {"KIP890-076": seen(r"^success with \(producer id \d+, epoch 32767\)")},
    origin="textbook: an overflow that only transactions with partitions look for",
)
class EmptyAbortAtTheLastEpoch(Coordinator):
    """An abort without an open transaction raises the last epoch to that of markers, and the producer can begin no transaction."""

    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:
        return super().prepare(transaction, decision, bumps, moves_on=moves_on and bool(transaction.partitions))
