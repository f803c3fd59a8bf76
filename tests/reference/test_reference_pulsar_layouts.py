"""Scalable topics in the Pulsar reference: created, shown, used and deleted, by a broker with a kind of transactions for segments."""

import json
from typing import Any

import pytest
from google.protobuf.message import Message as Command
from pulsar_reference_client import World
from scalable_world import metadata_kind
from succeeded import value_of

from fencepost.adapters.pulsar.pulsar_values import TransactionId
from fencepost.contract.outcomes import Refused
from fencepost.reference.kernel.clock import START
from fencepost.reference.scalable.names import resolved
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import frame_of

EVENTS = "topic://public/default/events"
FIRST, SECOND, _ = SEGMENTS = [
    f"segment://public/default/events/{descriptor}" for descriptor in ("0000-5554-0", "5555-aaa9-1", "aaaa-ffff-2")
]
ADMIN = "/admin/v2/scalable/public/default/events"


@pytest.fixture
def world() -> World:
    """A broker with a scalable topic of three segments."""
    world = World(kinds=[metadata_kind()])
    assert world.administer("PUT", ADMIN, numInitialSegments="3").status == 204
    return world


def status(world: World, method: str, path: str = ADMIN, **query: str) -> int:
    return world.administer(method, path, **query).status


def look_up(world: World, topic: str, number: int = 1) -> Any:
    update = world.ask(pb.CommandScalableTopicLookup(session_id=7, topic=topic), number)
    assert update.session_id == 7
    return update


def code(outcome: object) -> int:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


# --- layouts --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["events", "public/default/events", EVENTS, "persistent://public/default/events", FIRST])
def test_a_scalable_topic_is_meant_by_each_of_its_names(world: World, name: str) -> None:
    """A short one, its own, that of a persistent topic, and that of a segment."""
    update = look_up(world, name)

    assert resolved(name) == update.resolved_topic_name == EVENTS
    assert not update.HasField("error")


@pytest.mark.parametrize("is_partitioned", [False, True])
def test_a_name_that_is_taken_is_no_scalable_topics(world: World, is_partitioned: bool) -> None:
    """By a topic of another domain, partitioned or not."""
    admin, name = world.probe("admin"), "persistent://public/default/ledger"
    value_of(admin.create_partitioned_topic(name, 2) if is_partitioned else admin.create_topic(name))

    assert status(world, "PUT", ADMIN.replace("events", "ledger")) == 409
    assert status(world, "GET", ADMIN.replace("events", "ledger")) == 404


# --- SCALABLE_TOPIC_LOOKUP ------------------------------------------------------------------------------------------------------


def test_a_lookup_shows_the_layout_and_where_each_segment_is(world: World) -> None:
    """All segments are active, as they were made, and the first layout has the epoch 0."""
    dag = look_up(world, EVENTS).dag

    assert dag.epoch == 0
    assert [(one.segment_id, one.hash_start, one.hash_end) for one in dag.segments] == [(0, 0, 21844), (1, 21845, 43689), (2, 43690, 65535)]
    assert {(one.state, one.created_at_epoch, len(one.parent_ids), len(one.child_ids)) for one in dag.segments} == {(pb.ACTIVE, 0, 0, 0)}
    assert [(one.segment_id, one.broker_url) for one in dag.segment_brokers] == [(number, "pulsar://reference:6650") for number in range(3)]
    assert dag.controller_broker_url == "pulsar://reference:6650"


@pytest.mark.parametrize(("name", "error"), [("topic://public/default/nothing", 11), ("nothing", 11), ("topic://nothing", 17), ("a/b", 17)])
def test_an_unknown_scalable_topic_is_reported_in_the_first_update(world: World, name: str, error: int) -> None:
    """And it is not created."""
    update = look_up(world, name)

    assert (update.error, update.HasField("dag")) == (error, False)
    assert look_up(world, name).error == error


