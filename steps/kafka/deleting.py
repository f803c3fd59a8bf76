"""What an administrator deletes: topics, the beginnings of logs, and groups."""

from fencepost.adapters.kafka.values import Isolation, LogView, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Outcome
from fencepost.steps.outcomes import achieved, observed

from .context import ScenarioContext
from .requests import resume
from .vocabulary import KAFKA

TOPIC = KAFKA.act(
    given="topic {topic} has been deleted[ {anew}]",
    when="topic {topic} is deleted[ {anew}]",
    meaning="DeleteTopics, and Metadata no longer knows the topic. Made again: then CreateTopics, under the same name, with as many"
    " partitions.",
)


@TOPIC.given
def has_been_deleted(context: ScenarioContext, topic: str, anew: str | None) -> None:
    name = context.topics[topic]
    there = [partition for partition in context.partitions if partition.topic == name]
    topic_id = achieved(context.observer.delete_topic(name), f"deleting the topic {topic}")
    if topic_id is not None:
        context.deleted[name] = topic_id
    if anew:
        achieved(context.observer.create_topic(name, len(there)), f"creating the topic {topic} again")
    else:
        context.partitions = [partition for partition in context.partitions if partition.topic != name]
    if context.armed.pause is not None and context.armed.pause.until == "the next deletion":
        resume(context)


@TOPIC.when
def is_deleted(context: ScenarioContext, topic: str, anew: str | None) -> None:
    context.begin()
    has_been_deleted(context, topic, anew)


RECORDS = KAFKA.act(
    given="the records of {partition}[ before {value}] have been deleted",
    when="the records of {partition}[ before {value}][ up to {point}] are deleted",
    meaning="DeleteRecords: the log begins with this record, or with what will be written next. Up to a point: with that offset, sent once"
    " after the beginning and the end of the log are known.",
)


@RECORDS.given
def have_been_deleted(context: ScenarioContext, partition: str, value: str | None) -> None:
    where = context.partition(partition)
    view = achieved(context.observer.read(where, Isolation.READ_UNCOMMITTED), f"reading {partition}")
    offset = view.high_watermark if value is None else _offset(view, partition, value)
    start = achieved(_delete(context, where, value, offset), f"deleting records of {partition}")
    if start != offset:
        raise SetUpFailed(f"{partition} was to begin at offset {offset}, and begins at {start}")


@RECORDS.when
def are_deleted(context: ScenarioContext, partition: str, value: str | None, point: str | None) -> None:
    context.begin()
    where = context.partition(partition)
    if point is not None:
        context.keep(None, context.observer.delete_records(where, offset_of(context, where, point)), "DeleteRecords")
        return
    view = achieved(context.observer.read(where, Isolation.READ_UNCOMMITTED), f"reading {partition}")
    context.keep(None, _delete(context, where, value, 0 if value is None else _offset(view, partition, value)), "DeleteRecords")


def offset_of(context: ScenarioContext, where: TopicPartition, point: str) -> int:
    """The offset of a point of a log."""
    start = observed(context.observer.start_offset(where), f"asking where {where} starts")
    end = context.end_of(where)
    return {"a negative offset": -2, "before its start": start - 1, "its start": start, "its end": end, "behind its end": end + 1}[point]


def _delete(context: ScenarioContext, where: TopicPartition, value: str | None, offset: int) -> Outcome[int]:
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
def group_has_been_deleted(context: ScenarioContext, group: str) -> None:
    achieved(context.observer.delete_group(context.session.unique(group)), f"deleting the group {group}")


@GROUP.when
def group_is_deleted(context: ScenarioContext, group: str) -> None:
    context.begin()
    context.keep(None, context.observer.delete_group(context.session.unique(group)), "DeleteGroups")
