"""TC_CLIENT_CONNECT_REQUEST with a transaction key, and NEW_TXN on a connection that has one."""

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.wire.pulsar import messages_pb2 as pb

from .answering import done, refusal
from .peer import Peer

_Connect = pb.CommandTcClientConnectRequest


def connect(peer: Peer, node_keys: NodeKeys, command: _Connect) -> bool:
    """Answered when nothing of the key's previous connection is left, with the epoch of this one, and the coordinator of the key.

    False if the client sends no key, and nothing was done.
    """
    where: dict[str, int] = {}

    def reply(epoch: int) -> None:
        rule("TXKEY-33")
        peer.say(done(peer, pb.CommandTcClientConnectResponse, command, where | {"transaction_key_epoch": epoch}))

    def refuse(refused: CommandRefused) -> None:
        peer.say(refusal(peer, pb.CommandTcClientConnectResponse, command, refused, where))

    try:
        key = node_keys.key_of(peer.principal, command.transaction_key if command.HasField("transaction_key") else None)
        if key is None:
            return False
        home = where["transaction_key_tc_id"] = peer.node.home_of(key, scalable=command.scalable)
        if command.tc_id != home:
            raise CommandRefused(ServerError.TRANSACTION_COORDINATOR_NOT_FOUND, f"the transaction key {key} belongs to coordinator {home}")
        keys = peer.node.keys_of(home, scalable=command.scalable)
        node_keys.refuse_another(key, [claim.key for claim in peer.claims.values()])
        epoch = node_keys.epoch_of(command.transaction_key_epoch if command.HasField("transaction_key_epoch") else None)
        peer.claims[command.scalable, home] = keys.connect(key, epoch, peer, reply, refuse)
    except CommandRefused as refused:
        refuse(refused)
    return True


def new_txn(peer: Peer, command: pb.CommandNewTxn) -> bool:
    """Only at the coordinator of its key. Answered when what the key had open is over.

    False if the connection has no key for such a transaction, and nothing was done.
    """

    def reply(txn: TxnId) -> None:
        fields = {"txnid_least_bits": txn.sequence, "txnid_most_bits": txn.tc_id}
        peer.say(done(peer, pb.CommandNewTxnResponse, command, fields))

    def refuse(refused: CommandRefused) -> None:
        peer.say(refusal(peer, pb.CommandNewTxnResponse, command, refused, {}))

    if peer.node.keys is None:
        return False
    try:
        if (claim := peer.node.keys.claim_at(peer.claims, command.tc_id, scalable=command.scalable)) is None:
            return False
        peer.node.keys_of(command.tc_id, scalable=command.scalable).begin(claim, command.txn_ttl_millis, reply, refuse)
    except CommandRefused as refused:
        refuse(refused)
    return True
