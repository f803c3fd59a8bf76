"""The Pulsar probe's consumers: permits, received messages, acknowledgements, and what happens when the broker closes them."""

import json
from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, nothing, session_with
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import (
    AckKind,
    ConsumerHandle,
    EntryPosition,
    InitialPosition,
    MessageId,
    SubType,
    TransactionId,
)
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer
from fencepost.wire.pulsar.frames import Payload

TOPIC = "persistent://public/default/t"
SLOW_MS = 5_000


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker with a topic."""
    return ScriptedPulsar()


@pytest.fixture
def consumer(probe: PulsarProbe) -> ConsumerHandle:
    """A consumer with permits for four messages."""
    found: ConsumerHandle = value_of(probe.subscribe(TOPIC, "s", permits=4))
    return found


def values(outcome: Outcome[Any]) -> list[str]:
    return [message.value for message in value_of(outcome)]


def buffer(limit: str) -> AdminAnswer:
    reported = {"state": "Ready", "maxReadPosition": limit, "ongoingTxnSize": 0, "totalAbortedTransactions": 0}
    return AdminAnswer(200, json.dumps(reported).encode())


def log(**cursor: str) -> AdminAnswer:
    reported = {"numberOfEntries": 2, "lastConfirmedEntry": "1:1", "cursors": {"s": {"markDeletePosition": "1:-1", **cursor}}}
    return AdminAnswer(200, json.dumps(reported).encode())


def permits(broker: ScriptedPulsar) -> list[int]:
    return [frame.body.message_permits for frame in broker.of("FLOW")]


def closed(consumer: ConsumerHandle) -> pb.CommandCloseConsumer:
    """The broker's notification after an unload."""
    return pb.CommandCloseConsumer(consumer_id=consumer.number, request_id=2**64 - 1)


@pytest.mark.parametrize("kind", SubType)
def test_a_subscription_is_of_the_type_that_is_asked_for(broker: ScriptedPulsar, probe: PulsarProbe, kind: SubType) -> None:
    """All four types; the initial position and durability are sent too."""
    value_of(probe.subscribe(TOPIC, "s", kind, initial=InitialPosition.LATEST, durable=False))

    said = broker.of("SUBSCRIBE")[0].body
    assert said.sub_type == kind.value
    assert (said.topic, said.subscription, said.initial_position, said.durable) == (TOPIC, "s", pb.CommandSubscribe.Latest, False)


