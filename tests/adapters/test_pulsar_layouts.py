"""The Pulsar probe and layouts: how they are read, changed and watched, and which answers are malformed."""

import json
from collections.abc import Callable

import pytest
from layouts_reported import FLAGS, HERE, MERGED, SPLIT, TOPIC, WHOLE, Told, assigned, described, reported, segment
from scripted_pulsar import ScriptedPulsar, hangs_up, nothing, refuses, session_with
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import LayoutSegment
from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker with a scalable topic of one segment."""
    broker = ScriptedPulsar()
    broker.admin_answers = [AdminAnswer(204)]
    broker.on("CONNECT", lambda _: [pb.CommandConnected(server_version="Pulsar Server5.0.0-M1", feature_flags=FLAGS)])
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    broker.on("WATCH_SCALABLE_TOPICS", lambda request: [topics(request.watch_id, TOPIC)])
    for command in ("SCALABLE_TOPIC_CLOSE", "WATCH_SCALABLE_TOPICS_CLOSE"):
        broker.on(command, nothing)
    return broker


def topics(watch: int, *names: str) -> pb.CommandWatchScalableTopicsUpdate:
    """All topics of a namespace."""
    return pb.CommandWatchScalableTopicsUpdate(watch_id=watch, snapshot=pb.ScalableTopicsSnapshot(topics=names))


def failure(thrown: str) -> AdminAnswer:
    """The answer of 5.0.0-M1 when an exception was thrown."""
    return AdminAnswer(
        500, json.dumps({"reason": f"\n --- An unexpected error ---\n\nMessage: no\n\nStacktrace:\n\n{thrown}: no"}).encode()
    )


# --- layouts ----------------------------------------------------------------------------------------------------------------------


def test_a_layout_has_its_segments_by_number_with_their_families(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """As the admin interface has them: without brokers, and with an epoch of sealing only for sealed ones."""
    broker.admin_answers = [described(1, *SPLIT)]

    layout = value_of(probe.layout(TOPIC))

    assert (layout.epoch, layout.topic, layout.controller) == (1, TOPIC, None)
    assert layout.segments[0] == LayoutSegment(0, 0, 65535, True, (), (1, 2), 0, 1, segment(0), None)
    assert layout.segments[1] == LayoutSegment(1, 0, 32767, False, (0,), (), 1, None, segment(1), None)
    assert ([one.number for one in layout.active], [one.number for one in layout.sealed]) == ([1, 2], [0])
    assert (layout.named(2), layout.named(9)) == (layout.segments[2], None)
    assert [layout.segment_of(hashed).number for hashed in (0, 0x7FFF, 0x8000, 0xFFFF)] == [1, 1, 2, 2]
    assert [str(request) for request in broker.administered] == ["GET /admin/v2/scalable/public/default/events"]


def test_a_lookup_reports_brokers_and_the_controller(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """The same layout, and the session is closed again."""
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 1, *SPLIT)])

    layout = value_of(probe.looked_up("events"))

    assert (layout.topic, layout.controller) == (TOPIC, HERE)
    assert [one.broker for one in layout.segments] == [None, HERE, HERE]
    assert len(broker.of("SCALABLE_TOPIC_CLOSE")) == 1


def test_a_client_that_looks_a_topic_up_does_not_have_it_created(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A broker that creates topics by itself creates a missing one otherwise, since Pulsar 5.0.1."""
    probe.looked_up("events")
    probe.watch_layout("events")

    asked = [frame.body for frame in broker.of("SCALABLE_TOPIC_LOOKUP")]

    assert [(one.HasField("create_if_missing"), one.create_if_missing) for one in asked] == [(True, False)] * 2


def test_parents_come_before_their_children() -> None:
    """In the order in which a topic must be read."""
    broker = ScriptedPulsar()
    broker.on("CONNECT", lambda _: [pb.CommandConnected(server_version="x", feature_flags=FLAGS)])
    broker.admin_answers = [described(2, *reversed(MERGED))]

    assert [one.number for one in value_of(session_with(broker).client("c").layout(TOPIC)).in_order] == [0, 1, 2, 3]


