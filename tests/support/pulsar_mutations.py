"""Real frames of a scenario, and damaged ones: for tests of what a Pulsar broker does with anything.

Bytes are damaged as for Kafka (`mutations.damaged`). As a checksum guards what SEND carries, fields are damaged as well: a number that
no client would send, in a frame that is otherwise in order.
"""

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st
from pulsar_strategies import values

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import BatchedMessage, encode_batch
from fencepost.wire.pulsar.frames import Frame, Payload, decode, encode, frame_of

TOPIC = "persistent://public/default/orders"
SCALABLE_TOPIC = "topic://public/default/events"
_SUB = "sub"


def _metadata(sequence_id: int, **more: int) -> pb.MessageMetadata:
    return pb.MessageMetadata(producer_name="p", sequence_id=sequence_id, publish_time=1, **more)


def _sent(sequence_id: int, **txn: int) -> Frame:
    return frame_of(pb.CommandSend(producer_id=1, sequence_id=sequence_id, **txn), Payload(_metadata(sequence_id), b"v"))


def _batch(sequence_id: int) -> Frame:
    data = encode_batch(BatchedMessage(b"v", sequence_id + number) for number in range(3))
    command = pb.CommandSend(producer_id=1, sequence_id=sequence_id, num_messages=3, highest_sequence_id=sequence_id + 2)
    return frame_of(command, Payload(_metadata(sequence_id, num_messages_in_batch=3), data))


def _id(entry: int, *, ack_set: list[int] | None = None) -> pb.MessageIdData:
    return pb.MessageIdData(ledger_id=0, entry_id=entry, ack_set=ack_set or [])


def recorded() -> list[Frame]:
    """The frames of one client; every command that the reference knows is among them, and each is conforming where it stands."""
    txn = {"txnid_most_bits": 0, "txnid_least_bits": 0}
    late = {"txnid_most_bits": 0, "txnid_least_bits": 1}
    on_sub = {"subscription": pb.Subscription(topic=TOPIC, subscription=_SUB)}
    subscribe = {"topic": TOPIC, "subscription": _SUB, "sub_type": pb.CommandSubscribe.Shared}
    commands = [
        pb.CommandConnect(client_version="test", protocol_version=21),
        pb.CommandPing(),
        pb.CommandPong(),
        pb.CommandPartitionedTopicMetadata(topic=TOPIC, request_id=1),
        pb.CommandLookupTopic(topic=TOPIC, request_id=2),
        pb.CommandScalableTopicLookup(topic=TOPIC, session_id=1),
        pb.CommandScalableTopicClose(session_id=1),
        pb.CommandScalableTopicSubscribe(
            topic=SCALABLE_TOPIC, subscription=_SUB, consumer_name="c", consumer_id=4, consumer_type="STREAM", request_id=24
        ),
        pb.CommandWatchScalableTopics(watch_id=2, namespace="public/default"),
        pb.CommandWatchScalableTopicsClose(watch_id=2),
        pb.CommandWatchTcAssignments(watch_id=1),
        pb.CommandWatchTcAssignmentsClose(watch_id=1),
        pb.CommandTcClientConnectRequest(tc_id=0, request_id=3),
        pb.CommandProducer(topic=TOPIC, producer_id=1, request_id=4, producer_name="p"),
        pb.CommandSubscribe(consumer_id=1, request_id=5, initial_position=pb.CommandSubscribe.Earliest, **subscribe),
        pb.CommandSubscribe(
            topic=TOPIC,
            subscription="reader",
            sub_type=pb.CommandSubscribe.Exclusive,
            consumer_id=2,
            request_id=6,
            durable=False,
            start_message_id=_id(0),
        ),
        pb.CommandFlow(consumer_id=1, message_permits=100),
        pb.CommandFlow(consumer_id=2, message_permits=100),
        pb.CommandNewTxn(request_id=7, txn_ttl_millis=60_000, tc_id=0),
        pb.CommandNewTxn(request_id=8, txn_ttl_millis=60_000, tc_id=0),
        pb.CommandAddPartitionToTxn(request_id=9, partitions=[TOPIC], **txn),
        pb.CommandAddSubscriptionToTxn(request_id=10, subscription=[on_sub["subscription"]], **txn),
        _sent(0),
        _batch(1),
        _sent(4),
        _sent(5, **txn),
        pb.CommandAck(consumer_id=1, ack_type=pb.CommandAck.Individual, message_id=[_id(0)], request_id=11),
        pb.CommandAck(consumer_id=1, ack_type=pb.CommandAck.Individual, message_id=[_id(1, ack_set=[5])], request_id=12, **txn),
        pb.CommandAck(consumer_id=1, ack_type=pb.CommandAck.Cumulative, message_id=[_id(1)], request_id=13),
        pb.CommandRedeliverUnacknowledgedMessages(consumer_id=1, message_ids=[_id(2)]),
        pb.CommandGetLastMessageId(consumer_id=1, request_id=14),
        pb.CommandEndTxn(request_id=15, txn_action=pb.COMMIT, **txn),
        pb.CommandEndTxnOnPartition(request_id=16, topic=TOPIC, txn_action=pb.ABORT, txnid_least_bits_of_low_watermark=0, **late),
        pb.CommandEndTxnOnSubscription(request_id=17, txn_action=pb.ABORT, **on_sub, **late),
        pb.CommandSeek(consumer_id=1, request_id=18, message_id=_id(0)),
        pb.CommandSubscribe(consumer_id=3, request_id=19, **subscribe),
        pb.CommandFlow(consumer_id=3, message_permits=100),
        pb.CommandGetLastMessageId(consumer_id=3, request_id=20),
        pb.CommandUnsubscribe(consumer_id=3, request_id=21),
        pb.CommandCloseConsumer(consumer_id=2, request_id=22),
        pb.CommandCloseProducer(producer_id=1, request_id=23),
    ]
    return [command if isinstance(command, Frame) else frame_of(command) for command in commands]


_EXTREMES = {
    FieldDescriptor.TYPE_INT32: (-(2**31), -1, 0, 2**31 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), -1, 0, 2**63 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**31, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1),
}


@st.composite
def absurd(draw: st.DrawFn, frames: list[Frame]) -> Frame:
    """One of the frames, with up to three fields that hold anything; still a frame that can be read."""
    frame = decode(encode(draw(st.sampled_from(frames)))[4:])
    for _ in range(draw(st.integers(1, 3))):
        parts: list[Message] = [frame.body, *([frame.payload.metadata] if frame.payload else [])]
        part = draw(st.sampled_from(parts))
        field = draw(st.sampled_from(list(part.DESCRIPTOR.fields))) if part.DESCRIPTOR.fields else None
        if field is not None:
            _damage(draw, part, field)
    return frame


def _damage(draw: st.DrawFn, part: Message, field: FieldDescriptor) -> None:
    extremes = _EXTREMES.get(field.type)
    value = values(field) if extremes is None else st.sampled_from(extremes)
    if field.is_repeated:
        part.ClearField(field.name)
        several = draw(st.lists(value, max_size=4)) * draw(st.sampled_from((1, 1, 1, 200)))
        getattr(part, field.name).extend(several)
    elif field.message_type is not None:
        inner = getattr(part, field.name)
        inner.CopyFrom(draw(value))
    elif not field.is_required and draw(st.booleans()):
        part.ClearField(field.name)
    else:
        setattr(part, field.name, draw(value))
