"""Defects in what a coordinator that reloads makes of the offsets in its log: each is right until then, and wrong after a crash."""

from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.wire.kafka.batches import Batch, MarkerType


class _Reloads(GroupOffsets):
    """It takes in what a transaction sends in another way while it reloads."""

    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if self._is_starting and batch.transactional and batch.marker is None:
            self.taken_again(batch.producer_id, before)

    def taken_again(self, producer_id: int, before: dict[Any, Any]) -> None:
        raise NotImplementedError


@defect(
    {"KIP890-052": seen("^a stable offset", expected="^UNSTABLE_OFFSET_COMMIT", what="^stable offset of payments-0")},
    origin="red team: a map by partitions where one by producers is due",
)
class ReloadedOffsetIsOfTheLastProducer(_Reloads):
    """After a crash an offset is pending for the last producer that has sent one for its partition, and for no other."""

    def taken_again(self, producer_id: int, before: dict[Any, Any]) -> None:  # noqa: ARG002
        for other, pending in self._pending.items():
            for place in self._pending[producer_id] if other != producer_id else ():
                pending.pop(place, None)


@defect(
    {"KIP890-052": seen("^a stable offset", expected="^UNSTABLE_OFFSET_COMMIT", what="^stable offset of payments-0")},
    origin="red team: a key that is there already is not put again",
)
class ReloadedOffsetIsOfTheFirstProducer(_Reloads):
    """After a crash an offset is pending for the first producer that has sent one for its partition, and for no other."""

    def taken_again(self, producer_id: int, before: dict[Any, Any]) -> None:  # noqa: ARG002
        others = {place for other, pending in self._pending.items() if other != producer_id for place in pending}
        self._pending[producer_id] = {place: stored for place, stored in self._pending[producer_id].items() if place not in others}


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 3", what="^committed offset of payments-0")},
    origin="red team: offsets that are merged by the largest",
)
class ReloadedPendingOffsetNeverShrinks(_Reloads):
    """After a crash the largest offset that a transaction has sent for a partition is pending, and not the last one."""

    def taken_again(self, producer_id: int, before: dict[Any, Any]) -> None:
        pending = self._pending[producer_id]
        pending |= {place: stored for place, stored in before.items() if stored.offset.offset > pending[place].offset.offset}


@defect(
    {"KIP890-053": seen("^offset 5", expected="^offset 3", what="^committed offset of payments-0")},
    origin="red team: offsets that are merged by the largest",
)
class ReloadedGroupNeverMovesBack(GroupOffsets):
    """A coordinator that reloads keeps the largest offset that was committed for a partition."""

    def counts(self, decided: Any, committed: Any) -> bool:
        shrinks = self._is_starting and committed is not None and decided.offset.offset < committed.offset.offset
        return super().counts(decided, committed) and not shrinks


@defect(
    {"KIP890-054": seen("with UNSTABLE_OFFSET_COMMIT", expected="^a stable offset", what="^stable offset of payments-0")},
    origin="red team: what is loaded is a copy for commits",
)
class ReloadedOffsetOutlivesItsAbort(GroupOffsets):
    """After a crash the abort of a transaction does not remove the offsets that it has sent before the crash, and they stay pending."""

    _loaded = frozenset[int]()

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._loaded = frozenset(self._pending)

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        if producer_id not in self._loaded or decision is MarkerType.COMMIT:
            super().decide(producer_id, decision)
