"""Sending markers: once a decision is durable, every partition of the transaction gets it as a control record.

The coordinator sends one message for each partition and gets an answer from each. A transaction is complete when the last partition has its
marker; until then its transactional id accepts no other request. A timer sends lost or temporarily refused markers again.

A partition that refuses the marker for good, since it knows a newer epoch of the producer or of the coordinator, stops the sending: another
producer or coordinator has taken over, and the transaction stays as it is until the coordinator restarts.

Source: "Bump Epoch on Each Transaction for New Clients (1)": the markers carry the bumped epoch.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors
from .kafka_types import PartitionName, ProducerIdAndEpoch
from .transaction import Decision, KafkaTransaction


@dataclass(frozen=True)
class TransactionMarker:
    """The end of a transaction, as a partition gets it.

    `transaction_version` 2 says that the epoch is the transaction's own plus one; 0, that it may be the transaction's own.
    """

    producer: ProducerIdAndEpoch
    decision: Decision
    coordinator_epoch: int
    transaction_version: int


WriteToPartition: TypeAlias = Callable[[PartitionName, TransactionMarker], Errors]
"""Hands a marker to the leader of a partition, and returns that leader's verdict."""


@dataclass(frozen=True)
class WriteMarker:
    """The message to the leader of a partition."""

    transactional_id: str
    partition: PartitionName
    marker: TransactionMarker


@dataclass(frozen=True)
class MarkerAnswer:
    """The leader's answer."""

    asked: WriteMarker
    error: Errors


class MarkerSender:
    """Sends markers until every partition has one; `on_complete` gets the transactional id when the last one is written."""

    def __init__(self, machine: Machine, write: WriteToPartition, on_complete: Callable[[str], None]) -> None:
        self._machine = machine
        self._write = write
        self._on_complete = on_complete
        self._waiting: dict[str, set[WriteMarker]] = {}
        self._again: list[WriteMarker] = []

    def send(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> None:
        """Decision: once the end is durable, its markers are sent; a transaction without partitions is complete at once."""
        marker = self.marker_for(transaction, coordinator_epoch, transaction_version)
        messages = [
            WriteMarker(transaction.transactional_id, partition, self.marker_in(partition, marker, transaction))
            for partition in self.partitions_to_mark(transaction)
        ]
        self._waiting[transaction.transactional_id] = set(messages)
        if not messages:
            rule("KIP890-071")
            rule("CORE-10")
            self._complete(transaction.transactional_id)
        for message in messages:
            self._send(message)

    def marker_for(self, transaction: KafkaTransaction, coordinator_epoch: int, transaction_version: int) -> TransactionMarker:
        """Decision: every partition gets the producer as it is in the prepared state, so with the epoch after a bump."""
        return TransactionMarker(transaction.producer, transaction.decision, coordinator_epoch, transaction_version)

    def marker_in(
        self,
        partition: PartitionName,  # noqa: ARG002 - it is the same in all of them
        marker: TransactionMarker,
        transaction: KafkaTransaction,  # noqa: ARG002
    ) -> TransactionMarker:
        """Decision: the marker that one partition gets, as all others do, also where another producer id follows."""
        rule("KIP890-405")
        return marker

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        """Decision: every partition of the transaction gets a marker."""
        rule("KIP890-126")
        rule("CORE-01")
        rule("KIP890-212")
        return sorted(transaction.partitions)

    def unmarked(self, transactional_id: str) -> frozenset[PartitionName]:
        """Decision: the partitions of a prepared transaction that DescribeTransactions lists: those not known to have it."""
        return frozenset(message.partition for message in self._waiting.get(transactional_id, ()))

    def send_again(self) -> None:
        """Decision: the timer sends again what was lost, or temporarily refused, of any transaction, and each marker once."""
        again, self._again = dict.fromkeys(self._again), []
        if len({message.transactional_id for message in again}) > 1:
            rule("KIP890-218")
        for message in again:
            self._send(message)

    def _send(self, message: WriteMarker) -> None:
        self._machine.network.send(message, receive=self._arrived, lost=self._lost)

    def _arrived(self, message: WriteMarker) -> None:
        error = self._write(message.partition, message.marker)
        self._machine.crash_points.reach("after-marker-written")
        self._machine.network.send(MarkerAnswer(message, error), receive=self._answered, lost=self._answer_lost)

    def _lost(self, message: WriteMarker) -> None:
        self._again.append(message)

    def _answer_lost(self, answer: MarkerAnswer) -> None:
        self._again.append(answer.asked)

    def _answered(self, answer: MarkerAnswer) -> None:
        waiting = self._waiting.get(answer.asked.transactional_id, set())
        marker = self.marker_meant(answer, waiting)
        if marker is None:
            return
        if self.needs_no_more(answer.error):
            waiting.remove(marker)
            if not waiting:
                self._complete(marker.transactional_id)
        else:
            self._again.append(marker)

    def marker_meant(self, answer: MarkerAnswer, waiting: Collection[WriteMarker]) -> WriteMarker | None:
        """Decision: which of the waiting markers an answer is for: the one that it answers, and no other in the same partition.

        None if that marker was answered before: the answer to a duplicate, or to a marker of an earlier transaction.
        """
        rule("KIP890-340")
        return answer.asked if answer.asked in waiting else None

    def needs_no_more(self, error: Errors) -> bool:
        """Decision: whether a partition needs no more markers, by its leader's answer: it has the marker, or was deleted."""
        if error is Errors.UNKNOWN_TOPIC_OR_PARTITION:
            rule("KIP890-230")
            return True
        return error is Errors.NONE

    def _complete(self, transactional_id: str) -> None:
        del self._waiting[transactional_id]
        self._on_complete(transactional_id)