def test_permits_are_given_again_as_they_are_used(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """At half, by as many as were used; a batch uses one for each of its messages."""
    broker.deliver(consumer.number, 0, "a")
    value_of(probe.receive(consumer))
    first = permits(broker)
    broker.deliver(consumer.number, 1, "b", "c", "d", batched=True)
    value_of(probe.receive_until(consumer, "d"))

    assert first == [4]
    assert permits(broker) == [4, 4]


def test_without_permits_only_flow_gives_some(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """For scenarios that limit the broker themselves."""
    consumer = value_of(probe.subscribe(TOPIC, "s", permits=0))

    value_of(probe.flow(consumer, 3))

    assert permits(broker) == [3]


def test_a_message_is_reported_with_what_its_metadata_says(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """The transaction (0,0) is one, and no transaction is none."""
    metadata = pb.MessageMetadata(producer_name="me", sequence_id=7, publish_time=0, txnid_most_bits=0, txnid_least_bits=0)
    command = pb.CommandMessage(consumer_id=consumer.number, message_id=pb.MessageIdData(ledger_id=2, entry_id=3), redelivery_count=1)
    broker.push(command, Payload(metadata, b"a"))
    broker.deliver(consumer.number, 4, "b")

    first, second = value_of(probe.receive(consumer)), value_of(probe.receive(consumer))

    assert (first.id, first.value, first.redelivery_count) == (MessageId(EntryPosition(2, 3)), "a", 1)
    assert (first.producer, first.sequence_id, first.transaction) == ("me", 7, TransactionId(0, 0))
    assert second.transaction is None


def test_of_a_batch_only_what_is_not_acknowledged_is_handed_over(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle
) -> None:
    """The broker sends a bit for each message of the batch that is not acknowledged yet."""
    broker.deliver(consumer.number, 0, "a", "b", "c", batched=True, ack_set=[0b101])

    taken = value_of(probe.receive_until(consumer, "c"))

    assert [(message.value, message.id.batch_index, message.id.batch_size) for message in taken] == [("a", 0, 3), ("c", 2, 3)]


def test_absence_is_shown_by_what_came_later(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """All messages up to the sentinel; if the sentinel does not arrive, the reason names what arrived instead."""
    broker.deliver(consumer.number, 0, "a")
    broker.deliver(consumer.number, 1, "sentinel")
    broker.deliver(consumer.number, 2, "after it")

    taken = value_of(probe.receive_until(consumer, "sentinel"))
    missing = probe.receive_until(consumer, "another")

    assert [message.value for message in taken] == ["a", "sentinel"]
    assert missing == Unknown("another was waited for, and what came was after it; no message came for s of " + TOPIC)
    assert broker.now >= 20_000


def test_what_has_come_is_taken_without_waiting(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """No message is returned twice."""
    broker.deliver(consumer.number, 0, "a")

    assert [message.value for message in value_of(probe.received(consumer))] == ["a"]
    assert value_of(probe.received(consumer)) == ()
    assert broker.now == 0


def test_a_message_that_cannot_be_read_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """A batch that has fewer messages than its header."""
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0, num_messages_in_batch=2)
    broker.push(
        pb.CommandMessage(consumer_id=consumer.number, message_id=pb.MessageIdData(ledger_id=1, entry_id=0)), Payload(metadata, b"")
    )

    with pytest.raises(Malformed, match="a MESSAGE cannot be read: the metadata of message 1 of 2"):
        probe.receive(consumer)


# --- acknowledging --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "index", "size", "words"),
    [
        (AckKind.INDIVIDUAL, 0, 3, [0b110]),
        (AckKind.INDIVIDUAL, 2, 3, [0b011]),
        (AckKind.CUMULATIVE, 1, 3, [0b100]),
        (AckKind.INDIVIDUAL, 63, 65, [2**63 - 1, 1]),
        (AckKind.INDIVIDUAL, 64, 65, [-1, 0]),
    ],
)
def test_a_message_of_a_batch_is_named_by_the_others(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle, kind: AckKind, index: int, size: int, words: list[int]
) -> None:
    """A bit for each message that stays unacknowledged, in signed words of 64 bits."""
    value_of(probe.acknowledge(consumer, [MessageId(EntryPosition(1, 2), index, size)], kind=kind, transaction=TransactionId(0, 0)))

    said = broker.of("ACK")[0].body
    assert said.ack_type == kind.value
    assert said.message_id[0] == pb.MessageIdData(ledger_id=1, entry_id=2, batch_index=index, batch_size=size, ack_set=words)
    assert said.HasField("txnid_least_bits")


def test_an_acknowledgement_is_answered_if_its_client_asked_for_it(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle
) -> None:
    """Without a request id there is no answer, and Done means only that it was sent."""
    broker.on("ACK", nothing)

    unanswered = probe.acknowledge_unanswered(consumer, [MessageId(EntryPosition(1, 0))])
    answered = probe.acknowledge(consumer, [MessageId(EntryPosition(1, 0))])

    assert unanswered == Done(None)
    assert answered == Unknown("here:6650 did not answer ACK within 20 s")
    assert [frame.body.HasField("request_id") for frame in broker.of("ACK")] == [False, True]


def test_a_conflict_is_a_refusal(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """ACK_RESPONSE reports it."""
    broker.on(
        "ACK",
        lambda request: [
            pb.CommandAckResponse(
                consumer_id=request.consumer_id, request_id=request.request_id, error=pb.TransactionConflict, message="pending"
            )
        ],
    )

    assert probe.acknowledge(consumer, [MessageId(EntryPosition(1, 0))], transaction=TransactionId(0, 1)) == Refused(
        "TransactionConflict", 23, "pending"
    )


def test_redelivery_of_all_forgets_what_was_not_taken(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """They are redelivered; redelivery of named messages leaves the others."""
    broker.deliver(consumer.number, 0, "a")
    value_of(probe.redeliver(consumer, [MessageId(EntryPosition(1, 5), 1, 2)]))
    value_of(probe.redeliver(consumer))

    named, everything = (frame.body for frame in broker.of("REDELIVER_UNACKNOWLEDGED_MESSAGES"))
    assert list(named.message_ids) == [pb.MessageIdData(ledger_id=1, entry_id=5)]
    assert list(everything.message_ids) == []
    assert value_of(probe.received(consumer)) == ()


def test_the_other_calls_of_a_consumer(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """SEEK, GET_LAST_MESSAGE_ID, UNSUBSCRIBE and CLOSE_CONSUMER."""
    last = pb.MessageIdData(ledger_id=1, entry_id=9)
    broker.on(
        "GET_LAST_MESSAGE_ID", lambda request: [pb.CommandGetLastMessageIdResponse(request_id=request.request_id, last_message_id=last)]
    )
    other = value_of(probe.subscribe(TOPIC, "other"))

    assert probe.seek(consumer, EntryPosition(1, 3)) == Done(None)
    assert probe.last_message_id(consumer) == Done(MessageId(EntryPosition(1, 9)))
    assert probe.unsubscribe(consumer) == Done(None)
    assert probe.close_consumer(other) == Done(None)
    assert broker.of("SEEK")[0].body.message_id == pb.MessageIdData(ledger_id=1, entry_id=3)
    assert broker.names()[-2:] == ["UNSUBSCRIBE", "CLOSE_CONSUMER"]


# --- closed by the broker -------------------------------------------------------------------------------------------------------


def test_a_consumer_that_the_broker_closed_subscribes_again(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """With all its permits; messages that it received and that were not taken are redelivered, so they are dropped."""
    broker.deliver(consumer.number, 0, "a")
    broker.push(closed(consumer))
    broker.on("FLOW", lambda _: broker.deliver(consumer.number, 0, "a") or [])  # type: ignore[func-returns-value]

    taken = value_of(probe.receive(consumer))

    assert taken.value == "a"
    assert len(broker.of("SUBSCRIBE")) == 2
    assert permits(broker)[-1] == 4
    assert value_of(probe.received(consumer)) == ()


def test_a_consumer_whose_connection_is_lost_subscribes_again(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """On a new connection."""
    broker.hang_up()

    assert probe.acknowledge(consumer, [MessageId(EntryPosition(1, 0))]) == Done(None)
    assert len(broker.connections) == 2


def test_a_consumer_that_is_closed_while_it_waits_subscribes_again(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle
) -> None:
    """An unload during the wait loses no message."""
    broker.later.append((100.0, lambda: broker.push(closed(consumer))))
    broker.later.append((300.0, lambda: broker.deliver(consumer.number, 0, "a")))

    assert value_of(probe.receive(consumer)).value == "a"
    assert len(broker.of("SUBSCRIBE")) == 2


def test_a_disturbance_gives_no_message_twice(broker: ScriptedPulsar) -> None:
    """The user gets only the redelivered messages that had not been taken before it; what an abort redelivers later is given."""
    session = session_with(broker)
    probe: PulsarProbe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s", permits=100))
    for number, text in enumerate("abc"):
        broker.deliver(consumer.number, number, text)
    taken = [value_of(probe.receive(consumer)) for _ in "ab"]
    value_of(probe.acknowledge(consumer, [taken[1].id]))
    broker.on("FLOW", lambda _: [broker.deliver(consumer.number, number, text) for number, text in ((0, "a"), (2, "c"))] and [])

    open_again = session.noted_attached()
    session.disconnect()
    open_again()
    broker.deliver(consumer.number, 1, "b")

    assert values(probe.received(consumer)) == ["c", "b"]
    assert len(broker.of("SUBSCRIBE")) == 2


def test_only_what_was_open_before_a_disturbance_is_opened_again(broker: ScriptedPulsar) -> None:
    """A consumer that the broker has closed before stays closed until it is used."""
    session = session_with(broker)
    probe: PulsarProbe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    broker.push(closed(consumer))

    open_again = session.noted_attached()
    session.disconnect()
    open_again()

    assert len(broker.of("SUBSCRIBE")) == 1


# --- what a reader receives: up to its sentinel, or up to where an open transaction stops readers, however slow the broker is ---


def test_who_may_read_all_is_awaited_up_to_the_sentinel(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """Messages that take seconds are awaited, and those after the sentinel are not."""
    broker.admin_answers = [buffer("1:1"), log()]
    broker.later.append((SLOW_MS, lambda: broker.deliver(consumer.number, 0, "a")))
    broker.later.append((SLOW_MS, lambda: broker.deliver(consumer.number, 1, "sentinel")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a", "sentinel"]


def test_who_is_stopped_is_given_what_lies_before(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """The client waits until the broker has read up to the limit for the consumer: late messages are not missed."""
    broker.admin_answers = [buffer("1:0"), *[log(readPosition="1:0")] * 100, log(readPosition="1:1")]
    broker.later.append((100 * 20, lambda: broker.deliver(consumer.number, 0, "a")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a"]


def test_who_is_stopped_is_watched_for_what_must_not_come(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """A message after the limit is reported, as a reader would see it."""
    broker.admin_answers = [buffer("1:0"), log(readPosition="1:1")]
    broker.deliver(consumer.number, 0, "a")
    broker.later.append((200, lambda: broker.deliver(consumer.number, 1, "sentinel")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a", "sentinel"]


def test_a_broker_that_does_not_report_how_far_it_is_is_not_waited_for(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle
) -> None:
    """Then only a pause after the last message shows that no further messages arrive."""
    broker.admin_answers = [buffer("1:0"), log()]
    broker.deliver(consumer.number, 0, "a")

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a"]
    assert broker.now < 1_000


@pytest.mark.parametrize("which", [0, 1])
def test_trouble_with_a_look_is_reported(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle, which: int) -> None:
    """If a position is unknown, only the sentinel shows what readers see; if it does not come either, the outcome is unknown."""
    answers: list[AdminAnswer | None] = [buffer("1:0"), log()]
    answers[which] = AdminAnswer(404, b"{}")
    broker.admin_answers = answers * 2

    assert isinstance(probe.receive_visible(consumer, "sentinel"), Unknown)
    broker.deliver(consumer.number, 0, "sentinel")
    assert values(probe.receive_visible(consumer, "sentinel")) == ["sentinel"]


def test_a_lost_connection_is_reported(broker: ScriptedPulsar, probe: PulsarProbe, consumer: ConsumerHandle) -> None:
    """It is not taken for quiet."""
    broker.admin_answers = [buffer("1:0"), log()]
    broker.hang_up()
    broker.is_up = False

    outcome = probe.receive_visible(consumer, "sentinel")

    assert isinstance(outcome, Unknown)
    assert outcome.lost
