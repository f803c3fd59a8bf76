"""PRODUCER, SEND, CLOSE_PRODUCER."""

import sys

from fencepost.reference.pulsar.producers import TopicProducer
from fencepost.reference.pulsar.pulsar_types import Message, Position
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import count_of, is_batch
from fencepost.wire.pulsar.frames import Frame, Payload

from . import message_ids
from .peer import Peer, code, txn_of

_LEAST_OF_A_MESSAGE = 6
"""The least bytes of a message in a batch: the size of its metadata, and in that the size of its payload."""

_MOST_IN_A_BATCH = 65_536


def producer(peer: Peer, command: pb.CommandProducer) -> None:
    """A missing topic is created. A producer without a name gets a unique one."""
    _drop(peer, command.producer_id)
    topic = peer.node.bring_up(command.topic)
    opened = TopicProducer(command.producer_name or peer.node.new_producer_name())
    topic.producers.attach(opened)
    peer.producers[command.producer_id] = (command.topic, opened)
    peer.say(
        pb.CommandProducerSuccess(
            request_id=command.request_id,
            producer_name=opened.name,
            last_sequence_id=min(topic.deduplication.last(opened.name), sys.maxsize),
            schema_version=b"",
        )
    )


def send(peer: Peer, frame: Frame) -> None:
    """Store a message, or a batch. Messages of a closed producer are ignored: CLOSE_PRODUCER was sent to the client.

    If it was closed because its segment was sealed, the proposal requires an answer all the same.
    """
    command: pb.CommandSend = frame.body
    if (sealed := peer.sealed.get(command.producer_id)) is not None and _answers_late_writes(peer):
        _refuse(peer, command, CommandRefused(peer.node.answers.says_of_what_is_sealed(), f"{sealed} is sealed"))
    if command.producer_id not in peer.producers or frame.payload is None:
        return
    name, opened = peer.producers[command.producer_id]
    try:
        message = _message(command, opened.name, frame.payload)
        if message.txn is not None:
            peer.refuse_fenced(message.txn, _doing(peer, name, message), name)
        stored = peer.node.topics.named(name).publish(message, deduplicated=peer.node.is_deduplicated(name))
    except CommandRefused as refused:
        _refuse(peer, command, refused)
    else:
        peer.say(_receipt(command, stored))


def close_producer(peer: Peer, command: pb.CommandCloseProducer) -> None:
    _drop(peer, command.producer_id)
    peer.say(pb.CommandSuccess(request_id=command.request_id))


def _doing(peer: Peer, topic: str, message: Message) -> KeyedRequest:
    """A message that is sent again is checked too, though it would not be stored again: a receipt would say that it counts."""
    is_known = peer.node.is_deduplicated(topic) and peer.node.topics.named(topic).deduplication.is_there(message)
    return KeyedRequest.SEND_AGAIN if is_known else KeyedRequest.SEND


def _answers_late_writes(peer: Peer) -> bool:
    return peer.node.answers.answers_a_message_to_what_is_sealed(peer.node.scalable.profile.sealed_writes)


def _refuse(peer: Peer, command: pb.CommandSend, refused: CommandRefused) -> None:
    peer.say(
        pb.CommandSendError(
            producer_id=command.producer_id,
            sequence_id=command.sequence_id,
            error=code(refused.error),
            message=refused.message,
        )
    )


def _drop(peer: Peer, number: int) -> None:
    """The number is free again, and so is the name of its producer."""
    if number in peer.sealed and peer.node.answers.forgets_the_seal():
        del peer.sealed[number]
    if number in peer.producers:
        name, opened = peer.producers.pop(number)
        peer.node.topics.named(name).producers.detach(opened)


def _message(command: pb.CommandSend, producer_name: str, payload: Payload) -> Message:
    metadata = payload.metadata
    if is_batch(metadata):
        _check_count(metadata, payload)
    key = metadata.ordering_key or metadata.partition_key.encode()
    return Message(
        producer=producer_name,
        sequence_id=command.sequence_id,
        highest_sequence_id=max(command.sequence_id, command.highest_sequence_id),
        headers=metadata.SerializeToString(),
        payload=payload.data,
        batch_size=count_of(metadata) if is_batch(metadata) else None,
        key=key or None,
        txn=txn_of(command),
    )


def _check_count(metadata: pb.MessageMetadata, payload: Payload) -> None:
    """The payload has room for as many messages as the batch claims. Raises CommandRefused: NOT_ALLOWED if not."""
    size = len(payload.data) if metadata.compression == pb.NONE else metadata.uncompressed_size
    most = min(_MOST_IN_A_BATCH, size // _LEAST_OF_A_MESSAGE)
    if not 1 <= count_of(metadata) <= most:
        raise CommandRefused(
            ServerError.NOT_ALLOWED, f"a batch of {size} bytes announces {count_of(metadata)} messages; expected 1 to {most}"
        )


def _receipt(command: pb.CommandSend, stored: Position) -> pb.CommandSendReceipt:
    return pb.CommandSendReceipt(
        producer_id=command.producer_id,
        sequence_id=command.sequence_id,
        message_id=message_ids.of_entry(stored),
        highest_sequence_id=command.highest_sequence_id,
    )
