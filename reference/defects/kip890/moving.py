"""Defects in what follows a partition, or the coordinator, to another node."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import AbortedTransaction, PartitionLog
from fencepost.reference.kafka.topics import OFFSETS_PARTITION, Topics
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import TopicPartition


class _NewLeaderBeginsAnew(Topics):
    def log_of_new_leader(self, partition: TopicPartition) -> PartitionLog:
        log = super().log_of_new_leader(partition)
        log.producers.restore(())
        return log


class _TakesOverIdsOnly(Coordinator):
    def take_over(self, log: TransactionLog) -> None:
        super().take_over(log)
        for name, known in self._transactions.items():
            if known.state is State.ONGOING:
                self._transactions[name] = replace(known, state=State.EMPTY, partitions=frozenset())


NEW_LEADER_BEGINS_ANEW = Defect(
    name="new-leader-begins-anew",
    breaks={"KIP890-263": Symptom(what="answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    story="A new leader has the records and not the state of their producers: what is open passes for committed, and its rest is refused.",
    origin="textbook: state that is kept beside the log, and is not copied",
    parts=Parts(topics=_NewLeaderBeginsAnew),
)

OPEN_TRANSACTIONS_LEFT_BEHIND = Defect(
    name="open-transactions-left-behind",
    breaks={"KIP890-264": Symptom(what="answer to EndTxn", error="^INVALID_TXN_STATE$")},
    story="A coordinator that takes over knows the owners of transactional ids, and not what is open: nobody can end that.",
    origin="textbook: only what every request needs is read again",
    parts=Parts(coordinator=_TakesOverIdsOnly),
)


class _ForgetsWhatWasAborted(PartitionLog):
    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTransaction, ...]:
        return tuple(
            aborted
            for aborted in super().aborted_in(first, upper)
            if self.entries(aborted.last_offset)[0].batch.partition_leader_epoch == self.leader_epoch()
        )


NEW_LEADER_DELIVERS_ABORTED = Defect(
    name="new-leader-delivers-aborted",
    breaks={"KIP890-263": Symptom(what="readers of accounts-1", expected="^nothing", seen='^"a2"')},
    story="A new leader knows what is open, and not what was aborted under the leader before; readers are handed what they must not see.",
    origin="textbook: an index that is not part of what is replicated",
    parts=Parts(partition_log=_ForgetsWhatWasAborted),
)


class _TakesOverRecordsOnly(Coordinator):
    _takes_over = False

    def take_over(self, log: TransactionLog) -> None:
        self._takes_over = True
        super().take_over(log)
        self._takes_over = False

    def recovered(self, transaction: Transaction) -> Transaction:
        recovered = super().recovered(transaction)
        if not self._takes_over or recovered.state not in PREPARED:
            return recovered
        return replace(recovered, partitions=recovered.partitions - {OFFSETS_PARTITION})


OFFSETS_LEFT_BEHIND = Defect(
    name="offsets-left-behind",
    breaks={"KIP890-217": Symptom(what="offset of accounts-0 in group", expected="^(offset 5|a stable offset)", seen="no offset|UNSTABLE")},
    story="A coordinator that takes over completes what was prepared where records are, and leaves a group's offsets pending for ever.",
    origin="textbook: the group's partition is one of the broker's own, and passed over with the others of its kind",
    parts=Parts(coordinator=_TakesOverRecordsOnly),
)


class _SendsNothingAgain(Coordinator):
    _takes_over = False

    def take_over(self, log: TransactionLog) -> None:
        self._takes_over = True
        super().take_over(log)
        self._takes_over = False

    def resend_markers_of_prepared(self) -> None:
        if not self._takes_over:
            super().resend_markers_of_prepared()
            return
        self._pending |= {name for name, known in self._transactions.items() if known.state in PREPARED}


MARKERS_LEFT_TO_THE_ONE_BEFORE = Defect(
    name="markers-left-to-the-one-before",
    breaks={"KIP890-217": Symptom(what="transaction of A", expected="over", seen="^Prepare")},
    story="A coordinator that takes over leaves what is prepared to the one that has decided it, which is not in office any more.",
    origin="textbook: markers are sent where the decision is made, and on a start; a move is neither",
    parts=Parts(coordinator=_SendsNothingAgain),
)
