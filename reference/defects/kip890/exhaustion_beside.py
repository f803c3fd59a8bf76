"""Defects at the end of the epochs that show in what a transaction has besides its records, or after a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction


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
