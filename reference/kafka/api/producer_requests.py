"""The requests of a producer to the transaction coordinator: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn."""

from collections.abc import Iterable
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.additions import Addition
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kafka.transaction import Decision
from fencepost.wire.kafka.entities import response

from .shapes import by_topic, producer_of

_BATCHED = 4
"""From this version on AddPartitionsToTxn is a broker's request, for several transactions at once."""


def init_producer_id(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Become the owner of a transactional id, or get a producer id without one."""
    error = Errors.NONE
    expected = producer_of(asked) if asked.__version__ >= 3 else NO_PRODUCER
    try:
        node.ownership.check_expected_producer(expected)
        if asked.transactional_id is None:
            producer = node.ownership.new_idempotent_producer()
        else:
            node.check_coordinates()
            timeout_ms = round(asked.transaction_timeout.total_seconds() * 1000)
            producer = node.coordinator.init_producer_id(asked.transactional_id, timeout_ms, expected)
    except RequestRefused as refusal:
        error = node.dialect.error_for(refusal.error, asked.__version__, knows_fenced=4)
        producer = node.dialect.producer_in_refused_initialisation(expected)
    return response(asked, throttle_time=0, error_code=error, producer_id=producer.producer_id, producer_epoch=producer.epoch)


def add_partitions_to_txn(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Add partitions to a transaction, or verify that they are in it."""
    if asked.__version__ >= _BATCHED:
        additions = [
            Addition(entry.transactional_id, producer_of(entry), _partitions(entry.topics), entry.verify_only)
            for entry in asked.transactions
        ]
        verdicts = node.additions.of_broker(additions) if node.coordinates else [_not_here(addition.partitions) for addition in additions]
        results = [
            {"transactional_id": entry.transactional_id, "topic_results": _results(errors)}
            for entry, errors in zip(asked.transactions, verdicts, strict=True)
        ]
        return response(asked, throttle_time=0, error_code=Errors.NONE, results_by_transaction=results)
    producer = ProducerIdAndEpoch(int(asked.v3_and_below_producer_id), int(asked.v3_and_below_producer_epoch))
    partitions = _partitions(asked.v3_and_below_topics)
    addition = Addition(asked.v3_and_below_transactional_id, producer, partitions)
    errors = node.additions.of_client(addition) if node.coordinates else _not_here(partitions)
    answered = {partition: node.dialect.error_for(error, asked.__version__, knows_fenced=2) for partition, error in errors.items()}
    return response(asked, throttle_time=0, results_by_topic_v3_and_below=_results(answered))


def _not_here(partitions: Iterable[PartitionName]) -> dict[PartitionName, Errors]:
    return dict.fromkeys(partitions, Errors.NOT_COORDINATOR)


def _partitions(topics: Iterable[Any]) -> tuple[PartitionName, ...]:
    return tuple(PartitionName(topic.name, int(number)) for topic in topics for number in topic.partitions)


def _results(errors: dict[PartitionName, Errors]) -> list[dict[str, Any]]:
    return [
        {
            "name": topic,
            "results_by_partition": [
                {"partition_index": partition.partition, "partition_error_code": errors[partition]} for partition in partitions
            ],
        }
        for topic, partitions in by_topic(errors)
    ]


def add_offsets_to_txn(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Add the partition in which a group keeps its offsets."""
    error = Errors.NONE
    try:
        node.check_coordinates()
        node.additions.add_offsets(asked.transactional_id, producer_of(asked), asked.group_id)
    except RequestRefused as refusal:
        error = node.dialect.error_for(refusal.error, asked.__version__, knows_fenced=2)
    return response(asked, throttle_time=0, error_code=error)


def end_txn(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Commit or abort. From version 5 on the answer has the producer id and epoch to continue with."""
    error, producer = Errors.NONE, NO_PRODUCER
    decision = Decision.COMMIT if asked.committed else Decision.ABORT
    try:
        node.check_coordinates()
        producer = node.coordinator.end_transaction(asked.transactional_id, producer_of(asked), decision, int(asked.__version__))
    except RequestRefused as refusal:
        producer = node.dialect.producer_in_refusal(producer_of(asked))
        error = node.dialect.error_for(refusal.error, asked.__version__, knows_fenced=2)
    return response(asked, throttle_time=0, error_code=error, producer_id=producer.producer_id, producer_epoch=producer.epoch)
