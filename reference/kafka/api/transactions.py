"""What a producer asks the transaction coordinator: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn."""

from collections.abc import Iterable
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Node
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import Decision
from fencepost.reference.kafka.values import NO_PRODUCER, ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.entities import response

from .shapes import by_topic, producer_of

_BATCHED = 4
"""From this version on AddPartitionsToTxn is a broker's request, for several transactions at once."""


def init_producer_id(node: Node, asked: Any) -> ResponsePayload:
    """Become the owner of a transactional id, or get a producer id without one."""
    error = Error.NONE
    identity = NO_PRODUCER
    expected = producer_of(asked) if asked.__version__ >= 3 else NO_PRODUCER
    try:
        node.coordinator.check_identity(expected)
        if asked.transactional_id is None:
            identity = node.coordinator.new_idempotent_producer()
        else:
            timeout_ms = round(asked.transaction_timeout.total_seconds() * 1000)
            identity = node.coordinator.init_producer_id(asked.transactional_id, timeout_ms, expected)
    except Refused as refusal:
        error = node.dialect.told(refusal.error, asked.__version__, knows_fenced=4)
    return response(asked, throttle_time=0, error_code=error, producer_id=identity.producer_id, producer_epoch=identity.epoch)


def add_partitions_to_txn(node: Node, asked: Any) -> ResponsePayload:
    """Add partitions to a transaction, or verify that they are in it."""
    if asked.__version__ >= _BATCHED:
        rule("KIP890-037")
        results = []
        for entry in asked.transactions:
            verdicts = _added_by_broker(node, entry)
            results.append({"transactional_id": entry.transactional_id, "topic_results": _results(verdicts)})
        return response(asked, throttle_time=0, error_code=Error.NONE, results_by_transaction=results)
    rule("KIP890-030")
    partitions = _partitions(asked.v3_and_below_topics)
    producer = ProducerIdAndEpoch(int(asked.v3_and_below_producer_id), int(asked.v3_and_below_producer_epoch))
    errors = _known_or_unknown(node, partitions)
    if not errors:
        error = Error.NONE
        try:
            node.coordinator.add_partitions(asked.v3_and_below_transactional_id, producer, partitions, transaction_version=0)
        except Refused as refusal:
            error = node.dialect.told(refusal.error, asked.__version__, knows_fenced=2)
        errors = dict.fromkeys(partitions, error)
    return response(asked, throttle_time=0, results_by_topic_v3_and_below=_results(errors))


def _added_by_broker(node: Node, entry: Any) -> dict[TopicPartition, Error]:
    """One transaction of the batched request."""
    partitions = _partitions(entry.topics)
    if errors := _known_or_unknown(node, partitions):
        return errors
    try:
        if entry.verify_only:
            return node.coordinator.verify_partitions(entry.transactional_id, producer_of(entry), partitions)
        node.coordinator.add_partitions(entry.transactional_id, producer_of(entry), partitions, transaction_version=2)
    except Refused as refusal:
        return dict.fromkeys(partitions, refusal.error)
    return dict.fromkeys(partitions, Error.NONE)


def _partitions(topics: Iterable[Any]) -> list[TopicPartition]:
    return [TopicPartition(topic.name, int(number)) for topic in topics for number in topic.partitions]


def _known_or_unknown(node: Node, partitions: list[TopicPartition]) -> dict[TopicPartition, Error]:
    """Where one of the partitions does not exist, none is added: the verdict for each. Empty where all exist."""
    if all(partition in node.topics for partition in partitions):
        return {}
    rule("KIP890-033")
    return {
        partition: Error.OPERATION_NOT_ATTEMPTED if partition in node.topics else Error.UNKNOWN_TOPIC_OR_PARTITION
        for partition in partitions
    }


def _results(errors: dict[TopicPartition, Error]) -> list[dict[str, Any]]:
    return [
        {
            "name": topic,
            "results_by_partition": [
                {"partition_index": partition.partition, "partition_error_code": errors[partition]} for partition in partitions
            ],
        }
        for topic, partitions in by_topic(errors)
    ]


def add_offsets_to_txn(node: Node, asked: Any) -> ResponsePayload:
    """Add the partition in which a group keeps its offsets."""
    error = Error.NONE
    try:
        if not asked.group_id:
            raise Refused(Error.INVALID_GROUP_ID)
        node.topics.create_internal(OFFSETS_PARTITION.topic)
        node.coordinator.add_partitions(asked.transactional_id, producer_of(asked), [OFFSETS_PARTITION], transaction_version=0)
        rule("KIP890-046")
    except Refused as refusal:
        error = node.dialect.told(refusal.error, asked.__version__, knows_fenced=2)
    return response(asked, throttle_time=0, error_code=error)


def end_txn(node: Node, asked: Any) -> ResponsePayload:
    """Commit or abort. From version 5 on the answer has what the producer goes on with."""
    error, identity = Error.NONE, NO_PRODUCER
    decision = Decision.COMMIT if asked.committed else Decision.ABORT
    try:
        identity = node.coordinator.end_transaction(asked.transactional_id, producer_of(asked), decision, int(asked.__version__))
    except Refused as refusal:
        identity = node.dialect.identity_in_refusal(producer_of(asked))
        error = node.dialect.told(refusal.error, asked.__version__, knows_fenced=2)
    return response(asked, throttle_time=0, error_code=error, producer_id=identity.producer_id, producer_epoch=identity.epoch)
