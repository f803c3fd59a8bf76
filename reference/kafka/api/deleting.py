"""What an administrator deletes: DeleteTopics, DeleteRecords, DeleteGroups."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.entities import response

_BY_NAME_OR_ID = 6
"""From this version on DeleteTopics names a topic in either way."""


def delete_topics(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Delete topics, each by itself; the internal ones stay."""
    if asked.__version__ >= _BY_NAME_OR_ID:
        results = [_deleted(node, entry.name, entry.topic_id) for entry in asked.topics]
    else:
        results = [_deleted(node, name, None) for name in asked.topic_names]
    return response(asked, throttle_time=0, responses=results)


def _deleted(node: KafkaNode, name: str | None, topic_id: Any) -> dict[str, Any]:
    topic = node.topics.with_id(topic_id) if name is None else node.topics.named(name)
    if topic is None:
        return _verdict(name, topic_id, Errors.UNKNOWN_TOPIC_ID if name is None else Errors.UNKNOWN_TOPIC_OR_PARTITION)
    if topic.is_internal:
        return _verdict(topic.name, topic.topic_id, Errors.INVALID_TOPIC_EXCEPTION)
    node.topics.delete(topic)
    node.groups.forget_topic(topic.name)
    return _verdict(topic.name, topic.topic_id, Errors.NONE)


def _verdict(name: str | None, topic_id: Any, error: Errors) -> dict[str, Any]:
    return {"name": name, "topic_id": topic_id, "error_code": error, "error_message": None}


def delete_records(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Let partitions begin at later offsets."""
    topics = [
        {
            "name": topic.name,
            "partitions": [
                _cut(node, PartitionName(topic.name, int(entry.partition_index)), int(entry.offset)) for entry in topic.partitions
            ],
        }
        for topic in asked.topics
    ]
    return response(asked, throttle_time=0, topics=topics)


def _cut(node: KafkaNode, partition: PartitionName, offset: int) -> dict[str, Any]:
    result = {"partition_index": partition.partition, "low_watermark": -1, "error_code": Errors.NONE}
    try:
        return result | {"low_watermark": node.log_led_here(partition).delete_before(offset)}
    except RequestRefused as refusal:
        rule("KIP890-410")
        return result | {"error_code": refusal.error}


def delete_groups(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Delete groups with all their offsets, each by itself."""
    return response(
        asked, throttle_time=0, results=[{"group_id": group, "error_code": _removed(node, group)} for group in asked.groups_names]
    )


def _removed(node: KafkaNode, group: str) -> Errors:
    try:
        node.groups.delete(group)
    except RequestRefused as refusal:
        return refusal.error
    return Errors.NONE
