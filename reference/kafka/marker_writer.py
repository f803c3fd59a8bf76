"""What the leaders of partitions do with a marker from any sender: the coordinator of this node, another one, or an operator."""

from collections.abc import Iterable, Sequence

from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_topics import KafkaTopics
from .kafka_types import PartitionName
from .markers import TransactionMarker


class MarkerWriter:
    """The leaders of all partitions."""

    def __init__(self, topics: KafkaTopics) -> None:
        self._topics = topics

    def as_sent(self, markers: Sequence[TransactionMarker]) -> Sequence[TransactionMarker]:
        """Decision: the markers of one request as they are written: each with its own decision and transaction version."""
        rule("KIP890-406")
        return markers

    def write(self, partition: PartitionName, marker: TransactionMarker) -> Errors:
        """Append the marker to the partition's log, and return the leader's answer: REQUEST_TIMED_OUT if not all replicas have it."""
        try:
            log = self._topics.log(partition)
            log.append_marker(marker)
        except RequestRefused as refusal:
            return refusal.error
        return Errors.NONE if log.replication.is_written(log.end_offset) else Errors.REQUEST_TIMED_OUT

    def write_all(self, partitions: Iterable[PartitionName], marker: TransactionMarker) -> dict[PartitionName, Errors]:
        """Decision: each of several partitions answers for itself whether it has the marker."""
        rule("KIP890-134")
        return {partition: self.write(partition, marker) for partition in partitions}