NONSENSE: list[tuple[str, int, tuple[Told, ...]]] = [
    ("overlap: segment 2 begins at 7fff", 1, (SPLIT[0], SPLIT[1], SPLIT[2]._replace(first=32767))),
    ("gap: no segment has the hashes 8000 to 8000", 1, (SPLIT[0], SPLIT[1], SPLIT[2]._replace(first=32769))),
    ("gap: no segment has the hashes 8000 to ffff", 1, SPLIT[:2]),
    ("gap: no segment has the hashes 0000 to ffff", 0, ()),
    ("segment 2 has the parent 7", 1, (*SPLIT[:2], SPLIT[2]._replace(parents=(7,)))),
    ("segment 1 is of epoch 1, and the layout of the past: epoch 0", 0, SPLIT),
    ("segment 0 was made at epoch 0 and sealed at epoch 3", 2, (SPLIT[0]._replace(sealed=3), *SPLIT[1:])),
    ("segment 0 was made at epoch 0 and sealed at epoch 0", 2, (SPLIT[0]._replace(sealed=0), *SPLIT[1:])),
    ("segment 0 comes twice", 0, (WHOLE, WHOLE)),
    ("segment 0 has the hashes 0 to 65536", 0, (WHOLE._replace(last=65536),)),
]


@pytest.mark.parametrize(("flaw", "epoch", "segments"), NONSENSE, ids=[flaw for flaw, _, _ in NONSENSE])
def test_what_is_no_layout_is_malformed(
    broker: ScriptedPulsar, probe: PulsarProbe, flaw: str, epoch: int, segments: tuple[Told, ...]
) -> None:
    """From either source, and the message names the wrong segment and the flaw."""
    broker.admin_answers = [described(epoch, *segments)]
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, epoch, *segments)])

    for look in (probe.layout, probe.looked_up, probe.segments, probe.watch_layout):
        with pytest.raises(Malformed, match=rf"what the broker sent for {TOPIC} is no layout: .*{flaw}"):
            look(TOPIC)


@pytest.mark.parametrize(
    "body", [b"[]", b"{}", b'{"epoch": 0, "segments": {"0": {}}}', b'{"epoch": 0, "segments": {"0": {"segmentId": 0, "state": "GONE"}}}']
)
def test_json_that_reports_no_layout_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe, body: bytes) -> None:
    """Also if a state is unknown."""
    broker.admin_answers = [AdminAnswer(200, body)]

    with pytest.raises(Malformed):
        probe.layout(TOPIC)


# --- changes ----------------------------------------------------------------------------------------------------------------------

CHANGES: list[tuple[Callable[[PulsarProbe], Outcome[None]], str]] = [
    (lambda probe: probe.split(TOPIC, 3), "POST /admin/v2/scalable/public/default/events/split/3"),
    (lambda probe: probe.merge(TOPIC, 1, 2), "POST /admin/v2/scalable/public/default/events/merge/1/2"),
    (lambda probe: probe.merge(TOPIC, 1, 2, 4), "POST /admin/v2/scalable/public/default/events/merge/1/2/4"),
    (lambda probe: probe.changed(value_of(probe.begin_split(TOPIC, 3))), "POST /admin/v2/scalable/public/default/events/split/3"),
    (lambda probe: probe.changed(value_of(probe.begin_merge(TOPIC, 1, 2))), "POST /admin/v2/scalable/public/default/events/merge/1/2"),
    (lambda probe: probe.terminate_segment(segment(1)), "POST /admin/v2/segments/public/default/events/0000-7fff-1/terminate"),
]


@pytest.mark.parametrize(("act", "line"), CHANGES)
def test_a_change_is_asked_for_and_its_answer_is_the_outcome(
    broker: ScriptedPulsar, probe: PulsarProbe, act: Callable[[PulsarProbe], Outcome[None]], line: str
) -> None:
    """204 means done; 409, and 500 with an exception before a change, mean refused; otherwise the outcome is unknown."""
    broker.admin_answers = [AdminAnswer(204), AdminAnswer(409), failure("java.lang.IllegalArgumentException"), failure("Timeout"), None]

    outcomes = [act(probe) for _ in range(5)]

    assert {str(request) for request in broker.administered} == {line}
    assert outcomes[:3] == [Done(None), Refused("Conflict", 409), Refused("Internal Server Error", 500, "no")]
    assert [isinstance(outcome, Unknown) for outcome in outcomes] == [False, False, False, True, True]


