"""Defects in what survives a crash."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.ownership import MAX_TIMEOUT_MS
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog
from fencepost.reference.kernel.machine import Machine


@defect(
    {"KIP890-160": seen(r"last stable offset \d+, high watermark \d+; transactions: .*Ongoing")},
    origin="textbook: acknowledging before writing",
)
class DecisionForgottenByCrash(KafkaTransactionLog):
    """A decision is answered before it is in the transaction log, so a crash undoes what the producer was promised."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        return transaction.state not in PREPARED


@defect(
    {"KIP890-094": Symptom(what="answer to Produce", error="^(OUT_OF_ORDER_SEQUENCE_NUMBER|INVALID_TXN_STATE)$")},
    origin="textbook: a snapshot that is not rebuilt from the log",
)
class OpenTransactionForgottenByCrash(PartitionLog):
    """A log keeps the state of its producers in memory only; after a restart the next batch of an open transaction is out of order."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self.producers = producer_states()


@defect({"KIP890-156": seen("^(Ongoing|none)", expected="over|one ABORT marker")}, origin="hanging transactions, the reason for KIP-890")
class TimeoutIgnored(KafkaCoordinator):
    """A transaction that its producer abandoned is never ended, and blocks readers of committed data."""

    def abort_timed_out(self) -> None:
        return


@defect(
    {"KIP890-157": seen("^(success|a refusal with INVALID_TXN_STATE)")},
    origin="KAFKA-6119: the epoch was not bumped when a transaction expired",
)
class TimedOutProducerGoesOn(KafkaCoordinator):
    """The coordinator aborts an abandoned transaction and leaves the epoch as it was, so its producer writes on without noticing."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self.prepare(transaction, Decision.ABORT, bumps=0)


@defect(
    {"KIP890-157": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="answer to Produce")},
    origin="textbook: the old protocol's fence is treated as a part of the new one",
)
class TimedOutProducerGoesOnBelowLevelTwo(KafkaCoordinator):
    """The abort at a timeout bumps the epoch as an end of the new protocol does, and below level 2 it bumps nothing."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        if self._levels.transaction_version >= 2:
            super().abort_by_server(transaction)
        else:
            self.prepare(transaction, Decision.ABORT, bumps=0)


@defect({"KIP890-161": seen("^a refusal with INVALID_TXN_STATE")}, origin="textbook: presumed abort, applied after the point of decision")
class UnansweredCommitPresumedAborted(KafkaCoordinator):
    """A coordinator that restarts and finds a commit without all of its markers aborts it, on the guess that no client was answered."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        return (
            replace(recovered, state=KafkaTransactionState.PREPARE_ABORT)
            if recovered.state is KafkaTransactionState.PREPARE_COMMIT
            else recovered
        )


@defect(
    {
        "KIP890-156": seen("^Ongoing", expected="over", what="transaction of B"),
        "KIP890-159": seen("^Ongoing", expected="over", what="transaction of B"),
    },
    origin="textbook: a return where the next turn of the loop was meant",
)
class TimerStopsAtWhatIsPrepared(KafkaCoordinator):
    """The timer leaves the loop where it finds a prepared transaction, and one that is stuck keeps all others open."""

    def abort_timed_out(self) -> None:
        if not any(transaction.state in PREPARED for transaction in self.transactions()):
            super().abort_timed_out()


@defect(
    {"KIP890-156": seen("^Ongoing", expected="over", what="transaction of A")},
    origin="textbook: the time of the last change treated as that of the begin",
)
class TimeoutRenewedByEachPartition(KafkaCoordinator):
    """The timeout counts from the last change of the record, so a producer that adds a partition now and then never times out."""

    def abort_timed_out(self) -> None:
        for transaction in self.transactions():
            if (
                transaction.state is KafkaTransactionState.ONGOING
                and transaction.updated_at + transaction.timeout_ms < self._machine.clock.now
            ):
                self.abort_by_server(transaction)


@defect(
    {"KIP890-160": seen("^CompleteAbort", expected="^CompleteCommit", what="^transaction of A")},
    origin="textbook: timeouts are checked before decisions are",
)
class OverdueCommitAbortedByRecovery(KafkaCoordinator):
    """A coordinator that was down for longer than a timeout aborts every transaction that it finds, also one whose commit was promised to
    its producer.
    """

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        is_overdue = recovered.started_at + recovered.timeout_ms < self._machine.clock.now
        return (
            replace(recovered, state=KafkaTransactionState.PREPARE_ABORT)
            if recovered.state is KafkaTransactionState.PREPARE_COMMIT and is_overdue
            else recovered
        )


@defect(
    {"KIP890-160": seen("^Prepare(Commit|Abort)", expected="over", what="^transaction of A")},
    origin="textbook: what was decided under the old protocol is sent under the new one",
)
class PreparedByAnOldClientStuck(KafkaCoordinator):
    """After a restart, markers carry the version of the cluster, so partitions refuse the epoch of an old client's transaction."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        return replace(recovered, transaction_version=2) if recovered.state in PREPARED else recovered


@defect(
    {
        "KIP890-029": seen(f"^{MAX_TIMEOUT_MS} ms$", expected="^360000 ms$"),
        "KIP890-156": seen("Ongoing", what="^transaction of A"),
    },
    origin="red team: a field of the record that is written and not read",
)
class TimeoutForgottenByCrash(KafkaCoordinator):
    """After a crash every transaction has the longest timeout, so that one that its producer has abandoned blocks readers until then."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), timeout_ms=MAX_TIMEOUT_MS)


