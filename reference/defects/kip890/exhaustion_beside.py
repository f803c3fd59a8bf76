"""Defects at the end of the epochs that show in what a transaction has besides its records, or after a crash."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import Decision, State, Transaction
from fencepost.reference.kafka.values import NOTHING, TopicPartition


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


@defect({"KIP890-163": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")}, origin="KAFKA-20310, for one of the decisions")
class OverflowOfAnAbortForgotten(Coordinator):
    """The producer id from before an overflow is stored with a commit only: an abort cannot be retried after a crash."""

    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        return replace(found, previous_producer_id=NOTHING) if found.state is State.COMPLETE_ABORT else found


@defect(
    {"KIP890-089": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    origin="textbook: the epoch is looked at, and not whose protocol it is",
)
class OldClientOverflows(Coordinator):
    """At the last usable epoch the end of an old client's transaction moves its transactional id on to a new producer id, which the answer
    cannot carry."""

    def complete(self, transactional_id: str) -> None:
        ended = self._transactions[transactional_id]
        if ended.epoch_is_exhausted and ended.transaction_version < 2 and ended.next_producer_id == NOTHING:
            self._transactions[transactional_id] = replace(ended, next_producer_id=self._log.new_producer_id())
        super().complete(transactional_id)
