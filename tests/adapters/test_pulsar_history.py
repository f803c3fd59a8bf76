"""The exchanges of a Pulsar session as history events: pairs, processes that do one thing at a time, and records with their places."""

import json
from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, nothing, refuses
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import AckKind, EntryPosition, MessageId, TransactionId, TxnAction
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer

TOPIC = "persistent://public/default/t"
TXN = TransactionId(0, 4)


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker whose first transaction is (0,4)."""
    broker = ScriptedPulsar()
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=4)])
    broker.on("END_TXN", lambda request: [pb.CommandEndTxnResponse(request_id=request.request_id)])
    return broker


def reported(session: PulsarSession, *kinds: str) -> list[dict[str, Any]]:
    """The events of these kinds of operation."""
    return [event for event in session.history("run") if event["f"] in kinds]


def test_every_call_is_an_invocation_and_an_end(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Paired by op_id, which is the place of the invocation; times never decrease."""
    broker.on("END_TXN", nothing)
    probe = session.client("c")
    value_of(probe.send(value_of(probe.producer(TOPIC)), "a"))
    value_of(probe.begin_end(TXN, TxnAction.COMMIT))

    events = session.history("run")

    invocations = {event["idx"] for event in events if event["type"] == "invoke"}
    assert sorted(event["op_id"] for event in events if event["type"] != "invoke") == sorted(invocations)
    assert [event["idx"] for event in events] == list(range(len(events)))
    assert [event["t_ns"] for event in events] == sorted(event["t_ns"] for event in events)
    assert {event["run_id"] for event in events} == {"run"}
    assert all(event["mops"] is not None and "api" in event for event in events)


def test_a_send_has_its_record_and_at_its_end_the_place(session: PulsarSession) -> None:
    """And its transaction, as the schema of all protocols has it."""
    probe = session.client("c")
    producer = value_of(probe.producer(TOPIC))
    value_of(probe.send(producer, "a", transaction=TXN))
    value_of(probe.send_batch(producer, ["b", "c"]))

    asked, done, batch_asked, batch_done = reported(session, "send")

    assert asked["txn_id"] == "(0,4)"
    assert asked["tx"] == {"tid": "(0,4)", "pid": 0, "epoch": None}
    assert [(mop["v"], mop["pid_entry"]) for mop in asked["mops"]] == [("a", None)]
    assert [(mop["v"], mop["pid_ledger"], mop["pid_entry"], mop["pid_batch"], mop["log"]) for mop in done["mops"]] == [
        ("a", 1, 0, None, TOPIC)
    ]
    assert batch_asked["txn_id"] is None
    assert [(mop["v"], mop["pid_entry"], mop["pid_batch"], mop["seq"]) for mop in batch_done["mops"]] == [("b", 1, 0, 1), ("c", 1, 1, 2)]


