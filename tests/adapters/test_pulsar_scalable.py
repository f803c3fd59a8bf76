"""The Pulsar probe and scalable topics: their segments, their coordinators, and their own kind of transactions."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message
from scripted_pulsar import ScriptedPulsar, hangs_up, nothing, refuses, session_with
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import (
    ActiveSegment,
    AddTopics,
    End,
    NewTransaction,
    SubscriptionHandle,
    TransactionId,
    TxnAction,
    scalable,
)
from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer
from fencepost.wire.pulsar.commands import name_of, wrapped
from fencepost.wire.pulsar.numbers import MINUS_ONE

EVENTS = scalable("events")
SEGMENT = "segment://public/default/events/0000-ffff-0"
TXN = TransactionId(0, 0, scalable=True)
CLASSIC = TransactionId(0, 0)
HERE = "pulsar://here:6650"
FLAGS = pb.FeatureFlags(supports_scalable_topics=True, supports_tc_metadata_discovery=True)


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker with scalable topics, which grants every transaction."""
    broker = ScriptedPulsar()
    broker.admin_answers = [AdminAnswer(204)]
    broker.on("CONNECT", lambda _: [pb.CommandConnected(server_version="Pulsar Server5.0.0-M1", feature_flags=FLAGS)])
    broker.on("NEW_TXN", lambda request: [pb.CommandNewTxnResponse(request_id=request.request_id, txnid_most_bits=0, txnid_least_bits=0)])
    for command in ("ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN", "END_TXN_ON_PARTITION"):
        broker.on(command, lambda request: [getattr(pb, type(request).__name__ + "Response")(request_id=request.request_id)])
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [update(request.session_id)])
    broker.on("WATCH_TC_ASSIGNMENTS", lambda request: [assignments(request.watch_id)])
    for command in ("SCALABLE_TOPIC_CLOSE", "WATCH_TC_ASSIGNMENTS_CLOSE"):
        broker.on(command, nothing)
    return broker


def info(number: int, first: int, last: int, **more: Any) -> pb.SegmentInfoProto:
    fields = {"state": pb.ACTIVE, "created_at_epoch": 0, "created_at_ms": 1, **more}
    return pb.SegmentInfoProto(segment_id=number, hash_start=first, hash_end=last, **fields)


def update(session_id: int, *segments: pb.SegmentInfoProto) -> pb.CommandScalableTopicUpdate:
    """SCALABLE_TOPIC_UPDATE of one segment, or of these."""
    dag = pb.ScalableTopicDAG(
        epoch=max([0, *(one.sealed_at_epoch for one in segments)]),
        segments=segments or [info(0, 0, 65535)],
        segment_brokers=[pb.SegmentBrokerAddress(segment_id=0, broker_url=HERE)],
    )
    return pb.CommandScalableTopicUpdate(session_id=session_id, dag=dag, resolved_topic_name=EVENTS)


def assignments(watch_id: int, url: str | None = HERE) -> pb.CommandWatchTcAssignmentsUpdate:
    """WATCH_TC_ASSIGNMENTS_UPDATE with two coordinators at an address."""
    assigned = [pb.TcAssignment(tc_id=number, broker_service_url=url) for number in (0, 1)]
    return pb.CommandWatchTcAssignmentsUpdate(watch_id=watch_id, snapshot=pb.TcAssignmentsSnapshot(parallelism=2, assignments=assigned))


# --- ids ------------------------------------------------------------------------------------------------------------------------


def test_two_kinds_of_transactions_may_have_one_id_and_are_not_equal() -> None:
    """Both number from (0,0), and their texts differ."""
    assert TXN != CLASSIC
    assert (str(TXN), str(CLASSIC)) == ("scalable (0,0)", "(0,0)")
    assert len({TXN, CLASSIC, TransactionId(0, 0)}) == 2


# --- segments -------------------------------------------------------------------------------------------------------------------


