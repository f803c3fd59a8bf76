"""Defects in batches that are packed otherwise than in plain bytes, one for a partition."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch


@defect(
    {"KIP890-209": Symptom(what="^answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: old messages had a wrapper, which was one message",
)
class CompressedCountsAsOne(ProducerStates):
    """A compressed batch counts as one sequence number, however many records it has, so the producer's next batch is out of order."""

    def apply(self, batch: Batch) -> ProducerState | None:
        is_packed = batch.compression != "none"
        return super().apply(replace(batch, records=batch.records[:1]) if is_packed else batch)


@defect(
    {"KIP890-209": seen("^nothing; .*transaction of A: Empty$", what="^records that readers of payments-0")},
    origin="textbook: verification inside the branch that reads records",
)
class CompressedIsNotVerified(Verification):
    """A batch that would have to be decompressed is not verified, and most producers compress."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if batch.compression == "none":
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=operation is TransactionSupport.ADD).guard


@defect({"KIP890-210": seen("^success", expected="INVALID_RECORD")}, origin="textbook: a list of which only the first element is checked")
class FirstOfSeveralBatches(Verification):
    """The first batch for a partition is appended, the others are dropped, and the answer is success."""

    def check_count(self, batches: Sequence[Batch]) -> None:
        pass
