"""Shapes that many messages share."""

from collections.abc import Iterable
from typing import Any

from fencepost.reference.kafka.kafka_types import NOTHING, PartitionName, ProducerIdAndEpoch

NOWHERE = {"node_id": NOTHING, "host": "", "port": NOTHING}
"""A node in the answer of FindCoordinator, if none is reported."""

NOT_DESCRIBED: dict[str, Any] = {
    "transaction_state": "",
    "transaction_timeout": 0,
    "transaction_start_time": 0,
    "producer_id": 0,
    "producer_epoch": 0,
    "topics": [],
}
"""A transaction in the answer of DescribeTransactions, with an error."""


def producer_of(entity: Any) -> ProducerIdAndEpoch:
    """The producer id and epoch in a message's fields."""
    return ProducerIdAndEpoch(int(entity.producer_id), int(entity.producer_epoch))


def key_type_of(asked: Any) -> int:
    """What the keys of a FindCoordinator are: 0 for groups, the only ones in its first version."""
    return int(getattr(asked, "key_type", 0))


def by_topic(partitions: Iterable[PartitionName]) -> list[tuple[str, list[PartitionName]]]:
    """The partitions of each topic, topics and partitions in the order in which they come."""
    topics: dict[str, list[PartitionName]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition)
    return list(topics.items())
