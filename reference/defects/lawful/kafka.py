"""Unusual, and lawful: what a suite must not take for a defect."""

from typing import ClassVar

from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.markers import WriteMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kernel.network import Network
from fencepost.wire.kafka.batches import Batch

_AT_MOST_MS = 50
_GAP = 7


class SlowNetwork(Network):
    """Messages arrive when they have waited for some requests to be answered, or for some time."""

    every: ClassVar[int] = 4
    """A request takes two of these rounds: whether it has to wait, and its answer."""

    _rounds = 0

    def deliver(self) -> None:
        if not self._in_flight:
            self._rounds = 0
            return
        self._rounds += 1
        has_waited_ms = self._clock.now - min(message.sent_at for message in self._in_flight)
        if self._rounds >= self.every or has_waited_ms >= _AT_MOST_MS:
            self._rounds = 0
            super().deliver()


class _GapsBehindMarkers(PartitionLog):
    def offset_after(self, batch: Batch) -> int:
        return super().offset_after(batch) + (_GAP if batch.marker else 0)


LATE_COMPLETION = Defect(
    name="late-completion",
    story="Markers take their time, so that clients are told CONCURRENT_TRANSACTIONS for a while and have to ask again.",
    origin="every cluster, when coordinator and leaders are different nodes",
    parts=Parts(network=SlowNetwork),
)

GAPS_IN_OFFSETS = Defect(
    name="gaps-in-offsets",
    story="Offsets are skipped behind each marker: they grow, and nobody promised that they grow by one.",
    origin="compacted topics, and brokers that write records of their own",
    parts=Parts(partition_log=_GapsBehindMarkers),
)


class _TellsTwice(Coordinator):
    def resend_markers_of_prepared(self) -> None:
        super().resend_markers_of_prepared()
        self._machine.network.duplicate(lambda content: isinstance(content, WriteMarker))


DUPLICATE_MARKER_AFTER_RESTART = Defect(
    name="duplicate-marker-after-restart",
    story="What was decided before a crash is told to each partition twice, and each writes the marker twice.",
    origin="a fail-over of the coordinator while markers are on their way, KAFKA-19999",
    parts=Parts(coordinator=_TellsTwice),
)
