"""Defects at the end of the epochs."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked
from fencepost.reference.kafka.markers import MarkerSender, TransactionMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.ownership import Ownership
from fencepost.reference.kafka.transaction import Decision, Transaction
from fencepost.reference.kafka.values import EXHAUSTED_EPOCH, MAX_EPOCH, NO_PRODUCER, ProducerIdAndEpoch, TopicPartition

_BEYOND_THE_LAST = r"^the largest of \d+ is 32767"


class _RotatesOneLate(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        if transaction.producer_epoch < MAX_EPOCH:
            return transaction.bump_epoch(expected_epoch, timeout_ms)
        return super().next_owner(transaction, expected_epoch, timeout_ms)


LAST_EPOCH_ONE_LATE = Defect(
    name="last-epoch-one-late",
    breaks={"KIP890-026": Symptom(seen=r"^success with \(producer id \d+, epoch 32767\)")},
    story="InitProducerId goes up to the largest number of 16 bits, and no epoch is left for the marker that ends the next transaction.",
    origin="textbook: an off-by-one at the largest value",
    parts=Parts(ownership=_RotatesOneLate),
)


class _KnowsNobodyFromBefore(Ownership):
    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        return expected.producer_id in (NO_PRODUCER.producer_id, transaction.producer_id)


ROTATION_NOT_REPEATABLE = Defect(
    name="rotation-not-repeatable",
    breaks={"KIP890-027": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="A producer whose answer with the new producer id was lost asks again with the old one, and is told that it is fenced.",
    origin="textbook: the producer id is compared before a retry is looked for",
    parts=Parts(ownership=_KnowsNobodyFromBefore),
)


class _ForgetsTheNextProducerId(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(super().recovered(transaction), previous_producer_id=-1, next_producer_id=-1)


NEXT_PRODUCER_ID_NOT_STORED = Defect(
    name="next-producer-id-not-stored",
    breaks={"KIP890-028": Symptom(seen=_BEYOND_THE_LAST)},
    story="The new producer id of an overflow is in memory only: after a crash the old one stays, with the marker's epoch.",
    origin="KAFKA-20310",
    parts=Parts(coordinator=_ForgetsTheNextProducerId),
)


class _FencesWithoutMovingOn(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=1, moves_on=False)


SERVER_FENCES_AT_THE_LAST_EPOCH = Defect(
    name="server-fences-at-the-last-epoch",
    breaks={"KIP890-028": Symptom(seen=_BEYOND_THE_LAST)},
    story="Only a client's EndTxn looks at the end of the epochs; when a time-out aborts, the producer is left with the marker's epoch.",
    origin="KAFKA-20090",
    parts=Parts(coordinator=_FencesWithoutMovingOn),
)


class _NeverMovesOn(Coordinator):
    def prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:  # noqa: ARG002
        return super().prepare(transaction, decision, bumps, moves_on=False)


OVERFLOW_KEEPS_THE_PRODUCER_ID = Defect(
    name="overflow-keeps-the-producer-id",
    breaks={"KIP890-076": Symptom(seen=r"^success with \(producer id \d+, epoch 32767\)")},
    story="The end of the last transaction answers the epoch of its marker, and the producer has no epoch for another one.",
    origin="textbook: an overflow that only InitProducerId looks for",
    parts=Parts(coordinator=_NeverMovesOn),
)


class _LooksForRetriesOfOneProducerId(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        return super().asked_about(transaction, producer) if producer.producer_id == transaction.producer_id else None


OVERFLOW_NOT_REPEATABLE = Defect(
    name="overflow-not-repeatable",
    breaks={"KIP890-077": Symptom(seen="^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    story="A producer whose answer with the new producer id was lost cannot find out how its transaction has ended.",
    origin="textbook: the producer id is compared before a retry is looked for",
    parts=Parts(coordinator=_LooksForRetriesOfOneProducerId),
)


class _TakesAllFromBeforeForRetries(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        is_from_before = producer.producer_id == transaction.previous_producer_id != transaction.producer_id
        return Asked.RETRY if is_from_before else super().asked_about(transaction, producer)


OLD_PRODUCER_ID_ENDS = Defect(
    name="old-producer-id-ends",
    breaks={"KIP890-078": Symptom(expected="INVALID_PRODUCER_ID_MAPPING", seen="^success")},
    story="After an overflow whoever has the old producer id is told that its transaction is committed, whichever that was.",
    origin="textbook: half of a comparison",
    parts=Parts(coordinator=_TakesAllFromBeforeForRetries),
)


class _RemembersEveryOverflow(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        is_from_before = producer.producer_id < transaction.producer_id and producer.epoch == EXHAUSTED_EPOCH
        return Asked.RETRY if is_from_before else super().asked_about(transaction, producer)


class _TakesEachEpochOfTheId(Ownership):
    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        return super().may_initialise(expected, transaction) or expected.producer_id == transaction.previous_producer_id


EACH_EPOCH_OF_THE_EXHAUSTED_ID = Defect(
    name="each-epoch-of-the-exhausted-id",
    breaks={"KIP890-027": Symptom(expected="PRODUCER_FENCED", seen="^success")},
    story="Behind a rotation the exhausted producer id is the owner's with any epoch: a zombie whose old epoch is the number in force "
    "takes the transactional id over.",
    origin="feared by readers of the proposal: two producer ids, and one epoch that both are compared with",
    parts=Parts(ownership=_TakesEachEpochOfTheId),
)


OVERFLOW_REMEMBERED_FOR_EVER = Defect(
    name="overflow-remembered-for-ever",
    breaks={"KIP890-078": Symptom(expected="INVALID_PRODUCER_ID_MAPPING", seen="^success")},
    story="The producer id from before the overflow passes for a retry for ever: an instance that slept through several transactions is "
    "given the identity in force.",
    origin="textbook: the previous producer id is not cleared when the next transaction is complete",
    parts=Parts(coordinator=_RemembersEveryOverflow),
)


class _MarksWithWhatFollows(MarkerSender):
    def marker_for(self, transaction: Transaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        marker = super().marker_for(transaction, coordinator_epoch, transaction_version)
        return replace(marker, producer=transaction.next_producer)


MARKER_OF_THE_NEXT_PRODUCER_ID = Defect(
    name="marker-of-the-next-producer-id",
    breaks={"KIP890-124": Symptom(what="markers added to payments-0", seen=r"^payments-0: COMMIT \(producer id \d+, epoch 0\)")},
    story="At an overflow the marker has the new producer id, which wrote nothing; the data of the old one stays undecided.",
    origin="textbook: the producer id and epoch of the answer used for the markers",
    parts=Parts(marker_sender=_MarksWithWhatFollows),
)


class _MarksOnePartition(MarkerSender):
    def partitions_to_mark(self, transaction: Transaction) -> list[TopicPartition]:
        partitions = super().partitions_to_mark(transaction)
        return partitions if transaction.producer_epoch < MAX_EPOCH else partitions[:1]


OVERFLOW_MARKS_ONE_PARTITION = Defect(
    name="overflow-marks-one-partition",
    breaks={"KIP890-124": Symptom(what="markers added to payments-1", seen="^payments-1: none")},
    story="At an overflow one partition gets its marker with the old producer id, and the others are left to the new one.",
    origin="feared by readers of the proposal: a producer id that changes while markers are written",
    parts=Parts(marker_sender=_MarksOnePartition),
)
