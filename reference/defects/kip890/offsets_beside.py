"""Defects of pending offsets that only another transaction, or another group, shows."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import State
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.wire.kafka.batches import Batch


@defect({"KIP890-053": Symptom(what="offset")}, origin="textbook: pending offsets by group and partition, without the producer")
class PendingByPlace(Groups):
    """What a second transaction sends for a group's partition takes the place of what the first has pending, which is lost."""

    def take_in(self, batch: Batch) -> None:
        super().take_in(batch)
        if batch.marker is None and batch.transactional:
            for place in self._pending[batch.producer_id]:
                for producer_id, pending in self._pending.items():
                    if producer_id != batch.producer_id:
                        pending.pop(place, None)


@defect({"KIP890-052": Symptom(what="offset")}, origin="textbook: pending offsets by partition, without the group")
class UnstableForEveryGroup(Groups):
    """An offset that one group has pending makes that partition unstable for every group."""

    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        found = super().committed(group, partition, require_stable=require_stable)
        if require_stable and any(place.partition == partition for pending in self._pending.values() for place in pending):
            raise Refused(Error.UNSTABLE_OFFSET_COMMIT)
        return found


@defect(
    {"KIP890-051": seen("^(payments-0: )?success", expected="INVALID_PRODUCER_EPOCH", what="answer to TxnOffsetCommit")},
    origin="textbook: whether a transaction is open is asked, and not whose",
)
class LateOffsetsJoinTheNext(Coordinator):
    """Offsets with the epoch before are added to the transaction that is open now, and are committed with it."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        partitions, transaction = frozenset(partitions), self._transactions.get(transactional_id)
        is_open = transaction is not None and transaction.state is State.ONGOING
        if transaction is not None and is_open and partitions == {OFFSETS_PARTITION} and producer.epoch == transaction.producer_epoch - 1:
            producer = transaction.producer
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
