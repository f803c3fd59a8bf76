"""Defects in what readers of committed data see."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import Isolation, Page, PartitionLog


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


class _HasAlwaysRoomForOne(PartitionLog):
    def read(self, offset: int, isolation: Isolation, max_bytes: int) -> Page:
        page = super().read(offset, isolation, max_bytes)
        next_one = self.entries(offset)[:1]
        if page.data or not next_one or len(next_one[0].data) <= max_bytes:
            return page
        return Page(next_one[0].data, page.aborted)


SMALL_READERS_SEE_THE_OPEN = Defect(
    name="small-readers-see-the-open",
    breaks={"KIP890-137": Symptom(what="^one byte of payments-0", expected="^nothing", seen='^"a1"')},
    story="At least one batch is handed out where it is larger than what the reader has room for, also when it is not decided.",
    origin="KIP-74: a Fetch makes progress with a batch that is too large; its exception forgot the last stable offset",
    parts=Parts(partition_log=_HasAlwaysRoomForOne),
)


class _OldReadersGetAll(Dialect):
    def isolation(self, asked: int, version: int) -> int:
        return asked if version >= 12 else Isolation.READ_UNCOMMITTED


OLD_READERS_GET_ALL = Defect(
    name="old-readers-get-all",
    breaks={"KIP890-137": Symptom(what="^records that readers", expected='^"p1"$', seen='^"p1", "a1"')},
    story="The isolation level is looked at in the newest versions of Fetch only, and consumers of the years before are handed everything.",
    origin="textbook: a field that is read where it was needed last",
    parts=Parts(dialect=_OldReadersGetAll),
)
