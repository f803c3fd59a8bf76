"""What the leaders of partitions do with a marker from any sender: the coordinator of this node, another one, or an operator."""

from collections.abc import Iterable, Sequence

from fencepost.reference.kernel.rules import rule

from .errors import Error, Refused
from .markers import TransactionMarker
from .topics import Topics
from .values import TopicPartition


class MarkerWriter:
    """The leaders of all partitions."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics

    def as_sent(self, markers: Sequence[TransactionMarker]) -> Sequence[TransactionMarker]:
        """Decision: the markers of one request as they are written: each with its own decision and transaction version."""
        rule("KIP890-406")
        return markers

    def write(self, partition: TopicPartition, marker: TransactionMarker) -> Error:
        """Append the marker to the partition's log, and return the leader's answer: REQUEST_TIMED_OUT if not all replicas have it."""
        try:
            log = self._topics.log(partition)
            log.append_marker(marker)
        except Refused as refusal:
            return refusal.error
        return Error.NONE if log.replication.is_written(log.end_offset) else Error.REQUEST_TIMED_OUT

    def write_all(self, partitions: Iterable[TopicPartition], marker: TransactionMarker) -> dict[TopicPartition, Error]:
        """Decision: each of several partitions answers for itself whether it has the marker."""
        rule("KIP890-134")
        return {partition: self.write(partition, marker) for partition in partitions}
