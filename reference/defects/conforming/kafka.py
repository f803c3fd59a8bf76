"""Unusual, and conforming: what a suite must not take for a defect."""

from typing import ClassVar

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.markers import WriteMarker
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


@defect(origin="compacted topics, and brokers that write records of their own")
class GapsInOffsets(PartitionLog):
    """Offsets are skipped after each marker: they grow, and Kafka does not promise that they grow by one."""

    def offset_after(self, batch: Batch) -> int:
        return super().offset_after(batch) + (_GAP if batch.marker else 0)


@defect(origin="every cluster, when coordinator and leaders are different nodes")
class LateCompletion(SlowNetwork):
    """Markers arrive late, so clients get CONCURRENT_TRANSACTIONS for a while and have to retry."""


@defect(origin="a failover of the coordinator while markers are on their way, KAFKA-19999")
class DuplicateMarkerAfterRestart(KafkaCoordinator):
    """After a restart the coordinator sends each marker of a decided transaction twice, and each partition writes it twice."""

    def resend_markers_of_prepared(self) -> None:
        super().resend_markers_of_prepared()
        self._machine.network.duplicate(lambda content: isinstance(content, WriteMarker))
