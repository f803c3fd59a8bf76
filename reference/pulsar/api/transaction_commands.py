"""The commands of transactions: TC_CLIENT_CONNECT, NEW_TXN, ADD_*_TO_TXN, END_TXN, and END_TXN_ON_* that brokers send each other."""

from collections.abc import Callable, Mapping
from typing import Any

from fencepost.reference.pulsar.coordinator import TransactionCoordinator
from fencepost.reference.pulsar.participants import EndOn
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.topic import NO_WATERMARK
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.wire.pulsar import messages_pb2 as pb

from . import transaction_keys
from .answering import done, refusal
from .peer import Peer


def tc_client_connect(peer: Peer, command: pb.CommandTcClientConnectRequest) -> None:
    """A client connects to a coordinator before it uses it, with a transaction key or without."""
    if peer.node.keys is not None and transaction_keys.connect(peer, peer.node.keys, command):
        return
    _answer(peer, command, pb.CommandTcClientConnectResponse, lambda: _coordinator(peer, command, command.tc_id), {})


def new_txn(peer: Peer, command: pb.CommandNewTxn) -> None:
    if transaction_keys.new_txn(peer, command):
        return
    try:
        txn = _coordinator(peer, command, command.tc_id).new(command.txn_ttl_millis)
    except CommandRefused as refused:
        peer.say(refusal(peer, pb.CommandNewTxnResponse, command, refused, {}))
    else:
        peer.say(done(peer, pb.CommandNewTxnResponse, command, _fields(txn)))


def add_partition(peer: Peer, command: pb.CommandAddPartitionToTxn) -> None:
    txn = _txn(command)
    _answer(
        peer,
        command,
        pb.CommandAddPartitionToTxnResponse,
        lambda: _adder(peer, command, txn).add_partitions(txn, tuple(command.partitions)),
        _fields(txn),
    )


def add_subscription(peer: Peer, command: pb.CommandAddSubscriptionToTxn) -> None:
    txn = _txn(command)
    names = tuple(SubscriptionName(one.topic, one.subscription) for one in command.subscription)
    _answer(
        peer,
        command,
        pb.CommandAddSubscriptionToTxnResponse,
        lambda: _adder(peer, command, txn).add_subscriptions(txn, names),
        _fields(txn),
    )


def end_txn(peer: Peer, command: pb.CommandEndTxn) -> None:
    """Answered when the coordinator calls back, which may be during requests of other connections, or when time passes."""
    txn = _txn(command)

    def reply() -> None:
        peer.say(done(peer, pb.CommandEndTxnResponse, command, _fields(txn)))

    try:
        _ender(peer, command, txn).end(txn, EndAction(command.txn_action), reply)
    except CommandRefused as refused:
        peer.say(refusal(peer, pb.CommandEndTxnResponse, command, refused, _fields(txn)))


def end_txn_on_partition(peer: Peer, command: pb.CommandEndTxnOnPartition) -> None:
    message = EndOn(_txn(command), command.topic, EndAction(command.txn_action), NO_WATERMARK)
    _answer(peer, command, pb.CommandEndTxnOnPartitionResponse, lambda: peer.node.end_on(message), _fields(message.txn))


def end_txn_on_subscription(peer: Peer, command: pb.CommandEndTxnOnSubscription) -> None:
    name = SubscriptionName(command.subscription.topic, command.subscription.subscription)
    message = EndOn(_txn(command), name, EndAction(command.txn_action), NO_WATERMARK)
    _answer(peer, command, pb.CommandEndTxnOnSubscriptionResponse, lambda: peer.node.end_on(message), _fields(message.txn))


def _coordinator(peer: Peer, command: Any, tc_id: int) -> TransactionCoordinator:
    """The coordinator of the kind that the request is for: the id does not show it, since every kind begins with (0,0)."""
    return peer.node.coordinator(tc_id, scalable=command.scalable)


def _adder(peer: Peer, command: Any, txn: TxnId) -> TransactionCoordinator:
    """The coordinator of a transaction that was not fenced. Raises CommandRefused: INVALID_TXN_STATUS for one that was."""
    coordinator = _coordinator(peer, command, txn.tc_id)
    if peer.fences is not None:
        peer.node.keys_of(txn.tc_id, scalable=command.scalable).refuse_fenced(txn, KeyedRequest.ADD)
    return coordinator


def _ender(peer: Peer, command: Any, txn: TxnId) -> TransactionCoordinator | TransactionKeys:
    """What ends a transaction for a client: if there are transaction keys, they are asked first."""
    coordinator = _coordinator(peer, command, txn.tc_id)
    return coordinator if peer.fences is None else peer.node.keys_of(txn.tc_id, scalable=command.scalable)


def _answer(peer: Peer, command: Any, response: Any, act: Callable[[], object], transaction: Mapping[str, int]) -> None:
    """Execute the request, and answer success or the refusal. Either answer names the transaction of the request, if there is one."""
    try:
        act()
    except CommandRefused as refused:
        peer.say(refusal(peer, response, command, refused, transaction))
    else:
        peer.say(done(peer, response, command, transaction))


def _fields(txn: TxnId) -> dict[str, int]:
    return {"txnid_least_bits": txn.sequence, "txnid_most_bits": txn.tc_id}


def _txn(command: Any) -> TxnId:
    return TxnId(command.txnid_most_bits, command.txnid_least_bits)
