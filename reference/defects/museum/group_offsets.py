"""Bugs of the field in the offsets that a transaction has pending."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata
from fencepost.reference.kafka.kafka_topics import KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.membership import GroupMembers
from fencepost.reference.kafka.verification import Verification
from fencepost.reference.kernel.clock import Clock
from fencepost.wire.kafka.batches import MarkerType


@defect(
    {"CORE-24": seen("^nothing", expected="i1", what="^place of workers"), "CORE-41": seen("i1", what="left for workers")},
    origin="twmb/franz-go, commit 8854973c: kfake lost what was between TxnOffsetCommit and EndTxn",
)
class PendingOffsetsForgottenByCrash(GroupOffsets):
    """Pending offsets are in memory only, so a commit after a restart succeeds and the group reads its input again."""

    def __init__(self, topics: KafkaTopics, verification: Verification, membership: GroupMembers, clock: Clock) -> None:
        super().__init__(topics, verification, membership, clock)
        self._pending.clear()


@defect(
    {
        "KIP890-052": seen("^offset 5", expected="^offset 3", what="^committed offset of"),
        "KIP890-054": seen("^offset 5", expected="^offset 3", what="^committed offset of"),
    },
    origin="KAFKA-17507: the answer to WriteTxnMarkers did not wait for the group coordinator",
)
class MarkerAppliedToTheNextOffsets(GroupOffsets):
    """A marker is acknowledged before the group coordinator applies it, so it decides the offsets of the next transaction as well."""

    _unapplied: tuple[tuple[int, MarkerType], ...] = ()

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        self._unapplied = (*self._unapplied, (producer_id, decision))

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:
        self._catch_up()
        for marker in self._unapplied:
            super().decide(*marker)
        self._unapplied = ()
        return super().committed(group, partition, require_stable=require_stable)
