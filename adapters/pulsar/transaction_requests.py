"""Clients' requests to a transaction coordinator: the coordinator of each request, and its command."""

from typing import Any

from google.protobuf.message import Message

from fencepost.wire.pulsar import messages_pb2 as pb

from .pulsar_values import AddSubscriptions, AddTopics, CoordinatorId, End, NewTransaction, TransactionId, TransactionRequest


def coordinator_of(request: TransactionRequest) -> CoordinatorId:
    """The coordinator of a request: that of its transaction, if it has one."""
    if isinstance(request, NewTransaction):
        return CoordinatorId(request.coordinator, request.scalable)
    return CoordinatorId(request.transaction.coordinator, request.transaction.scalable)


def command_of(request: TransactionRequest, number: int) -> Message:
    """The command for the wire, with that request id."""
    match request:
        case NewTransaction(timeout_ms, coordinator):
            return pb.CommandNewTxn(request_id=number, txn_ttl_millis=timeout_ms, tc_id=coordinator, scalable=request.scalable or None)
        case AddTopics(transaction, topics):
            return pb.CommandAddPartitionToTxn(request_id=number, partitions=topics, **_fields(transaction))
        case AddSubscriptions(transaction, subscriptions):
            named = [pb.Subscription(topic=subscription.topic, subscription=subscription.name) for subscription in subscriptions]
            return pb.CommandAddSubscriptionToTxn(request_id=number, subscription=named, **_fields(transaction))
        case End(transaction, action):
            return pb.CommandEndTxn(request_id=number, txn_action=pb.TxnAction.Name(action), **_fields(transaction))


def _fields(transaction: TransactionId) -> dict[str, Any]:
    """A transaction's id and kind, as every command to a coordinator has them. A transaction of PIP-31 has no field for the kind."""
    return id_fields(transaction) | ({"scalable": True} if transaction.scalable else {})


def id_fields(transaction: TransactionId) -> dict[str, Any]:
    """A transaction's id, as every command about it has it."""
    return {"txnid_most_bits": transaction.coordinator_bits, "txnid_least_bits": transaction.sequence}


def about_transaction(transaction: TransactionId | None) -> dict[str, Any]:
    """What is known about a transaction, and commands that name it by its id alone do not have."""
    return {"scalable": True} if transaction is not None and transaction.scalable else {}
