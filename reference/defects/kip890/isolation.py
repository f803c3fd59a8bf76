"""Defects in what readers of committed data see."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import Isolation, PartitionLog


class _EverythingIsStable(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        return None


LSO_IGNORES_OPEN_TRANSACTIONS = Defect(
    name="lso-ignores-open-transactions",
    breaks={"KIP890-137": Symptom(seen=r'"a1".*; last stable offset (\d+), high watermark \1;')},
    story="The last stable offset is the high watermark, so that readers of committed data see what may still be aborted.",
    origin="streamnative/kop#1283: a transaction that took its time was read before it was aborted",
    parts=Parts(partition_log=_EverythingIsStable),
)


class _OneEndForAll(PartitionLog):
    def latest_offset(self, isolation: Isolation) -> int:  # noqa: ARG002 - that is the defect
        return self.high_watermark


LATEST_IGNORES_ISOLATION = Defect(
    name="latest-ignores-isolation",
    breaks={"KIP890-138": Symptom(expected=r"last stable offset \d+", seen=r"^(\d+); .*high watermark \1$")},
    story="ListOffsets answers the high watermark to everybody, so a reader of committed data waits for what it may not get.",
    origin="librdkafka's mock broker",
    parts=Parts(partition_log=_OneEndForAll),
)


class _EverybodyReadsCommitted(PartitionLog):
    def latest_offset(self, isolation: Isolation) -> int:  # noqa: ARG002 - that is the defect
        return self.last_stable_offset


UNCOMMITTED_HIDDEN = Defect(
    name="uncommitted-hidden",
    breaks={"KIP890-141": Symptom(what="records that read_uncommitted readers of payments-0 see", seen="^nothing")},
    story="Readers of uncommitted data are held at the last stable offset as well.",
    origin="textbook: a bound that does not look at the isolation level",
    parts=Parts(partition_log=_EverybodyReadsCommitted),
)


class _AnyMarkerDecides(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        after = max((entry.batch.base_offset + 1 for entry in self.entries(0) if entry.batch.marker), default=0)
        first = super().first_unstable_offset()
        return None if first is None or first < after else first


ANY_END_RELEASES_ALL = Defect(
    name="any-end-releases-all",
    breaks={"KIP890-142": Symptom(seen=r'^"a1", "b1"; last stable offset (\d+), high watermark \1;')},
    story="A marker moves the last stable offset behind itself, past transactions that are still open before it.",
    origin="textbook: one open transaction is remembered for each partition",
    parts=Parts(partition_log=_AnyMarkerDecides),
)
