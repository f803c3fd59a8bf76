"""Defects in what becomes of an open transaction when its id is initialised, once or by several at once, or its time is over."""

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import MarkerType


@defect(
    {"KIP890-203": seen("^nothing", expected='^"p1"', what="^records that readers")},
    origin="textbook: any client that has the right epoch is treated as a retry",
)
class OwnerLeavesItsTransactionOpen(KafkaCoordinator):
    """An owner that sends its producer id and epoch gets the next epoch at once, and the transaction that it left open is never ended
    in its partitions."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.state is KafkaTransactionState.ONGOING and expected == known.producer:
            self._transactions[transactional_id] = replace(known, state=KafkaTransactionState.COMPLETE_ABORT, partitions=frozenset())
        return super().init_producer_id(transactional_id, timeout_ms, expected)


@defect(
    {"KIP890-204": seen(r"success with (\(producer id \d+, epoch \d+\)); success with \1", what="^epochs of instances")},
    origin="textbook: read, raise and store without a lock",
)
class OneEpochForSeveral(KafkaCoordinator):
    """Instances that start together read the epoch before any of them has stored the next one, and all get the same."""

    _last: tuple[str, ProducerIdAndEpoch] | None = None

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        if self._last is not None and self._last[0] == transactional_id and expected == NO_PRODUCER:
            return self._last[1]
        self._last = transactional_id, super().init_producer_id(transactional_id, timeout_ms, expected)
        return self._last[1]

    def describe(self, transactional_id: str) -> KafkaTransaction:
        self._last = None  # a client that asks in between finds it stored
        return super().describe(transactional_id)


@defect(
    {"KIP890-205": seen("UNSTABLE_OFFSET_COMMIT", what="^stable offset")},
    origin="textbook: the group's partition is treated as one that only clients end",
)
class PendingOffsetsOutliveTheAbort(KafkaCoordinator):
    """An abort by the coordinator reaches the partitions with records only, and the group's offsets are pending for ever."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        super().abort_by_server(replace(transaction, partitions=transaction.partitions - {OFFSETS_PARTITION}))


@defect(
    {"KIP890-205": Symptom(what="stable offset of payments-0", error="^UNSTABLE_OFFSET_COMMIT$")},
    origin="textbook: a clean-up that was tried with records or with offsets, and never with both",
)
class OffsetsUnmarkedBesideData(KafkaCoordinator):
    """When the coordinator aborts by itself, the partitions with records get their marker, and that of the group's offsets gets none."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        data = transaction.partitions - {OFFSETS_PARTITION}
        super().abort_by_server(replace(transaction, partitions=data or transaction.partitions))


@defect(
    {
        "KIP890-054": seen("^offset 5", expected="^no offset", what="committed offset of payments-0"),
        "KIP890-205": seen("^offset 5", expected="^no offset", what="committed offset of payments-0"),
    },
    origin="textbook: what is decided by producer id outlives its transaction",
)
class AbortedOffsetsComeUp(GroupOffsets):
    """An abort hides a producer's pending offsets and does not drop them, so that its next commit commits them with its own."""

    _left: dict[int, dict[Any, Any]] | None = None

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        left = self._left = self._left if self._left is not None else {}
        if decision is MarkerType.ABORT:
            left.setdefault(producer_id, {}).update(self._pending.get(producer_id, {}))
        else:
            self._pending[producer_id] = left.pop(producer_id, {}) | self._pending.get(producer_id, {})
        super().decide(producer_id, decision)


@defect(
    {"KIP890-204": seen(r"epoch 2\).*epoch 2\)", expected="different epochs", what="^epochs of instances")},
    origin="red team: requests that are kept until the abort is complete, and then answered together",
)
class AllWhoWaitGetOneEpoch(KafkaCoordinator):
    """Two instances that wait for the same abort get the same producer id and epoch."""

    @cached_property
    def waiting(self) -> Counter[str]:
        """How many requests were answered "retry later", and have not been repeated, by transactional id."""
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
