"""Defects in how several instances that take over at once are answered."""

from collections import Counter
from functools import cached_property

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransactionState


@defect(
    {"KIP890-204": seen(r"epoch 2\).*epoch 2\)", expected="different epochs", what="^epochs of instances")},
    origin="red team: requests that are kept until the abort is complete, and then answered together",
)
class AllWhoWaitGetOneEpoch(KafkaCoordinator):
    """Two instances that wait for the same abort get the same producer id and epoch."""

    @cached_property
    def waiting(self) -> Counter[str]:
        """How many were asked to wait, and have not retried, by transactional id."""
        return Counter()

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        has_answered = known is not None and known.state is KafkaTransactionState.EMPTY and self.waiting[transactional_id] > 0
        if has_answered and known is not None and expected == NO_PRODUCER:
            self.waiting[transactional_id] -= 1
            return known.producer
        try:
            producer = super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused as refusal:
            self.waiting[transactional_id] += refusal.error is Errors.CONCURRENT_TRANSACTIONS
            raise
        self.waiting[transactional_id] = max(0, self.waiting[transactional_id] - 1)
        return producer
