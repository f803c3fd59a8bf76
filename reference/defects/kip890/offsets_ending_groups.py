"""Defects in pending offsets and the groups that they belong to: names that differ little, and changes of members."""

from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.wire.kafka.batches import MarkerType

_LOST = seen("^no offset", expected="^offset 5", what="committed offset of payments-0 in group shop")


class _LosesPending(GroupOffsets):
    """Pending offsets are lost if what `of_group` says of their group is another when the marker comes."""

    def of_group(self, group: str) -> object:
        raise NotImplementedError

    def commit_in_transaction(
        self, group: str, transactional_id: str, producer: ProducerIdAndEpoch, *rest: Any, **named: Any
    ) -> dict[PartitionName, Errors]:
        verdicts = super().commit_in_transaction(group, transactional_id, producer, *rest, **named)
        self.__dict__.setdefault("_then", {})[producer.producer_id, group] = self.of_group(group)
        return verdicts

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        then = self.__dict__.get("_then", {})
        pending = self._pending.get(producer_id, {})
        self._pending[producer_id] = {
            place: stored for place, stored in pending.items() if then.get((producer_id, place.group)) in (None, self.of_group(place.group))
        }
        super().decide(producer_id, decision)


@defect({"KIP890-053": _LOST}, origin="red team: a generation that is compared once more, at the marker")
class NextGenerationLosesPending(_LosesPending):
    """Offsets that a transaction has sent are lost if the group goes on to its next generation before the commit."""

    def of_group(self, group: str) -> object:
        return self._membership.stored(group).generation if self._membership.has_members(group) else None


@defect({"KIP890-053": _LOST}, origin="red team: a group without members that is removed with all that it has")
class EmptyGroupLosesPending(_LosesPending):
    """Offsets that a transaction has sent are lost if the last member leaves the group before the commit."""

    def of_group(self, group: str) -> object:
        return "members" if self._membership.has_members(group) else "none"


@defect(
    {"KIP890-053": seen("^no offset", expected="^offset 5", what="committed offset of payments-1 in group shop")},
    origin="red team: a comparison for all offsets of a transaction together",
)
class OneOvertakenOffsetDropsAll(GroupOffsets):
    """A transaction commits none of its offsets if another client has committed a later one for one of their partitions."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        decided = self._pending.get(producer_id, {})
        if decision is MarkerType.COMMIT and not all(self.counts(one, self._committed.get(place)) for place, one in decided.items()):
            decided.clear()
        super().decide(producer_id, decision)


@defect(
    {"KIP890-052": seen("UNSTABLE_OFFSET_COMMIT", what="offset of payments-0 in group Shop")},
    origin="red team: a database whose keys ignore case",
)
class GroupsWithoutCase(GroupOffsets):
    """A group has the offsets of one whose name differs in case alone."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        return super().committed(group.lower(), partition, require_stable=require_stable)
