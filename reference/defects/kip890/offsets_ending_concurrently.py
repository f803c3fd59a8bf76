"""Defects of pending offsets that only another transaction, or another group, shows."""

from collections.abc import Iterable
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransactionState
from fencepost.wire.kafka.batches import Batch, MarkerType


@defect({"KIP890-053": Symptom(what="offset")}, origin="textbook: pending offsets by group and partition, without the producer")
class PendingByPlace(GroupOffsets):
    """What a second transaction sends for a group's partition replaces what the first one has pending, which is lost."""

    def take_in(self, batch: Batch) -> None:
        super().take_in(batch)
        if batch.marker is None and batch.transactional:
            for place in self._pending[batch.producer_id]:
                for producer_id, pending in self._pending.items():
                    if producer_id != batch.producer_id:
                        pending.pop(place, None)


@defect({"KIP890-052": Symptom(what="offset")}, origin="textbook: pending offsets by partition, without the group")
class UnstableForEveryGroup(GroupOffsets):
    """An offset that one group has pending makes that partition unstable for every group."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        found = super().committed(group, partition, require_stable=require_stable)
        if require_stable and any(place.partition == partition for pending in self._pending.values() for place in pending):
            raise RequestRefused(Errors.UNSTABLE_OFFSET_COMMIT)
        return found


@defect(
    {"KIP890-051": seen("^(payments-0: )?success", expected="INVALID_PRODUCER_EPOCH", what="answer to TxnOffsetCommit")},
    origin="textbook: the check is whether a transaction is open, and not whose it is",
)
class LateOffsetsJoinTheNext(KafkaCoordinator):
    """Offsets with the epoch before are added to the transaction that is open now, and are committed with it."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        partitions, transaction = frozenset(partitions), self._transactions.get(transactional_id)
        is_open = transaction is not None and transaction.state is KafkaTransactionState.ONGOING
        if transaction is not None and is_open and partitions == {OFFSETS_PARTITION} and producer.epoch == transaction.producer_epoch - 1:
            producer = transaction.producer
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 7", what="committed offset of payments-0")},
    origin="red team: a commit that clears the place and not the entry",
)
class CommitTakesPendingOfOthers(GroupOffsets):
    """The commit of one transaction removes what others have pending for the same partition of the group."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        decided = set(self._pending.get(producer_id, {}))
        super().decide(producer_id, decision)
        if decision is MarkerType.COMMIT:
            for places in self._pending.values():
                for place in decided & places.keys():
                    del places[place]


@defect(
    {"KIP890-052": seen("^a stable offset$", what="^stable offset of payments-0")},
    origin="red team: one mark for all that is pending there",
)
class StableAfterTheFirstEnd(GroupOffsets):
    """The end of one transaction makes a group's partition stable, while another transaction has an offset pending for it."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        decided = set(self._pending.get(producer_id, {}))
        super().decide(producer_id, decision)
        still = (decided & places.keys() for places in self._pending.values())
        self.__dict__.setdefault("_stable", set()).update(place for places in still for place in places)

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        self._catch_up()
        is_stable = any((place.group, place.partition) == (group, partition) for place in self.__dict__.get("_stable", ()))
        return super().committed(group, partition, require_stable=require_stable and not is_stable)


@defect({"KIP890-052": seen("^a stable offset$", what="^stable offset of payments-1")}, origin="red team: a look at the first of a list")
class OnlyTheFirstIsPending(GroupOffsets):
    """Only the first of the partitions for which a transaction has sent offsets is unstable."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        self._catch_up()
        first = [next(iter(places)) for places in self._pending.values() if places]
        is_first = any((place.group, place.partition) == (group, partition) for place in first)
        return super().committed(group, partition, require_stable=require_stable and is_first)


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 3", what="committed offset of payments-0")},
    origin="red team: a guard against late commits that compares offsets",
)
class NeverMovesBack(GroupOffsets):
    """A transaction that moves a group back, to process its input again, commits nothing."""

    def counts(self, decided: Any, committed: Any) -> bool:
        return super().counts(decided, committed) and (committed is None or decided.offset.offset >= committed.offset.offset)


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 3", what="committed offset of payments-0")},
    origin="red team: the largest of several offsets is treated as the latest",
)
class LargestOfATransaction(GroupOffsets):
    """A transaction that sends several offsets for one partition commits the largest, and not the last."""

    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if batch.marker is None and batch.transactional:
            places = self._pending[batch.producer_id]
            places |= {place: known for place, known in before.items() if known.offset.offset > places[place].offset.offset}
