"""The requests of an administrator that change nothing: DescribeProducers, DescribeTransactions, ListTransactions."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.entities import response

from .shapes import NOT_DESCRIBED, by_topic


def describe_producers(node: KafkaNode, asked: Any) -> ResponsePayload:
    """What the leaders of partitions know of producers."""
    topics = [
        {
            "name": topic.name,
            "partitions": [_producers(node, PartitionName(topic.name, int(number))) for number in topic.partition_indexes],
        }
        for topic in asked.topics
    ]
    return response(asked, throttle_time=0, topics=topics)


def _producers(node: KafkaNode, partition: PartitionName) -> dict[str, Any]:
    result: dict[str, Any] = {
        "partition_index": partition.partition,
        "error_code": Errors.NONE,
        "error_message": None,
        "active_producers": [],
    }
    try:
        log = node.log_led_here(partition)
    except RequestRefused as refusal:
        return result | {"error_code": refusal.error, "error_message": f"there is no partition {partition} here"}
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


def describe_transactions(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The transactions of the transactional ids, in the order in which they are asked for."""
    states = [_described(node, transactional_id) for transactional_id in asked.transactional_ids]
    return response(asked, throttle_time=0, transaction_states=states)


def _described(node: KafkaNode, transactional_id: str) -> dict[str, Any]:
    try:
        node.check_coordinates()
        transaction = node.coordinator.describe(transactional_id)
    except RequestRefused as refusal:
        return {"error_code": refusal.error, "transactional_id": transactional_id, **NOT_DESCRIBED}
    rule("KIP890-080")
    partitions = by_topic(sorted(transaction.partitions))
    return {
        "error_code": Errors.NONE,
        "transactional_id": transactional_id,
        "transaction_state": transaction.state.value,
        "transaction_timeout": transaction.timeout_ms,
        "transaction_start_time": transaction.started_at,
        "producer_id": transaction.producer_id,
        "producer_epoch": transaction.producer_epoch,
        "topics": [{"topic": topic, "partitions": [partition.partition for partition in found]} for topic, found in partitions],
    }


def list_transactions(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The transactions that pass every filter; names of states that do not exist are answered, and pass nothing."""
    try:
        wanted = node.transaction_filter(
            asked.state_filters,
            asked.producer_id_filters,
            int(getattr(asked, "duration_filter", -1)),
            getattr(asked, "transactional_id_pattern", None),
        )
        transactions = node.coordinator.transactions() if node.coordinates else ()
    except RequestRefused as refusal:
        return response(asked, throttle_time=0, error_code=refusal.error, unknown_state_filters=[], transaction_states=[])
    states = [
        {
            "transactional_id": transaction.transactional_id,
            "producer_id": transaction.producer_id,
            "transaction_state": transaction.state.value,
        }
        for transaction in transactions
        if wanted.passes(transaction, node.machine.clock.now)
    ]
    return response(asked, throttle_time=0, error_code=Errors.NONE, unknown_state_filters=wanted.unknown_states, transaction_states=states)
