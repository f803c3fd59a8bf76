"""Defects in what a log takes that no producer should send."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import EpochStanding, ProducerStates
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
    """Only the coordinator compares epochs, and it is never asked about a producer without transactions."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        standing = super().standing(producer)
        return EpochStanding.NEW if standing is EpochStanding.FENCED else standing


@defect(
    {"KIP890-365": seen("^success", expected="a2", what="answer to Produce")},
    origin="red team: the next sequence number is set before the batch is checked",
)
class InvalidBatchCounts(TakesRefused):
    """A batch that is refused for its form uses up its sequence number, so the producer's next batch passes for its repetition and is
    lost."""

    error = Errors.INVALID_RECORD
