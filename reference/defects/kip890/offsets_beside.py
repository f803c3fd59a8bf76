"""Defects of pending offsets that only another transaction, or another group, shows."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.values import TopicPartition
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
