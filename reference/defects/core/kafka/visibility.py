"""Defects of the Kafka reference in what readers see: the core's promises of visibility.

Where a defect of KIP-890 breaks a promise of the core as well, the same broken parts stand here with what a reader notices of them.
"""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import isolation, markers
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, Entry, Isolation, PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerState, ProducerStates
from fencepost.wire.kafka.batches import Batch, MarkerType

_SEQUENCES_KEPT = 5


class _ForgetsAborts(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:  # noqa: ARG002 - that is the defect
        return None


class _ShowsTheLastFirst(PartitionLog):
    def entries(self, offset: int) -> list[Entry]:
        found = super().entries(offset)
        return sorted(found, key=lambda entry: (entry.batch.control, -entry.batch.base_offset))


class _StopsAtTheStart(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        return None if super().first_unstable_offset() is None else self.start_offset


class _StaysWhereItStopped(PartitionLog):
    stop: int | None = None

    def first_unstable_offset(self) -> int | None:
        if self.stop is None:
            self.stop = super().first_unstable_offset()
        return self.stop

    def apply(self, entry: Entry) -> None:
        super().apply(entry)
        self.first_unstable_offset()


class _AnyEndReleases(PartitionLog):
    decided = 0

    def apply(self, entry: Entry) -> None:
        super().apply(entry)
        if entry.batch.marker is not None:
            self.decided = self.end_offset

    def first_unstable_offset(self) -> int | None:
        return min((start for start in self.producers.open_transactions() if start >= self.decided), default=None)


class _CountsTooShort(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:
        state = self.get(batch.producer_id)
        known = state.batches if state is not None and batch.producer_epoch == state.producer.epoch else ()
        number = batch.base_sequence % _SEQUENCES_KEPT
        return next((one for one in known if one.first_sequence % _SEQUENCES_KEPT == number), None)


class _AbortsFromTheStart(PartitionLog):
    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTransaction | None:
        aborted = super().aborted_by(marker, before)
        return None if aborted is None else replace(aborted, first_offset=self.start_offset)


class _AbortHidesAll(PartitionLog):
    def is_handed_out(self, entry: Entry, isolation: Isolation) -> bool:
        aborts = [one.batch.base_offset for one in self.entries(0) if one.batch.marker and one.batch.marker.type is MarkerType.ABORT]
        lies_before = entry.batch.transactional and not entry.batch.control and entry.batch.base_offset < max(aborts, default=-1)
        return isolation is Isolation.READ_UNCOMMITTED or not lies_before


LAST_LOG_NOT_TOLD = Defect(
    name="core-kafka-last-log-not-told",
    breaks={"CORE-01": Symptom(what="readers of payments", expected='^"a2"$', seen="^nothing")},
    story=markers.MARKER_MISSING_ON_ONE_PARTITION.story,
    origin=markers.MARKER_MISSING_ON_ONE_PARTITION.origin,
    parts=markers.MARKER_MISSING_ON_ONE_PARTITION.parts,
)

DIRTY_READ = Defect(
    name="core-kafka-dirty-read",
    breaks={"CORE-02": Symptom(seen='^"a1"$')},
    story=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.story,
    origin=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.origin,
    parts=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.parts,
)

RELEASED_BY_ANOTHER = Defect(
    name="core-kafka-released-by-another",
    breaks={"CORE-02": Symptom(what="readers of orders", expected='^no "a1"$', seen='^"a1", "b1"$')},
    story="Any marker moves the last stable offset behind itself, also over a transaction of somebody else that is open.",
    origin="textbook: a state that is kept by log where it should be kept by producer",
    parts=Parts(partition_log=_AnyEndReleases),
)

ABORTED_SHOWN = Defect(
    name="core-kafka-aborted-shown",
    breaks={"CORE-03": Symptom(seen='^"a1"')},
    story="Aborts are not in the index that readers are told of, and they hand over what was aborted.",
    origin="textbook: an index that is not written",
    parts=Parts(partition_log=_ForgetsAborts),
)

ORDER_TURNED = Defect(
    name="core-kafka-order-turned",
    breaks={"CORE-04": Symptom(seen='^"a3", "a2", "a1"$')},
    story="A reader is handed the batches of a log last first.",
    origin="textbook: batches from several segments, put together the wrong way round",
    parts=Parts(partition_log=_ShowsTheLastFirst),
)

ALL_HELD_UP = Defect(
    name="core-kafka-all-held-up",
    breaks={"CORE-05": Symptom(expected='^"early"$', seen="^nothing")},
    story="While a transaction is open, the last stable offset is the start of the log, and readers lose what they could see.",
    origin="textbook: an unknown offset taken for 0",
    parts=Parts(partition_log=_StopsAtTheStart),
)

READERS_NOT_RELEASED = Defect(
    name="core-kafka-readers-not-released",
    breaks={"CORE-06": Symptom(expected='^("a1", )?"plain"$', seen="^nothing")},
    story="The last stable offset stops at the first transaction, and stays there when that has ended.",
    origin="hanging transactions, the reason for KIP-890",
    parts=Parts(partition_log=_StaysWhereItStopped),
)

LATER_WRITES_TAKEN_FOR_REPEATED = Defect(
    name="core-kafka-later-writes-taken-for-repeated",
    breaks={"CORE-07": Symptom(seen='^"1", .*"5"$')},
    story=f"Sequence numbers are compared modulo {_SEQUENCES_KEPT}, so later writes are taken for repeated ones and dropped.",
    origin="textbook: a counter that wraps",
    parts=Parts(producer_states=_CountsTooShort),
)

ABORT_FROM_THE_START = Defect(
    name="core-kafka-abort-from-the-start",
    breaks={"CORE-08": Symptom(seen='^"a3"$')},
    story="An abort is told without where it begins, and takes with it what the same producer has committed before.",
    origin="textbook: an interval without its lower end",
    parts=Parts(partition_log=_AbortsFromTheStart),
)

ABORT_HIDES_ALL = Defect(
    name="core-kafka-abort-hides-all",
    breaks={"CORE-09": Symptom(expected='^"b1"$', seen="^nothing")},
    story="An abort hides every transactional record before its marker, whoever wrote it.",
    origin="textbook: a state that is kept by log where it should be kept by producer",
    parts=Parts(partition_log=_AbortHidesAll),
)