def test_a_topic_that_is_not_scalable_is_shown_as_one_segment(world: World) -> None:
    """With its own name, without brokers, and nothing is created."""
    update = look_up(world, "persistent://public/default/plain")

    (segment,) = update.dag.segments
    assert (segment.hash_start, segment.hash_end, segment.legacy_topic_name) == (0, 65_535, "persistent://public/default/plain")
    assert list(update.dag.segment_brokers) == []
    assert look_up(world, "topic://public/default/plain").error == pb.TopicNotFound


def test_the_brokers_of_segments_are_where_they_are_served() -> None:
    """Whichever node is asked and however often, both have some, and each serves those that name it."""
    world = World(nodes=2, kinds=[metadata_kind()])
    world.administer("PUT", ADMIN, numInitialSegments="8")

    brokers = [[one.broker_url for one in look_up(world, EVENTS, number).dag.segment_brokers] for number in (1, 2, 1)]

    assert brokers[0] == brokers[1] == brokers[2]
    assert set(brokers[0]) == {"pulsar://reference:6650", "pulsar://reference:6651"}
    segments = value_of(world.probe().segments(EVENTS))
    assert [one.broker for one in segments] == brokers[0]
    for segment in segments:
        number = int(segment.broker[-1]) + 1
        asked = pb.CommandProducer(topic=segment.topic, producer_id=1, request_id=1)
        assert isinstance(world.ask(asked, number), pb.CommandProducerSuccess)
        assert isinstance(world.ask(asked, 3 - number), pb.CommandError)


def test_a_session_ends_without_an_answer_and_a_new_one_has_the_layout(world: World) -> None:
    """CLOSE is not answered, not even if there is nothing to close."""
    connection = world.broker.connect()
    assert connection is not None
    for command in (pb.CommandScalableTopicLookup(session_id=1, topic=EVENTS), pb.CommandScalableTopicClose(session_id=1)):
        connection.handle(frame_of(command))
    connection.handle(frame_of(pb.CommandScalableTopicClose(session_id=2)))
    connection.handle(frame_of(pb.CommandScalableTopicLookup(session_id=1, topic=EVENTS)))
    world.broker.advance(1_000)

    said = [frame.name for frame in iter(connection.take, None)]

    assert said == ["SCALABLE_TOPIC_UPDATE", "SCALABLE_TOPIC_UPDATE"]
    assert connection.is_open


# --- WATCH_TC_ASSIGNMENTS -------------------------------------------------------------------------------------------------------


def test_a_watch_shows_all_coordinators_and_where_each_is() -> None:
    """A coordinator answers at the reported address, and at no other."""
    world = World(nodes=2, kinds=[metadata_kind()])

    update = world.ask(pb.CommandWatchTcAssignments(watch_id=5))

    assert (update.watch_id, update.snapshot.parallelism) == (5, 4)
    assert [one.tc_id for one in update.snapshot.assignments] == [0, 1, 2, 3]
    for one in update.snapshot.assignments:
        here = int(one.broker_service_url[-1]) + 1
        asked = pb.CommandNewTxn(request_id=1, tc_id=one.tc_id, scalable=True)
        assert not world.ask(asked, here).HasField("error")
        assert world.ask(asked, 3 - here).error == pb.TransactionCoordinatorNotFound


def test_the_end_of_a_watch_is_not_answered(world: World) -> None:
    """Nor does it end the connection."""
    connection = world.broker.connect()
    assert connection is not None

    connection.handle(frame_of(pb.CommandWatchTcAssignmentsClose(watch_id=5)))

    assert connection.take() is None
    assert connection.is_open


# --- segments as topics ---------------------------------------------------------------------------------------------------------


