"""Shapes that many messages share."""

from collections.abc import Iterable
from typing import Any

from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


def producer_of(entity: Any) -> ProducerIdAndEpoch:
    """The producer id and epoch in a message's fields."""
    return ProducerIdAndEpoch(int(entity.producer_id), int(entity.producer_epoch))


def by_topic(partitions: Iterable[TopicPartition]) -> list[tuple[str, list[TopicPartition]]]:
    """The partitions of each topic, topics and partitions in the order in which they come."""
    topics: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition)
    return list(topics.items())
