"""Defects in what follows a partition, or the coordinator, to another node."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890.sequences import forget_batches
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION, KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog


@defect(
    {"KIP890-263": Symptom(what="answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: state that is kept outside of the log, and is not copied",
)
class NewLeaderBeginsAnew(KafkaTopics):
    """A new leader has the records and not the state of their producers: what is open is read as committed, and further batches of it are
    refused.
    """

    def log_of_new_leader(self, partition: PartitionName) -> PartitionLog:
        log = super().log_of_new_leader(partition)
        log.producers.restore(())
        return log


@defect(
    {"KIP890-263": Symptom(what="answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: the next sequence number is copied, and not the batches before it",
)
class NewLeaderKnowsNoDuplicate(KafkaTopics):
    """A new leader knows which sequence number is next, and does not recognise a batch that the leader before has stored: a client that
    missed the answer is refused."""

    def log_of_new_leader(self, partition: PartitionName) -> PartitionLog:
        log = super().log_of_new_leader(partition)
        forget_batches(log.producers)
        return log


@defect(
    {"KIP890-264": Symptom(what="answer to EndTxn", error="^INVALID_TXN_STATE$")},
    origin="textbook: only what every request needs is read again",
)
class OpenTransactionsLeftBehind(KafkaCoordinator):
    """A coordinator that takes over a partition restores the owners of transactional ids and not their open transactions, so no client
    can end those."""

    def take_over(self, log: KafkaTransactionLog) -> None:
        super().take_over(log)
        for name, known in self._transactions.items():
            if known.state is KafkaTransactionState.ONGOING:
                self._transactions[name] = replace(known, state=KafkaTransactionState.EMPTY, partitions=frozenset())


@defect(
    {"KIP890-263": seen('^"a2"', expected="^nothing", what="readers of accounts-1")},
    origin="textbook: an index that is not part of what is replicated",
)
class NewLeaderDeliversAborted(PartitionLog):
    """A new leader knows what is open, and not what was aborted under its predecessor, so readers receive aborted records."""

    def aborted_in(self, first: int, upper: int) -> tuple[AbortedTxn, ...]:
        return tuple(
            aborted
            for aborted in super().aborted_in(first, upper)
            if self.entries(aborted.last_offset)[0].batch.partition_leader_epoch == self.leader_epoch()
        )


class _KnowsThatItTakesOver(KafkaCoordinator):
    """`takes_over` is true while it loads what another node has coordinated."""

    takes_over = False

    def take_over(self, log: KafkaTransactionLog) -> None:
        self.takes_over = True
        super().take_over(log)
        self.takes_over = False


@defect(
    {"KIP890-217": seen("no offset|UNSTABLE", expected="^(offset 5|a stable offset)", what="offset of accounts-0 in group")},
    origin="textbook: the group's partition is internal, and skipped with the other internal ones",
)
class OffsetsLeftBehind(_KnowsThatItTakesOver):
    """A coordinator that takes over completes what was prepared for records, and leaves a group's offsets pending for ever."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        if not self.takes_over or recovered.state not in PREPARED:
            return recovered
        return replace(recovered, partitions=recovered.partitions - {OFFSETS_PARTITION})


@defect(
    {"KIP890-217": seen("^Prepare", expected="over", what="transaction of A")},
    origin="textbook: markers are sent where the decision is made, and on a start; a move is neither",
)
class MarkersLeftToTheOneBefore(_KnowsThatItTakesOver):
    """A coordinator that takes over leaves what is prepared to its predecessor, which does not coordinate any more."""

    def resend_markers_of_prepared(self) -> None:
        if not self.takes_over:
            super().resend_markers_of_prepared()
            return
        self._pending |= {name for name, known in self._transactions.items() if known.state in PREPARED}


@defect(
    {"KIP890-217": seen("^Prepare", expected="over", what="transaction of B")},
    origin="textbook: a loop that ends when it has found one",
)
class OneOfThePreparedTakenOver(_KnowsThatItTakesOver):
    """A coordinator that takes over completes the first prepared transaction in the log, and no other one."""

    def resend_markers_of_prepared(self) -> None:
        known = self._transactions
        others = [name for name, one in known.items() if one.state in PREPARED][1:] if self.takes_over else []
        self._transactions = {name: one for name, one in known.items() if name not in others}
        super().resend_markers_of_prepared()
        self._transactions = known | self._transactions
        self._pending.update(others)