def test_a_segment_is_a_topic_with_its_first_use(world: World) -> None:
    """By a producer or a consumer; each has its own messages."""
    first, second = world.producer(FIRST), world.producer(SECOND)
    world.send(first, "a")
    world.send(second, "b")

    assert [world.values(world.consumer(segment)) for segment in SEGMENTS] == [["a"], ["b"], []]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("segment://public/default/events/0000-5554-1", 17),
        ("segment://public/default/events/0000-ffff-0", 17),
        ("segment://public/default/events/0000-ffff-3", 11),
        ("segment://public/default/nothing/0000-ffff-0", 11),
        ("segment://public/default/events/0000-5554", 17),
        ("segment://public/default/events/0-5554-0", 17),
        ("segment://public/default/events", 17),
        (EVENTS, 17),
        ("persistent://public/default/events", 11),
    ],
)
def test_what_no_layout_has_is_no_topic(world: World, name: str, error: int) -> None:
    """A missing segment is not found, and an invalid descriptor is no name. There is no persistent topic of that name either."""
    producer = pb.CommandProducer(topic=name, producer_id=1, request_id=1)
    consumer = pb.CommandSubscribe(topic=name, subscription="s", sub_type=pb.CommandSubscribe.Shared, consumer_id=1, request_id=1)

    assert [world.ask(command).error for command in (producer, consumer)] == [error, error]


def test_layouts_and_messages_are_there_after_a_crash(world: World) -> None:
    """They are durable."""
    world.send(world.producer(FIRST), "a")
    before = look_up(world, EVENTS).dag

    world.broker.crash()
    world.broker.restart()

    assert look_up(world, EVENTS).dag.segments == before.segments
    assert world.values(world.consumer(FIRST)) == ["a"]


# --- administration -------------------------------------------------------------------------------------------------------------


def test_a_scalable_topic_is_made_once(world: World) -> None:
    """A second time is a conflict, and so is a persistent topic of that name."""
    value_of(world.probe().create_topic("persistent://public/default/plain"))

    assert status(world, "PUT") == 409
    assert status(world, "PUT", "/admin/v2/scalable/public/default/plain") == 409
    assert code(world.probe().create_topic("persistent://public/default/events")) == 404


@pytest.mark.parametrize(("count", "answered"), [("0", 412), ("-1", 412), ("65537", 412), ("three", 412), ("1", 204), ("65", 204)])
def test_the_number_of_segments_is_checked(world: World, count: str, answered: int) -> None:
    """There is at least one, and each has at least one hash."""
    path = "/admin/v2/scalable/public/default/other"

    assert status(world, "PUT", path, numInitialSegments=count) == answered
    assert len(look_up(world, "other").dag.segments) == (int(count) if answered == 204 else 0)


def test_a_scalable_topic_has_one_segment_where_nothing_is_said(world: World) -> None:
    """It has all hashes."""
    assert status(world, "PUT", "/admin/v2/scalable/public/default/other") == 204

    (segment,) = look_up(world, "other").dag.segments
    assert (segment.hash_start, segment.hash_end) == (0, 65_535)


def test_a_layout_is_described(world: World) -> None:
    """In the words of the admin interface."""
    described = json.loads(world.administer("GET", ADMIN).body)

    assert (described["epoch"], described["nextSegmentId"], sorted(described["segments"])) == (0, 3, ["0", "1", "2"])
    assert described["segments"]["1"] == {
        "segmentId": 1,
        "hashRange": {"start": 21845, "end": 43689},
        "state": "ACTIVE",
        "parentIds": [],
        "childIds": [],
        "createdAtEpoch": 0,
        "sealedAtEpoch": -1,
        "createdAtMs": START,
        "sealedAtMs": -1,
    }


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_scalable_topic_is_deleted_with_its_segments(nodes: int) -> None:
    """Their clients are notified, on every node, and an empty topic of the same name can be created."""
    world = World(nodes=nodes, kinds=[metadata_kind()])
    world.administer("PUT", ADMIN, numInitialSegments="3")
    producers = [world.producer(segment) for segment in (FIRST, SECOND)]
    consumer = world.consumer(FIRST)
    world.send(producers[0], "a")

    assert status(world, "DELETE") == 204

    assert [world.probe().open_producers(segment) for segment in (FIRST, SECOND)] == [[], []]
    assert not world.probe().is_subscribed(consumer)
    assert look_up(world, EVENTS).error == pb.TopicNotFound
    assert code(world.probe("other").producer(FIRST, retry=False)) == pb.TopicNotFound
    assert [status(world, method) for method in ("GET", "DELETE", "PUT")] == [404, 404, 204]
    world.administer("DELETE", ADMIN)
    world.administer("PUT", ADMIN, numInitialSegments="3")
    assert world.values(world.consumer(FIRST, name="other"), "other") == []


