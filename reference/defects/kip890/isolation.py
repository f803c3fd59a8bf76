"""Defects in what readers of committed data see."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.partition_log import LogEntry, Page, PartitionLog, ReadIsolation

_PLACES = 2


@defect(
    {"KIP890-137": seen(r'"a1".*; last stable offset (\d+), high watermark \1;')},
    origin="streamnative/kop#1283: a transaction that took its time was read before it was aborted",
)
class LsoIgnoresOpenTransactions(PartitionLog):
    """The last stable offset is the high watermark, so that readers of committed data see what may still be aborted."""

    def first_unstable_offset(self) -> int | None:
        return None


@defect({"KIP890-138": seen(r"^(\d+); .*high watermark \1$", expected=r"last stable offset \d+")}, origin="librdkafka's mock broker")
class LatestIgnoresIsolation(PartitionLog):
    """ListOffsets returns the high watermark to every reader, so a reader of committed data waits for records that it may not receive."""

    def latest_offset(self, isolation: ReadIsolation) -> int:  # noqa: ARG002 - that is the defect
        return self.high_watermark


@defect(
    {"KIP890-141": seen("^nothing", what="records that read_uncommitted readers of payments-0 see")},
    origin="textbook: a bound that does not look at the isolation level",
)
class UncommittedHidden(PartitionLog):
    """Readers of uncommitted data are held at the last stable offset as well."""

    def latest_offset(self, isolation: ReadIsolation) -> int:  # noqa: ARG002 - that is the defect
        return self.last_stable_offset


@defect(
    {"KIP890-142": seen(r'^"a1", "b1"; last stable offset (\d+), high watermark \1;')},
    origin="textbook: one open transaction is remembered for each partition",
)
class AnyEndReleasesAll(PartitionLog):
    """A marker moves the last stable offset to its own end, past transactions that are still open before it."""

    def first_unstable_offset(self) -> int | None:
        after = max((entry.batch.base_offset + 1 for entry in self.entries(0) if entry.batch.marker), default=0)
        first = super().first_unstable_offset()
        return None if first is None or first < after else first


@defect(
    {"KIP890-137": seen('^"a1"', expected="^nothing", what="^one byte of payments-0")},
    origin="KIP-74: a Fetch makes progress with a batch that is too large; its exception forgot the last stable offset",
)
class SmallReadersSeeTheOpen(PartitionLog):
    """A Fetch returns at least one batch where that is larger than the limit, also when the batch is not decided."""

    def read(self, offset: int, isolation: ReadIsolation, max_bytes: int) -> Page:
        page = super().read(offset, isolation, max_bytes)
        next_one = self.entries(offset)[:1]
        if page.data or not next_one or len(next_one[0].data) <= max_bytes:
            return page
        return Page(next_one[0].data, page.aborted)


@defect(
    {"KIP890-137": seen('^"p1", "a1"', expected='^"p1"$', what="^records that readers")},
    origin="textbook: a field that is read where it was needed last",
)
class OldReadersGetAll(Dialect):
    """The isolation level is looked at in the newest versions of Fetch only, and consumers of the years before are handed everything."""

    def isolation(self, asked: int, version: int) -> int:
        return asked if version >= 12 else ReadIsolation.READ_UNCOMMITTED


class _ForgetsOpenTransactions(PartitionLog):
    """The last stable offset passes those open transactions that `forgets` chooses when a transaction begins."""

    _forgotten: frozenset[int] = frozenset()

    def forgets(self, starts: Sequence[int]) -> Sequence[int]:
        """Which of the offsets at which the open transactions begin, in order, are forgotten."""
        raise NotImplementedError

    def apply(self, entry: LogEntry) -> None:
        super().apply(entry)
        starts = sorted(self.producers.open_transactions())
        if entry.batch.base_offset in starts:
            self._forgotten |= set(self.forgets(starts))

    def first_unstable_offset(self) -> int | None:
        if super().first_unstable_offset() is None:
            return None
        starts = set(self.producers.open_transactions()) - self._forgotten
        return min([*starts, *self.replication.undecided()], default=None)


@defect(
    {"KIP890-142": seen("^last stable offset 2, ", expected='^the offset of "b1"')},
    origin="red team: a first and a last are kept in place of a list",
)
class OldestAndNewestRemembered(_ForgetsOpenTransactions):
    """A partition remembers its oldest and its newest open transaction; when the oldest ends, the last stable offset passes all between."""

    def forgets(self, starts: Sequence[int]) -> Sequence[int]:
        return starts[1:-1]


@defect(
    {"KIP890-142": seen("^last stable offset 5, ", expected='^the offset of "c1"')},
    origin="red team: the second of two places is taken",
)
class ThirdOpenTransactionForgotten(_ForgetsOpenTransactions):
    """A partition has place for two open transactions; one that begins while both are open does not hold the last stable offset."""

    def forgets(self, starts: Sequence[int]) -> Sequence[int]:
        return starts[2:]


@defect(
    {"KIP890-142": Symptom(what="last stable offset of payments-0")}, origin="textbook: places for as many as its author could think of"
)
class LsoKnowsTwo(PartitionLog):
    """A partition counts only the two youngest of its open transactions, so readers pass the first record of the oldest of three."""

    def first_unstable_offset(self) -> int | None:
        known = sorted(self.producers.open_transactions())[-_PLACES:]
        return max(known[0], self.start_offset) if known else super().first_unstable_offset()


@defect(
    {"KIP890-138": seen("^[0-9]+; ", expected="^its last stable offset", what="^latest offset of payments-1 for read_committed$")},
    origin="red team: a field of the request that is read for its first entry",
)
class LevelOfTheFirstPartition(Dialect):
    """ListOffsets has its isolation level for the first partition, and answers the high watermark of the others."""

    def isolation_of_entry(self, asked: ReadIsolation, place: int) -> ReadIsolation:
        return asked if place == 0 else ReadIsolation.READ_UNCOMMITTED
