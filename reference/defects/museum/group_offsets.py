"""Bugs of the field in the offsets that a transaction has pending."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.membership import Membership
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import Topics
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kafka.verification import Verification
from fencepost.reference.kernel.clock import Clock
from fencepost.wire.kafka.batches import MarkerType


class _PendingInMemory(Groups):
    def __init__(self, topics: Topics, verification: Verification, membership: Membership, clock: Clock) -> None:
        super().__init__(topics, verification, membership, clock)
        self._pending.clear()


PENDING_OFFSETS_FORGOTTEN_BY_CRASH = Defect(
    name="pending-offsets-forgotten-by-crash",
    breaks={
        "CORE-24": Symptom(what="^place of workers", expected="i1", seen="^nothing"),
        "CORE-41": Symptom(what="left for workers", seen="i1"),
    },
    story="Pending offsets are in memory only, so a commit after a restart succeeds and the group reads its input again.",
    origin="twmb/franz-go, commit 8854973c: kfake lost what was between TxnOffsetCommit and EndTxn",
    parts=Parts(groups=_PendingInMemory),
)


class _AppliesMarkersLate(Groups):
    _unapplied: tuple[tuple[int, MarkerType], ...] = ()

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        self._unapplied = (*self._unapplied, (producer_id, decision))

    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        self._catch_up()
        for marker in self._unapplied:
            super().decide(*marker)
        self._unapplied = ()
        return super().committed(group, partition, require_stable=require_stable)


MARKER_APPLIED_TO_THE_NEXT_OFFSETS = Defect(
    name="marker-applied-to-the-next-offsets",
    breaks={
        "KIP890-052": Symptom(what="^committed offset of", expected="^offset 3", seen="^offset 5"),
        "KIP890-054": Symptom(what="^committed offset of", expected="^offset 3", seen="^offset 5"),
    },
    story="A marker is acknowledged before the group coordinator applies it, so it decides the offsets of the next transaction as well.",
    origin="KAFKA-17507: the answer to WriteTxnMarkers did not wait for the group coordinator",
    parts=Parts(groups=_AppliesMarkersLate),
)
