"""Scalable topics of a broker with two nodes: refused changes, watches, and answers while the store is away."""

import json

import pytest
from scalable_world import ADMIN, EVENTS, ScalableWorld

from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.news import MOST_WAITING
from fencepost.wire.pulsar import messages_pb2 as pb

PARENT = "segment://public/default/events/0000-ffff-0"


@pytest.fixture
def world() -> ScalableWorld:
    return ScalableWorld()


def store(world: ScalableWorld) -> MemoryStore:
    """A client of the store in addition to the broker's."""
    return MemoryStore(world.data)


# --- changes --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "profile", "status"),
    [
        ("split/7", "seed", 412),
        ("merge/0/0", "seed", 412),
        ("merge/0", "seed", 412),
        ("split/7", "pulsar-5.0", 500),
        ("merge/0/0", "pulsar-5.0", 500),
    ],
)
def test_a_change_that_cannot_be_is_refused(what: str, profile: str, status: int) -> None:
    """With a reason; the layout stays the same."""
    world = ScalableWorld(profile)

    answer = world.call("POST", f"{ADMIN}/{what}")

    assert answer.status == status
    assert json.loads(answer.body)["reason"]
    assert world.described()["epoch"] == 0


# --- watches --------------------------------------------------------------------------------------------------------------------


def test_a_watch_that_is_closed_is_notified_nothing_and_a_new_one_begins_with_what_is_there(world: ScalableWorld) -> None:
    """So does one under the same number, which ends the former one."""
    client = world.raw()
    client.watch()
    client.say(pb.CommandScalableTopicClose(session_id=1))
    world.change("split/0")
    assert client.epochs() == []

    assert client.watch().dag.epoch == 1
    assert client.watch().dag.epoch == 1
    world.change("split/1")
    assert client.epochs() == [2]


def test_a_release_reports_the_first_layout_twice() -> None:
    """And none older than the one before."""
    world = ScalableWorld("pulsar-5.0")
    client = world.raw()
    client.watch()
    world.change("split/0")

    assert client.epochs() == [0, 1]