def test_a_subscription_is_made_on_every_segment(world: World) -> None:
    """From the earliest message on: no consumer has to attach before there are messages. A second call changes nothing."""
    path = f"{ADMIN}/subscriptions/s"

    assert [status(world, "PUT", path), status(world, "PUT", path)] == [204, 204]

    world.send(world.producer(SECOND), "a")
    command = pb.CommandSubscribe(topic=SECOND, subscription="s", sub_type=pb.CommandSubscribe.Exclusive, consumer_id=1, request_id=1)
    connection = world.broker.connect()
    assert connection is not None
    for asked in (command, pb.CommandFlow(consumer_id=1, message_permits=1)):
        connection.handle(frame_of(asked))
    assert "MESSAGE" in [frame.name for frame in iter(connection.take, None)]
    assert status(world, "PUT", "/admin/v2/scalable/public/default/nothing/subscriptions/s") == 404


def test_the_unload_of_a_namespace_is_that_of_its_topics() -> None:
    """Segments too, on all nodes; clients are notified, and durable state is reloaded. Other namespaces are not affected."""
    world = World(nodes=2, kinds=[metadata_kind()])
    world.administer("PUT", ADMIN, numInitialSegments="3")
    plain, elsewhere = "persistent://public/default/plain", "persistent://public/other/plain"
    topics = [*SEGMENTS, plain]
    producers = [world.producer(topic) for topic in [*topics, elsewhere]]
    consumers = [world.consumer(topic) for topic in topics]
    for producer in producers:
        world.send(producer, "a")

    assert status(world, "PUT", "/admin/v2/namespaces/public/default/unload") == 204

    assert [world.probe().open_producers(topic) for topic in topics] == [[]] * 4
    assert [world.probe().is_subscribed(consumer) for consumer in consumers] == [False] * 4
    assert len(world.probe().open_producers(elsewhere)) == 1
    assert [world.values(world.consumer(topic, "new")) for topic in topics] == [["a"]] * 4


# --- without a kind for segments ------------------------------------------------------------------------------------------------


def flags(world: World) -> list[str]:
    connected = world.ask(pb.CommandConnect(client_version="test", protocol_version=21))
    return [field.name for field, _ in connected.feature_flags.ListFields()]


def test_the_features_are_notified_where_they_are(world: World) -> None:
    """Both of them, or neither."""
    assert flags(world) == ["supports_scalable_topics", "supports_tc_metadata_discovery"]
    assert flags(World()) == []


@pytest.mark.parametrize(
    "command",
    [
        pb.CommandScalableTopicLookup(session_id=1, topic=EVENTS),
        pb.CommandScalableTopicClose(session_id=1),
        pb.CommandWatchTcAssignments(watch_id=1),
        pb.CommandWatchTcAssignmentsClose(watch_id=1),
    ],
    ids=lambda command: type(command).__name__,
)
def test_a_broker_without_scalable_topics_closes_the_connection(command: Command) -> None:
    """Their commands are as unknown to it as any other."""
    connection = World().broker.connect()
    assert connection is not None

    connection.handle(frame_of(command))

    assert not connection.is_open
    assert connection.take() is None


def test_a_broker_without_scalable_topics_does_not_know_their_names_and_calls() -> None:
    """A segment is no topic, and the admin interface has no such path."""
    world = World()

    assert code(world.probe().producer(FIRST, retry=False)) == pb.InvalidTopicName
    assert [status(world, method) for method in ("PUT", "GET", "DELETE")] == [404, 404, 404]


def test_a_broker_without_scalable_topics_does_not_look_at_the_flag_of_a_transaction() -> None:
    """As in releases without it: the request is one of PIP-31's."""
    world = World()
    begun = world.ask(pb.CommandNewTxn(request_id=1, tc_id=0, scalable=True))

    assert (begun.txnid_least_bits, world.begin()) == (0, TransactionId(0, 1))
