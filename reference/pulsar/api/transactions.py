"""The commands of transactions: TC_CLIENT_CONNECT, NEW_TXN, ADD_*_TO_TXN, END_TXN, and END_TXN_ON_* that brokers send each other."""

from collections.abc import Callable
from typing import Any

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.participants import EndOn
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId
from fencepost.wire.pulsar import messages_pb2 as pb

from .peer import Peer, code


def tc_client_connect(peer: Peer, command: pb.CommandTcClientConnectRequest) -> None:
    """A client asks for a coordinator before it uses it."""
    _answer(peer, command, pb.CommandTcClientConnectResponse, lambda: peer.node.coordinator(command.tc_id))


def new_txn(peer: Peer, command: pb.CommandNewTxn) -> None:
    rule("PIP31-14")
    try:
        txn = peer.node.coordinator(command.tc_id).new(command.txn_ttl_millis)
    except Refused as refused:
        peer.say(pb.CommandNewTxnResponse(request_id=command.request_id, error=code(refused.error), message=refused.message))
        return
    peer.say(pb.CommandNewTxnResponse(request_id=command.request_id, txnid_least_bits=txn.least, txnid_most_bits=txn.most))


def add_partition(peer: Peer, command: pb.CommandAddPartitionToTxn) -> None:
    txn = _txn(command)
    _answer(
        peer,
        command,
        pb.CommandAddPartitionToTxnResponse,
        lambda: peer.node.coordinator(txn.most).add_partitions(txn, tuple(command.partitions)),
    )


def add_subscription(peer: Peer, command: pb.CommandAddSubscriptionToTxn) -> None:
    txn = _txn(command)
    names = tuple(SubscriptionName(one.topic, one.subscription) for one in command.subscription)
    _answer(
        peer,
        command,
        pb.CommandAddSubscriptionToTxnResponse,
        lambda: peer.node.coordinator(txn.most).add_subscriptions(txn, names),
    )


def end_txn(peer: Peer, command: pb.CommandEndTxn) -> None:
    """Answered when the coordinator says so, which may be when other connections speak, or when time passes."""
    txn = _txn(command)

    def done() -> None:
        peer.say(pb.CommandEndTxnResponse(request_id=command.request_id, txnid_least_bits=txn.least, txnid_most_bits=txn.most))

    try:
        peer.node.coordinator(txn.most).end(txn, Action(command.txn_action), done)
    except Refused as refused:
        peer.say(_refusal(pb.CommandEndTxnResponse, command, refused))


def end_txn_on_partition(peer: Peer, command: pb.CommandEndTxnOnPartition) -> None:
    message = EndOn(_txn(command), command.topic, Action(command.txn_action), _low_watermark(command))
    _answer(peer, command, pb.CommandEndTxnOnPartitionResponse, lambda: peer.node.end_on(message))


def end_txn_on_subscription(peer: Peer, command: pb.CommandEndTxnOnSubscription) -> None:
    name = SubscriptionName(command.subscription.topic, command.subscription.subscription)
    message = EndOn(_txn(command), name, Action(command.txn_action), _low_watermark(command))
    _answer(peer, command, pb.CommandEndTxnOnSubscriptionResponse, lambda: peer.node.end_on(message))


def _answer(peer: Peer, command: Any, response: Any, act: Callable[[], object]) -> None:
    """Do it, and say so, or say why not."""
    try:
        act()
    except Refused as refused:
        peer.say(_refusal(response, command, refused))
    else:
        peer.say(response(request_id=command.request_id, **_echo(response, command)))


def _refusal(response: Any, command: Any, refused: Refused) -> Any:
    error = code(refused.error)
    return response(request_id=command.request_id, error=error, message=refused.message, **_echo(response, command))


def _echo(response: Any, command: Any) -> dict[str, int]:
    """The transaction of the request, in answers that have a place for it."""
    if "txnid_least_bits" not in response.DESCRIPTOR.fields_by_name:
        return {}
    return {"txnid_least_bits": command.txnid_least_bits, "txnid_most_bits": command.txnid_most_bits}


def _txn(command: Any) -> TxnId:
    return TxnId(command.txnid_most_bits, command.txnid_least_bits)


def _low_watermark(command: Any) -> int:
    """Up to where transactions are complete; nothing where the sender does not say, or says -1, which wraps."""
    told: int = command.txnid_least_bits_of_low_watermark
    return told if command.HasField("txnid_least_bits_of_low_watermark") and told < 2**63 else -1
