"""Produce without waiting for its answer: several may be in flight on one connection, as with a producer."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.contract.outcomes import Done, Outcome
from fencepost.wire.kafka.batches import Batch, encode

from .cluster import LeaderOf
from .kafka_values import Appended, TopicPartition
from .partitions import PartitionCalls


class SendingCalls(PartitionCalls):
    """Writing to logs, one batch after another."""

    def send_produce(
        self, partition: TopicPartition, batch: Batch, *, transactional_id: str | None, version: int = 12
    ) -> Callable[[], Outcome[Appended]]:
        """Send Produce of this batch, once, now. Several may be in flight: the caller awaits their answers in order, before its next other
        request.
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
