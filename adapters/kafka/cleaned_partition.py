"""A compacted partition in which it can be seen when a pass of the log cleaner is complete.

A cleaner does not touch the segment that is being written, and runs at any time. So the partition begins with two records of one key. A
record with a later time begins another segment, and when the first of the two is gone, a pass over all earlier records is complete.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Time
from fencepost.wire.kafka.batches import Record

from .kafka_values import Appended, IsolationLevel, LogView, TopicPartition
from .probe import KafkaProbe

CLEANER_RECORD = "of the kit: "
"""How values and keys of the records begin that show that a pass is complete."""

_SEGMENT_MS = 300_000
"""A segment.ms that is longer than a scenario: segments end where the kit ends them."""


class CleanedPartition:
    """The only partition of a topic that was created with `configs`."""

    def __init__(self, probe: KafkaProbe, time: Time, where: TopicPartition) -> None:
        self._probe, self._time, self._where = probe, time, where
        self._pairs = self._segments = self._pair_is_in = 0

    @staticmethod
    def configs(retention_ms: int) -> Mapping[str, str]:
        """The configuration of its topic, with this delete.retention.ms."""
        return {
            "cleanup.policy": "compact",
            "message.timestamp.type": "CreateTime",
            "segment.ms": str(_SEGMENT_MS),
            "min.cleanable.dirty.ratio": "0.0",
            "delete.retention.ms": str(retention_ms),
        }

    @property
    def first(self) -> str:
        """The value of the record that the next pass removes."""
        return f"{CLEANER_RECORD}first of pair {self._pairs}"

    @property
    def may_be_passed(self) -> bool:
        """Whether another segment has begun since the pair was written, so that a pass may have removed the first one already."""
        return self._pair_is_in < self._segments

    def write_pair(self) -> Iterator[Outcome[Appended]]:
        """Two records of one key, in the segment that is being written: the first one remains until a pass is complete."""
        self._pairs += 1
        self._pair_is_in = self._segments
        for value in (self.first, f"{CLEANER_RECORD}second of pair {self._pairs}"):
            yield self._write(f"pair {self._pairs}", value)

    def begin_segment(self) -> Outcome[Appended]:
        """A record with a time that is later by more than segment.ms is the first of a new segment."""
        self._segments += 1
        value = f"{CLEANER_RECORD}segment {self._segments}"
        return self._write(value, value)

    def looks(self) -> Iterator[Outcome[LogView]]:
        """Looks of a reader of committed data, until the first of the pair is gone, or for as long as the session is patient."""
        for _ in self._time.attempts():
            look = self._probe.read(self._where, IsolationLevel.READ_COMMITTED)
            yield look
            if isinstance(look, Done) and look.value.offset_of(self.first) is None:
                return

    def _write(self, key: str, value: str) -> Outcome[Appended]:
        batch = self._probe.batch_of([""], transactional=False)
        # So far ahead of the clock that the next one begins a segment.
        time = batch.records[0].timestamp + self._segments * (_SEGMENT_MS + 1_000)
        record = Record(value.encode(), f"{CLEANER_RECORD}{key}".encode(), time)
        version = self._probe.newest("produce", 3, 12)
        return self._probe.produce_one_batch(self._where, replace(batch, records=(record,)), transactional_id=None, version=version)