def test_a_transaction_begins_and_ends(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Its name is known once it has begun; a refusal is a failure with its reason."""
    probe = session.client("c")
    value_of(probe.new_transaction())
    value_of(probe.end(TXN, TxnAction.COMMIT))
    broker.on("END_TXN", refuses("TransactionNotFound"))
    probe.end(TXN, TxnAction.ABORT)

    begin, begun, commit, committed, abort, aborted = reported(session, "begin", "commit", "abort")

    assert (begin["txn_id"], begun["txn_id"], commit["txn_id"], abort["txn_id"]) == (None, "(0,4)", "(0,4)", "(0,4)")
    assert (begun["type"], committed["type"], aborted["type"]) == ("ok", "ok", "fail")
    assert aborted["error"] == {"class": "TransactionNotFound", "code": 24, "msg": "no: TransactionNotFound", "definite": True}


def test_an_unknown_outcome_is_info_and_ends_its_process(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Later calls of the client belong to another process."""
    broker.on("END_TXN", nothing)
    probe = session.client("c")
    value_of(probe.new_transaction())
    probe.end(TXN, TxnAction.COMMIT)
    value_of(probe.new_transaction())

    first, _, lost, ended, again, _ = reported(session, "begin", "commit")

    assert ended["type"] == "info"
    assert ended["error"]["definite"] is False
    assert first["process"] == lost["process"] != again["process"]


def test_an_error_that_leaves_it_open_is_info(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The broker has answered, and the outcome is still unknown."""
    broker.on("END_TXN", refuses("UnknownError"))
    session.client("c").end(TXN, TxnAction.COMMIT)

    ended = reported(session, "commit")[1]

    assert ended["type"] == "info"
    assert (ended["error"]["class"], ended["error"]["code"], ended["error"]["definite"]) == ("UnknownError", 0, False)


def test_an_answer_that_comes_late_still_reports_the_end(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The history has the final outcome; other calls during that time belong to another process."""
    broker.on("END_TXN", nothing)
    probe = session.client("c")
    value_of(probe.new_transaction())
    pending = value_of(probe.begin_end(TXN, TxnAction.COMMIT))
    probe.ended(pending, within_s=1.0)
    value_of(probe.new_transaction())
    broker.push(pb.CommandEndTxnResponse(request_id=pending.number))
    value_of(probe.ended(pending))

    events = reported(session, "begin", "commit")[2:]

    assert [(event["f"], event["type"]) for event in events] == [
        ("commit", "invoke"),
        ("begin", "invoke"),
        ("begin", "ok"),
        ("commit", "ok"),
    ]
    assert events[0]["process"] == events[3]["process"] != events[1]["process"]


def test_no_process_does_two_things_at_once(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Whichever calls overlap."""
    broker.on("SEND", nothing)
    probe = session.client("c")
    producer = value_of(probe.producer(TOPIC))
    pending = [value_of(probe.post(producer, text)) for text in "abc"]
    for sequence_id in (2, 0, 1):
        stored = pb.MessageIdData(ledger_id=1, entry_id=sequence_id)
        broker.push(pb.CommandSendReceipt(producer_id=producer.number, sequence_id=sequence_id, message_id=stored))
    for one in pending:
        value_of(probe.receipt(one))
    value_of(probe.new_transaction())

    busy: set[int] = set()
    for event in session.history("run"):
        if event["type"] == "invoke":
            assert event["process"] not in busy
            busy.add(event["process"])
        else:
            busy.remove(event["process"])
    assert len({event["process"] for event in reported(session, "send")}) == 3


def test_a_delivery_is_a_poll_and_an_acknowledgement_names_its_place(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Both with the subscription; a cumulative acknowledgement differs from one of a message."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    broker.deliver(consumer.number, 7, "a", "b", batched=True)
    taken = value_of(probe.receive_until(consumer, "b"))
    value_of(probe.acknowledge(consumer, [taken[1].id], transaction=TXN))
    value_of(probe.acknowledge(consumer, [MessageId(EntryPosition(1, 7))], kind=AckKind.CUMULATIVE))

    asked, polled, *acks = reported(session, "poll", "ack")
    subscribed = reported(session, "subscribe")[0]

    assert asked["mops"] == []
    assert (polled["iso"], polled["grp"]) == ("rc", {"id": "s"})
    assert [[mop["o"] for mop in event["mops"]] for event in (polled, *acks[::2])] == [[0, 1], [1], [1]]
    assert [(mop["m"], mop["v"], mop["log"], mop["pid_entry"], mop["pid_batch"]) for mop in polled["mops"]] == [
        ("recv", "a", TOPIC, 7, 0),
        ("recv", "b", TOPIC, 7, 1),
    ]
    assert [(ack["txn_id"], ack["grp"], [(mop["m"], mop["pid_entry"], mop["pid_batch"]) for mop in ack["mops"]]) for ack in acks[::2]] == [
        ("(0,4)", {"id": "s"}, [("ack_ind", 7, 1)]),
        (None, {"id": "s"}, [("ack_cum", 7, None)]),
    ]
    assert (subscribed["grp"]["id"], subscribed["ctl"]) == ("s", {"topic": TOPIC, "type": "Shared"})


def test_up_to_a_message_inside_a_batch_counts_to_the_entry_before(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """A system may acknowledge whole entries only, and then redelivers the batch; up to its last message is all of it."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    broker.deliver(consumer.number, 6, "a")
    broker.deliver(consumer.number, 7, "b", "c", batched=True)
    taken = value_of(probe.receive_until(consumer, "c"))
    for message in taken[1:]:
        value_of(probe.acknowledge(consumer, [message.id], kind=AckKind.CUMULATIVE))

    assert [[mop["o"] for mop in event["mops"]] for event in reported(session, "ack")[::2]] == [[0], [2]]


def test_a_delivery_may_have_been_on_its_way_since_the_last_answer_before_it(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """It may have left the broker as soon as that request was made; and no earlier, since frames do not overtake each other."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    value_of(probe.new_transaction())
    value_of(probe.end(TXN, TxnAction.COMMIT))
    broker.deliver(consumer.number, 7, "a")
    value_of(probe.receive(consumer))

    order = [(event["f"], event["type"]) for event in reported(session, "begin", "commit", "poll")]

    assert order == [("begin", "invoke"), ("begin", "ok"), ("commit", "invoke"), ("poll", "invoke"), ("commit", "ok"), ("poll", "ok")]


def test_of_a_batch_only_what_is_not_acknowledged_is_delivered(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """As a consumer has it."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    broker.deliver(consumer.number, 7, "a", "b", batched=True)
    frame = broker.connections[0].take()
    assert frame is not None
    frame.body.ack_set.append(0b10)
    broker.connections[0].say(frame.body, frame.payload)

    value_of(probe.receive(consumer))

    assert [(mop["v"], mop["pid_batch"]) for mop in reported(session, "poll")[1]["mops"]] == [("b", 1)]


def test_an_acknowledgement_without_an_answer_is_unknown(session: PulsarSession) -> None:
    """It was sent, and may have been refused."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    value_of(probe.acknowledge_unanswered(consumer, [MessageId(EntryPosition(1, 7))]))

    ended = reported(session, "ack")[1]

    assert (ended["type"], ended["error"]["class"]) == ("info", "unanswered")


def test_how_far_a_subscription_is_and_what_moves_it(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The position counts the messages up to the mark-deleted entry; a seek is an event; the system's own cursors are not."""
    cursors = {"s": {"markDeletePosition": "1:7"}, "pulsar.dedup": {"markDeletePosition": "1:8"}}
    broker.admin_answers = [AdminAnswer(200, json.dumps({"numberOfEntries": 3, "lastConfirmedEntry": "1:8", "cursors": cursors}).encode())]
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    for entry in (6, 7, 8):
        broker.deliver(consumer.number, entry, f"m{entry}")
    value_of(probe.receive_until(consumer, "m8"))
    value_of(probe.log_stats(TOPIC))
    probe.seek(consumer, EntryPosition(1, 6))

    position, sought = reported(session, "position")[1], reported(session, "seek")[1]

    assert (position["grp"], [(mop["log"], mop["o"]) for mop in position["mops"]]) == ({"id": "s"}, [(TOPIC, 2)])
    assert sought["grp"] == {"id": "s"}


def test_admin_calls_are_in_it_as_well(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """Terminating a topic is an event; an answer of 5xx is not definite."""
    broker.admin_answers = [AdminAnswer(200, b"{}"), AdminAnswer(404, b""), AdminAnswer(500, b"")]
    probe = session.client("c")
    probe.terminate_topic(TOPIC)
    probe.unload_topic(TOPIC)
    probe.delete_topic(TOPIC)

    ends = [event for event in session.history("run") if event["type"] != "invoke"]

    assert [(event["f"], event["type"]) for event in ends] == [("terminate", "ok"), ("probe", "fail"), ("probe", "info")]
    assert [event["error"] and event["error"]["definite"] for event in ends] == [None, True, False]
    assert ends[0]["ctl"] == {"segs": TOPIC}


def test_a_message_that_cannot_be_read_leaves_the_history_readable(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """The scenario is red because of it; the event has no records."""
    probe = session.client("c")
    consumer = value_of(probe.subscribe(TOPIC, "s"))
    broker.deliver(consumer.number, 0, "a", batched=True)
    broken = broker.connections[0].take()
    assert broken is not None
    broken.payload.metadata.num_messages_in_batch = 9  # type: ignore[union-attr]
    broker.connections[0].say(broken.body, broken.payload)
    value_of(probe.new_transaction())

    assert [event["mops"] for event in reported(session, "poll")] == [[], []]
    assert "malformed: the metadata of message 2 of 9" in str(list(session.exchanges()))


def test_exchanges_show_what_was_said(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """In order; pushed frames, requests without answers, and requests not answered yet are distinguished."""
    broker.on("END_TXN", nothing)
    probe = session.client("c")
    value_of(probe.send(value_of(probe.producer(TOPIC)), "a"))
    value_of(probe.subscribe(TOPIC, "s"))
    value_of(probe.begin_end(TXN, TxnAction.COMMIT))
    broker.push(pb.CommandActiveConsumerChange(consumer_id=2, is_active=True))
    value_of(probe.new_transaction())

    shown = {exchange.name: exchange for exchange in session.exchanges()}

    assert shown["SEND"].request["values"] == ["a"]
    assert shown["SEND"].request["topic"] == TOPIC
    assert shown["SEND_RECEIPT" if "SEND_RECEIPT" in shown else "SEND"].answer is not None
    assert shown["FLOW"].answer == {}
    assert (shown["END_TXN"].answer, shown["END_TXN"].lost) == (None, "nothing has come yet")
    assert shown["ACTIVE_CONSUMER_CHANGE"].answer == {"consumer_id": 2, "is_active": True}
    assert shown["ACTIVE_CONSUMER_CHANGE"].request == {"topic": TOPIC, "subscription": "s"}
