"""The Pulsar probe and messages of whole scalable topics: where they go, what a sealed segment answers, and who receives them."""

from typing import Any

import pytest
from google.protobuf.message import Message
from layouts_reported import FLAGS, SPLIT, TOPIC, WHOLE, assigned, reported, segment
from scripted_pulsar import ScriptedPulsar, nothing, receipt
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import TransactionId
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Payload
from fencepost.wire.pulsar.key_hash import Half, segment_hash
from fencepost.wire.pulsar.numbers import MINUS_ONE

LOW, HIGH = "a", "b"
"""Keys whose hashes are in the lower and in the upper half."""


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker whose scalable topic has two segments, whose parent is sealed."""
    broker = ScriptedPulsar()
    broker.on("CONNECT", lambda _: [pb.CommandConnected(server_version="Pulsar Server5.0.0-M1", feature_flags=FLAGS)])
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 1, *SPLIT)])
    broker.on("SCALABLE_TOPIC_CLOSE", nothing)
    return broker


def closing(request: Any) -> pb.CommandCloseProducer:
    """The broker's notification for a sealed segment's producer."""
    return pb.CommandCloseProducer(producer_id=request.producer_id, request_id=MINUS_ONE)


def terminated(request: Any) -> Message:
    """TopicTerminatedError to a SEND."""
    return pb.CommandSendError(producer_id=request.producer_id, sequence_id=request.sequence_id, error=15, message="sealed")


def no_producer(request: Any) -> list[Message]:
    """The same to a PRODUCER."""
    return [pb.CommandError(request_id=request.request_id, error=15, message="sealed")]


# --- sealed segments ----------------------------------------------------------------------------------------------------------------


def test_a_send_to_a_sealed_segment_is_refused_where_the_broker_says_so(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Before its producer is closed, or after that."""
    producer = value_of(probe.producer(segment(0)))
    sealed = Refused("TopicTerminatedError", 15, "sealed")

    broker.on("SEND", lambda request: [terminated(request), closing(request)])
    assert probe.send(producer, "a") == sealed

    broker.on("SEND", lambda request: [closing(request), terminated(request)])
    assert probe.send(producer, "b") == sealed


def test_a_send_that_is_ignored_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The close of its producer is no answer, and the probe does not reopen the producer without `reopen`."""
    producer = value_of(probe.producer(segment(0)))
    broker.on("SEND", lambda request: [closing(request)], nothing)

    first = probe.send(producer, "a", reopen=False)
    second = probe.receipt(value_of(probe.post(producer, "b", reopen=False)), within_s=0.2)

    assert isinstance(first, Unknown)
    assert "closed the producer instead of answering SEND" in first.reason
    assert isinstance(second, Unknown)
    assert len(broker.of("PRODUCER")) == 1
    assert len(broker.of("SEND")) == 2


def test_a_receipt_after_the_close_counts(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A receipt for a message stored before the seal may come after it."""
    producer = value_of(probe.producer(segment(0)))
    broker.on("SEND", lambda request: [closing(request)])
    pending = value_of(probe.post(producer, "a"))
    assert isinstance(probe.receipt(pending), Unknown)

    broker.push(receipt(broker.of("SEND")[0].body, 1, 4))

    assert value_of(probe.receipt(pending)).position.entry == 4


def test_the_producer_of_a_sealed_segment_is_not_opened_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The next message is refused at once with the error of the PRODUCER."""
    producer = value_of(probe.producer(segment(0)))
    broker.on("SEND", lambda request: [closing(request)])
    broker.on("PRODUCER", no_producer)
    probe.send(producer, "a")

    assert probe.send(producer, "b") == Refused("TopicTerminatedError", 15, "sealed")


# --- writing ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("half", "key", "number"), [("high", LOW, 1), ("high", HIGH, 2), ("low", LOW, 1), ("low", "key-0", 2)])
def test_a_key_goes_to_the_active_segment_that_has_its_hash(
    broker: ScriptedPulsar, probe: PulsarProbe, half: Half, key: str, number: int
) -> None:
    """By the half of the hash that the system routes by; the message has the key."""
    writer = value_of(probe.writer(TOPIC, half=half))

    stored, _ = value_of(probe.send_to_topic(writer, "v", key=key))

    assert stored == segment(number)
    (sent,) = broker.of("SEND")
    assert sent.payload is not None
    assert sent.payload.metadata.partition_key == key


def test_messages_without_keys_go_round(probe: PulsarProbe) -> None:
    """Over the active segments, in turn."""
    writer = value_of(probe.writer(TOPIC))

    assert [value_of(probe.send_to_topic(writer, "v"))[0] for _ in range(4)] == [segment(1), segment(2)] * 2


def test_a_writer_waits_for_the_next_layout(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """If its segment accepts no producer any more; the message then goes to a child."""
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    writer = value_of(probe.writer(TOPIC))
    broker.on("PRODUCER", no_producer, lambda request: [pb.CommandProducerSuccess(request_id=request.request_id, producer_name="p")])
    broker.later.append((60.0, lambda: broker.push(reported(writer.number, 1, *SPLIT))))
    broker.on("PRODUCER", *[no_producer] * 3, lambda request: [pb.CommandProducerSuccess(request_id=request.request_id, producer_name="p")])

    stored, _ = value_of(probe.send_to_topic(writer, "v", key=HIGH))

    assert stored == segment(2)


def test_a_message_that_a_sealed_segment_refuses_is_sent_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """By the next layout; it is refused at last if no segment accepts it."""
    writer = value_of(probe.writer(TOPIC))
    broker.on("SEND", lambda request: [terminated(request)])

    assert probe.send_to_topic(writer, "v", key=LOW) == Refused("TopicTerminatedError", 15, "sealed")
    assert len(broker.of("SEND")) > 1


def test_a_message_whose_producer_is_closed_instead_of_an_answer_is_sent_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """As clients do after an unload, with its sequence id; to a child if its segment was sealed."""
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    writer = value_of(probe.writer(TOPIC))
    answered = [lambda request: [receipt(request, 1, 0)]]
    broker.on("SEND", lambda request: [closing(request)], *answered)
    assert value_of(probe.send_to_topic(writer, "v", key=HIGH))[0] == segment(0)
    assert [frame.body.sequence_id for frame in broker.of("SEND")] == [0, 0]

    broker.on("SEND", lambda request: [reported(writer.number, 1, *SPLIT), closing(request)], *answered)
    broker.on("PRODUCER", no_producer, lambda request: [pb.CommandProducerSuccess(request_id=request.request_id, producer_name="p")])
    assert value_of(probe.send_to_topic(writer, "w", key=HIGH))[0] == segment(2)


def test_a_message_in_a_transaction_whose_producer_is_closed_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Sent again, it could be in the transaction twice."""
    broker.on("SEND", lambda request: [closing(request)])

    assert isinstance(probe.send_to_topic(value_of(probe.writer(TOPIC)), "v", transaction=TransactionId(0, 7)), Unknown)
    assert len(broker.of("SEND")) == 1


