"""Bugs of the field in how far readers of committed data may read, and in which aborts are listed for them."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, Entry, Isolation, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kernel.machine import Machine

_LOADING_MS = 50
_INDEXING_MS = 50


class _ReadsOneTooFar(PartitionLog):
    def latest_offset(self, isolation: Isolation) -> int:
        latest = super().latest_offset(isolation)
        return min(latest + 1, self.high_watermark) if isolation is Isolation.READ_COMMITTED else latest


LAST_STABLE_OFFSET_IS_READ = Defect(
    name="last-stable-offset-is-read",
    breaks={"KIP890-137": Symptom(what="^records that readers of", expected='^"p1"', seen='^"p1", "a1"')},
    story="The last stable offset is taken for the last one that may be read, so readers get the first record of an open transaction.",
    origin="redpanda-data/redpanda#3036: a bound that excludes its offset was passed on as one that includes it",
    parts=Parts(partition_log=_ReadsOneTooFar),
)


class _KnowsTransactionsLate(PartitionLog):
    def __init__(self, machine: Machine, profile: Profile, producer_states: type[ProducerStates], name: TopicPartition) -> None:
        self._known_from = machine.clock.now + _LOADING_MS
        super().__init__(machine, profile, producer_states, name)
        if not self._entries:
            self._known_from = 0

    def first_unstable_offset(self) -> int | None:
        first = super().first_unstable_offset()
        return first if self._clock.now >= self._known_from else None


STABLE_OFFSET_AHEAD_AFTER_START = Defect(
    name="stable-offset-ahead-after-start",
    breaks={"CORE-40": Symptom(what="^readers of orders", expected="^nothing", seen='^"a1"')},
    story="A partition that is loaded reports the end of its log as stable until it knows its open transactions, and then goes back.",
    origin="redpanda-data/redpanda#28360: the last stable offset was computed while the state was being reset",
    parts=Parts(partition_log=_KnowsTransactionsLate),
)


class _WaitsForAWrite(PartitionLog):
    _has_changed = False
    _is_replayed = False

    def __init__(self, machine: Machine, profile: Profile, producer_states: type[ProducerStates], name: TopicPartition) -> None:
        super().__init__(machine, profile, producer_states, name)
        self._is_replayed = True
        self._has_changed = not self._entries

    def apply(self, entry: Entry) -> None:
        super().apply(entry)
        self._has_changed = self._is_replayed or self._has_changed

    def first_unstable_offset(self) -> int | None:
        first = super().first_unstable_offset()
        return first if self._has_changed else self.start_offset


STABLE_OFFSET_UNKNOWN_UNTIL_A_WRITE = Defect(
    name="stable-offset-unknown-until-a-write",
    breaks={"KIP890-266": Symptom(what="^last stable offset", expected="^the offset of", seen="^last stable offset 0,")},
    story="After a restart the last stable offset is not set before something is written, so readers get nothing of an idle partition.",
    origin="redpanda-data/redpanda#30124: how far a partition had been applied was not set when it was loaded",
    parts=Parts(partition_log=_WaitsForAWrite),
)


class _IndexesLater(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        return tuple(aborted for aborted in super().aborted_in(first, upper) if self._is_indexed(aborted))

    def _is_indexed(self, aborted: AbortedTransaction) -> bool:
        marker = self.entries(aborted.last_offset)[0].batch
        return self._clock.now - marker.records[0].timestamp > _INDEXING_MS


ABORTED_INDEX_COMES_LATER = Defect(
    name="aborted-index-comes-later",
    breaks={"CORE-03": Symptom(what="^readers of orders", expected="^nothing", seen='^"a1"')},
    story="The index of aborted transactions is written in the background, so a Fetch right after the marker does not list the abort.",
    origin="AutoMQ/automq#734: an answer was built before an asynchronous look at the index had ended",
    parts=Parts(partition_log=_IndexesLater),
)
