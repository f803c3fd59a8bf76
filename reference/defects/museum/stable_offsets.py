"""Bugs of the field in how far readers of committed data may read, and in which aborts are listed for them."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.partition_log import AbortedTxn, LogEntry, PartitionLog, ReadIsolation
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kernel.machine import Machine

_LOADING_MS = 50
_INDEXING_MS = 50


@defect(
    {"KIP890-137": seen('^"p1", "a1"', expected='^"p1"', what="^records that readers of")},
    origin="redpanda-data/redpanda#3036: a bound that excludes its offset was passed on as one that includes it",
)
class LastStableOffsetIsRead(PartitionLog):
    """The last stable offset is taken for the last one that may be read, so readers get the first record of an open transaction."""

    def latest_offset(self, isolation: ReadIsolation) -> int:
        latest = super().latest_offset(isolation)
        return min(latest + 1, self.high_watermark) if isolation is ReadIsolation.READ_COMMITTED else latest


@defect(
    {"CORE-40": seen('^"a1"', expected="^nothing", what="^readers of orders")},
    origin="redpanda-data/redpanda#28360: the last stable offset was computed while the state was being reset",
)
class StableOffsetAheadAfterStart(PartitionLog):
    """A partition that is loaded reports the end of its log as stable until it knows its open transactions, and then goes back."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        self._known_from = machine.clock.now + _LOADING_MS
        super().__init__(machine, producer_states, name)
        if not self._entries:
            self._known_from = 0

    def first_unstable_offset(self) -> int | None:
        first = super().first_unstable_offset()
        return first if self._clock.now >= self._known_from else None


@defect(
    {"KIP890-266": seen("^last stable offset 0,", expected="^the offset of", what="^last stable offset")},
    origin="redpanda-data/redpanda#30124: how far a partition had been applied was not set when it was loaded",
)
class StableOffsetUnknownUntilAWrite(PartitionLog):
    """After a restart the last stable offset is not set before something is written, so readers get nothing of an idle partition."""

    _has_changed = False
    _is_replayed = False

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self._is_replayed = True
        self._has_changed = not self._entries

    def apply(self, entry: LogEntry) -> None:
        super().apply(entry)
        self._has_changed = self._is_replayed or self._has_changed

    def first_unstable_offset(self) -> int | None:
        first = super().first_unstable_offset()
        return first if self._has_changed else self.start_offset


@defect(
    {"CORE-03": seen('^"a1"', expected="^nothing", what="^readers of orders")},
    origin="AutoMQ/automq#734: an answer was built before an asynchronous look at the index had ended",
)
class AbortedIndexComesLater(PartitionLog):
    """The index of aborted transactions is written in the background, so a Fetch right after the marker does not list the abort."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return tuple(aborted for aborted in super().aborted_in(first, upper) if self._is_indexed(aborted))

    def _is_indexed(self, aborted: AbortedTxn) -> bool:
        marker = self.entries(aborted.last_offset)[0].batch
        return self._clock.now - marker.records[0].timestamp > _INDEXING_MS
