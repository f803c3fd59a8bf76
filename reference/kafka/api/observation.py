"""What an administrator asks: DescribeProducers, DescribeTransactions, ListTransactions. None of them changes anything."""

import re
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Node
from fencepost.reference.kafka.transaction import State, Transaction
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.entities import response

from .shapes import by_topic

_STATE_NAMES = frozenset({state.value for state in State} | {"Dead", "PrepareEpochFence"})
"""The names that a filter may have; Kafka's own has two states that no transaction here is ever in."""


def describe_producers(node: Node, asked: Any) -> ResponsePayload:
    """What the leaders of partitions know of producers."""
    topics = [
        {
            "name": topic.name,
            "partitions": [_producers(node, TopicPartition(topic.name, int(number))) for number in topic.partition_indexes],
        }
        for topic in asked.topics
    ]
    return response(asked, throttle_time=0, topics=topics)


def _producers(node: Node, partition: TopicPartition) -> dict[str, Any]:
    result: dict[str, Any] = {
        "partition_index": partition.partition,
        "error_code": Error.NONE,
        "error_message": None,
        "active_producers": [],
    }
    try:
        log = node.topics.log(partition)
    except Refused as refusal:
        return result | {"error_code": refusal.error, "error_message": f"there is no partition {partition}"}
    rule("KIP890-153")
    producers = [
        {
            "producer_id": state.producer.producer_id,
            "producer_epoch": state.producer.epoch,
            "last_sequence": state.last_sequence,
            "last_timestamp": state.last_timestamp,
            "coordinator_epoch": state.coordinator_epoch,
            "current_txn_start_offset": state.transaction_start,
        }
        for state in log.producers.all()
    ]
    return result | {"active_producers": producers}


def describe_transactions(node: Node, asked: Any) -> ResponsePayload:
    """The transactions of the transactional ids, in the order in which they are asked for."""
    states = [_described(node, transactional_id) for transactional_id in asked.transactional_ids]
    return response(asked, throttle_time=0, transaction_states=states)


def _described(node: Node, transactional_id: str) -> dict[str, Any]:
    try:
        transaction = node.coordinator.describe(transactional_id)
    except Refused as refusal:
        return {
            "error_code": refusal.error,
            "transactional_id": transactional_id,
            "transaction_state": "",
            "transaction_timeout": 0,
            "transaction_start_time": 0,
            "producer_id": 0,
            "producer_epoch": 0,
            "topics": [],
        }
    rule("KIP890-080")
    partitions = by_topic(sorted(transaction.partitions))
    return {
        "error_code": Error.NONE,
        "transactional_id": transactional_id,
        "transaction_state": transaction.state.value,
        "transaction_timeout": transaction.timeout_ms,
        "transaction_start_time": transaction.started_at,
        "producer_id": transaction.producer_id,
        "producer_epoch": transaction.producer_epoch,
        "topics": [{"topic": topic, "partitions": [partition.partition for partition in found]} for topic, found in partitions],
    }


def list_transactions(node: Node, asked: Any) -> ResponsePayload:
    """The transactions that pass every filter; names of states that do not exist are told, and pass nothing."""
    rule("KIP890-150")
    unknown = [name for name in asked.state_filters if name not in _STATE_NAMES]
    try:
        pattern = _pattern(getattr(asked, "transactional_id_pattern", None))
    except re.error:
        rule("KIP890-152")
        return response(
            asked, throttle_time=0, error_code=Error.INVALID_REGULAR_EXPRESSION, unknown_state_filters=[], transaction_states=[]
        )
    found = [transaction for transaction in node.coordinator.transactions() if _passes(node, asked, transaction, pattern)]
    states = [
        {
            "transactional_id": transaction.transactional_id,
            "producer_id": transaction.producer_id,
            "transaction_state": transaction.state.value,
        }
        for transaction in found
    ]
    return response(asked, throttle_time=0, error_code=Error.NONE, unknown_state_filters=unknown, transaction_states=states)


def _pattern(source: str | None) -> re.Pattern[str] | None:
    return re.compile(source) if source else None


def _passes(node: Node, asked: Any, transaction: Transaction, pattern: re.Pattern[str] | None) -> bool:
    duration = int(getattr(asked, "duration_filter", -1))
    if duration >= 0:
        # A transactional id in Empty has no start, -1, and is older than every duration.
        rule("KIP890-151")
    return (
        (not asked.state_filters or transaction.state.value in asked.state_filters)
        and (not asked.producer_id_filters or transaction.producer_id in asked.producer_id_filters)
        and (duration < 0 or node.machine.clock.now - transaction.started_at > duration)
        and (pattern is None or pattern.fullmatch(transaction.transactional_id) is not None)
    )
