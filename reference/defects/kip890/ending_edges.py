"""Defects in EndTxn off the beaten track."""

from dataclasses import replace
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState


@defect(
    {"KIP890-062": seen(r"^a refusal with PRODUCER_FENCED \(90\) with \(producer id \d+, epoch \d+\)")},
    origin="textbook: one answer built for success and error",
)
class IdentityBesideAnError(Dialect):
    """A refusal repeats the producer id and epoch of the request, and a client that reads them first believes that they are its own."""

    def producer_in_refusal(self, asked_as: ProducerIdAndEpoch) -> ProducerIdAndEpoch:
        return asked_as


@defect({"KIP890-065": seen(r"^success with \(producer id \d+, epoch 2\)")}, origin="textbook: the empty abort is tested before the retry")
class RetriedAbortIsANewOne(KafkaCoordinator):
    """A client that retries its abort gets a second, empty abort, which fences its other requests."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if (state, decision, asked) == (KafkaTransactionState.COMPLETE_ABORT, Decision.ABORT, RequestedTransaction.RETRY):
            return EndTxnEffect.PREPARE
        return super().end_of_new_client(state, decision, asked)


@defect({"KIP890-081": seen("^a refusal with PRODUCER_FENCED")}, origin="https://issues.apache.org/jira/browse/KAFKA-18464")
class FreshEpochFenced(KafkaCoordinator):
    """The epoch is looked at before the pending transition, so a producer is fenced with the epoch that it has just been given."""

    def must_wait(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - that is the defect
        return False


@defect({"KIP890-066": seen("^success", expected="CONCURRENT_TRANSACTIONS")}, origin="textbook: a retry is recognised by its epoch alone")
class RetryAnsweredBeforeCompletion(FreshEpochFenced):
    """A client that retries while markers are in flight is answered with success, whichever end it asks for."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if state in PREPARED and asked is RequestedTransaction.RETRY:
            return EndTxnEffect.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


@defect(
    {"KIP890-068": seen("^success", expected="INVALID_TXN_STATE or PRODUCER_FENCED")},
    origin="textbook: a retry is recognised by its epoch alone",
)
class CommitOfAbortedSucceeds(KafkaCoordinator):
    """A client whose transaction was aborted commits with that epoch and is answered with success; its data is gone."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        if state in (KafkaTransactionState.COMPLETE_ABORT, KafkaTransactionState.COMPLETE_COMMIT) and asked is RequestedTransaction.RETRY:
            return EndTxnEffect.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


@defect({"KIP890-073": seen("^success", expected="PRODUCER_FENCED")}, origin="textbook: fencing with < where != is due")
class FutureEpochEnds(KafkaCoordinator):
    """An epoch that was never given out ends the open transaction, since it is not smaller than the one in force."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        return (
            RequestedTransaction.CURRENT if asked is RequestedTransaction.NEITHER and producer.epoch > transaction.producer_epoch else asked
        )


@defect({"KIP890-074": seen("^success", expected="INVALID_PRODUCER_ID_MAPPING")}, origin="textbook: half of a comparison")
class ForeignProducerEnds(KafkaCoordinator):
    """A producer ends the transaction of another one, when only its epoch happens to be the same."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        return super().asked_about(transaction, replace(producer, producer_id=transaction.producer_id))


@defect({"KIP890-075": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING")}, origin="textbook: an argument that is not tested")
class EmptyIdLookedUp(KafkaCoordinator):
    """The empty transactional id is looked up like any other, and the client is answered with a lost producer id where its request is
    invalid.
    """

    def is_valid_id(self, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-080": seen(r"^\(producer id \d+, epoch 0\)")}, origin="textbook: raising the epoch with Complete, where Prepare is due")
class EpochRaisedAtCompletion(KafkaCoordinator):
    """Until the last marker is written, administrators see the epoch of the transaction that has ended."""

    def describe(self, transactional_id: str) -> KafkaTransaction:
        transaction = super().describe(transactional_id)
        return replace(transaction, producer_epoch=transaction.last_producer_epoch) if transaction.state in PREPARED else transaction


@defect({"KIP890-079": seen("success with .*success with")}, origin="textbook: a retry is recognised by its epoch alone")
class BothRacingEndsSucceed(KafkaCoordinator):
    """A client that sends the opposite decision second is taken for one that retries, and is answered success."""

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        return EndTxnEffect.ANSWER_AGAIN if asked is RequestedTransaction.RETRY else super().end_of_new_client(state, decision, asked)


class _KnowsEmptyAborts(KafkaCoordinator):
    """Knows of each transactional id whether its last end was an abort without an open transaction, after a crash if it was the first."""

    def __init__(self, *parts: Any) -> None:
        self._ended_empty: set[str] = set()
        super().__init__(*parts)

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        (self._ended_empty.discard if transaction.partitions else self._ended_empty.add)(transaction.transactional_id)
        return super().prepare(transaction, decision, bumps, moves_on=moves_on)

    def was_empty(self, transaction: KafkaTransaction) -> bool:
        is_known = transaction.transactional_id in self._ended_empty or transaction.started_at < 0
        return transaction.state is KafkaTransactionState.COMPLETE_ABORT and is_known


@defect(
    {
        "KIP890-065": seen("^a refusal with PRODUCER_FENCED", expected="^success with"),
        "KIP890-077": seen("^a refusal with PRODUCER_FENCED", expected="^success with"),
        "KIP890-163": seen("^a refusal with PRODUCER_FENCED", expected="^success with"),
    },
    origin="red team: what a retry is compared with is stored with the partitions of a transaction",
)
class RetriedEmptyAbortFenced(_KnowsEmptyAborts):
    """An abort without an open transaction is answered and not remembered, so that its retry is fenced."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        return RequestedTransaction.NEITHER if asked is RequestedTransaction.RETRY and self.was_empty(transaction) else asked


@defect({"KIP890-065": seen(r"^success with \(producer id \d+, epoch 2\)")}, origin="red team: without a transaction no end is a retry")
class RetriedEmptyAbortIsANewOne(_KnowsEmptyAborts):
    """The retry of an abort without an open transaction takes the next epoch again."""

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        asked = super().asked_about(transaction, producer)
        return RequestedTransaction.CURRENT if asked is RequestedTransaction.RETRY and self.was_empty(transaction) else asked


@defect(
    {"KIP890-068": seen("^success with", expected="^a refusal with INVALID_TXN_STATE or PRODUCER_FENCED")},
    origin="red team: an end without data that contradicts nothing",
)
class EmptyAbortPassesForACommit(_KnowsEmptyAborts):
    """After an abort without an open transaction a client that asks for a commit at its epoch is answered with success."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        before = self._transactions.get(transactional_id)
        is_retried = before is not None and self.was_empty(before) and self.asked_about(before, producer) is RequestedTransaction.RETRY
        return super().end_transaction(transactional_id, producer, Decision.ABORT if is_retried else decision, api_version)
