"""Partitions that another node is to lead: AlterPartitionReassignments."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.entities import response


def alter_partition_reassignments(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Move partitions, each by itself, at once; nodes do not follow each other, so each goes to just one."""
    topics = [{"name": topic.name, "partitions": [_moved(node, topic.name, entry) for entry in topic.partitions]} for topic in asked.topics]
    return response(asked, throttle_time=0, error_code=Errors.NONE, error_message=None, responses=topics)


def _moved(node: KafkaNode, topic: str, asked: Any) -> dict[str, Any]:
    partition = PartitionName(topic, int(asked.partition_index))
    replicas = [node.ids.number_of(int(node_id)) for node_id in asked.replicas or ()]
    error = Errors.NONE
    if partition not in node.topics:
        error = Errors.UNKNOWN_TOPIC_OR_PARTITION
    elif len(replicas) != 1 or (number := replicas[0]) is None:
        error = Errors.INVALID_REPLICA_ASSIGNMENT
    else:
        node.move(partition, number)
    return {"partition_index": asked.partition_index, "error_code": error, "error_message": None}
