"""Defects in what a clean stop puts down."""

from collections.abc import Collection
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.markers import MarkerAnswer, MarkerSender, WriteMarker
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kernel.machine import Machine


class _PutsDownNoBeginning(PartitionLog):
    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, transaction_start=-1) for state in super().producers_put_down())


SNAPSHOT_WITHOUT_OPEN_TRANSACTIONS = Defect(
    name="snapshot-without-open-transactions",
    breaks={
        "KIP890-265": Symptom(what="^start of the transaction of A", expected="^offset 0$", seen=r"^\[1\]$"),
    },
    story="The snapshot that a clean stop writes has epochs and sequence numbers, and not where the open transaction began.",
    origin="textbook: a field that was added to the state, and not to its stored form",
    parts=Parts(partition_log=_PutsDownNoBeginning),
)


class _PutsDownWhatIsOpen(PartitionLog):
    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(state for state in super().producers_put_down() if state.has_open_transaction)


SNAPSHOT_WITHOUT_IDLE_PRODUCERS = Defect(
    name="snapshot-without-idle-producers",
    breaks={"KIP890-266": Symptom(what="answer to Produce", seen="^success")},
    story="The snapshot has only the producers with an open transaction, so that the fence against those before is gone after the stop.",
    origin="textbook: what is idle passes for what is not needed",
    parts=Parts(partition_log=_PutsDownWhatIsOpen),
)


class _PutsDownNoBatches(PartitionLog):
    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, batches=()) for state in super().producers_put_down())


SNAPSHOT_WITHOUT_SEQUENCES = Defect(
    name="snapshot-without-sequences",
    breaks={"KIP890-266": Symptom(what="log of payments-0")},
    story="The snapshot has epochs and open transactions, and not the last batches, so a batch that is sent again is stored twice.",
    origin="textbook: duplicates are looked for in memory alone",
    parts=Parts(partition_log=_PutsDownNoBatches),
)


class _PutsDownNoCoordinator(PartitionLog):
    def producers_put_down(self) -> tuple[ProducerState, ...]:
        return tuple(replace(state, coordinator_epoch=-1) for state in super().producers_put_down())


SNAPSHOT_WITHOUT_COORDINATOR_EPOCHS = Defect(
    name="snapshot-without-coordinator-epochs",
    breaks={"KIP890-266": Symptom(what="answer to WriteTxnMarkers", expected="TRANSACTION_COORDINATOR_FENCED", seen="^success")},
    story="The snapshot does not say which coordinator wrote last, so the late marker of one before it ends an open transaction.",
    origin="textbook: a fence that is held in memory, and not in what is stored",
    parts=Parts(partition_log=_PutsDownNoCoordinator),
)


class _CompletesWithoutMarkers(Coordinator):
    def stop(self) -> None:
        for name, transaction in self._transactions.items():
            if transaction.state in PREPARED:
                self._log.append(self._transactions[name].completed())


COMPLETE_AT_A_STOP = Defect(
    name="complete-at-a-stop",
    breaks={"KIP890-267": Symptom(what="records that readers")},
    story="A coordinator that is told to stop stores what is decided as complete, though markers are still under way.",
    origin="textbook: what is put down at the end is what was hoped for",
    parts=Parts(coordinator=_CompletesWithoutMarkers),
)


class _AbortsAtAStop(Coordinator):
    def stop(self) -> None:
        for transaction in list(self._transactions.values()):
            if transaction.state is State.ONGOING:
                self.abort_by_server(transaction)


OPEN_TRANSACTIONS_ABORTED_AT_A_STOP = Defect(
    name="open-transactions-aborted-at-a-stop",
    breaks={
        "KIP890-265": Symptom(what="answer to Produce"),
        "KIP890-268": Symptom(what="offset"),
    },
    story="A broker that is told to stop aborts what is open, so as to leave nothing behind, and each upgrade costs every producer its "
    "transaction.",
    origin="textbook: cleaning up on the way out",
    parts=Parts(coordinator=_AbortsAtAStop),
)