def test_a_watch_that_does_not_read_keeps_the_newest_layouts() -> None:
    """Up to a bound; each is whole, so none is missed."""
    world = ScalableWorld()
    client = world.raw()
    client.watch()
    for newest in range(0, 3 * (MOST_WAITING + 4) // 2, 3):
        world.change(f"split/{newest}")
        world.broker.advance(20)
        world.change(f"merge/{newest + 1}/{newest + 2}")
        world.broker.advance(20)

    assert client.epochs() == list(range(5, MOST_WAITING + 5))


def test_news_that_a_store_loses_are_reported_a_moment_later(world: ScalableWorld) -> None:
    """Nodes look by themselves."""
    client = world.raw()
    client.watch()
    for _ in range(3):
        world.faults.arm("watch-lost", paths.layout(EVENTS))
    world.change("split/0")
    assert client.epochs() == []

    world.broker.advance(1_000)
    assert client.epochs() == [1]


@pytest.mark.parametrize("is_notified", [True, False])
def test_a_watch_ends_with_its_topic(world: ScalableWorld, is_notified: bool) -> None:
    """Also if the store does not notify; and a watch of the next topic of that name gets only that one."""
    client = world.raw()
    client.watch()
    if not is_notified:
        world.faults.arm("watch-lost", paths.layout(EVENTS))
    world.call("DELETE", ADMIN)
    world.broker.advance(0 if is_notified else 1_000)
    world.call("PUT", ADMIN)

    assert [(one.body.session_id, one.body.error) for one in client.heard()] == [(1, pb.TopicNotFound)]
    assert client.watch(session=2).dag.epoch == 0
    world.change("split/0")
    assert [(one.body.session_id, one.body.dag.epoch) for one in client.heard()] == [(2, 1)]


# --- requests that cannot be fulfilled ------------------------------------------------------------------------------------------


def test_every_lookup_is_answered(world: ScalableWorld) -> None:
    """Also for an unreadable layout, and while the store is away; then it works again."""
    client = world.raw()
    before = store(world).get(paths.layout(EVENTS))
    assert before is not None
    store(world).put(paths.layout(EVENTS), b"{}")
    unreadable = client.watch()
    assert (unreadable.error, unreadable.HasField("dag")) == (pb.UnknownError, False)
    assert paths.layout(EVENTS) in unreadable.message
    assert world.call("GET").status == 500
    assert world.call("POST", f"{ADMIN}/split/0").status == 500
    store(world).put(paths.layout(EVENTS), before.value)
    assert client.watch().dag.epoch == 0


def test_every_request_is_answered_while_the_store_is_away(world: ScalableWorld) -> None:
    """With an error that names the store, and nothing else stops: neither existing classic topics, nor requests after its return."""
    plain = "persistent://public/default/plain"
    watching, writer = world.raw(), world.at(plain)
    watching.watch()
    writer.produce(plain)
    owner = world.at(PARENT)
    world.is_away = True

    client = world.raw()
    assert client.watch(session=2).error == pb.ServiceNotReady
    assert client.ask(pb.CommandWatchScalableTopics(watch_id=1, namespace="public/default")).error == pb.ServiceNotReady
    assert isinstance(client.ask(pb.CommandLookupTopic(topic=PARENT, request_id=1)), pb.CommandLookupTopicResponse)
    assert owner.produce(PARENT).error == pb.ServiceNotReady
    assert [world.call(*call).status for call in [("GET",), ("POST", f"{ADMIN}/split/0"), ("PUT", f"{ADMIN}/subscriptions/s")]] == [503] * 3
    world.broker.advance(3_000)
    assert isinstance(writer.send("v"), pb.CommandSendReceipt)

    world.is_away = False
    world.change("split/0")
    assert watching.epochs() == [1]


def test_nothing_is_noted_of_what_is_not_there(world: ScalableWorld) -> None:
    """No controller is noted when a request names a topic that was never created."""
    nothing = "topic://public/default/nothing"
    assert world.raw().watch(nothing).error == pb.TopicNotFound
    path = "/admin/v2/scalable/public/default/nothing"
    for method, call in [("POST", f"{path}/split/0"), ("POST", f"{path}/merge/0/1"), ("DELETE", path), ("PUT", f"{path}/subscriptions/s")]:
        assert world.call(method, call).status == 404
    world.broker.advance(2_000)

    assert store(world).keys(paths.layout(nothing), f"{paths.layout(nothing)}\U0010ffff") == []


@pytest.mark.parametrize(("profile", "answer"), [("seed", pb.CommandError), ("pulsar-5.0", pb.CommandProducerSuccess)])
def test_an_old_client_that_names_a_scalable_topic(profile: str, answer: type) -> None:
    """The text refuses it; a release creates a topic of that name that has nothing to do with the segments."""
    world = ScalableWorld(profile)
    client = world.at(EVENTS)

    assert isinstance(client.produce(EVENTS), answer)
    if profile != "seed":
        assert isinstance(client.send("extra"), pb.CommandSendReceipt)
    reader = world.at(PARENT)
    reader.subscribe(PARENT)
    assert reader.received() == []


def test_a_release_ignores_what_is_sent_to_a_sealed_segment() -> None:
    """Neither receipt nor error, but its producer was notified that it is closed."""
    world = ScalableWorld("pulsar-5.0")
    client = world.at(PARENT)
    client.produce(PARENT)
    world.change("split/0")
    assert client.reported() == ["CLOSE_PRODUCER"]

    client.say(pb.CommandSend(producer_id=1, sequence_id=1))

    assert client.reported() == []


def test_ten_thousand_segments_are_served(world: ScalableWorld) -> None:
    """Looked up, described and split."""
    path = "/admin/v2/scalable/public/default/many"
    assert world.call("PUT", path, numInitialSegments="10000").status == 204

    assert len(world.raw().watch("many").dag.segments) == 10_000
    assert world.call("POST", f"{path}/split/9999").status == 204
    assert len(world.described(path)["segments"]) == 10_002


# --- stream consumers -----------------------------------------------------------------------------------------------------------


def test_a_stream_consumer_that_joins_in_the_wrong_place_is_answered(world: ScalableWorld) -> None:
    """The other node names the controller; a missing topic, and an invalid name, are refused."""
    controller = int(world.raw().watch().dag.controller_broker_url[-1]) + 1
    other = world.raw(3 - controller)

    def error(topic: str) -> int:
        named = {"topic": topic, "subscription": "workers", "consumer_name": "c1", "consumer_id": 7, "consumer_type": pb.STREAM}
        return int(other.ask(pb.CommandScalableTopicSubscribe(request_id=1, **named)).error)

    assert error(EVENTS) == pb.ServiceNotReady
    assert error("topic://public/default/none") == pb.TopicNotFound
    assert error("a b") == pb.InvalidTopicName
