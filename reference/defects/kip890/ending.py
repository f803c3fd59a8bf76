"""Defects in ending a transaction."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName, ProducerIdAndEpoch
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.producer_state import EpochStanding, ProducerStates
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog

from .neighbours import KnowsNeighbours


@defect({"KIP890-060": seen(r"^success with \(producer id \d+, epoch 0\)")}, origin="KAFKA-14562: no broker raised the epoch before it")
class NoEpochBump(KafkaCoordinator):
    """EndTxn v5 is handled like its older versions: the transaction ends, and the next one has the same epoch."""

    def bumps_epoch(self, end_txn_version: int) -> bool:  # noqa: ARG002 - that is the defect
        return False


@defect(
    {"KIP890-061": seen(r"^success with \(producer id \d+, epoch 0\)")}, origin="textbook: the epoch is raised where the commit is written"
)
class NoEpochBumpOnAbort(KafkaCoordinator):
    """Only a commit raises the epoch; after an abort the next transaction cannot be distinguished from the aborted one."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        return super().prepare(transaction, decision, bumps if decision is Decision.COMMIT else 0, moves_on=moves_on)


@defect(
    {"KIP890-063": Symptom(what="answer to Produce", error="^INVALID_TXN_STATE$")},
    origin="textbook: a state machine in which Complete leads only to Empty",
)
class AnsweredEpochIsUseless(KafkaCoordinator):
    """A producer that continues with the epoch from EndTxn is refused until it has called InitProducerId."""

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        if transaction_version == 2 and self.describe(transactional_id).state in (
            KafkaTransactionState.COMPLETE_COMMIT,
            KafkaTransactionState.COMPLETE_ABORT,
        ):
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        super().add_partitions(transactional_id, producer, partitions, transaction_version)


@defect({"KIP890-064": seen("^a refusal with PRODUCER_FENCED")}, origin="textbook: an epoch bump without the rule for retries")
class RetriedEndIsFenced(KafkaCoordinator):
    """The epoch is raised, and a client that did not receive the answer is fenced by its own commit when it retries."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        return super().end_of_new_client(state, decision, RequestedTransaction.NEITHER if asked is RequestedTransaction.RETRY else asked)


@defect(
    {"KIP890-067": seen("^success", expected="INVALID_TXN_STATE")}, origin="textbook: a retry is recognised without comparing the command"
)
class LateAbortOfACommitSucceeds(KafkaCoordinator):
    """A retry is recognised by its epoch alone, so the abort of a committed transaction is answered with success."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        ended = asked is RequestedTransaction.RETRY and state in (
            KafkaTransactionState.COMPLETE_COMMIT,
            KafkaTransactionState.COMPLETE_ABORT,
        )
        return EndTxnEffect.ANSWER_AGAIN if ended else super().end_of_new_client(state, decision, asked)


@defect({"KIP890-069": seen("^success", expected="INVALID_TXN_STATE")}, origin="textbook: nothing to do is treated as done")
class EmptyCommitSucceeds(KafkaCoordinator):
    """A commit with nothing open is answered with success, so a producer whose writes were lost believes that they are there."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        idle = state in (KafkaTransactionState.EMPTY, KafkaTransactionState.COMPLETE_COMMIT, KafkaTransactionState.COMPLETE_ABORT)
        if idle and asked is RequestedTransaction.CURRENT and decision is Decision.COMMIT:
            return EndTxnEffect.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


@defect({"KIP890-070": seen("^a refusal with INVALID_TXN_STATE")}, origin="every broker before KIP-890")
class EmptyAbortRefused(KafkaCoordinator):
    """An abort with nothing open is refused, as for old clients; a client that does not know whether it wrote cannot start afresh."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        idle = state in (KafkaTransactionState.EMPTY, KafkaTransactionState.COMPLETE_COMMIT, KafkaTransactionState.COMPLETE_ABORT)
        if idle and asked is RequestedTransaction.CURRENT and decision is Decision.ABORT:
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        return super().end_of_new_client(state, decision, asked)


