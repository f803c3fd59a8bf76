"""Defects of the Kafka reference in inputs that move with the outcome."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890 import offsets, taking_over
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.wire.kafka.batches import MarkerType, Record


@defect({"CORE-20": seen('^"i1", "i2", "i3"$')}, origin="textbook: pending offsets that are only ever dropped")
class CoreKafkaInputComesAgain(GroupOffsets):
    """A marker drops the pending offsets of its producer, also when it is a commit."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:  # noqa: ARG002 - that is the defect
        super().decide(producer_id, MarkerType.ABORT)


@defect({"CORE-21": seen('^"i3"$')}, origin="textbook: pending offsets that are only ever applied")
class CoreKafkaInputLost(GroupOffsets):
    """A marker puts the pending offsets of its producer in force, also when it is an abort."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:  # noqa: ARG002 - that is the defect
        super().decide(producer_id, MarkerType.COMMIT)


@defect({"CORE-21": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$')}, origin="red team: an abort that begins again from nothing")
class CoreKafkaAbortForgetsThePlace(GroupOffsets):
    """An abort removes the group's committed offset with the pending one, so that input of committed transactions is processed again."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        pending = self._pending.get(producer_id, {})
        super().decide(producer_id, decision)
        if decision is MarkerType.ABORT:
            for place in pending:
                self._committed.pop(place, None)


@defect({"CORE-23": seen('^"i3"$')}, origin="textbook: the wrong key")
class CoreKafkaOnePlaceForAllGroups(GroupOffsets):
    """Offsets are kept by partition only, so that what one group has processed counts as processed for all groups."""

    def record(self, group: str, partition: PartitionName, offset: OffsetAndMetadata) -> Record:  # noqa: ARG002 - that is the defect
        return super().record("", partition, offset)

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:  # noqa: ARG002
        return super().committed("", partition, require_stable=require_stable)


@defect({"CORE-22": seen('^"i2", "i3"$')}, origin="textbook: offsets that know nothing of transactions")
class CoreKafkaInputTakenWithoutOutput(offsets.PendingOffsetsShown):
    """A group's offset counts as soon as it is sent, so that after an abort a consumer skips the input whose processing was undone."""


@defect(
    {"CORE-20": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="left for others$")},
    origin="textbook: one group for each transaction taken for granted",
)
class CoreKafkaInputOfOneGroup(offsets.OffsetsOfOneGroup):
    """A commit puts the offsets of one group in force; those of the other groups in the transaction are dropped."""


@defect(
    {"CORE-21": seen('^"i2", "i3"$', what="inputs left for workers")},
    origin="textbook: what is decided by producer id outlives its transaction",
)
class CoreKafkaAbortedInputTakenLater(taking_over.AbortedOffsetsComeUp):
    """An abort hides the pending offsets of its producer, and its next commit puts them in force with its own."""
