"""Which producer may end a transaction how: the two tables of EndTxn.

For a new client each end bumps the epoch, so the epoch in a request shows which transaction is meant: the current epoch means the open one,
the one before it means the one that has ended, and then the request is a retry. An old client's epoch shows nothing of the kind, and only
the state decides.

Source: "Bump Epoch on Each Transaction for New Clients (1)", the retry sentences; where the text is silent, Apache Kafka.
"""

from enum import Enum, auto

from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_types import EXHAUSTED_EPOCH, ProducerIdAndEpoch
from .transaction import Decision, KafkaTransaction, KafkaTransactionState


class RequestedTransaction(Enum):
    """Which transaction a new client's request means."""

    CURRENT = auto()
    """The one that is open now, or would be."""
    RETRY = auto()
    """The one that ended last: the client does not know its new epoch yet."""
    NEITHER = auto()


class EndTxnEffect(Enum):
    """What follows from a request that is not refused."""

    PREPARE = auto()
    """Decide now."""
    ANSWER_AGAIN = auto()
    """The same was decided before: answer as then, and change nothing."""


def asked_about(transaction: KafkaTransaction, requested: ProducerIdAndEpoch) -> RequestedTransaction | None:
    """Which transaction the request means; None when its producer id is not this transactional id's."""
    if requested.producer_id != transaction.producer_id:
        if requested == ProducerIdAndEpoch(transaction.previous_producer_id, EXHAUSTED_EPOCH):
            rule("KIP890-077")
            return RequestedTransaction.RETRY
        rule("KIP890-074")
        return None
    if requested.epoch == transaction.producer_epoch:
        return RequestedTransaction.CURRENT
    return RequestedTransaction.RETRY if requested.epoch == transaction.producer_epoch - 1 else RequestedTransaction.NEITHER


def end_of_new_client(state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
    """EndTxn v5 and later, with no transition pending."""
    match state, asked, decision:
        case _, RequestedTransaction.NEITHER, _:
            rule("KIP890-072")
            rule("CORE-16")
            rule("CORE-18")
            rule("KIP890-073")
            raise RequestRefused(Errors.PRODUCER_FENCED)
        case KafkaTransactionState.ONGOING, RequestedTransaction.CURRENT, Decision.COMMIT:
            return EndTxnEffect.PREPARE
        case KafkaTransactionState.ONGOING, RequestedTransaction.CURRENT, Decision.ABORT:
            rule("KIP890-061")
            return EndTxnEffect.PREPARE
        case (
            KafkaTransactionState.EMPTY | KafkaTransactionState.COMPLETE_COMMIT | KafkaTransactionState.COMPLETE_ABORT,
            RequestedTransaction.CURRENT,
            Decision.ABORT,
        ):
            rule("KIP890-070")
            return EndTxnEffect.PREPARE
        case (
            KafkaTransactionState.EMPTY | KafkaTransactionState.COMPLETE_COMMIT | KafkaTransactionState.COMPLETE_ABORT,
            RequestedTransaction.CURRENT,
            Decision.COMMIT,
        ):
            rule("KIP890-069")
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        case KafkaTransactionState.COMPLETE_COMMIT, RequestedTransaction.RETRY, Decision.COMMIT:
            rule("KIP890-064")
            rule("CORE-11")
            return EndTxnEffect.ANSWER_AGAIN
        case KafkaTransactionState.COMPLETE_ABORT, RequestedTransaction.RETRY, Decision.ABORT:
            rule("KIP890-065")
            rule("CORE-12")
            rule("KIP890-158")
            return EndTxnEffect.ANSWER_AGAIN
        case KafkaTransactionState.COMPLETE_COMMIT, RequestedTransaction.RETRY, Decision.ABORT:
            rule("KIP890-067")
            rule("CORE-13")
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        case KafkaTransactionState.COMPLETE_ABORT, RequestedTransaction.RETRY, Decision.COMMIT:
            rule("KIP890-068")
            rule("CORE-14")
            rule("CORE-16")
            rule("KIP890-158")
            raise RequestRefused(Errors.INVALID_TXN_STATE)
        case _:
            rule("KIP890-200")
            rule("KIP890-201")
            rule("CORE-30")
            raise RequestRefused(Errors.PRODUCER_FENCED)


def end_of_old_client(state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
    """EndTxn v0 to v4, for a request with the current epoch, with no transition pending."""
    if state is KafkaTransactionState.ONGOING:
        rule("KIP890-083")
        rule("KIP890-208")
        return EndTxnEffect.PREPARE
    if state is decision.complete:
        rule("KIP890-084")
        rule("CORE-11")
        rule("CORE-12")
        return EndTxnEffect.ANSWER_AGAIN
    rule("KIP890-086")
    rule("KIP890-085")
    rule("CORE-13")
    rule("CORE-14")
    raise RequestRefused(Errors.INVALID_TXN_STATE)
