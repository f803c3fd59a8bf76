"""SUBSCRIBE, FLOW, ACK, REDELIVER, SEEK, GET_LAST_MESSAGE_ID, UNSUBSCRIBE, CLOSE_CONSUMER, and MESSAGE to the client."""

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, SubscriptionName, SubscriptionType
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription
from fencepost.reference.pulsar.topic import PulsarTopic
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.ack_sets import words_of
from fencepost.wire.pulsar.frames import Payload

from . import message_ids
from .peer import UNASKED, Peer, code, txn_of


def subscribe(peer: Peer, command: pb.CommandSubscribe) -> None:
    """A missing topic or subscription is created. A client that subscribes again with a consumer that it has is answered with success."""
    if command.consumer_id in peer.consumers:
        _done(peer, command)
        return
    topic = peer.node.bring_up(command.topic)
    kind = SubscriptionType(pb.CommandSubscribe.SubType.Name(command.sub_type))
    consumer = Consumer(
        command.consumer_id,
        command.consumer_name,
        lambda delivery: _deliver(peer, command.consumer_id, delivery),
        lambda active: peer.say(pb.CommandActiveConsumerChange(consumer_id=command.consumer_id, is_active=active)),
        lambda: peer.say(pb.CommandReachedEndOfTopic(consumer_id=command.consumer_id)),
    )
    subscription = topic.subscribe(
        command.subscription, kind, _start(topic, command), durable=command.durable, compacted=command.read_compacted
    )
    subscription.attach(consumer, kind)
    peer.consumers[command.consumer_id] = (SubscriptionName(command.topic, command.subscription), consumer)
    _done(peer, command)
    subscription.announce_active()
    has_ended, is_sealed = topic.has_ended_for(subscription), topic.producers.is_terminated
    if peer.node.answers.reports_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=subscription.has_more()):
        subscription.notify_end([consumer])


def flow(peer: Peer, command: pb.CommandFlow) -> None:
    subscription, consumer = _found(peer, command.consumer_id)
    subscription.flow(consumer, command.message_permits)


def ack(peer: Peer, command: pb.CommandAck) -> None:
    """Acknowledge, in a transaction or at once. It is answered if the client gave the request a number."""
    try:
        _acknowledge(peer, command)
    except CommandRefused as refused:
        if command.HasField("request_id") and peer.node.answers.answers_acknowledgement(is_refusal=True):
            peer.say(
                pb.CommandAckResponse(
                    consumer_id=command.consumer_id,
                    request_id=command.request_id,
                    error=code(refused.error),
                    message=refused.message,
                )
            )
        return
    if command.HasField("request_id") and peer.node.answers.answers_acknowledgement(is_refusal=False):
        peer.say(pb.CommandAckResponse(consumer_id=command.consumer_id, request_id=command.request_id))
    _topic(peer, command.consumer_id).notify_end()


def redeliver(peer: Peer, command: pb.CommandRedeliverUnacknowledgedMessages) -> None:
    """Redeliver messages: those that are named, or all."""
    subscription, consumer = _found(peer, command.consumer_id)
    topic = _topic(peer, command.consumer_id)
    subscription.redeliver(consumer, [message_ids.place(topic, message_id) for message_id in command.message_ids])


def seek(peer: Peer, command: pb.CommandSeek) -> None:
    """Begin again at a message, or at the earliest. The consumers are closed, since they still have earlier messages."""
    subscription, _ = _found(peer, command.consumer_id)
    if not command.HasField("message_id"):
        raise CommandRefused(ServerError.NOT_ALLOWED, "this broker seeks by message id, and not by time")
    subscription.seek(message_ids.before(_topic(peer, command.consumer_id), command.message_id))
    _done(peer, command)
    peer.detach(*peer.consumers.pop(command.consumer_id))
    peer.say(pb.CommandCloseConsumer(consumer_id=command.consumer_id, request_id=UNASKED))


