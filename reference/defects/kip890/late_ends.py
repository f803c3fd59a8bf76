"""Defects in how a late EndTxn is treated."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import EXHAUSTED_EPOCH, FIRST_EPOCH, PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState


@defect(
    {"KIP890-200": seen("^success", expected="^a refusal"), "KIP890-201": seen("^success", expected="^a refusal")},
    origin="textbook: a retry is allowed for by the epoch, before the state is checked",
)
class LateEndEndsTheNext(KafkaCoordinator):
    """The coordinator applies an end with the previous epoch to the transaction that is open now, whichever instance sends it and
    however late."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if state is KafkaTransactionState.ONGOING and asked is RequestedTransaction.RETRY:
            return EndTxnEffect.PREPARE
        return super().end_of_new_client(state, decision, asked)


@defect({"KIP890-200": seen("^Complete", what="^transaction of A")}, origin="textbook: the decision is stored before the epoch is compared")
class LateEndIsRefusedAndDone(KafkaCoordinator):
    """The answer to a late end is right, and yet it has ended the next transaction."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        transaction = self.describe(transactional_id)
        if transaction.state is KafkaTransactionState.ONGOING and producer.epoch == transaction.producer_epoch - 1:
            self.prepare(transaction, decision, bumps=1)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect(
    {"KIP890-201": seen("^success with", expected="^a refusal")},
    origin="textbook: a retry is recognised by the epoch alone, whether or not a transaction has ended at it",
)
class ZombieIsToldTheNewEpoch(KafkaCoordinator):
    """An end of the instance that was replaced is taken for a retry, and the answer hands it the epoch of its successor."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if state is KafkaTransactionState.EMPTY and asked is RequestedTransaction.RETRY:
            return EndTxnEffect.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


@defect(
    {"KIP890-202": seen("^success", expected="^a refusal")},
    origin="textbook: the state is written, and what was decided before is not read",
)
class PreparedDecisionOverturned(KafkaCoordinator):
    """While markers are on their way, an end with the other decision is granted, and the two kinds of markers race."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        transaction = self.describe(transactional_id)
        if transaction.state in PREPARED and transaction.decision is not decision and self.is_overturned(transaction):
            self._transactions[transactional_id] = replace(transaction, state=decision.prepared)
            return transaction.producer
        return super().end_transaction(transactional_id, producer, decision, api_version)

    def is_overturned(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - each is, here
        return True


@defect(
    {"KIP890-200": seen("^success", expected="^a refusal")},
    origin="textbook: the producer id before is remembered for retries, and the state is not checked",
)
class LateEndEndsTheFirst(KafkaCoordinator):
    """The end of a producer id's last transaction arrives when the first one of the next producer id is open, and ends that."""

    _before: dict[str, int] | None = None

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        known = self._transactions.get(transactional_id)
        self._before = self._before or {}
        if known is not None and known.state is not KafkaTransactionState.ONGOING:
            self._before[transactional_id] = known.previous_producer_id
        super().add_partitions(transactional_id, producer, partitions, transaction_version)

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        before = (self._before or {}).get(transaction.transactional_id)
        is_first = transaction.state is KafkaTransactionState.ONGOING and transaction.producer_epoch == FIRST_EPOCH
        if is_first and before != transaction.producer_id and producer == ProducerIdAndEpoch(before or 0, EXHAUSTED_EPOCH):
            return RequestedTransaction.CURRENT
        return super().asked_about(transaction, producer)


@defect(
    {"KIP890-201": seen("^success with", expected="^a refusal")},
    origin="red team: a last epoch that InitProducerId and EndTxn share",
)
class EndTakenForAnInitialisation(KafkaCoordinator):
    """EndTxn with the epoch with which the instance has initialised again is taken for the retry of an end."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        transaction = self._transactions.get(transactional_id)
        is_empty = transaction is not None and transaction.state is KafkaTransactionState.EMPTY
        if transaction is not None and is_empty and producer.epoch == transaction.last_producer_epoch and self.bumps_epoch(api_version):
            return transaction.producer
        return super().end_transaction(transactional_id, producer, decision, api_version)


class _KnowsWhatItHasLoaded(KafkaCoordinator):
    """Has the transactional ids that it found in its log when it started, each with the state there."""

    @cached_property
    def loaded(self) -> dict[str, KafkaTransactionState]:
        return {}

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        self.loaded[transaction.transactional_id] = transaction.state
        return super().recovered(transaction)

    def is_as_loaded(self, transaction: KafkaTransaction) -> bool:
        return self.loaded.get(transaction.transactional_id) is transaction.state


@defect(
    {"KIP890-200": seen("^success", expected="^a refusal")},
    origin="textbook: a flag that says at which epoch the transaction began, and is not stored",
)
class LateEndEndsWhatWasLoaded(_KnowsWhatItHasLoaded):
    """A coordinator that has loaded an open transaction accepts the epoch before for its end, since it does not know which end raised
    it."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        is_open = transaction.state is KafkaTransactionState.ONGOING and self.is_as_loaded(transaction)
        return RequestedTransaction.CURRENT if is_open and asked is RequestedTransaction.RETRY else asked


@defect(
    {"KIP890-201": seen("^success with", expected="^a refusal")},
    origin="textbook: after a crash, the epoch alone says whether an end is retried",
)
class ZombieIsToldTheNewEpochAfterACrash(_KnowsWhatItHasLoaded, ZombieIsToldTheNewEpoch):
    """A coordinator that has just started takes the end of the instance that was replaced for a retry, and answers it with the epoch of its
    successor."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if state in self.loaded.values():
            return super().end_of_new_client(state, decision, asked)
        return KafkaCoordinator.end_of_new_client(self, state, decision, asked)


@defect(
    {"KIP890-202": seen("^success", expected="^a refusal")},
    origin="textbook: what is in flight is a list in memory, and empty after a crash",
)
class LoadedDecisionOverturned(_KnowsWhatItHasLoaded, PreparedDecisionOverturned):
    """A coordinator that sends the markers again after a crash accepts the other decision meanwhile, and the two kinds of markers race."""

    def is_overturned(self, transaction: KafkaTransaction) -> bool:
        return self.is_as_loaded(transaction)
