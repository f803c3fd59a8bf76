"""What clients ask of a transaction coordinator: to whom each request goes, and its command."""

from typing import Any

from google.protobuf.message import Message

from fencepost.wire.pulsar import messages_pb2 as pb

from .values import AddSubscriptions, AddTopics, End, NewTransaction, TransactionRequest, TxnId


def coordinator_of(request: TransactionRequest) -> int:
    """The coordinator that is asked: that of the transaction, where there is one."""
    return request.coordinator if isinstance(request, NewTransaction) else request.transaction.coordinator


def command_of(request: TransactionRequest, number: int) -> Message:
    """The command for the wire, with that request id."""
    match request:
        case NewTransaction(timeout_ms, coordinator):
            return pb.CommandNewTxn(request_id=number, txn_ttl_millis=timeout_ms, tc_id=coordinator)
        case AddTopics(transaction, topics):
            return pb.CommandAddPartitionToTxn(request_id=number, partitions=topics, **id_fields(transaction))
        case AddSubscriptions(transaction, subscriptions):
            named = [pb.Subscription(topic=subscription.topic, subscription=subscription.name) for subscription in subscriptions]
            return pb.CommandAddSubscriptionToTxn(request_id=number, subscription=named, **id_fields(transaction))
        case End(transaction, action):
            return pb.CommandEndTxn(request_id=number, txn_action=pb.TxnAction.Name(action), **id_fields(transaction))


def id_fields(transaction: TxnId) -> dict[str, Any]:
    """A transaction's id, as every command about it has it."""
    return {"txnid_most_bits": transaction.coordinator_bits, "txnid_least_bits": transaction.sequence}
