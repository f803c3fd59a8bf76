"""Defects in the second of two: requests with offsets, prepared transactions, transactions of one id."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch, MarkerType


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 5", what="^committed offset of payments-0")},
    origin="red team: pending offsets kept by the producer id alone",
)
class SecondOffsetCommitReplaces(GroupOffsets):
    """A second TxnOffsetCommit of a transaction replaces the first, so that a commit applies the last one only."""

    def take_in(self, batch: Batch) -> None:
        if batch.transactional and batch.marker is None:
            self._pending.pop(batch.producer_id, None)
        super().take_in(batch)


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 7", what="^committed offset of payments-1")},
    origin="feared: a request that is treated as a repetition of the first",
)
class SecondOffsetCommitIsLost(GroupOffsets):
    """A second TxnOffsetCommit of a transaction is answered and not kept."""

    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if before and batch.transactional and batch.marker is None:
            self._pending[batch.producer_id] = before


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 5", what="^committed offset of payments-1")},
    origin="red team: the first element is used for the whole list",
)
class OffsetOfTheFirstPartitionAlone(GroupOffsets):
    """A TxnOffsetCommit with several offsets stores the first, and all are answered."""

    def take_in(self, batch: Batch) -> None:
        is_request = batch.transactional and batch.marker is None
        super().take_in(replace(batch, records=batch.records[:1]) if is_request else batch)


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 5", what="^committed offset of payments-0")},
    origin="red team: a loop over the partitions inside of one over the topics",
)
class OffsetsOfTheFirstTopicAlone(GroupOffsets):
    """A TxnOffsetCommit with several topics stores the offsets of the first topic, and all are answered."""

    def take_in(self, batch: Batch) -> None:
        if batch.transactional and batch.marker is None:
            topics = [json.loads(record.key or b"")[1] for record in batch.records]
            of_first = [record for record, topic in zip(batch.records, topics, strict=True) if topic == topics[0]]
            batch = replace(batch, records=tuple(of_first))
        super().take_in(batch)


@defect({"KIP890-401": seen("^Prepare", what="^transaction of B")}, origin="red team: a loop over the transaction log that ends early")
class FirstPreparedAloneCompleted(KafkaCoordinator):
    """A coordinator that starts completes the first prepared transaction that it finds, and leaves the others as they are."""

    def resend_markers_of_prepared(self) -> None:
        known = self._transactions
        prepared = [name for name, transaction in known.items() if transaction.state in PREPARED]
        self._transactions = {name: known[name] for name in prepared[:1]}
        super().resend_markers_of_prepared()
        self._transactions = known | self._transactions
        self._pending |= set(prepared)


@defect(
    {"KIP890-402": seen("^start time", expected="^a start time after", what="^start time of A$")},
    origin="red team: a start time that is set when there is none",
)
class StartOfTheTransactionBefore(KafkaCoordinator):
    """The second transaction of an id has the start time of the first."""

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        before = self._transactions.get(transaction.transactional_id)
        if before is not None and before.started_at >= 0 and transaction.state is KafkaTransactionState.ONGOING:
            transaction = replace(transaction, started_at=before.started_at)
        return super().install(transaction)


@defect(
    {"KIP890-402": seen("^A not in it", expected="^A is listed$", what="^list of transactions$")},
    origin="red team: the wrong one of two times",
)
class DurationFromTheLastChange(TransactionFilter):
    """The duration filter of ListTransactions counts from the last change of a transaction, and not from its start."""

    def began_longer_ago(self, transaction: KafkaTransaction, now: int, duration_ms: int) -> bool:
        return now - transaction.updated_at > duration_ms


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 5", what="^committed offset of accounts-2")},
    origin="red team: a pair is taken apart, and the rest is left over",
)
class ThirdPartitionIsLost(GroupOffsets):
    """A TxnOffsetCommit with offsets of more than two partitions stores those of the first two."""

    def take_in(self, batch: Batch) -> None:
        super().take_in(replace(batch, records=batch.records[:2]) if batch.transactional and batch.marker is None else batch)


@defect(
    {"KIP890-400": seen("^offset 6", expected="^offset 7", what="^committed offset of payments-0")},
    origin="red team: a first and a last request, and none after them",
)
class ThirdOffsetCommitIsLost(GroupOffsets):
    """After two TxnOffsetCommits of a transaction the next ones are answered and not kept."""

    def __init__(self, *parts: Any) -> None:
        self._requests: Counter[tuple[int, int]] = Counter()
        super().__init__(*parts)

    def take_in(self, batch: Batch) -> None:
        if batch.transactional and batch.marker is None:
            self._requests[batch.producer_id, batch.producer_epoch] += 1
        if self._requests[batch.producer_id, batch.producer_epoch] <= 2 or batch.marker is not None:
            super().take_in(batch)


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 7", what="^committed offset of payments-0 in group billing")},
    origin="red team: a pair is taken apart, and the rest is left over",
)
class ThirdGroupIsLost(GroupOffsets):
    """A commit applies the offsets of the first two groups of a transaction."""

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        pending = self._pending.get(producer_id, {})
        first = list(dict.fromkeys(place.group for place in pending))[:2]
        self._pending[producer_id] = {place: stored for place, stored in pending.items() if place.group in first}
        super().decide(producer_id, decision)


@defect(
    {"KIP890-400": seen("^no offset", expected="^offset 5", what="^committed offset of payments-0 in group shop")},
    origin="red team: pending offsets that are loaded by the producer id alone",
)
class ReloadedGroupReplacesAnother(GroupOffsets):
    """After a crash a transaction has the pending offsets of the last group alone to which it has sent some."""

    def take_in(self, batch: Batch) -> None:
        if self._is_starting and batch.transactional and batch.marker is None:
            group = json.loads(batch.records[0].key or b"")[0]
            before = self._pending.get(batch.producer_id, {})
            self._pending[batch.producer_id] = {place: stored for place, stored in before.items() if place.group == group}
        super().take_in(batch)


@defect(
    {"KIP890-402": seen("^start time", expected="^a start time after", what="^start time of A$")},
    origin="red team: two ways into a transaction, of which one sets the time",
)
class OffsetsKeepTheStartBefore(KafkaCoordinator):
    """A transaction that begins with offsets of a group has the start time of the previous one."""

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        before = self._transactions.get(transaction.transactional_id)
        if (
            before is not None
            and before.is_idle
            and before.started_at >= 0
            and transaction.state is KafkaTransactionState.ONGOING
            and transaction.partitions == {OFFSETS_PARTITION}
        ):
            transaction = replace(transaction, started_at=before.started_at)
        return super().install(transaction)


@defect(
    {"KIP890-402": seen("^start time", expected="^a start time after", what="^start time of A$")},
    origin="red team: a time that a commit resets, and an abort does not",
)
class StartOfTheAbortedBefore(KafkaCoordinator):
    """The transaction after an aborted one has the start time of that one."""

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        before = self._transactions.get(transaction.transactional_id)
        is_after_abort = before is not None and before.state is KafkaTransactionState.COMPLETE_ABORT and before.started_at >= 0
        if before is not None and is_after_abort and transaction.state is KafkaTransactionState.ONGOING:
            transaction = replace(transaction, started_at=before.started_at)
        return super().install(transaction)
