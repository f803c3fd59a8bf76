"""Defects of the Kafka reference in what readers see: the core's promises of visibility.

Where a defect of KIP-890 breaks a promise of the core as well, the same broken parts are declared here with what a reader notices of them.
"""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890 import isolation, markers
from fencepost.reference.kafka.partition_log import AbortedTxn, LogEntry, PartitionLog, ReadIsolation
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates
from fencepost.wire.kafka.batches import Batch, MarkerType

_SEQUENCES_KEPT = 5


@defect({"CORE-03": seen('^"a1"')}, origin="textbook: an index that is not written")
class CoreKafkaAbortedShown(PartitionLog):
    """A leader leaves aborts out of the index that it returns to readers, so they hand over aborted records."""

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:  # noqa: ARG002 - that is the defect
        return None


@defect({"CORE-04": seen('^"a3", "a2", "a1"$')}, origin="textbook: batches from several segments, put together the wrong way round")
class CoreKafkaOrderTurned(PartitionLog):
    """A reader is handed the batches of a log last first."""

    def entries(self, offset: int) -> list[LogEntry]:
        found = super().entries(offset)
        return sorted(found, key=lambda entry: (entry.batch.control, -entry.batch.base_offset))


@defect({"CORE-05": seen("^nothing", expected='^"early"$')}, origin="textbook: an unknown offset treated as 0")
class CoreKafkaAllHeldUp(PartitionLog):
    """While a transaction is open, the last stable offset is the start of the log, and readers lose what they could see."""

    def first_unstable_offset(self) -> int | None:
        return None if super().first_unstable_offset() is None else self.start_offset


@defect({"CORE-06": seen("^nothing", expected='^("a1", )?"plain"$')}, origin="hanging transactions, the reason for KIP-890")
class CoreKafkaReadersNotReleased(PartitionLog):
    """The last stable offset stops at the first transaction, and stays there when that has ended."""

    stop: int | None = None

    def first_unstable_offset(self) -> int | None:
        if self.stop is None:
            self.stop = super().first_unstable_offset()
        return self.stop

    def apply(self, entry: LogEntry) -> None:
        super().apply(entry)
        self.first_unstable_offset()


@defect(
    {"CORE-02": seen('^"a1", "b1"$', expected='^no "a1"$', what="readers of orders")},
    origin="textbook: a state that is kept by log where it should be kept by producer",
)
class CoreKafkaReleasedByAnother(PartitionLog):
    """Any marker moves the last stable offset past itself, even past another producer's open transaction."""

    decided = 0

    def apply(self, entry: LogEntry) -> None:
        super().apply(entry)
        if entry.batch.marker is not None:
            self.decided = self.end_offset

    def first_unstable_offset(self) -> int | None:
        return min((start for start in self.producers.open_transactions() if start >= self.decided), default=None)


@defect({"CORE-07": seen('^"1", .*"5"$')}, origin="textbook: a counter that wraps")
class CoreKafkaLaterWritesTakenForRepeated(ProducerStates):
    """Sequence numbers are compared modulo 5, so later writes are taken for repeated ones and dropped."""

    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state = self.get(batch.producer_id)
        known = state.batches if state is not None and batch.producer_epoch == state.producer.epoch else ()
        number = batch.base_sequence % _SEQUENCES_KEPT
        return next((one for one in known if one.first_sequence % _SEQUENCES_KEPT == number), None)


@defect({"CORE-08": seen('^"a3"$')}, origin="textbook: an interval without its lower end")
class CoreKafkaAbortFromTheStart(PartitionLog):
    """A leader reports an abort without its first offset, so readers also skip what the same producer had committed before."""

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        aborted = super().aborted_by(marker, before)
        return None if aborted is None else replace(aborted, first_offset=self.start_offset)


@defect(
    {"CORE-09": seen("^nothing", expected='^"b1"$')}, origin="textbook: a state that is kept by log where it should be kept by producer"
)
class CoreKafkaAbortHidesAll(PartitionLog):
    """An abort hides every transactional record before its marker, whichever producer wrote it."""

    def is_handed_out(self, entry: LogEntry, isolation: ReadIsolation) -> bool:
        aborts = [one.batch.base_offset for one in self.entries(0) if one.batch.marker and one.batch.marker.type is MarkerType.ABORT]
        lies_before = entry.batch.transactional and not entry.batch.control and entry.batch.base_offset < max(aborts, default=-1)
        return isolation is ReadIsolation.READ_UNCOMMITTED or not lies_before


@defect(
    {"CORE-01": seen("^nothing", expected='^"a2"$', what="readers of payments")},
    origin="Kafka 4.3.1, where a coordinator that loads may take a partition for deleted",
)
class CoreKafkaLastLogNotTold(markers.MarkerMissingOnOnePartition):
    """The last one of several partitions never learns how the transaction ended, and its data stays undecided."""


@defect({"CORE-02": seen('^"a1"$')}, origin="streamnative/kop#1283: a transaction that took its time was read before it was aborted")
class CoreKafkaDirtyRead(isolation.LsoIgnoresOpenTransactions):
    """The last stable offset is the high watermark, so that readers of committed data see what may still be aborted."""
