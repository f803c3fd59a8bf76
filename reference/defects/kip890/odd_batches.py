"""Defects in what a log takes that no producer should send."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates, Standing
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.wire.kafka.batches import Batch


class _OverlooksTheOffset(PartitionLog):
    def check_shape(self, batch: Batch) -> None:
        super().check_shape(replace(batch, base_offset=0))


class _ForgetsWhoCameFirst(ProducerStates):
    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:  # noqa: ARG002 - that is the defect
        super().check_sequence(batch, None, may_begin_anywhere=may_begin_anywhere)


class _LeavesEpochsToTheCoordinator(ProducerStates):
    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        standing = super().standing(producer)
        return Standing.NEW if standing is Standing.FENCED else standing


ODD_OFFSET_OVERLOOKED = Defect(
    name="odd-offset-overlooked",
    breaks={"KIP890-365": Symptom(what="answer to Produce", seen="^success")},
    story="Nobody looks at the offset that a batch says of itself, so that a batch which was taken out of some log passes for a new one.",
    origin="textbook: a field of the header that is only ever overwritten",
    parts=Parts(partition_log=_OverlooksTheOffset),
)

OVERTAKING_ALLOWED = Defect(
    name="overtaking-allowed",
    breaks={"KIP890-366": Symptom(what="answer to Produce", seen="^success")},
    story="A leader forgets a batch that was refused at verification, takes the one behind it, and refuses the first when it comes again.",
    origin="KAFKA-15653: a batch whose verification failed was overtaken",
    parts=Parts(producer_states=_ForgetsWhoCameFirst),
)

EPOCHS_LEFT_TO_THE_COORDINATOR = Defect(
    name="epochs-left-to-the-coordinator",
    breaks={"KIP890-367": Symptom(what="answer to Produce", seen="^success")},
    story="Epochs are compared by the coordinator alone, which is never asked about a producer without transactions.",
    origin="textbook: a check that was moved, and had two callers",
    parts=Parts(producer_states=_LeavesEpochsToTheCoordinator),
)
