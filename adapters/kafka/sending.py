"""Produce without waiting for its answer: several may be in flight on one connection, as a producer has them."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.contract.outcomes import Done, Outcome
from fencepost.wire.kafka.batches import Batch, encode

from .cluster import LeaderOf
from .partitions import PartitionCalls
from .values import Appended, TopicPartition


class SendingCalls(PartitionCalls):
    """Writing to logs, one batch behind the other."""

    def send_produce(
        self, partition: TopicPartition, batch: Batch, *, transactional_id: str | None, version: int = 12
    ) -> Callable[[], Outcome[Appended]]:
        """Produce of this batch, put once and sent now. Several may be in flight: their answers are waited for in the order of the
        requests, and before this client asks that node for anything else.
        """
        match self._appending({partition: encode(batch)}, transactional_id, version):
            case Done((message, read)):
                wait = self._send(LeaderOf(partition), message, read)
            case trouble:
                return lambda: trouble

        def appended() -> Outcome[Appended]:
            outcome = wait()
            return outcome.value[partition] if isinstance(outcome, Done) else outcome

        return appended
