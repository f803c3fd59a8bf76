"""What an administrator deletes: topics, the beginnings of logs, and groups."""

import uuid

from fencepost.adapters.kafka.kafka_values import IsolationLevel, LogView, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved, observed

from .kafka_context import KafkaContext
from .requests import resume
from .vocabulary import KAFKA

_UNUSED_ID = uuid.UUID(int=0xF << 120)
"""An id that no topic has."""

TOPIC = KAFKA.act(
    given="topic {topic} has been deleted[ {made_again}]",
    when="topic {topic} is deleted[ {made_again}][ by its {handle} with DeleteTopics v{version:number}]",
    meaning="DeleteTopics, and Metadata no longer knows the topic. Made again: then CreateTopics, under the same name, with as many"
    " partitions. With a version: for this topic alone, sent once; the topic does not exist unless the scenario has created it.",
)


@TOPIC.given
def has_been_deleted(context: KafkaContext, topic: str, made_again: str | None) -> None:
    name = context.topics[topic]
    there = [partition for partition in context.partitions if partition.topic == name]
    topic_id = achieved(context.observer.delete_topic(name), f"deleting the topic {topic}")
    if topic_id is not None:
        context.deleted[name] = topic_id
    if made_again:
        achieved(context.observer.create_topic(name, len(there)), f"creating the topic {topic} again")
    else:
        context.partitions = [partition for partition in context.partitions if partition.topic != name]
    if context.armed.pause is not None and context.armed.pause.until == "the next deletion":
        resume(context)


@TOPIC.when
def is_deleted(context: KafkaContext, topic: str, made_again: str | None, handle: str | None, version: int | None) -> None:
    context.begin()
    if version is None:
        has_been_deleted(context, topic, made_again)
    else:
        _delete_by(context, topic, handle == "id", version)


def _delete_by(context: KafkaContext, topic: str, by_id: bool, version: int) -> None:
    is_there = topic in context.topics
    name, topic_id = context.topics.get(topic) or context.session.unique("unmade"), None
    if by_id:
        topic_id = achieved(context.observer.topic_id(name), f"asking for the id of {topic}") if is_there else _UNUSED_ID
    context.keep(None, context.observer.ask_to_delete_topic(version, None if topic_id else name, topic_id), "DeleteTopics")
    context.partitions = [partition for partition in context.partitions if partition.topic != name or not isinstance(context.answer, Done)]


RECORDS = KAFKA.act(
    given="the records of {partition}[ before {value}] have been deleted",
    when="the records of {partition}[ before {value}][ up to {point}] are deleted",
    meaning="DeleteRecords: the log begins with this record, or with what will be written next. Up to a point: with that offset, sent once"
    " after the beginning and the end of the log are known.",
)


@RECORDS.given
def have_been_deleted(context: KafkaContext, partition: str, value: str | None) -> None:
    where = context.partition(partition)
    view = achieved(context.observer.read(where, IsolationLevel.READ_UNCOMMITTED), f"reading {partition}")
    offset = view.high_watermark if value is None else _offset(view, partition, value)
    start = achieved(_delete(context, where, value, offset), f"deleting records of {partition}")
    if start != offset:
        raise SetUpFailed(f"{partition} was to begin at offset {offset}, and begins at {start}")


@RECORDS.when
def are_deleted(context: KafkaContext, partition: str, value: str | None, point: str | None) -> None:
    context.begin()
    where = context.partition(partition)
    if point is not None:
        context.keep(None, context.observer.delete_records(where, offset_of(context, where, point)), "DeleteRecords")
        return
    view = achieved(context.observer.read(where, IsolationLevel.READ_UNCOMMITTED), f"reading {partition}")
    context.keep(None, _delete(context, where, value, 0 if value is None else _offset(view, partition, value)), "DeleteRecords")


def offset_of(context: KafkaContext, where: TopicPartition, point: str) -> int:
    """The offset of a point of a log."""
    start = observed(context.observer.start_offset(where), f"asking where {where} starts")
    end = context.end_of(where)
    return {"a negative offset": -2, "before its start": start - 1, "its start": start, "its end": end, "past its end": end + 1}[point]


def _delete(context: KafkaContext, where: TopicPartition, value: str | None, offset: int) -> Outcome[int]:
    return context.observer.delete_records(where) if value is None else context.observer.delete_records(where, offset)


def _offset(view: LogView, partition: str, value: str) -> int:
    offset = view.offset_of(value)
    if offset is None:
        raise SetUpFailed(f"{partition} does not hold {value}")
    return offset


GROUP = KAFKA.act(
    given="group {group} has been deleted",
    when="group {group} is deleted",
    meaning="DeleteGroups for this group.",
)


@GROUP.given
def group_has_been_deleted(context: KafkaContext, group: str) -> None:
    achieved(context.observer.delete_group(context.session.unique(group)), f"deleting the group {group}")


@GROUP.when
def group_is_deleted(context: KafkaContext, group: str) -> None:
    context.begin()
    context.keep(None, context.observer.delete_group(context.session.unique(group)), "DeleteGroups")