class _ClockInMemory(KafkaCoordinator):
    """The timeout counts from the start of the transaction, or from where `clocks` begin again for what the coordinator finds."""

    def abort_timed_out(self) -> None:
        for transaction in self.transactions():
            began = max(transaction.started_at, self.clocks.get(transaction.transactional_id, transaction.started_at))
            if transaction.state is KafkaTransactionState.ONGOING and began + transaction.timeout_ms < self._machine.clock.now:
                self.abort_by_server(transaction)

    @property
    def clocks(self) -> dict[str, int]:
        clocks: dict[str, int] = self.__dict__.setdefault("_clocks", {})
        return clocks


@defect(
    {"KIP890-156": seen("^Ongoing", expected="over", what="^transaction of A")},
    origin="red team: a timer that is armed when a transaction is read, with its whole timeout",
)
class TimeoutRenewedByEachRestart(_ClockInMemory):
    """DescribeTransactions shows the right start time, and the timer counts from the coordinator's start, so a coordinator that restarts
    often never ends what a producer has abandoned."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        self.clocks[transaction.transactional_id] = self._machine.clock.now
        return super().recovered(transaction)


@defect(
    {"KIP890-156": seen("^Ongoing", expected="over", what="^transaction of A")},
    origin="red team: the next coordinator arms its timers afresh",
)
class TimeoutRenewedByEachMove(_ClockInMemory):
    """A coordinator that takes over on another node gives each open transaction its whole timeout once more."""

    def take_over(self, log: KafkaTransactionLog) -> None:
        super().take_over(log)
        self.clocks.update(dict.fromkeys(self._transactions, self._machine.clock.now))


class _Renewed(_ClockInMemory):
    def renew(self, transactional_id: str) -> None:
        self.clocks[transactional_id] = self._machine.clock.now


_OPEN = seen("^Ongoing", expected="over", what="^transaction of A")


@defect({"KIP890-156": _OPEN}, origin="red team: every request of a producer is a sign of life")
class RenewedByRefusedEnd(_Renewed):
    """A refused EndTxn renews the timeout, so a client that keeps trying with a wrong epoch keeps a transaction open for ever."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        self.renew(transactional_id)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect({"KIP890-156": _OPEN}, origin="red team: every request for an id is a sign of life")
class RenewedByRefusedInit(_Renewed):
    """A refused InitProducerId renews the timeout of the transaction that it leaves open."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        self.renew(transactional_id)
        return super().init_producer_id(transactional_id, timeout_ms, expected)


@defect({"KIP890-156": _OPEN}, origin="red team: every question of a leader is a sign of life")
class RenewedByVerification(_Renewed):
    """A partition that is verified renews the timeout."""

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        self.renew(transactional_id)
        return super().verify_partitions(transactional_id, producer, partitions)


@defect({"KIP890-156": _OPEN}, origin="red team: a time that is set even where nothing is added")
class RenewedByRepeatedAddition(_Renewed):
    """A partition that is added once more renews the timeout; a new one does not."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        added = frozenset(partitions)
        known = self._transactions.get(transactional_id)
        if known is not None and known.partitions >= added:
            self.renew(transactional_id)
        super().add_partitions(transactional_id, producer, added, transaction_version)


@defect(
    {"KIP890-157": seen("^a refusal with", expected="INVALID_PRODUCER_EPOCH", what="answer to Produce")},
    origin="red team: the protocol of the client decides, where that of the cluster is due",
)
class TimedOutOldClientIsNotFenced(KafkaCoordinator):
    """The abort at a timeout raises the epoch of a new client alone, and an old client does not learn that it has lost its transaction."""

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        if transaction.transaction_version >= 2:
            super().abort_by_server(transaction)
        else:
            self.prepare(transaction, Decision.ABORT, bumps=0)


@defect(
    {"KIP890-157": seen("^success", expected="INVALID_PRODUCER_EPOCH", what="answer to Produce")},
    origin="red team: a producer is fenced where it has written",
)
class TimedOutProducerBeginsElsewhere(KafkaCoordinator):
    """After a timeout the old epoch is fenced by the markers alone: the producer begins another transaction in any other partition."""

    def __init__(self, *parts: Any) -> None:
        self._aborted: set[str] = set()
        super().__init__(*parts)

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        self._aborted.add(transaction.transactional_id)
        super().abort_by_server(transaction)

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        known = self._transactions[transactional_id]
        if transactional_id in self._aborted and known.is_idle and producer.epoch == known.last_producer_epoch:
            producer = known.producer
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect(
    {"KIP890-156": seen("UNSTABLE_OFFSET_COMMIT|^[0-9]+", what="^(stable offset of payments-0|last stable offset)")},
    origin="found by explore on Apache Kafka 4.4.0",
)
class OverdueAtStartGetsNoMarkers(KafkaCoordinator):
    """A transaction that timed out while the system was down is aborted before the coordinator knows a leader of its partitions."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        overdue = recovered.started_at + recovered.timeout_ms < self._machine.clock.now
        is_open = recovered.state is KafkaTransactionState.ONGOING
        return replace(recovered, partitions=frozenset()) if is_open and overdue else recovered
