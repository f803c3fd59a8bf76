"""Defects in how the broker keeps its own topics to itself."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_topics import KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName


@defect(
    {"KIP890-255": seen('^the partition of group "shop": success', what="answer to AddPartitionsToTxn")},
    origin="textbook: a check in one of two ways in",
)
class InternalTopicAdded(Additions):
    """A client puts a partition of the broker's own into its transaction, and holds up the offsets of every group."""

    def internal_among(self, partitions: Iterable[PartitionName]) -> dict[PartitionName, Errors]:  # noqa: ARG002 - that is the defect
        return {}


@defect({"KIP890-256": seen("^success", what="answer to Produce")}, origin="textbook: a topic like any other")
class InternalTopicWritten(KafkaTopics):
    """A client writes its own records among the offsets of groups."""

    def may_be_written_to(self, name: str | None) -> bool:  # noqa: ARG002 - that is the defect
        return True
