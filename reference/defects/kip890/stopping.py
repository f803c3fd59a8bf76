"""Defects in what a clean stop puts down."""

from collections.abc import Collection
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.markers import MarkerAnswer, MarkerSender, WriteMarker
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kernel.machine import Machine


@defect(
    {"KIP890-265": seen(r"^\[1\]$", expected="^offset 0$", what="^start of the transaction of A")},
    origin="textbook: a field that was added to the state, and not to its stored form",
)
class SnapshotWithoutOpenTransactions(PartitionLog):
    """The snapshot that a clean stop writes has epochs and sequence numbers, and not where the open transaction began."""

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, transaction_start=-1) for state in super().producers_put_down())


@defect(
    {"KIP890-265": Symptom(what="^start of the transaction of B")},
    origin="textbook: a list of which the first entry is written",
)
class SnapshotOfOneProducer(PartitionLog):
    """The snapshot of a clean stop has only the producer that wrote first; the transactions of the others are lost."""

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return super().producers_put_down()[:1]


@defect({"KIP890-266": seen("^success", what="answer to Produce")}, origin="textbook: what is idle passes for what is not needed")
class SnapshotWithoutIdleProducers(PartitionLog):
    """The snapshot has only producers with an open transaction, so that earlier epochs of the others are not fenced after the stop."""

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(state for state in super().producers_put_down() if state.has_open_transaction)


@defect({"KIP890-266": Symptom(what="log of payments-0")}, origin="textbook: duplicates are searched for in memory alone")
class SnapshotWithoutSequences(PartitionLog):
    """The snapshot has epochs and open transactions, and not the last batches, so a batch that is sent again is stored twice."""

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, batches=()) for state in super().producers_put_down())


@defect(
    {"KIP890-266": seen("^success", expected="TRANSACTION_COORDINATOR_FENCED", what="answer to WriteTxnMarkers")},
    origin="textbook: a fence that is held in memory, and not in what is stored",
)
class SnapshotWithoutCoordinatorEpochs(PartitionLog):
    """The snapshot does not say which coordinator wrote last, so the late marker of one before it ends an open transaction."""

    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, coordinator_epoch=-1) for state in super().producers_put_down())


@defect(
    {"KIP890-267": Symptom(what="records that readers")},
    origin="textbook: the intended result is recorded at the end, and not the real one",
)
class CompleteAtAStop(KafkaCoordinator):
    """A coordinator that stops cleanly records decided transactions as complete although their markers are still in flight."""

    def stop(self) -> None:
        for name, transaction in self._transactions.items():
            if transaction.state in PREPARED:
                self._log.append(self._transactions[name].completed())


@defect(
    {"KIP890-267": seen("^CompleteCommit", expected="^CompleteAbort", what="^transaction of A")},
    origin="textbook: one list of what is in flight, without the decisions",
)
class CommittedAfterAStop(KafkaCoordinator):
    """A coordinator that stops cleanly stores which transactions are incomplete, and the next one commits all of them."""

    def stop(self) -> None:
        for transaction in self._transactions.values():
            if transaction.state in PREPARED:
                self._log.append(replace(transaction, state=KafkaTransactionState.PREPARE_COMMIT))


@defect(
    {"KIP890-265": Symptom(what="answer to Produce"), "KIP890-268": Symptom(what="offset")}, origin="textbook: cleaning up on the way out"
)
class OpenTransactionsAbortedAtAStop(KafkaCoordinator):
    """A broker that stops cleanly aborts all open transactions, so each upgrade costs every producer its transaction."""

    def stop(self) -> None:
        for transaction in list(self._transactions.values()):
            if transaction.state is KafkaTransactionState.ONGOING:
                self.abort_by_server(transaction)


@defect(
    {"KIP890-340": seen("CompleteCommit", what="records that readers of accounts-1")},
    origin="KAFKA-20734: a partition whose leader was offline passed for one that is not there",
)
class PartitionWithoutLeaderTakenForDeleted(KafkaCoordinator):
    """A coordinator that has just started finds a leader for one partition alone, and treats the others as deleted."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        if recovered.state not in PREPARED:
            return recovered
        return replace(recovered, partitions=frozenset(sorted(recovered.partitions)[:1]))


@defect(
    {"KIP890-340": seen("accounts-1: none|CompleteCommit", what="markers added to|records that readers of accounts-1")},
    origin="KAFKA-20734; seen on Apache Kafka 4.4.0 in a soak run",
)
class UnavailableLeaderGetsNoMarker(MarkerSender):
    """A coordinator that finds no leader to send a marker to treats the partition as deleted, and completes the transaction. The next
    commit of the producer then makes visible what was aborted.
    """

    def send_again(self) -> None:
        for marker in self._again:
            self._answered(MarkerAnswer(marker, Errors.UNKNOWN_TOPIC_OR_PARTITION))
        self._again = []


@defect(
    {"KIP890-340": seen('^"a1".*CompleteCommit', expected='^"a1", "a2"$', what="records that readers of payments-0")},
    origin="textbook: answers that are distinguished by their partition alone",
)
class LateAnswerCountsForTheNextMarker(MarkerSender):
    """The second answer to the marker of the last transaction passes for that to the next one, which is complete without a marker."""

    def marker_meant(self, answer: MarkerAnswer, waiting: Collection[WriteMarker]) -> WriteMarker | None:
        return next((marker for marker in waiting if marker.partition == answer.asked.partition), None)


@defect(
    {"KIP890-216": seen("^none$", what="aborted transactions of payments-0")},
    origin="textbook: an index in memory that only a crash has read again from the log",
)
class SnapshotWithoutAborts(PartitionLog):
    """A clean stop stores producers and not their aborted transactions, so that readers receive those after the next start."""

    def aborted_put_down(self) -> tuple[AbortedTxn, ...]:
        return ()


@defect(
    {"KIP890-216": seen("^none$", expected="from offset 0$", what="^aborted transactions of payments-0")},
    origin="textbook: what was loaded is not treated as part of what is to be stored",
)
class AbortsOfEarlierLivesLeftOut(PartitionLog):
    """A clean stop puts down the aborted transactions of this life, and writes them over those that the stop before had put down."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self._found_at_start = len(self._aborted)

    def aborted_put_down(self) -> tuple[AbortedTxn, ...]:
        return super().aborted_put_down()[self._found_at_start :]


@defect(
    {"KIP890-340": seen("^nothing", expected='^"b2"$', what="^records that readers of accounts-1")},
    origin="red team: the answer for a partition treated as the answer for the transaction",
)
class DeletedTopicCompletes(MarkerSender):
    """A transaction of which one topic was deleted is complete at once, though its other partitions still wait for their markers."""

    def marker_meant(self, answer: MarkerAnswer, waiting: Collection[WriteMarker]) -> WriteMarker | None:
        if answer.error is Errors.UNKNOWN_TOPIC_OR_PARTITION and isinstance(waiting, set):
            waiting.intersection_update({answer.asked})
        return super().marker_meant(answer, waiting)
