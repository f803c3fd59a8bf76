"""Adding partitions to a transaction, for a client or for the leader of a partition: the verdict for each partition.

A client asks for its own transaction. A broker may ask for several transactions at once, each judged by itself, and may ask whether
partitions are in a transaction already instead of adding them. Groups keep their offsets in a partition like any other, which a client adds
by the name of the group.

Source: AddPartitionsToTxn in "Public Interfaces"; "Ensure Ongoing Transaction for Older Clients (3)".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule

from .kafka_coordinator import KafkaCoordinator
from .kafka_errors import Errors, RequestRefused
from .kafka_topics import INTERNAL, OFFSETS_PARTITION, KafkaTopics
from .kafka_types import PartitionName, ProducerIdAndEpoch


@dataclass(frozen=True)
class Addition:
    """What is asked for one transaction; `verify_only` asks whether the partitions are in it already."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    partitions: tuple[PartitionName, ...]
    verify_only: bool = False


class Additions:
    """Requests to add partitions to transactions."""

    def __init__(self, topics: KafkaTopics, coordinator: KafkaCoordinator) -> None:
        self._topics = topics
        self._coordinator = coordinator

    def of_client(self, addition: Addition) -> dict[PartitionName, Errors]:
        """Decision: what AddPartitionsToTxn answers a client, which adds all of the partitions or none."""
        rule("KIP890-030")
        return self.internal_among(addition.partitions) or self.judge(addition, transaction_version=0)

    def of_broker(self, additions: Sequence[Addition]) -> list[dict[PartitionName, Errors]]:
        """Decision: what a batched AddPartitionsToTxn answers, transaction by transaction; an error of one does not affect the next."""
        rule("KIP890-037")
        return [self.judge(addition, transaction_version=2) for addition in additions]

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:  # noqa: ARG002 - as a broker with several has it
        """Decision: AddOffsetsToTxn adds the partition of __consumer_offsets in which the group's offsets are kept.

        All groups have theirs in one partition here. Raises RequestRefused: as `KafkaCoordinator.add_partitions`.
        """
        rule("KIP890-046")
        rule("KIP890-380")
        self._coordinator.add_partitions(transactional_id, producer, [OFFSETS_PARTITION], transaction_version=0)

    def judge(self, addition: Addition, transaction_version: int) -> dict[PartitionName, Errors]:
        """Decision: what AddPartitionsToTxn answers for each partition of one transaction."""
        partitions = addition.partitions
        if errors := self.unknown_among(partitions):
            return errors
        try:
            if addition.verify_only:
                return self._coordinator.verify_partitions(addition.transactional_id, addition.producer, partitions)
            self._coordinator.add_partitions(addition.transactional_id, addition.producer, partitions, transaction_version)
        except RequestRefused as refusal:
            rule("KIP890-044")
            return dict.fromkeys(partitions, refusal.error)
        return dict.fromkeys(partitions, Errors.NONE)

    def internal_among(self, partitions: Iterable[PartitionName]) -> dict[PartitionName, Errors]:
        """Decision: if one of the partitions is of an internal topic none is added: brokers may add those, and no client.

        Empty if none is.
        """
        if not any(partition.topic in INTERNAL for partition in partitions):
            return {}
        rule("KIP890-255")
        return {
            partition: Errors.TOPIC_AUTHORIZATION_FAILED if partition.topic in INTERNAL else Errors.OPERATION_NOT_ATTEMPTED
            for partition in partitions
        }

    def unknown_among(self, partitions: Iterable[PartitionName]) -> dict[PartitionName, Errors]:
        """Decision: if one of the partitions does not exist none is added, and each has its error. Empty if all exist."""
        if all(partition in self._topics for partition in partitions):
            return {}
        rule("KIP890-033")
        return {
            partition: Errors.OPERATION_NOT_ATTEMPTED if partition in self._topics else Errors.UNKNOWN_TOPIC_OR_PARTITION
            for partition in partitions
        }
