"""Defects in how the broker keeps its own topics to itself."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import Topics
from fencepost.reference.kafka.values import TopicPartition


class _AddsAnyTopic(Additions):
    def internal_among(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Error]:  # noqa: ARG002 - that is the defect
        return {}


class _AnybodyWritesAnywhere(Topics):
    def may_be_written_to(self, name: str | None) -> bool:  # noqa: ARG002 - that is the defect
        return True


INTERNAL_TOPIC_ADDED = Defect(
    name="internal-topic-added",
    breaks={"KIP890-255": Symptom(what="answer to AddPartitionsToTxn", seen='^the partition of group "shop": success')},
    story="A client puts a partition of the broker's own into its transaction, and holds up the offsets of every group.",
    origin="textbook: a check in one of two ways in",
    parts=Parts(additions=_AddsAnyTopic),
)

INTERNAL_TOPIC_WRITTEN = Defect(
    name="internal-topic-written",
    breaks={"KIP890-256": Symptom(what="answer to Produce", seen="^success")},
    story="A client writes records of its own among the offsets of groups.",
    origin="textbook: a topic like any other",
    parts=Parts(topics=_AnybodyWritesAnywhere),
)
