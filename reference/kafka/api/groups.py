"""The requests of a consumer's group: TxnOffsetCommit, OffsetCommit, OffsetFetch."""

import uuid
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.groups import OffsetAndMetadata, Sender
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kafka.verification import TransactionSupport
from fencepost.wire.kafka.entities import response

from .shapes import by_topic, producer_of

_NOTHING = OffsetAndMetadata(-1)


def txn_offset_commit(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Store a group's offsets as part of a transaction. An error of the whole request is answered for each partition."""
    offsets = _offsets(asked)
    sender = Sender(getattr(asked, "generation_id", None), getattr(asked, "member_id", ""), getattr(asked, "group_instance_id", None))
    operation = TransactionSupport.of_txn_offset_commit(asked.__version__)
    try:
        node.check_coordinates_groups()
        errors = node.groups.commit_in_transaction(asked.group_id, asked.transactional_id, producer_of(asked), offsets, operation, sender)
    except RequestRefused as refusal:
        errors = dict.fromkeys(offsets, refusal.error)
    return _committed(asked, errors)


def offset_commit(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Store a group's offsets at once, outside of all transactions."""
    offsets = _offsets(asked)
    sender = Sender(asked.generation_id_or_member_epoch, asked.member_id, getattr(asked, "group_instance_id", None))
    try:
        node.check_coordinates_groups()
        errors = node.groups.commit(asked.group_id, offsets, sender)
    except RequestRefused as refusal:
        errors = dict.fromkeys(offsets, refusal.error)
    return _committed(asked, errors)


def _offsets(asked: Any) -> dict[PartitionName, OffsetAndMetadata]:
    return {
        PartitionName(topic.name, int(entry.partition_index)): OffsetAndMetadata(
            int(entry.committed_offset), int(getattr(entry, "committed_leader_epoch", -1)), entry.committed_metadata or ""
        )
        for topic in asked.topics
        for entry in topic.partitions
    }


def _committed(asked: Any, errors: dict[PartitionName, Errors]) -> ResponsePayload:
    topics = [
        {
            "name": topic,
            "partitions": [{"partition_index": partition.partition, "error_code": errors[partition]} for partition in partitions],
        }
        for topic, partitions in by_topic(errors)
    ]
    return response(asked, throttle_time=0, topics=topics)


def offset_fetch(node: KafkaNode, asked: Any) -> ResponsePayload:
    """What groups have committed: for the named partitions, or for all. From version 8 on a request may name several groups."""
    require_stable = getattr(asked, "require_stable", False)
    wanted = getattr(asked, "groups", None)
    if wanted is None:
        return response(asked, throttle_time=0, topics=_topics(node, asked, require_stable), error_code=Errors.NONE)
    groups = [{"group_id": entry.group_id, "topics": _topics(node, entry, require_stable), "error_code": Errors.NONE} for entry in wanted]
    return response(asked, throttle_time=0, groups=groups)


def _topics(node: KafkaNode, asked: Any, require_stable: bool) -> list[dict[str, Any]]:
    """By name and by id; a version has one of them."""
    if asked.topics is None:
        named: list[tuple[str | None, uuid.UUID | None, list[int]]] = [
            (topic, _id_of(node, topic), [partition.partition for partition in found])
            for topic, found in by_topic(node.groups.partitions_of(asked.group_id))
        ]
    else:
        named = [(*_known(node, entry), list(entry.partition_indexes)) for entry in asked.topics]
    return [
        {
            "name": topic,
            "topic_id": topic_id,
            "partitions": [_partition(node, asked.group_id, topic, int(number), require_stable) for number in numbers],
        }
        for topic, topic_id, numbers in named
    ]


def _known(node: KafkaNode, entry: Any) -> tuple[str | None, uuid.UUID | None]:
    """The topic that an entry is about. From version 10 on it is named by its id, and has no name if that is not known."""
    if not hasattr(entry, "topic_id"):
        return str(entry.name), None
    topic = node.topics.with_id(entry.topic_id)
    return None if topic is None else topic.name, entry.topic_id


def _id_of(node: KafkaNode, name: str) -> uuid.UUID | None:
    topic = node.topics.named(name)
    return None if topic is None else topic.topic_id


def _partition(node: KafkaNode, group: str, topic: str | None, number: int, require_stable: bool) -> dict[str, Any]:
    found, error = None, Errors.NONE
    try:
        if topic is None:
            raise RequestRefused(Errors.UNKNOWN_TOPIC_ID)
        found = node.groups.committed(group, PartitionName(topic, number), require_stable=require_stable)
    except RequestRefused as refusal:
        error = refusal.error
    offset = found or _NOTHING
    return {
        "partition_index": number,
        "committed_offset": offset.offset,
        "committed_leader_epoch": offset.leader_epoch,
        "metadata": offset.metadata,
        "error_code": error,
    }
