"""Defects in what a log takes that no producer should send, and in batches that are packed otherwise than in plain bytes."""

from collections.abc import Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import EpochStanding, ProducerState, ProducerStates
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.wire.kafka.batches import Batch

from .sequences import TakesRefused


@defect({"KIP890-365": seen("^success", what="answer to Produce")}, origin="textbook: a field of the header that is only ever overwritten")
class OddOffsetOverlooked(PartitionLog):
    """A partition does not check the base offset that a batch carries, so it accepts a batch that was copied out of a log as a new one."""

    def check_shape(self, batch: Batch) -> None:
        super().check_shape(replace(batch, base_offset=0))


@defect({"KIP890-366": seen("^success", what="answer to Produce")}, origin="KAFKA-15653: a batch whose verification failed was overtaken")
class OvertakingAllowed(ProducerStates):
    """A leader forgets a batch that it refused at verification, accepts the next batch, and refuses the first one when it is retried."""

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:  # noqa: ARG002 - that is the defect
        super().check_sequence(batch, None, may_begin_anywhere=may_begin_anywhere)


@defect({"KIP890-367": seen("^success", what="answer to Produce")}, origin="textbook: a check that was moved, and had two callers")
class EpochsLeftToTheCoordinator(ProducerStates):
    """Epochs are compared by the coordinator alone, which is never asked about a producer without transactions."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        standing = super().standing(producer)
        return EpochStanding.NEW if standing is EpochStanding.FENCED else standing


@defect(
    {"KIP890-365": seen("^success", expected="a2", what="answer to Produce")},
    origin="red team: the next sequence number is set before the batch is looked at",
)
class InvalidBatchCounts(TakesRefused):
    """A batch that is refused for its form uses up its sequence number, so the producer's next batch passes for its repetition and is
    lost."""

    error = Errors.INVALID_RECORD


@defect(
    {"KIP890-209": Symptom(what="^answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: old messages had a wrapper, which was one message",
)
class CompressedCountsAsOne(ProducerStates):
    """A compressed batch takes one sequence number, whatever is in it, so the producer's next batch is out of order."""

    def apply(self, batch: Batch) -> ProducerState | None:
        is_packed = batch.compression != "none"
        return super().apply(replace(batch, records=batch.records[:1]) if is_packed else batch)


@defect(
    {"KIP890-209": seen("^nothing; .*transaction of A: Empty$", what="^records that readers of payments-0")},
    origin="textbook: verification inside the branch that reads records",
)
class CompressedIsNotVerified(Verification):
    """What would have to be unpacked is let through, and most producers compress."""

    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: TransactionSupport) -> int | None:
        if batch.compression == "none":
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=operation is TransactionSupport.ADD).guard


@defect({"KIP890-210": seen("^success", expected="INVALID_RECORD")}, origin="textbook: a list of which only the first element is looked at")
class FirstOfSeveralBatches(Verification):
    """The first batch for a partition is appended, the others are dropped, and the answer is success."""

    def check_count(self, batches: Sequence[Batch]) -> None:
        pass
