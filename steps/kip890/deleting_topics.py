"""DeleteTopics in its versions, by names and by ids."""

import uuid

from fencepost.contract.outcomes import Done
from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.outcomes import achieved

from .vocabulary import KIP890

_NOBODYS = uuid.UUID(int=0xF << 120)
"""An id that no topic has."""


@KIP890.when("topic {topic} is deleted by its {handle} with DeleteTopics v{version:number}")
def is_deleted_with(context: ScenarioContext, topic: str, handle: str, version: int) -> None:
    """DeleteTopics in that version for this topic alone, sent once. The topic does not exist unless the scenario has created it."""
    context.begin()
    is_there = topic in context.topics
    name, topic_id = context.topics.get(topic) or context.session.unique("unmade"), None
    if handle == "id":
        topic_id = achieved(context.observer.topic_id(name), f"asking for the id of {topic}") if is_there else _NOBODYS
    context.keep(None, context.observer.ask_to_delete_topic(version, None if topic_id else name, topic_id), "DeleteTopics")
    context.partitions = [partition for partition in context.partitions if partition.topic != name or not isinstance(context.answer, Done)]