def get_last_message_id(peer: Peer, command: pb.CommandGetLastMessageId) -> None:
    """The last message that readers may see."""
    subscription, _ = _found(peer, command.consumer_id)
    last = subscription.last_message()
    peer.say(
        pb.CommandGetLastMessageIdResponse(
            request_id=command.request_id,
            last_message_id=message_ids.id_of(last.place, last.message.batch_size) if last else message_ids.of_entry(BEFORE_ALL),
            consumer_mark_delete_position=message_ids.of_entry(subscription.cursor.mark_delete.position),
        )
    )


def unsubscribe(peer: Peer, command: pb.CommandUnsubscribe) -> None:
    name, consumer = peer.consumer(command.consumer_id)
    topic = peer.node.topics.named(name.topic)
    topic.subscription(name.name).check_is_alone(consumer)
    peer.detach(*peer.consumers.pop(command.consumer_id))
    topic.unsubscribe(name.name)
    _done(peer, command)


def close_consumer(peer: Peer, command: pb.CommandCloseConsumer) -> None:
    if command.consumer_id in peer.consumers:
        peer.detach(*peer.consumers.pop(command.consumer_id))
    _done(peer, command)


def _done(peer: Peer, command: pb.CommandSubscribe | pb.CommandSeek | pb.CommandUnsubscribe | pb.CommandCloseConsumer) -> None:
    if peer.node.answers.answers(type(command).__name__):
        peer.say(pb.CommandSuccess(request_id=command.request_id))


def _acknowledge(peer: Peer, command: pb.CommandAck) -> None:
    subscription, _ = _found(peer, command.consumer_id)
    topic = _topic(peer, command.consumer_id)
    txn = txn_of(command)
    if txn is not None:
        peer.refuse_fenced(txn, _doing(command), topic.name)
    if command.ack_type == pb.CommandAck.Cumulative:
        last = max((message_ids.whole_up_to(topic, message_id) for message_id in command.message_id), default=EARLIEST)
        if txn is None:
            subscription.acknowledge_up_to(last)
        else:
            subscription.acknowledge_up_to_in(txn, last)
        return
    wanted: dict[MessagePosition, Units] = {}
    for message_id in command.message_id:
        place = message_ids.place(topic, message_id)
        wanted[place] = wanted.get(place, frozenset()) | message_ids.units(topic, message_id)
    if txn is None:
        subscription.acknowledge(wanted)
    else:
        subscription.acknowledge_in(txn, wanted)


def _doing(command: pb.CommandAck) -> KeyedRequest:
    is_asked = command.HasField("request_id")
    if command.ack_type == pb.CommandAck.Cumulative:
        return KeyedRequest.ACKNOWLEDGE_UP_TO if is_asked else KeyedRequest.ACKNOWLEDGE_UP_TO_UNANSWERED
    return KeyedRequest.ACKNOWLEDGE if is_asked else KeyedRequest.ACKNOWLEDGE_UNANSWERED


def _start(topic: PulsarTopic, command: pb.CommandSubscribe) -> MessagePosition:
    if command.HasField("start_message_id"):
        rule("PIP460-44")
        return message_ids.behind(topic, command.start_message_id)
    return EARLIEST if command.initial_position == pb.CommandSubscribe.Earliest else topic.latest()


def _found(peer: Peer, number: int) -> tuple[Subscription, Consumer]:
    name, consumer = peer.consumer(number)
    return peer.node.topics.named(name.topic).subscription(name.name), consumer


def _topic(peer: Peer, number: int) -> PulsarTopic:
    return peer.node.topics.named(peer.consumer(number)[0].topic)


def _deliver(peer: Peer, number: int, delivery: Delivery) -> None:
    message = delivery.readable.message
    missing = delivery.missing
    command = pb.CommandMessage(
        consumer_id=number,
        message_id=message_ids.id_of(delivery.readable.place),
        redelivery_count=delivery.redelivery_count,
        ack_set=words_of(frozenset(range(message.units)) - missing, message.units) if missing else [],
    )
    rule("PIP31-175")
    metadata = pb.MessageMetadata()
    metadata.ParseFromString(message.headers)
    peer.say(command, Payload(metadata, message.payload))