class _KeepsThePartitionsThatItFinds(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        if recovered.state not in PREPARED:
            return recovered
        return replace(recovered, partitions=frozenset(sorted(recovered.partitions)[:1]))


PARTITION_WITHOUT_LEADER_TAKEN_FOR_DELETED = Defect(
    name="partition-without-leader-taken-for-deleted",
    breaks={"KIP890-340": Symptom(what="records that readers of accounts-1", seen="CompleteCommit")},
    story="A coordinator that has just started finds a leader for one partition alone, and takes the others for deleted.",
    origin="KAFKA-20734: a partition whose leader was offline passed for one that is not there",
    parts=Parts(coordinator=_KeepsThePartitionsThatItFinds),
)


class _GivesUpOnUnavailableLeaders(MarkerSender):
    def send_again(self) -> None:
        for marker in self._again:
            self._answered(MarkerAnswer(marker, Error.UNKNOWN_TOPIC_OR_PARTITION))
        self._again = []


UNAVAILABLE_LEADER_GETS_NO_MARKER = Defect(
    name="unavailable-leader-gets-no-marker",
    breaks={"KIP890-340": Symptom(what="markers added to|records that readers of accounts-1", seen="accounts-1: none|CompleteCommit")},
    story="A coordinator that finds no leader to send a marker to takes the partition for deleted, and completes the transaction. The next "
    "commit of the producer then makes visible what was aborted.",
    origin="KAFKA-20734; seen on Apache Kafka 4.4.0 in a soak run",
    parts=Parts(marker_sender=_GivesUpOnUnavailableLeaders),
)


class _CountsAnyAnswerOfThePartition(MarkerSender):
    def marker_meant(self, answer: MarkerAnswer, waiting: Collection[WriteMarker]) -> WriteMarker | None:
        return next((marker for marker in waiting if marker.partition == answer.asked.partition), None)


LATE_ANSWER_COUNTS_FOR_THE_NEXT_MARKER = Defect(
    name="late-answer-counts-for-the-next-marker",
    breaks={"KIP890-340": Symptom(what="records that readers of payments-0", expected='^"a1", "a2"$', seen='^"a1".*CompleteCommit')},
    story="The second answer to the marker of the last transaction passes for that to the next one, which is complete without a marker.",
    origin="textbook: answers that are told apart by their partition alone",
    parts=Parts(marker_sender=_CountsAnyAnswerOfThePartition),
)


class _PutsDownNoAborts(PartitionLog):
    def aborted_put_down(self) -> tuple[AbortedTransaction, ...]:
        return ()


class _PutsDownTheAbortsOfThisLife(PartitionLog):
    def __init__(self, machine: Machine, profile: Profile, producer_states: type[ProducerStates], name: TopicPartition) -> None:
        super().__init__(machine, profile, producer_states, name)
        self._found_at_start = len(self._aborted)

    def aborted_put_down(self) -> tuple[AbortedTransaction, ...]:
        return super().aborted_put_down()[self._found_at_start :]


SNAPSHOT_WITHOUT_ABORTS = Defect(
    name="snapshot-without-aborts",
    breaks={"KIP890-216": Symptom(what="aborted transactions of payments-0", seen="^none$")},
    story="A clean stop puts down producers and not what they have aborted, so that readers are handed it after the next start.",
    origin="textbook: an index in memory that only a crash has read again from the log",
    parts=Parts(partition_log=_PutsDownNoAborts),
)

ABORTS_OF_EARLIER_LIVES_LEFT_OUT = Defect(
    name="aborts-of-earlier-lives-left-out",
    breaks={"KIP890-216": Symptom(what="^aborted transactions of payments-0", expected="from offset 0$", seen="^none$")},
    story="A clean stop puts down the aborted transactions of this life, and writes them over those that the stop before had put down.",
    origin="textbook: what was loaded is not taken for part of what is to be stored",
    parts=Parts(partition_log=_PutsDownTheAbortsOfThisLife),
)
