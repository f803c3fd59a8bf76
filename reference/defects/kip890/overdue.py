"""Defects in when a transaction counts as overdue."""

from collections.abc import Iterable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog

from .neighbours import KnowsNeighbours

_A_PAGE = 10
_TOO_EARLY = Symptom(what="^timeout of A", expected="^2000 ms or more", seen="^no longer open ([0-9]{1,3}|1[0-9]{3}) ms")


class _HasItsOwnTime(KafkaCoordinator):
    """Aborts what `ends_at` says is overdue."""

    def ends_at(self, transaction: KafkaTransaction) -> float:
        raise NotImplementedError

    def abort_timed_out(self) -> None:
        for transaction in self.transactions():
            if transaction.state is KafkaTransactionState.ONGOING and self.ends_at(transaction) < self._machine.clock.now:
                self.abort_by_server(transaction)


@defect(
    {"KIP890-213": seen("^(Prepare|Complete)Abort", expected="^Ongoing", what="^transaction of A")},
    origin="textbook: one timer for all, with the smallest interval",
)
class OneTimeoutForAll(_HasItsOwnTime):
    """The shortest timeout that any producer has requested applies to all producers."""

    def ends_at(self, transaction: KafkaTransaction) -> float:
        return transaction.started_at + min(known.timeout_ms for known in self.transactions())


@defect(
    {"KIP890-215": seen("^0 records; .*CompleteAbort, Ongoing$", what="^records that readers of payments-0 see")},
    origin="textbook: a page of a list is treated as the list",
)
class OverdueUpToALimit(KafkaCoordinator):
    """The search for overdue transactions looks at the first ten ids each time, so later ones stay open."""

    def abort_timed_out(self) -> None:
        known = self._transactions
        self._transactions = dict(list(known.items())[:_A_PAGE])
        super().abort_timed_out()
        self._transactions = known | self._transactions


@defect(
    {"KIP890-215": seen("^[0-9]+ records; .*Ongoing", what="^records that readers of payments-0 see")},
    origin="as KAFKA-14880, for the task that aborts what is overdue",
)
class SearchEndsWithARefusal(KafkaCoordinator):
    """The task that aborts overdue transactions ends with the first abort that the log refuses: that transaction, and each one that is
    overdue later, stays open."""

    _has_failed = False

    def abort_timed_out(self) -> None:
        if not self._has_failed:
            super().abort_timed_out()

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        try:
            super().abort_by_server(transaction)
        except RequestRefused:
            self._has_failed = True
            raise


@defect({"KIP890-213": _TOO_EARLY}, origin="textbook: a margin that is subtracted where it should be added")
class AbortedAtHalfTime(_HasItsOwnTime):
    """To be on the safe side the coordinator aborts at half of the timeout, while the producer is still at work."""

    def ends_at(self, transaction: KafkaTransaction) -> float:
        return transaction.started_at + transaction.timeout_ms / 2


@defect({"KIP890-213": _TOO_EARLY}, origin="textbook: the time of the record's last change is treated as that of the transaction's begin")
class IdleTimeCounts(_HasItsOwnTime):
    """The timeout runs from InitProducerId on, so a producer that was idle for long has no time for its transaction."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        self._initialised_at()[transactional_id] = self._machine.clock.now
        return super().init_producer_id(transactional_id, timeout_ms, expected)

    def ends_at(self, transaction: KafkaTransaction) -> float:
        return self._initialised_at().get(transaction.transactional_id, transaction.started_at) + transaction.timeout_ms

    def _initialised_at(self) -> dict[str, int]:
        times: dict[str, int] = self.__dict__.setdefault("times", {})
        return times


@defect(
    {"KIP890-213": seen("Abort", expected="^Ongoing", what="transaction of A")},
    origin="textbook: a default that is smaller than every time",
)
class OverdueAfterEveryCrash(KafkaCoordinator):
    """The start time of a transaction is in memory only, so that after a crash every open one looks overdue, and is aborted at once."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        return replace(super().recovered(transaction), started_at=-1)


@defect({"KIP890-350": Symptom(what="start time of A")}, origin="textbook: a timeout that counts from the last sign of life")
class RenewedByEachPartition(KafkaCoordinator):
    """Each further partition resets the start time, so that a transaction which adds one now and then blocks readers for ever."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
        known = self._transactions[transactional_id]
        self._transactions[transactional_id] = replace(known, started_at=self._machine.clock.now)


@defect({"KIP890-350": Symptom(what="start time of A")}, origin="textbook: a start time that is taken when the record is read")
class RenewedByEachCrash(KafkaCoordinator):
    """A coordinator that restarts counts timeouts from its start, so one that restarts often never ends an abandoned transaction."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        recovered = super().recovered(transaction)
        return replace(recovered, started_at=self._machine.clock.now) if recovered.state is KafkaTransactionState.ONGOING else recovered


@defect({"KIP890-350": Symptom(what="start time of A")}, origin="red team: a start time that is taken when the coordinator moves")
class RenewedByEachMove(KafkaCoordinator):
    """A coordinator that takes over on another node shows its own start as that of each open transaction."""

    def take_over(self, log: KafkaTransactionLog) -> None:
        super().take_over(log)
        for name, known in self._transactions.items():
            if known.state is KafkaTransactionState.ONGOING:
                self._transactions[name] = replace(known, started_at=self._machine.clock.now)


@defect({"KIP890-213": seen("no longer open", what="timeout of A")}, origin="textbook: a field that is filled only where it is empty")
class BeginsWithTheLastOne(KafkaCoordinator):
    """A producer's second transaction has the start time of the first, and is aborted when that would have been too old."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        before = self._transactions.get(transactional_id)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
        if before is not None and before.started_at >= 0:
            known = self._transactions[transactional_id]
            self._transactions[transactional_id] = replace(known, started_at=before.started_at)


@defect({"KIP890-350": Symptom(what="start")}, origin="textbook: the last activity of a partition treated as that of each transaction")
class StartRenewedByOthers(KnowsNeighbours):
    """When another transaction begins in the same partition, the timeouts of the transactions that are open there start again."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        super().add_partitions(transactional_id, producer, partitions, transaction_version)
        for other in self.neighbours(self._transactions[transactional_id]):
            self._transactions[other.transactional_id] = replace(other, started_at=self._machine.clock.now)
