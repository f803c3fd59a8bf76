"""SUBSCRIBE, FLOW, ACK, REDELIVER, SEEK, GET_LAST_MESSAGE_ID, UNSUBSCRIBE, CLOSE_CONSUMER, and MESSAGE to the client."""

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.subscription import Consumer, Delivery, Subscription
from fencepost.reference.pulsar.topic import Topic
from fencepost.reference.pulsar.values import SubscriptionName, SubscriptionType
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Payload

from . import message_ids
from .peer import UNASKED, Peer, code, txn_of


def subscribe(peer: Peer, command: pb.CommandSubscribe) -> None:
    """A topic or subscription that is not there comes up. A client that asks again for a consumer which it has is answered with success."""
    if command.consumer_id in peer.consumers:
        peer.say(pb.CommandSuccess(request_id=command.request_id))
        return
    topic = peer.node.topics.create(command.topic)
    kind = SubscriptionType(command.sub_type)
    consumer = Consumer(
        command.consumer_id,
        command.consumer_name,
        lambda delivery: _deliver(peer, command.consumer_id, delivery),
        lambda active: peer.say(pb.CommandActiveConsumerChange(consumer_id=command.consumer_id, is_active=active)),
    )
    subscription = topic.subscribe(command.subscription, kind, _start(topic, command), durable=command.durable)
    subscription.attach(consumer, kind)
    peer.consumers[command.consumer_id] = (SubscriptionName(command.topic, command.subscription), consumer)
    peer.say(pb.CommandSuccess(request_id=command.request_id))
    subscription.announce_active()
    if topic.is_terminated and not topic.has_more(subscription.cursor.mark_delete):
        peer.say(pb.CommandReachedEndOfTopic(consumer_id=command.consumer_id))


def flow(peer: Peer, command: pb.CommandFlow) -> None:
    subscription, consumer = _found(peer, command.consumer_id)
    subscription.flow(consumer, command.message_permits)


def ack(peer: Peer, command: pb.CommandAck) -> None:
    """Acknowledge, in a transaction or at once. It is answered where the client gave the request a number."""
    try:
        _acknowledge(peer, command)
    except Refused as refused:
        if command.HasField("request_id"):
            peer.say(
                pb.CommandAckResponse(
                    consumer_id=command.consumer_id,
                    request_id=command.request_id,
                    error=code(refused.error),
                    message=refused.message,
                )
            )
        return
    if command.HasField("request_id"):
        rule("PIP31-67")
        peer.say(pb.CommandAckResponse(consumer_id=command.consumer_id, request_id=command.request_id))


def redeliver(peer: Peer, command: pb.CommandRedeliverUnacknowledgedMessages) -> None:
    """Give messages back: those that are named, or all."""
    subscription, consumer = _found(peer, command.consumer_id)
    topic = _topic(peer, command.consumer_id)
    places = [message_ids.place(topic, message_id) for message_id in command.message_ids]
    subscription.redeliver(consumer, places if command.message_ids else None)


def seek(peer: Peer, command: pb.CommandSeek) -> None:
    """Begin anew at a message, or at the earliest. The consumers are closed, as they would come with what they already have."""
    subscription, _ = _found(peer, command.consumer_id)
    if not command.HasField("message_id"):
        raise Refused(Error.NOT_ALLOWED, "this broker seeks by message id, and not by time")
    subscription.seek(message_ids.before(_topic(peer, command.consumer_id), command.message_id))
    peer.say(pb.CommandSuccess(request_id=command.request_id))
    name, consumer = peer.consumers.pop(command.consumer_id)
    peer.detach(name, consumer)
    peer.say(pb.CommandCloseConsumer(consumer_id=command.consumer_id, request_id=UNASKED))


