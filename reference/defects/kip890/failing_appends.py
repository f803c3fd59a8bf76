"""Defects of a coordinator whose log refuses a record once: what it has done already, and what it never does again."""

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Refused
from fencepost.reference.kafka.markers import TransactionMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.topics import OFFSETS_TOPIC
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition


class _PreparesBeforeItsLog(Coordinator):
    def install(self, transaction: Transaction) -> Transaction:
        before = self._transactions.get(transaction.transactional_id)
        try:
            return super().install(transaction)
        except Refused:
            if before is not None and transaction.producer_epoch > before.producer_epoch and transaction.partitions:
                self._transactions[transaction.transactional_id] = replace(before, producer_epoch=transaction.producer_epoch)
            raise


EPOCH_SPENT_BY_A_REFUSED_END = Defect(
    name="epoch-spent-by-a-refused-end",
    breaks={
        "KIP890-460": Symptom(what="^answer to EndTxn", expected=r"epoch 1\)", seen="PRODUCER_FENCED"),
        "KIP890-461": Symptom(what="^answer to InitProducerId", expected=r"epoch 2\)", seen=r"epoch 3\)"),
    },
    story="The bumped epoch stays in memory when the log does not take the decision, so the client that asks again is fenced or jumps one.",
    origin="KAFKA-19367, follow-up: apache/kafka#19976, a failed fence left its mark when the append failed",
    parts=Parts(coordinator=_PreparesBeforeItsLog),
)


class _AddsBeforeItsLog(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        partitions = tuple(partitions)
        try:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)
        except Refused:
            transaction = self._transactions.get(transactional_id)
            if transaction is not None and not self._is_pending(transaction) and transaction.producer == producer:
                added = transaction.add(frozenset(partitions), transaction_version, self._machine.clock.now)
                self._transactions[transactional_id] = added
            raise


PARTITION_ADDED_WITHOUT_THE_LOG = Defect(
    name="partition-added-without-the-log",
    breaks={"KIP890-462": Symptom(what="^transaction of A", expected="payments-0", seen="Ongoing")},
    story="A partition that the log has refused is in the transaction all the same, so the next write is taken, and a crash loses it.",
    origin="textbook: memory that is ahead of its log",
    parts=Parts(coordinator=_AddsBeforeItsLog),
)


class _CompletesOnce(Coordinator):
    def completion_failed(self, transactional_id: str) -> None:
        pass


COMPLETION_TRIED_ONCE = Defect(
    name="completion-tried-once",
    breaks={"KIP890-463": Symptom(what="^transaction of A", expected="^CompleteCommit", seen="^PrepareCommit")},
    story="When the log does not take the completion, no timer tries it again, and the transactional id is busy for ever.",
    origin="textbook: a last step that is called by the step before it only",
    parts=Parts(coordinator=_CompletesOnce),
)


class _StopsExpiring(Coordinator):
    _has_failed = False

    def forget_idle(self, before: int) -> None:
        if not self._has_failed:
            super().forget_idle(before)

    def forgets(self, transaction: Transaction) -> bool:
        taken = super().forgets(transaction)
        self._has_failed = self._has_failed or not taken
        return taken


EXPIRY_ENDS_WITH_A_REFUSAL = Defect(
    name="expiry-ends-with-a-refusal",
    breaks={"KIP890-464": Symptom(what="^transaction of A", expected="^TRANSACTIONAL_ID_NOT_FOUND", seen="^success")},
    story="The task that expires transactional ids ends with the first record that the log refuses, and no id expires any more.",
    origin="KAFKA-14880: an exception ended the task that expires transactional ids",
    parts=Parts(coordinator=_StopsExpiring),
)


class _TakesMarkersOnce(PartitionLog):
    def append_marker(self, marker: TransactionMarker) -> None:
        if self.name.topic != OFFSETS_TOPIC:
            super().append_marker(marker)
            return
        with contextlib.suppress(Refused):
            super().append_marker(marker)


MARKER_OF_OFFSETS_TRIED_ONCE = Defect(
    name="marker-of-offsets-tried-once",
    breaks={"KIP890-465": Symptom(what="group shop|offset", expected="5", seen="none|no")},
    story="The group coordinator answers that it has the marker before its log does, so the offsets stay pending when that refuses it.",
    origin="textbook: an answer that does not wait for the append",
    parts=Parts(partition_log=_TakesMarkersOnce),
)
