"""Defects in what a group is told of its offsets, and by whom."""

import uuid

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.groups import Groups
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import Topic, Topics
from fencepost.reference.kafka.values import TopicPartition


class _TellsTheFirstAlone(Groups):
    def partitions_of(self, group: str) -> list[TopicPartition]:
        return super().partitions_of(group)[:1]


class _AnswersEverywhere(Directory):
    def coordinates_groups(self, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _KnowsEveryId(Topics):
    def with_id(self, topic_id: uuid.UUID | None) -> Topic | None:
        return super().with_id(topic_id) or next((topic for topic in self.all() if not topic.is_internal), None)


ANY_ID_IS_A_TOPIC = Defect(
    name="any-id-is-a-topic",
    breaks={"KIP890-360": Symptom(what="answer to OffsetFetch", expected="UNKNOWN_TOPIC_ID", seen="^success")},
    story="An id that no topic has is taken for the only topic that there is, and a consumer goes on where another topic was left.",
    origin="textbook: a fallback that was meant for one topic",
    parts=Parts(topics=_KnowsEveryId),
)

ONE_OFFSET_OF_ALL = Defect(
    name="one-offset-of-all",
    breaks={"KIP890-358": Symptom(what="answer to OffsetFetch", seen="^None for payments-1")},
    story="A consumer that asks for all that its group has committed is told of one partition, and begins at the start of the others.",
    origin="textbook: a list of one in every test",
    parts=Parts(groups=_TellsTheFirstAlone),
)

OFFSETS_TAKEN_EVERYWHERE = Defect(
    name="offsets-taken-everywhere",
    breaks={"KIP890-359": Symptom(what="^answer to (Txn)?OffsetCommit", expected="NOT_COORDINATOR", seen="^success")},
    story="Every node takes offsets of every group, and what a group is told depends on whom it asks.",
    origin="textbook: a check that a cluster of one does not need",
    parts=Parts(directory=_AnswersEverywhere),
)
