"""Defects in which offsets a group is answered, and by which node."""

import uuid

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.reference.kafka.kafka_topics import KafkaTopic, KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName


@defect({"KIP890-358": seen("^None for payments-1", what="answer to OffsetFetch")}, origin="textbook: a list of one in every test")
class OneOffsetOfAll(GroupOffsets):
    """OffsetFetch for all partitions of a group returns one of them, so a consumer begins at the start of the others."""

    def partitions_of(self, group: str) -> list[PartitionName]:
        return super().partitions_of(group)[:1]


@defect(
    {
        "KIP890-358": seen("^None for payments-1", what="answer to OffsetFetch"),
        "KIP890-360": seen("^None for payments-1", what="answer to OffsetFetch"),
    },
    origin="found by a mutant: a loop over topics, of which every scenario had one",
)
class OneTopicOfAll(GroupOffsets):
    """OffsetFetch for all partitions of a group returns those of one topic, so a consumer begins at the start of the other topics."""

    def partitions_of(self, group: str) -> list[PartitionName]:
        found = super().partitions_of(group)
        return [partition for partition in found if partition.topic == found[0].topic]


@defect(
    {"KIP890-359": seen("^success", expected="NOT_COORDINATOR", what="^answer to (Txn)?OffsetCommit")},
    origin="textbook: a check that a cluster of one does not need",
)
class OffsetsTakenEverywhere(Directory):
    """Every node accepts offsets of every group, so the committed offset of a group depends on the node that a client asks."""

    def coordinates_groups(self, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-360": seen("^success", expected="UNKNOWN_TOPIC_ID", what="answer to OffsetFetch")},
    origin="textbook: a fallback that was meant for one topic",
)
class AnyIdIsATopic(KafkaTopics):
    """A topic id that no topic has is read as that of the only topic, and a consumer continues at the offset of another topic."""

    def with_id(self, topic_id: uuid.UUID | None) -> KafkaTopic | None:
        return super().with_id(topic_id) or next((topic for topic in self.all() if not topic.is_internal), None)
