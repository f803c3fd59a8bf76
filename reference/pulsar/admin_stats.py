"""What the admin interface reports of coordinators, topics, buffers and subscriptions, in the words of Pulsar's REST API."""

from typing import Any

from .buffer import TransactionBuffer
from .coordinator import TransactionCoordinator
from .pulsar_types import TxnId
from .subscription import Subscription
from .topic import PulsarTopic
from .transaction import PulsarTransaction

_READY = "Ready"


def of_coordinator(coordinator: TransactionCoordinator) -> dict[str, Any]:
    known = coordinator.transactions()
    return {
        "state": _READY,
        "leastSigBits": coordinator.last_sequence,
        "lowWaterMark": coordinator.low_watermark,
        "ongoingTxnSize": sum(not transaction.status.is_complete for transaction in known),
    }


def of_transaction(transaction: PulsarTransaction) -> dict[str, Any]:
    acked: dict[str, dict[str, Any]] = {}
    for name in transaction.subscriptions:
        acked.setdefault(name.topic, {})[name.name] = {}
    return {
        "txnId": str(transaction.txn),
        "status": transaction.status.value,
        "openTimestamp": transaction.started_at,
        "timeoutAt": transaction.timeout_ms,
        "producedPartitions": {name: {} for name in transaction.partitions},
        "ackedPartitions": acked,
    }


def of_log(topic: PulsarTopic) -> dict[str, Any]:
    return {
        "numberOfEntries": len(topic.ledger),
        "lastConfirmedEntry": str(topic.ledger.last),
        "cursors": {name: {"markDeletePosition": str(one.cursor.mark_delete.position)} for name, one in topic.subscriptions.items()},
    }


def of_buffer(buffer: TransactionBuffer) -> dict[str, Any]:
    return {
        "state": _READY,
        "maxReadPosition": str(buffer.max_read_position),
        "ongoingTxnSize": len(buffer.ongoing()),
        "totalAbortedTransactions": buffer.aborted,
        "lowWaterMarks": {},
    }


def in_buffer(buffer: TransactionBuffer, txn: TxnId) -> dict[str, Any]:
    answer: dict[str, Any] = {"aborted": buffer.is_aborted(txn)}
    if txn in buffer.ongoing():
        answer["startPosition"] = str(buffer.ongoing()[txn])
    return answer


def of_pending_acks(subscription: Subscription) -> dict[str, Any]:
    return {"state": _READY, "ongoingTxnSize": len(subscription.pending.transactions()), "lowWaterMarks": {}}
