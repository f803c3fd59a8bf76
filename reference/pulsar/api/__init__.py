"""Pulsar's commands; only this package and `admin` know them.

Each command becomes a call with plain values, and its result is sent to the client, now or later.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame

from . import consumer_commands, lookups, producing, scalable_consumers, scalable_topics, transaction_commands
from .peer import Peer, code

_Handler: TypeAlias = Callable[[Peer, Any], None]

_HANDLERS: Mapping[str, _Handler] = {
    "ACK": consumer_commands.ack,
    "ADD_PARTITION_TO_TXN": transaction_commands.add_partition,
    "ADD_SUBSCRIPTION_TO_TXN": transaction_commands.add_subscription,
    "CLOSE_CONSUMER": consumer_commands.close_consumer,
    "CLOSE_PRODUCER": producing.close_producer,
    "CONNECT": lookups.connect,
    "END_TXN": transaction_commands.end_txn,
    "END_TXN_ON_PARTITION": transaction_commands.end_txn_on_partition,
    "END_TXN_ON_SUBSCRIPTION": transaction_commands.end_txn_on_subscription,
    "FLOW": consumer_commands.flow,
    "GET_LAST_MESSAGE_ID": consumer_commands.get_last_message_id,
    "LOOKUP": lookups.lookup,
    "NEW_TXN": transaction_commands.new_txn,
    "PARTITIONED_METADATA": lookups.partitioned_metadata,
    "PING": lookups.ping,
    "PONG": lambda _peer, _command: None,
    "PRODUCER": producing.producer,
    "REDELIVER_UNACKNOWLEDGED_MESSAGES": consumer_commands.redeliver,
    "SEEK": consumer_commands.seek,
    "SUBSCRIBE": consumer_commands.subscribe,
    "TC_CLIENT_CONNECT_REQUEST": transaction_commands.tc_client_connect,
    "UNSUBSCRIBE": consumer_commands.unsubscribe,
}

_HANDLERS_OF_SCALABLE_TOPICS: Mapping[str, _Handler] = {
    "SCALABLE_TOPIC_CLOSE": scalable_topics.close,
    "SCALABLE_TOPIC_LOOKUP": scalable_topics.lookup,
    "SCALABLE_TOPIC_SUBSCRIBE": scalable_consumers.subscribe,
    "WATCH_SCALABLE_TOPICS": scalable_topics.watch_topics,
    "WATCH_SCALABLE_TOPICS_CLOSE": scalable_topics.close_topics,
    "WATCH_TC_ASSIGNMENTS": scalable_topics.watch_tc_assignments,
    "WATCH_TC_ASSIGNMENTS_CLOSE": scalable_topics.close_tc_assignments,
}

KNOWN = frozenset({"SEND", *_HANDLERS, *_HANDLERS_OF_SCALABLE_TOPICS})
"""The commands that a client may send if the broker has scalable topics."""


def take(peer: Peer, frame: Frame) -> bool:
    """Execute a frame; False if its connection is closed instead, for a command that brokers do not accept."""
    if frame.name == "SEND":
        producing.send(peer, frame)
        return True
    handler = _HANDLERS.get(frame.name)
    if handler is None and peer.node.has_scalable_topics:
        handler = _HANDLERS_OF_SCALABLE_TOPICS.get(frame.name)
    if handler is None:
        return False
    try:
        handler(peer, frame.body)
    except CommandRefused as refused:
        if not hasattr(frame.body, "request_id"):
            return True  # nothing can be answered, and nothing was done
        peer.say(pb.CommandError(request_id=frame.body.request_id, error=code(refused.error), message=refused.message))
    return True