# --- reading ------------------------------------------------------------------------------------------------------------------------


def deliver(broker: ScriptedPulsar, topic: str, entry: int, text: str, key: str | None = None) -> None:
    """A message of a segment for the consumer that subscribed to it last."""
    consumer = next(frame.body.consumer_id for frame in reversed(broker.of("SUBSCRIBE")) if frame.body.topic == topic)
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0, partition_key=key)
    message = pb.CommandMessage(consumer_id=consumer, message_id=pb.MessageIdData(ledger_id=1, entry_id=entry))
    connection = next(one for one in broker.connections if one.is_open)
    connection.say(message, Payload(metadata, text.encode()))


def test_a_queue_consumer_reads_sealed_and_active_segments(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """By a shared subscription of each, without registering; each message has its segment and its key."""
    queue = value_of(probe.join_queue(TOPIC, "q"))
    assert probe.taking_from(queue) == {segment(0), segment(1), segment(2)}
    deliver(broker, segment(2), 0, "b", HIGH)
    deliver(broker, segment(0), 0, "a")

    taken = [value_of(probe.take(queue)) for _ in range(2)]

    assert {(one.value, one.topic, one.key) for one in taken} == {("a", segment(0), None), ("b", segment(2), HIGH)}
    assert {frame.body.sub_type for frame in broker.of("SUBSCRIBE")} == {pb.CommandSubscribe.Shared}
    assert isinstance(probe.take(queue, within_s=0.1), Unknown)


def test_a_queue_consumer_picks_up_what_it_is_notified_of(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It attaches to new segments, and closes the consumers of removed ones."""
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    queue = value_of(probe.join_queue(TOPIC, "q"))
    before = probe.taking_from(queue)
    broker.push(reported(queue.number, 2, *(one._replace(parents=()) for one in SPLIT[1:])))

    assert (before, probe.taking_from(queue)) == ({segment(0)}, {segment(1), segment(2)})
    assert len(broker.of("CLOSE_CONSUMER")) == 1


def test_a_stream_consumer_reads_what_it_is_assigned(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The probe waits for one segment that another consumer still has."""
    broker.on(
        "SCALABLE_TOPIC_SUBSCRIBE",
        lambda request: [pb.CommandScalableTopicSubscribeResponse(request_id=request.request_id, assignment=assigned(1, 1, 2))],
    )
    stream = value_of(probe.join_stream(TOPIC, "s", "a"))
    busy = [lambda request: [pb.CommandError(request_id=request.request_id, error=5, message="busy")]]
    broker.on("SUBSCRIBE", *busy, lambda request: [pb.CommandSuccess(request_id=request.request_id)])

    assert [len(probe.taking_from(stream)) for _ in range(2)] == [1, 2]
    deliver(broker, segment(2), 0, "b")

    message = value_of(probe.take(stream))
    assert (message.value, message.topic) == ("b", segment(2))
    assert probe.acknowledge_taken(stream, message) == Done(None)


# --- what is recorded ---------------------------------------------------------------------------------------------------------------


def test_a_keyed_message_is_recorded_with_its_key_and_the_hash_that_routed_it(session: PulsarSession, probe: PulsarProbe) -> None:
    """One that a client sends to a segment directly has no hash: it was not routed."""
    value_of(probe.send_to_topic(value_of(probe.writer(TOPIC)), "v", key=HIGH))
    value_of(probe.send(value_of(probe.producer(segment(1))), "w", key=HIGH))

    sent = [mop for event in session.history("run") if event["f"] == "send" and event["type"] == "ok" for mop in event["mops"]]

    assert [(mop.get("mkey"), mop.get("hash"), mop["log"]) for mop in sent] == [
        (HIGH, segment_hash(HIGH), segment(2)),
        (HIGH, None, segment(1)),
    ]
