"""Defects in the offsets of groups that change while a transaction is open."""

from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata, Sender
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.wire.kafka.batches import Batch, MarkerType


class _Forgives(GroupOffsets):
    forgiven: Errors

    def check_membership(self, group: str, sender: Sender) -> None:
        try:
            super().check_membership(group, sender)
        except RequestRefused as refusal:
            if refusal.error is not self.forgiven:
                raise


@defect(
    {"KIP890-240": seen("^payments-0: success", what="answer to TxnOffsetCommit")},
    origin="KIP-447: a zombie that only the group coordinator can know",
)
class OlderGenerationCommits(_Forgives):
    """The group accepts offsets of any member, also of one that has missed a rebalance and no longer owns that partition."""

    forgiven = Errors.ILLEGAL_GENERATION


@defect(
    {"KIP890-241": seen("^payments-0: success", what="answer to TxnOffsetCommit")}, origin="textbook: an instance id that is not compared"
)
class FencedInstanceCommits(_Forgives):
    """A member that another process has replaced in its group still commits offsets for the group."""

    forgiven = Errors.FENCED_INSTANCE_ID


@defect(
    {"KIP890-242": seen("^offset 5", what="committed offset of payments-0 in group shop")},
    origin="textbook: the last to become visible wins",
)
class CommitTakesOffsetBack(GroupOffsets):
    """The commit of a transaction puts its offset over one that was committed after it, and the group reads its input again."""

    def counts(self, decided: Any, committed: Any) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-243": seen("^offset 5", what="committed offset of payments-0 in group shop")},
    origin="textbook: a second place that deletion forgets",
)
class DeletedGroupComesBack(GroupOffsets):
    """DeleteGroups removes the committed offsets of a group, and keeps the pending ones: their commit brings the group back."""

    def remove(self, place: Any) -> None:
        pending = {producer_id: dict(places) for producer_id, places in self._pending.items()}
        super().remove(place)
        self._pending = pending


@defect(
    {"KIP890-243": seen("UNSTABLE_OFFSET_COMMIT|a pending", what="offset of payments-0 in group shop")},
    origin="red team: a list of transactions with pending offsets, which deletion forgets",
)
class DeletedGroupStaysUnstable(GroupOffsets):
    """After DeleteGroups the partitions of a group stay unstable until the transaction ends that had sent offsets for them."""

    def remove(self, place: Any) -> None:
        unstable = self.__dict__.setdefault("_unstable", {})
        unstable[place.group, place.partition] = [producer_id for producer_id, places in self._pending.items() if place in places]
        super().remove(place)

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        self._catch_up()
        waiting = self.__dict__.get("_unstable", {}).get((group, partition), ())
        if require_stable and any(producer_id in self._pending for producer_id in waiting):
            raise RequestRefused(Errors.UNSTABLE_OFFSET_COMMIT)
        return super().committed(group, partition, require_stable=require_stable)


@defect(
    {"KIP890-243": seen("^no offset", expected="^offset 7", what="committed offset of payments-0 in group shop")},
    origin="red team: a mark that the transaction's offsets for that group are void",
)
class DeletedGroupRefusesLater(GroupOffsets):
    """Offsets that a transaction sends after the deletion of their group are lost with those from before it."""

    def remove(self, place: Any) -> None:
        void = self.__dict__.setdefault("_void", set())
        void.update((producer_id, place.group) for producer_id, places in self._pending.items() if place in places)
        super().remove(place)

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        void, places = self.__dict__.get("_void", set()), self._pending.get(producer_id, {})
        self._pending[producer_id] = {place: stored for place, stored in places.items() if (producer_id, place.group) not in void}
        super().decide(producer_id, decision)


@defect(
    {"KIP890-242": seen("^offset 5", expected="^offset 7", what="committed offset of payments-0 in group shop")},
    origin="red team: a log that is replayed in the order of its markers",
)
class ReloadedCommitTakesOffsetBack(GroupOffsets):
    """A coordinator that reloads puts the offset of a transaction over one that was committed between it and its marker."""

    def counts(self, decided: Any, committed: Any) -> bool:
        return self._is_starting or super().counts(decided, committed)


@defect(
    {"KIP890-243": seen("^offset 5", what="committed offset of payments-0 in group shop")},
    origin="red team: tombstones that are replayed on the committed offsets alone",
)
class DeletedGroupReloadedAsPending(GroupOffsets):
    """A coordinator that reloads finds the offsets pending that were deleted with their group, and a commit brings them back."""

    def remove(self, place: Any) -> None:
        if self._is_starting:
            self._committed.pop(place, None)
        else:
            super().remove(place)


@defect(
    {"KIP890-243": seen("^offset 5", what="committed offset of (payments|accounts)-0 in group shop")},
    origin="red team: the first element is used for the whole list",
)
class OnePendingOffsetIsDeleted(GroupOffsets):
    """With a group one of its pending offsets is deleted, and a commit restores the others."""

    _has_removed = False

    def take_in(self, batch: Batch) -> None:
        self._has_removed = False
        super().take_in(batch)

    def remove(self, place: Any) -> None:
        if self._has_removed:
            self._committed.pop(place, None)
            return
        self._has_removed = True
        super().remove(place)