def get_last_message_id(peer: Peer, command: pb.CommandGetLastMessageId) -> None:
    """The last message that readers may see."""
    subscription, _ = _found(peer, command.consumer_id)
    topic = _topic(peer, command.consumer_id)
    last = topic.last_readable()
    peer.say(
        pb.CommandGetLastMessageIdResponse(
            request_id=command.request_id,
            last_message_id=message_ids.id_of(last.place, last.message.batch_size) if last else message_ids.NONE,
            consumer_mark_delete_position=message_ids.id_of(subscription.cursor.mark_delete),
        )
    )


def unsubscribe(peer: Peer, command: pb.CommandUnsubscribe) -> None:
    name, consumer = peer.consumer(command.consumer_id)
    topic = peer.node.topics.named(name.topic)
    if len(topic.subscription(name.name).consumers) > 1:
        raise Refused(Error.CONSUMER_BUSY, f"the subscription {name.name!r} has other consumers")
    peer.detach(name, consumer)
    del peer.consumers[command.consumer_id]
    topic.unsubscribe(name.name)
    peer.say(pb.CommandSuccess(request_id=command.request_id))


def close_consumer(peer: Peer, command: pb.CommandCloseConsumer) -> None:
    if command.consumer_id in peer.consumers:
        name, consumer = peer.consumers.pop(command.consumer_id)
        peer.detach(name, consumer)
    peer.say(pb.CommandSuccess(request_id=command.request_id))


def _acknowledge(peer: Peer, command: pb.CommandAck) -> None:
    subscription, _ = _found(peer, command.consumer_id)
    topic = _topic(peer, command.consumer_id)
    txn = txn_of(command)
    if command.ack_type == pb.CommandAck.Cumulative:
        if len(command.message_id) != 1:
            raise Refused(Error.NOT_ALLOWED, f"a cumulative acknowledgement names one message; this one names {len(command.message_id)}")
        place, units = message_ids.place_and_units(topic, command.message_id[0])
        if place.position > topic.ledger.last:
            raise Refused(Error.NOT_ALLOWED, f"{place.position} is acknowledged, and the last entry is {topic.ledger.last}")
        if txn is None:
            subscription.acknowledge_up_to(_whole(topic, place, units))
        else:
            subscription.acknowledge_up_to_in(txn, _whole(topic, place, units))
        return
    wanted: dict[Place, Units] = {}
    for message_id in command.message_id:
        place, units = message_ids.place_and_units(topic, message_id)
        if txn is not None or place.position <= topic.ledger.last:
            wanted[place] = wanted.get(place, frozenset()) | units
    if txn is None:
        subscription.acknowledge(wanted)
    else:
        subscription.acknowledge_in(txn, wanted)


def _whole(topic: Topic, place: Place, units: Units) -> Place:
    """Up to where a cumulative acknowledgement goes: a batch that it covers in part only is not in it."""
    return place if len(units) == message_ids.units_at(topic, place) else message_ids.before_place(place)


def _start(topic: Topic, command: pb.CommandSubscribe) -> Place:
    if command.HasField("start_message_id"):
        return message_ids.behind(topic, command.start_message_id)
    return EARLIEST if command.initial_position == pb.CommandSubscribe.Earliest else topic.latest()


def _found(peer: Peer, number: int) -> tuple[Subscription, Consumer]:
    name, consumer = peer.consumer(number)
    return peer.node.topics.named(name.topic).subscription(name.name), consumer


def _topic(peer: Peer, number: int) -> Topic:
    return peer.node.topics.named(peer.consumer(number)[0].topic)


def _deliver(peer: Peer, number: int, delivery: Delivery) -> None:
    message = delivery.readable.message
    missing = delivery.missing
    command = pb.CommandMessage(
        consumer_id=number,
        message_id=message_ids.id_of(delivery.readable.place),
        redelivery_count=delivery.redelivery_count,
        ack_set=message_ids.ack_set(frozenset(range(message.units)) - missing) if missing else [],
    )
    metadata = pb.MessageMetadata()
    metadata.ParseFromString(message.headers)
    peer.say(command, Payload(metadata, message.payload))
