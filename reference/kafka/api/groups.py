"""What a consumer's group asks: TxnOffsetCommit, OffsetCommit, OffsetFetch."""

from collections.abc import Iterable
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import CommittedOffset
from fencepost.reference.kafka.node import Node
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kafka.verification import Operation
from fencepost.wire.kafka.entities import response

from .shapes import by_topic, producer_of

_MANY_GROUPS = 8
"""From this version on OffsetFetch is about several groups."""

_BY_ID = 10
"""From this version on OffsetFetch names topics by their ids."""


def txn_offset_commit(node: Node, asked: Any) -> ResponsePayload:
    """Store a group's offsets as part of a transaction. What is wrong with the whole request is answered for each partition."""
    offsets = _offsets(asked)
    generation = int(getattr(asked, "generation_id", -1))
    operation = Operation.of_txn_offset_commit(asked.__version__)
    try:
        node.check_coordinates()
        errors = node.groups.commit_in_transaction(
            asked.group_id, asked.transactional_id, producer_of(asked), offsets, operation, generation, getattr(asked, "member_id", "")
        )
    except Refused as refusal:
        errors = dict.fromkeys(offsets, refusal.error)
    return _committed(asked, errors)


def offset_commit(node: Node, asked: Any) -> ResponsePayload:
    """Store a group's offsets at once, outside of all transactions."""
    offsets = _offsets(asked)
    try:
        node.check_coordinates()
        errors = node.groups.commit(asked.group_id, offsets, int(asked.generation_id_or_member_epoch), asked.member_id)
    except Refused as refusal:
        errors = dict.fromkeys(offsets, refusal.error)
    return _committed(asked, errors)


def _offsets(asked: Any) -> dict[TopicPartition, CommittedOffset]:
    return {
        TopicPartition(topic.name, int(entry.partition_index)): CommittedOffset(
            int(entry.committed_offset), int(getattr(entry, "committed_leader_epoch", -1)), entry.committed_metadata or ""
        )
        for topic in asked.topics
        for entry in topic.partitions
    }


def _committed(asked: Any, errors: dict[TopicPartition, Error]) -> ResponsePayload:
    topics = [
        {
            "name": topic,
            "partitions": [{"partition_index": partition.partition, "error_code": errors[partition]} for partition in partitions],
        }
        for topic, partitions in by_topic(errors)
    ]
    return response(asked, throttle_time=0, topics=topics)


def offset_fetch(node: Node, asked: Any) -> ResponsePayload:
    """What groups have committed: for the partitions that are named, or for all."""
    require_stable = getattr(asked, "require_stable", False)
    if asked.__version__ < _MANY_GROUPS:
        topics = _topics(node, asked, asked.group_id, asked.topics, require_stable)
        return response(asked, throttle_time=0, topics=topics, error_code=Error.NONE)
    groups = [
        {"group_id": entry.group_id, "topics": _topics(node, asked, entry.group_id, entry.topics, require_stable), "error_code": Error.NONE}
        for entry in asked.groups
    ]
    return response(asked, throttle_time=0, groups=groups)


def _topics(node: Node, asked: Any, group: str, wanted: Iterable[Any] | None, require_stable: bool) -> list[dict[str, Any]]:
    if wanted is None:
        named: list[tuple[str | None, list[int]]] = [
            (topic, [partition.partition for partition in found]) for topic, found in by_topic(node.groups.partitions_of(group))
        ]
        keys = [_key(node, asked, topic) for topic, _ in named]
    else:
        named = [(_name(node, asked, entry), list(entry.partition_indexes)) for entry in wanted]
        keys = [{"topic_id": entry.topic_id} if asked.__version__ >= _BY_ID else {"name": entry.name} for entry in wanted]
    return [
        {**key, "partitions": [_partition(node, group, topic, int(number), require_stable) for number in numbers]}
        for key, (topic, numbers) in zip(keys, named, strict=True)
    ]


def _name(node: Node, asked: Any, entry: Any) -> str | None:
    """The topic that an entry is about, None where its id is not known."""
    if asked.__version__ < _BY_ID:
        return str(entry.name)
    topic = node.topics.with_id(entry.topic_id)
    return None if topic is None else topic.name


def _key(node: Node, asked: Any, name: str | None) -> dict[str, Any]:
    topic = None if name is None else node.topics.named(name)
    return {"topic_id": topic.topic_id} if topic is not None and asked.__version__ >= _BY_ID else {"name": name}


def _partition(node: Node, group: str, topic: str | None, number: int, require_stable: bool) -> dict[str, Any]:
    result = {"partition_index": number, "committed_offset": -1, "committed_leader_epoch": -1, "metadata": "", "error_code": Error.NONE}
    try:
        if topic is None:
            raise Refused(Error.UNKNOWN_TOPIC_ID)
        found = node.groups.committed(group, TopicPartition(topic, number), require_stable=require_stable)
    except Refused as refusal:
        return result | {"error_code": refusal.error}
    if found is None:
        return result
    return result | {"committed_offset": found.offset, "committed_leader_epoch": found.leader_epoch, "metadata": found.metadata}