def test_the_segments_are_the_active_ones_in_the_order_of_their_hashes(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each with its name as a topic, and its broker if one is reported."""
    sealed = info(0, 0, 65535, state=pb.SEALED, sealed_at_epoch=1)
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [update(request.session_id, info(2, 32768, 65535), sealed, info(1, 0, 32767))])

    found = value_of(probe.segments("events"))

    assert found == (
        ActiveSegment(1, 0, 32767, "segment://public/default/events/0000-7fff-1", None),
        ActiveSegment(2, 32768, 65535, "segment://public/default/events/8000-ffff-2", None),
    )
    assert value_of(probe.segments(EVENTS)) == found


def test_a_session_is_closed_when_it_is_answered(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each also has its own number."""
    assert value_of(probe.segments(EVENTS)) == (ActiveSegment(0, 0, 65535, SEGMENT, HERE),)
    value_of(probe.segments(EVENTS))

    opened, closed = broker.of("SCALABLE_TOPIC_LOOKUP"), broker.of("SCALABLE_TOPIC_CLOSE")
    assert [frame.body.topic for frame in opened] == [EVENTS, EVENTS]
    assert [frame.body.session_id for frame in opened] == [frame.body.session_id for frame in closed]
    assert len({frame.body.session_id for frame in opened}) == 2


def test_a_topic_that_is_not_scalable_is_one_segment_of_its_own_name(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """As a broker shows it when a client looks up a persistent topic."""
    legacy = info(0, 0, 65535, legacy_topic_name="persistent://public/default/events")
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [update(request.session_id, legacy)])

    (found,) = value_of(probe.segments("persistent://public/default/events"))

    assert found.topic == "persistent://public/default/events"


def test_an_unknown_topic_is_a_refusal(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """With the error in the first update."""
    broker.on(
        "SCALABLE_TOPIC_LOOKUP", lambda request: [pb.CommandScalableTopicUpdate(session_id=request.session_id, error=11, message="no")]
    )

    assert probe.segments(EVENTS) == Refused("TopicNotFound", 11, "no")


@pytest.mark.parametrize(
    ("command", "answer", "reported"),
    [
        ("SCALABLE_TOPIC_LOOKUP", lambda request: [pb.CommandScalableTopicUpdate(session_id=request.session_id)], "neither a layout"),
        (
            "SCALABLE_TOPIC_LOOKUP",
            lambda request: [pb.CommandScalableTopicUpdate(session_id=request.session_id, dag=pb.ScalableTopicDAG(epoch=0))],
            "expected topic://TENANT",
        ),
        ("WATCH_TC_ASSIGNMENTS", lambda request: [pb.CommandWatchTcAssignmentsUpdate(watch_id=request.watch_id)], "neither coordinators"),
        ("WATCH_TC_ASSIGNMENTS", lambda request: [assignments(request.watch_id, "http://x")], "is reported to be at 'http://x'"),
    ],
)
def test_an_answer_without_what_is_due_is_malformed(
    broker: ScriptedPulsar, probe: PulsarProbe, command: str, answer: Any, reported: str
) -> None:
    """The message names what is missing."""
    broker.on(command, answer)

    with pytest.raises(Malformed, match=reported):
        probe.segments(EVENTS) if command == "SCALABLE_TOPIC_LOOKUP" else probe.new_transaction(scalable=True)


def test_no_answer_is_unknown_and_asked_again_where_that_is_wanted(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A look changes nothing."""
    broker.on("SCALABLE_TOPIC_LOOKUP", hangs_up, lambda request: [update(request.session_id)])
    assert isinstance(probe.segments(EVENTS, retry=False), Unknown)

    broker.on("SCALABLE_TOPIC_LOOKUP", hangs_up, lambda request: [update(request.session_id)])
    assert isinstance(probe.segments(EVENTS), Done)


# --- coordinators and transactions ----------------------------------------------------------------------------------------------


def test_the_coordinators_are_reported_with_their_brokers(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Or with none, if none is reported; the watch is closed then."""
    assert value_of(probe.scalable_coordinators()) == {0: HERE, 1: HERE}
    broker.on("WATCH_TC_ASSIGNMENTS", lambda request: [assignments(request.watch_id, None)])
    assert value_of(probe.scalable_coordinators()) == {0: None, 1: None}

    opened, closed = broker.of("WATCH_TC_ASSIGNMENTS"), broker.of("WATCH_TC_ASSIGNMENTS_CLOSE")
    assert [frame.body.watch_id for frame in opened] == [frame.body.watch_id for frame in closed]


def test_every_request_about_a_scalable_transaction_has_the_flag(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A watch finds the coordinator, and the client connects to it once for each kind; PIP-31's requests have no flag."""
    for kind in (True, False):
        txn = value_of(probe.new_transaction(scalable=kind))
        value_of(probe.add_topics(txn, [SEGMENT]))
        value_of(probe.add_subscriptions(txn, [SubscriptionHandle(SEGMENT, "s")]))
        value_of(probe.end(txn, TxnAction.COMMIT))
        assert txn == (TXN if kind else CLASSIC)

    for command in ("TC_CLIENT_CONNECT_REQUEST", "NEW_TXN", "ADD_PARTITION_TO_TXN", "ADD_SUBSCRIPTION_TO_TXN", "END_TXN"):
        flagged, plain = (frame.body for frame in broker.of(command))
        assert flagged.scalable
        assert not plain.HasField("scalable")


def test_requests_at_once_go_to_the_coordinator_of_their_kind(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """And the new transaction is of that kind."""
    outcomes = probe.at_once([NewTransaction(1000, scalable=True), AddTopics(TXN, [SEGMENT]), End(TXN, TxnAction.ABORT)])

    assert outcomes == [Done(TXN), Done(None), Done(None)]
    assert value_of(probe.ended(value_of(probe.begin_end(TXN, TxnAction.ABORT)))) is None
    assert [(frame.body.tc_id, frame.body.scalable) for frame in broker.of("TC_CLIENT_CONNECT_REQUEST")] == [(0, True)]


def test_a_coordinator_that_has_moved_is_looked_for_again(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It answers that it is not there, and the next request goes to the broker in the watch's next answer."""
    value_of(probe.new_transaction(scalable=True))
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"))
    assert isinstance(probe.end(TXN, TxnAction.COMMIT), Refused)
    watched = len(broker.of("WATCH_TC_ASSIGNMENTS"))
    broker.on("END_TXN", lambda request: [pb.CommandEndTxnResponse(request_id=request.request_id)])

    value_of(probe.end(TXN, TxnAction.COMMIT))

    assert len(broker.of("WATCH_TC_ASSIGNMENTS")) > watched


def test_a_coordinator_that_there_is_none_of_is_final(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The request is sent once all the same, to the service address, and its refusal is the outcome."""
    broker.on("END_TXN", refuses("TransactionCoordinatorNotFound"))

    assert isinstance(probe.end(TransactionId(7, 0, scalable=True), TxnAction.COMMIT), Refused)
    assert len(broker.of("END_TXN")) == 1
    assert broker.of("TC_CLIENT_CONNECT_REQUEST") == []


def test_a_history_reports_the_kinds_apart(broker: ScriptedPulsar, session: PulsarSession) -> None:
    """In every event of a transaction, also if the command has only its id."""
    probe = session.client("c")
    producer, consumer = value_of(probe.producer(SEGMENT)), value_of(probe.subscribe(SEGMENT, "s"))
    broker.deliver(consumer.number, 0, "a")
    (message,) = value_of(probe.received(consumer))
    for kind in (True, False):
        txn = value_of(probe.new_transaction(scalable=kind))
        value_of(probe.add_topics(txn, [SEGMENT]))
        value_of(probe.send(producer, "a", transaction=txn))
        value_of(probe.acknowledge(consumer, [message.id], transaction=txn))
        value_of(probe.acknowledge_unanswered(consumer, [message.id], transaction=txn))
        value_of(probe.end_on_topic(txn, SEGMENT, TxnAction.COMMIT))
        value_of(probe.end(txn, TxnAction.COMMIT))

    named = [event["tx"]["tid"] for event in session.history("run") if event["type"] != "invoke" and event["txn_id"]]

    assert named == ["scalable (0,0)"] * 7 + ["(0,0)"] * 7


# --- pushed frames --------------------------------------------------------------------------------------------------------------

UNASKED: list[Message] = [
    update(99),
    assignments(99),
    pb.CommandScalableTopicUpdate(session_id=99, error=11),
    pb.CommandScalableTopicAssignmentUpdate(consumer_id=1, assignment=pb.ScalableConsumerAssignment(layout_epoch=1)),
    pb.CommandCloseProducer(producer_id=99, request_id=MINUS_ONE),
    pb.CommandCloseConsumer(consumer_id=99, request_id=MINUS_ONE),
]


@pytest.mark.parametrize("message", UNASKED, ids=lambda message: type(message).__name__)
def test_unrequested_frames_disturb_no_client(broker: ScriptedPulsar, session: PulsarSession, message: Message) -> None:
    """Before an answer, after it, and when nothing is in flight; it is recorded, and the connection stays."""
    probe = session.client("c")
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [message, update(request.session_id), update(request.session_id), message])
    broker.on("WATCH_TC_ASSIGNMENTS", lambda request: [message, assignments(request.watch_id), assignments(request.watch_id)])

    for _ in range(2):
        assert len(value_of(probe.segments(EVENTS))) == 1
        assert value_of(probe.new_transaction(scalable=True)) == TXN
        value_of(probe.scalable_coordinators())
        broker.push(message)

    assert value_of(probe.end(TXN, TxnAction.COMMIT)) is None
    assert len(broker.connections) == 1
    assert [exchange.name for exchange in session.exchanges()].count(name_of(wrapped(message))) >= 6


def test_an_answer_that_comes_late_is_still_its_own(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It is not taken for the answer of a later session."""
    broker.on("SCALABLE_TOPIC_LOOKUP", nothing)
    assert isinstance(probe.segments(EVENTS, retry=False), Unknown)
    late = broker.of("SCALABLE_TOPIC_LOOKUP")[0].body.session_id
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [update(late, info(7, 0, 65535)), update(request.session_id)])

    assert [segment.number for segment in value_of(probe.segments(EVENTS))] == [0]


# --- administration -------------------------------------------------------------------------------------------------------------

CHANGES: list[tuple[Callable[[PulsarProbe], Outcome[None]], str]] = [
    (lambda probe: probe.create_scalable_topic(EVENTS), "PUT /admin/v2/scalable/public/default/events?numInitialSegments=1"),
    (lambda probe: probe.create_scalable_topic(EVENTS, 3), "PUT /admin/v2/scalable/public/default/events?numInitialSegments=3"),
    (lambda probe: probe.delete_scalable_topic(EVENTS), "DELETE /admin/v2/scalable/public/default/events?force=true"),
    (lambda probe: probe.register_subscription(EVENTS, "s"), "PUT /admin/v2/scalable/public/default/events/subscriptions/s"),
    (lambda probe: probe.unload_namespace("public/default"), "PUT /admin/v2/namespaces/public/default/unload"),
]


@pytest.mark.parametrize(("act", "line"), CHANGES, ids=[line for _, line in CHANGES])
def test_a_change_is_asked_for_at_its_path(
    broker: ScriptedPulsar, probe: PulsarProbe, act: Callable[[PulsarProbe], Outcome[None]], line: str
) -> None:
    """204 means that it is done."""
    assert act(probe) == Done(None)
    assert [str(request) for request in broker.administered] == [line]


@pytest.mark.parametrize(
    "act",
    [
        *(act for act, _ in CHANGES[:4]),
        lambda probe: probe.segments(EVENTS),
        lambda probe: probe.scalable_coordinators(),
        lambda probe: probe.new_transaction(scalable=True),
        lambda probe: probe.end(TXN, TxnAction.COMMIT),
        lambda probe: probe.begin_end(TXN, TxnAction.COMMIT),
        lambda probe: probe.at_once([NewTransaction(1000, scalable=True)]),
    ],
)
def test_a_broker_that_says_nothing_of_scalable_topics_is_not_asked(act: Callable[[PulsarProbe], object]) -> None:
    """It would close the connection; and the reason is reported."""
    broker = ScriptedPulsar()

    with pytest.raises(NotOffered, match=r"scalable topics: here:6650 does not say supports_\w+ in CONNECTED"):
        act(session_with(broker).client("c"))

    assert broker.names() == ["CONNECT"]
    assert broker.administered == []
