"""What a coordinator, or an administrator, sends to the leaders of partitions: WriteTxnMarkers."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kafka.transaction import Decision
from fencepost.wire.kafka.entities import response

from .shapes import by_topic, producer_of


def write_txn_markers(node: KafkaNode, asked: Any) -> ResponsePayload:
    """End transactions in partitions; the results are by producer id. Version 1 cannot report that an epoch was bumped."""
    errors: dict[int, dict[PartitionName, Errors]] = {}
    markers = node.markers.as_sent([_marker_of(entry) for entry in asked.markers])
    for entry, marker in zip(asked.markers, markers, strict=True):
        of_producer = errors.setdefault(marker.producer.producer_id, {})
        partitions = [PartitionName(topic.name, int(number)) for topic in entry.topics for number in topic.partition_indexes]
        led_here = [partition for partition in partitions if node.leads(partition)]
        of_producer |= dict.fromkeys(partitions, Errors.NOT_LEADER_OR_FOLLOWER) | node.markers.write_all(led_here, marker)
    return response(asked, markers=[{"producer_id": producer_id, "topics": _topics(verdicts)} for producer_id, verdicts in errors.items()])


def _marker_of(entry: Any) -> TransactionMarker:
    return TransactionMarker(
        producer_of(entry),
        Decision.COMMIT if entry.transaction_result else Decision.ABORT,
        int(entry.coordinator_epoch),
        int(getattr(entry, "transaction_version", 0)),
    )


def _topics(verdicts: dict[PartitionName, Errors]) -> list[dict[str, Any]]:
    return [
        {
            "name": topic,
            "partitions": [{"partition_index": partition.partition, "error_code": verdicts[partition]} for partition in partitions],
        }
        for topic, partitions in by_topic(verdicts)
    ]