@defect(
    {"KIP890-071": seen("^the next record got offset")},
    origin="textbook: the set of partitions is not cleared when a transaction is complete",
)
class EmptyAbortWritesMarkers(MarkerSender):
    """An abort with nothing open writes markers to the partitions of the previous transaction, which has ended already."""

    def partitions_to_mark(self, transaction: KafkaTransaction) -> list[PartitionName]:
        marked: dict[str, list[PartitionName]] = self.__dict__.setdefault("marked", {})
        partitions = super().partitions_to_mark(transaction) or marked.get(transaction.transactional_id, [])
        marked[transaction.transactional_id] = partitions
        return partitions


@defect(
    {"KIP890-072": seen("^(success|a refusal with INVALID_TXN_STATE)")},
    origin="textbook: older than the current epoch, instead of exactly one older",
)
class EveryOlderEpochIsARetry(KafkaCoordinator):
    """Every older epoch counts as the one that has just ended, so an end that is two transactions late is answered with success."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        return (
            RequestedTransaction.RETRY if asked is RequestedTransaction.NEITHER and producer.epoch < transaction.producer_epoch else asked
        )


@defect(
    {"KIP890-070": expected("^success", what="^answer to Produce", error="^INVALID_PRODUCER_EPOCH$")},
    origin="textbook: no partitions, so nothing to store; but there is an epoch",
)
class EmptyAbortNotStored(KafkaTransactionLog):
    """An abort with nothing open is not worth a record: after a crash its producer has an epoch that the coordinator never gave."""

    _unwritten: frozenset[str] = frozenset()

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        name = {transaction.transactional_id}
        if transaction.state is KafkaTransactionState.PREPARE_ABORT and not transaction.partitions:
            self._unwritten |= name
            return False
        is_unwritten = transaction.state is KafkaTransactionState.COMPLETE_ABORT and name <= self._unwritten
        self._unwritten -= name
        return not is_unwritten and super().must_be_durable(transaction)


@defect(
    {"KIP890-070": seen("^a refusal with INVALID_TXN_STATE", expected="^success", what="answer to EndTxn")},
    origin="red team: the protocol of the last transaction is treated as that of the next request",
)
class NoEmptyAbortAfterAnOldEnd(KafkaCoordinator):
    """EndTxn v5 with nothing open is refused if the last transaction was ended by EndTxn v4."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        is_after_old_end = (
            known is not None and known.is_idle and known.state is not KafkaTransactionState.EMPTY and known.transaction_version == 0
        )
        if is_after_old_end and known is not None and self.bumps_epoch(api_version) and producer == known.producer:
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        return super().end_transaction(transactional_id, producer, decision, api_version)


@defect({"KIP890-060": Symptom(what="answer to EndTxn")}, origin="textbook: a loop around too much")
class BumpedForEachOpen(KnowsNeighbours):
    """An end raises the epoch once for each transaction that is open in the same partitions."""

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        return super().prepare(transaction, decision, bumps + (len(self.neighbours(transaction)) if bumps else 0), moves_on=moves_on)


@defect(
    {"KIP890-063": seen('^"a1";', expected='^"a1", "a4"', what="^records that readers of payments-0")},
    origin="red team: epochs that are compared like sequence numbers",
)
class EpochsWithoutAGap(ProducerStates):
    """A partition takes no epoch that is more than one above the last that it knows, as after transactions in other partitions."""

    def standing(self, producer: ProducerIdAndEpoch) -> EpochStanding:
        state = self.get(producer.producer_id)
        if state is not None and producer.epoch > state.producer.epoch + 1:
            return EpochStanding.FENCED
        return super().standing(producer)


@defect(
    {"KIP890-072": seen("^success", expected="PRODUCER_FENCED", what="answer to EndTxn")},
    origin="red team: only the last epoch is recognised as one that has ended",
)
class EndsFromTwoEpochsBehind(KafkaCoordinator):
    """While a transaction is open, an EndTxn from two transactions before ends it: only the epoch of the last one is refused."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        is_open = transaction.state is KafkaTransactionState.ONGOING
        if is_open and transaction.producer_id == producer.producer_id and producer.epoch < transaction.producer_epoch - 1:
            return RequestedTransaction.CURRENT
        return super().asked_about(transaction, producer)
