"""Defects of the Kafka reference in inputs that move with the outcome."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import offsets, taking_over
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.values import TopicPartition
from fencepost.wire.kafka.batches import MarkerType, Record


class _DropsAlways(Groups):
    def decide(self, producer_id: int, decision: MarkerType) -> None:  # noqa: ARG002 - that is the defect
        super().decide(producer_id, MarkerType.ABORT)


class _MovesAlways(Groups):
    def decide(self, producer_id: int, decision: MarkerType) -> None:  # noqa: ARG002 - that is the defect
        super().decide(producer_id, MarkerType.COMMIT)


class _OneForAll(Groups):
    def record(self, group: str, partition: TopicPartition, offset: CommittedOffset) -> Record:  # noqa: ARG002 - that is the defect
        return super().record("", partition, offset)

    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:  # noqa: ARG002
        return super().committed("", partition, require_stable=require_stable)


INPUT_COMES_AGAIN = Defect(
    name="core-kafka-input-comes-again",
    breaks={"CORE-20": Symptom(seen='^"i1", "i2", "i3"$')},
    story="A marker drops the pending offsets of its producer, also when it is a commit.",
    origin="textbook: pending offsets that are only ever dropped",
    parts=Parts(groups=_DropsAlways),
)

INPUT_LOST = Defect(
    name="core-kafka-input-lost",
    breaks={"CORE-21": Symptom(seen='^"i3"$')},
    story="A marker puts the pending offsets of its producer in force, also when it is an abort.",
    origin="textbook: pending offsets that are only ever applied",
    parts=Parts(groups=_MovesAlways),
)

INPUT_TAKEN_WITHOUT_OUTPUT = Defect(
    name="core-kafka-input-taken-without-output",
    breaks={"CORE-22": Symptom(seen='^"i2", "i3"$')},
    story=offsets.PENDING_OFFSETS_SHOWN.story,
    origin=offsets.PENDING_OFFSETS_SHOWN.origin,
    parts=offsets.PENDING_OFFSETS_SHOWN.parts,
)

ONE_PLACE_FOR_ALL_GROUPS = Defect(
    name="core-kafka-one-place-for-all-groups",
    breaks={"CORE-23": Symptom(seen='^"i3"$')},
    story="Offsets are kept by partition only, so that what one group takes is gone for all.",
    origin="textbook: the wrong key",
    parts=Parts(groups=_OneForAll),
)

INPUT_OF_ONE_GROUP = Defect(
    name="core-kafka-input-of-one-group",
    breaks={"CORE-20": Symptom(what="left for others$", expected='^"i3"$', seen='^"i1", "i2", "i3"$')},
    story=offsets.OFFSETS_OF_ONE_GROUP.story,
    origin=offsets.OFFSETS_OF_ONE_GROUP.origin,
    parts=offsets.OFFSETS_OF_ONE_GROUP.parts,
)

ABORTED_INPUT_TAKEN_LATER = Defect(
    name="core-kafka-aborted-input-taken-later",
    breaks={"CORE-21": Symptom(what="inputs left for workers", seen='^"i2", "i3"$')},
    story="An abort hides the pending offsets of its producer, and its next commit puts them in force with its own.",
    origin=taking_over.ABORTED_OFFSETS_COME_UP.origin,
    parts=taking_over.ABORTED_OFFSETS_COME_UP.parts,
)