def test_two_changes_are_on_their_way_at_once(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each has a separate answer, which can be awaited again."""
    broker.admin_answers = [AdminAnswer(204), AdminAnswer(409)]

    first, second = value_of(probe.begin_split(TOPIC, 0)), value_of(probe.begin_merge(TOPIC, 1, 2))

    assert [probe.changed(second), probe.changed(first), probe.changed(first)] == [Refused("Conflict", 409), Done(None), Done(None)]


def test_the_topics_of_a_namespace_are_listed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """By their full names, sorted."""
    broker.admin_answers = [AdminAnswer(200, b'["topic://public/default/b", "topic://public/default/a"]')]

    assert value_of(probe.scalable_topics()) == ("topic://public/default/a", "topic://public/default/b")


# --- watches ----------------------------------------------------------------------------------------------------------------------


def test_a_watch_keeps_every_layout_that_is_reported(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Also those that came while the client did something else, in order; one that comes twice is kept twice."""
    watch = value_of(probe.watch_layout(TOPIC))
    for epoch, segments in ((0, (WHOLE,)), (1, SPLIT), (2, MERGED)):
        broker.push(reported(watch.number, epoch, *segments))
    value_of(probe.looked_up(TOPIC))

    assert watch.first.epoch == 0
    assert [layout.epoch for layout in probe.layouts_reported(watch)] == [0, 0, 1, 2]


def test_watches_are_distinguished(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Each session has its own number; a look in between closes only its own."""
    one, other = value_of(probe.watch_layout(TOPIC)), value_of(probe.watch_layout(TOPIC))
    broker.push(reported(other.number, 1, *SPLIT))

    assert ([len(probe.layouts_reported(watch)) for watch in (one, other)]) == [1, 2]
    assert broker.of("SCALABLE_TOPIC_CLOSE") == []


def test_a_closed_watch_shows_what_is_reported_all_the_same(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """A scenario that forbids such updates must be able to see them."""
    watch = value_of(probe.watch_layout(TOPIC))
    probe.close_watch(watch)
    broker.push(reported(watch.number, 1, *SPLIT))

    assert [frame.body.session_id for frame in broker.of("SCALABLE_TOPIC_CLOSE")] == [watch.number]
    assert [layout.epoch for layout in probe.layouts_reported(watch)] == [0, 1]


def test_a_layout_of_the_past_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """After a newer one, in the same session; unless the topic was made again, whose epochs begin again."""
    watch = value_of(probe.watch_layout(TOPIC))
    broker.push(reported(watch.number, 1, *SPLIT))
    broker.push(reported(watch.number, 0, WHOLE))

    with pytest.raises(Malformed, match="an older layout: epoch 0 after epoch 1"):
        probe.layouts_reported(watch)
    assert [layout.epoch for layout in probe.layouts_reported(watch, is_remade=True)] == [0, 1, 0]


def test_a_watch_is_refused_or_ends_with_an_error(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """With the error in the update."""
    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [pb.CommandScalableTopicUpdate(session_id=request.session_id, error=11)])
    assert probe.watch_layout(TOPIC) == Refused("TopicNotFound", 11)

    broker.on("SCALABLE_TOPIC_LOOKUP", lambda request: [reported(request.session_id, 0, WHOLE)])
    watch = value_of(probe.watch_layout(TOPIC))
    broker.push(pb.CommandScalableTopicUpdate(session_id=watch.number, error=11, message="gone"))

    assert probe.end_reported(watch) == Refused("TopicNotFound", 11, "gone")
    assert len(probe.layouts_reported(watch)) == 1


def test_a_watch_is_over_with_its_connection(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Updates that came before stay; a new watch begins with the present state."""
    watch = value_of(probe.watch_layout(TOPIC))
    broker.push(reported(watch.number, 1, *SPLIT))
    broker.connections[0].is_open = False

    assert [layout.epoch for layout in probe.layouts_reported(watch)] == [0, 1]
    assert value_of(probe.watch_layout(TOPIC)).first.epoch == 0


def test_a_watch_is_at_the_broker_that_is_named(probe: PulsarProbe) -> None:
    """An invalid address is the fault of the system that reported it."""
    value_of(probe.watch_layout(TOPIC, broker="pulsar://here:6650"))

    with pytest.raises(Malformed, match="'http://here', expected pulsar://HOST:PORT"):
        probe.watch_layout(TOPIC, broker="http://here")


def test_the_topics_of_a_namespace_are_watched(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """All of them first, then the added and removed ones."""
    watch = value_of(probe.watch_scalable_topics())
    broker.push(pb.CommandWatchScalableTopicsUpdate(watch_id=watch.number, diff=pb.ScalableTopicsDiff(added=["topic://a/b/c"])))
    broker.push(pb.CommandWatchScalableTopicsUpdate(watch_id=watch.number, diff=pb.ScalableTopicsDiff(removed=[TOPIC])))

    assert watch.first == {TOPIC}
    assert [set(reported) for reported in probe.topics_reported(watch)] == [{TOPIC}, {TOPIC, "topic://a/b/c"}, {"topic://a/b/c"}]
    probe.close_watch(watch)
    assert [frame.body.watch_id for frame in broker.of("WATCH_SCALABLE_TOPICS_CLOSE")] == [watch.number]


def test_an_update_without_topics_is_malformed(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """One with an error is a refusal."""
    broker.on("WATCH_SCALABLE_TOPICS", lambda request: [pb.CommandWatchScalableTopicsUpdate(watch_id=request.watch_id, error=22)])
    assert probe.watch_scalable_topics() == Refused("NotAllowedError", 22)

    broker.on("WATCH_SCALABLE_TOPICS", lambda request: [pb.CommandWatchScalableTopicsUpdate(watch_id=request.watch_id)])
    with pytest.raises(Malformed, match="neither topics nor an error"):
        probe.watch_scalable_topics()


@pytest.mark.parametrize(
    "act",
    [
        lambda probe: probe.layout(TOPIC),
        lambda probe: probe.split(TOPIC, 0),
        lambda probe: probe.begin_merge(TOPIC, 1, 2),
        lambda probe: probe.terminate_segment(segment(0)),
        lambda probe: probe.scalable_topics(),
        lambda probe: probe.watch_layout(TOPIC),
        lambda probe: probe.watch_scalable_topics(),
        lambda probe: probe.join_stream(TOPIC, "s", "a"),
        lambda probe: probe.join_queue(TOPIC, "s"),
        lambda probe: probe.writer(TOPIC),
    ],
)
def test_a_broker_that_says_nothing_of_scalable_topics_is_not_asked(act: Callable[[PulsarProbe], object]) -> None:
    """The capability is not offered."""
    broker = ScriptedPulsar()

    with pytest.raises(NotOffered, match="does not say supports_scalable_topics"):
        act(session_with(broker).client("c"))

    assert (broker.names(), broker.administered) == (["CONNECT"], [])


# --- stream consumers ---------------------------------------------------------------------------------------------------------------


def joins(broker: ScriptedPulsar, *numbers: int) -> None:
    """A registration is answered with these segments."""
    broker.on(
        "SCALABLE_TOPIC_SUBSCRIBE",
        lambda request: [pb.CommandScalableTopicSubscribeResponse(request_id=request.request_id, assignment=assigned(1, *numbers))],
    )


def test_a_stream_consumer_registers_at_the_controller(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """On a separate connection, under its name; later assignments come only to it."""
    joins(broker, 1, 2)
    consumer, other = value_of(probe.join_stream(TOPIC, "s", "a")), value_of(probe.join_stream(TOPIC, "s", "b", kind="CHECKPOINT"))
    broker.push(pb.CommandScalableTopicAssignmentUpdate(consumer_id=consumer.number, assignment=assigned(1, 1)))
    broker.push(pb.CommandScalableTopicAssignmentUpdate(consumer_id=consumer.number, assignment=assigned(2, 3)))

    asked = [frame.body for frame in broker.of("SCALABLE_TOPIC_SUBSCRIBE")]
    assert [(one.topic, one.subscription, one.consumer_name, one.consumer_type) for one in asked] == [
        (TOPIC, "s", "a", 0),
        (TOPIC, "s", "b", 1),
    ]
    assert len(broker.connections) == 3
    assert [one.numbers for one in probe.assignments_reported(consumer)] == [(1, 2), (1,), (3,)]
    assert value_of(probe.assignment(consumer)).segments[0].topic == segment(3)
    assert value_of(probe.assignment(other)).numbers == (1, 2)
    assert value_of(probe.assigned(other, frozenset({2, 1}))).epoch == 1
    assert isinstance(probe.assigned(other, frozenset({2}), within_s=0.1), Unknown)


def test_a_stream_consumer_leaves_by_cutting_its_connection(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Assignments that came before can still be read."""
    joins(broker, 1, 2)
    consumer = value_of(probe.join_stream(TOPIC, "s", "a"))

    probe.leave_stream(consumer)

    assert [connection.is_open for connection in broker.connections] == [True, False]
    assert isinstance(gone := probe.assignment(consumer), Unknown)
    assert gone.lost
    assert [one.numbers for one in probe.assignments_reported(consumer)] == [(1, 2)]


@pytest.mark.parametrize("error", ["UnknownError", "TopicNotFound", "NotAllowedError"])
def test_a_registration_that_is_refused_is_none(broker: ScriptedPulsar, probe: PulsarProbe, error: str) -> None:
    """Its connection is closed."""
    broker.on("SCALABLE_TOPIC_SUBSCRIBE", refuses(error))

    assert isinstance(outcome := probe.join_stream(TOPIC, "s", "a"), Refused)
    assert outcome.error == error
    assert [connection.is_open for connection in broker.connections] == [True, False]


def test_a_registration_without_an_answer_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """And is not repeated."""
    broker.on("SCALABLE_TOPIC_SUBSCRIBE", hangs_up)

    assert isinstance(probe.join_stream(TOPIC, "s", "a"), Unknown)
    assert len(broker.of("SCALABLE_TOPIC_SUBSCRIBE")) == 1
