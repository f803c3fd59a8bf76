"""Defects of a coordinator whose log refuses a record once: what it has already done then, and what it never does again."""

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import RequestRefused
from fencepost.reference.kafka.kafka_topics import OFFSETS_TOPIC
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction


@defect(
    {
        "KIP890-460": seen("PRODUCER_FENCED", expected=r"epoch 1\)", what="^answer to EndTxn"),
        "KIP890-461": seen(r"epoch 3\)", expected=r"epoch 2\)", what="^answer to InitProducerId"),
    },
    origin="KAFKA-19367, follow-up: apache/kafka#19976, a failed fence left its mark when the append failed",
)
class EpochSpentByARefusedEnd(KafkaCoordinator):
    """The bumped epoch stays in memory when the log refuses the decision, so the client that retries is fenced or skips an epoch."""

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        before = self._transactions.get(transaction.transactional_id)
        try:
            return super().install(transaction)
        except RequestRefused:
            if before is not None and transaction.producer_epoch > before.producer_epoch and transaction.partitions:
                self._transactions[transaction.transactional_id] = replace(before, producer_epoch=transaction.producer_epoch)
            raise


@defect(
    {"KIP890-462": seen("Ongoing", expected="payments-0", what="^transaction of A")}, origin="textbook: memory that is ahead of its log"
)
class PartitionAddedWithoutTheLog(KafkaCoordinator):
    """A partition that the log has refused is in the transaction all the same, so the next write is taken, and a crash loses it."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        partitions = tuple(partitions)
        try:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)
        except RequestRefused:
            transaction = self._transactions.get(transactional_id)
            if transaction is not None and not self._is_pending(transaction) and transaction.producer == producer:
                added = transaction.add(frozenset(partitions), transaction_version, self._machine.clock.now)
                self._transactions[transactional_id] = added
            raise


@defect(
    {"KIP890-463": seen("^PrepareCommit", expected="^over", what="^transaction of A")},
    origin="textbook: a last step that is called by the step before it only",
)
class CompletionTriedOnce(KafkaCoordinator):
    """When the log does not take the completion, no timer tries it again, and the transactional id is busy for ever."""

    def completion_failed(self, transactional_id: str) -> None:
        pass


@defect(
    {"KIP890-463": seen("^PrepareAbort", expected="^over", what="^transaction of A")},
    origin="red team: an abort has nothing to show, so nothing is lost if it is never complete",
)
class CompletionOfAnAbortTriedOnce(KafkaCoordinator):
    """When the log does not take the completion of an abort, no timer tries it again, and the transactional id is busy for ever."""

    def completion_failed(self, transactional_id: str) -> None:
        if self._transactions[transactional_id].decision is Decision.COMMIT:
            super().completion_failed(transactional_id)


@defect(
    {"KIP890-464": seen("^success", expected="^TRANSACTIONAL_ID_NOT_FOUND", what="^transaction of A")},
    origin="KAFKA-14880: an exception ended the task that expires transactional ids",
)
class ExpiryEndsWithARefusal(KafkaCoordinator):
    """The task that expires transactional ids ends with the first record that the log refuses, and no id expires any more."""

    _has_failed = False

    def forget_idle(self, before: int) -> None:
        if not self._has_failed:
            super().forget_idle(before)

    def forgets(self, transaction: KafkaTransaction) -> bool:
        taken = super().forgets(transaction)
        self._has_failed = self._has_failed or not taken
        return taken


@defect(
    {"KIP890-465": seen("none|no", expected="5", what="group shop|offset")}, origin="textbook: an answer that does not wait for the append"
)
class MarkerOfOffsetsTriedOnce(PartitionLog):
    """The group coordinator answers that it has the marker before its log does, so the offsets stay pending when that refuses it."""

    def append_marker(self, marker: TransactionMarker) -> None:
        if self.name.topic != OFFSETS_TOPIC:
            super().append_marker(marker)
            return
        with contextlib.suppress(RequestRefused):
            super().append_marker(marker)
