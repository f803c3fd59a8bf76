"""Scalable topics of a broker with two nodes: changes, watches, controllers that crash, and answers to administrators."""

import json

import pytest
from scalable_world import ADMIN, EVENTS, ScalableWorld

from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout_crash_points import CRASH_POINTS
from fencepost.reference.scalable.news import MOST_WAITING
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest

PARENT = "segment://public/default/events/0000-ffff-0"
CHILDREN = ["segment://public/default/events/0000-7fff-1", "segment://public/default/events/8000-ffff-2"]
MINUTE_MS = 60_000


@pytest.fixture
def world() -> ScalableWorld:
    return ScalableWorld()


def store(world: ScalableWorld) -> MemoryStore:
    """A client of the store in addition to the broker's."""
    return MemoryStore(world.data)


def controller(world: ScalableWorld, node: int = 1) -> int:
    """The node that a lookup names."""
    return int(world.raw(node).watch().dag.controller_broker_url[-1]) + 1


# --- changes --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [1, 2])
def test_either_node_has_a_layout_changed(world: ScalableWorld, node: int) -> None:
    """Whichever is the controller: the parent refuses writers, and the children accept them, on whichever node they are."""
    world.change("split/0", node)

    assert world.names() == [PARENT, *CHILDREN]
    assert world.at(PARENT).produce(PARENT).error == pb.TopicTerminatedError
    for child in CHILDREN:
        writer = world.at(child)
        writer.produce(child)
        assert isinstance(writer.send("v"), pb.CommandSendReceipt)
    world.change("merge/1/2", 3 - node)
    assert world.described(node=node)["epoch"] == 2
    assert world.names()[-1] == "segment://public/default/events/0000-ffff-3"


def test_a_subscription_of_the_parent_reads_the_parent_and_the_children(world: ScalableWorld) -> None:
    """Although no client registered it, and none was attached to a child before its first message."""
    writer, reader = world.at(PARENT), world.at(PARENT)
    reader.subscribe(PARENT)
    writer.produce(PARENT)
    writer.send("before")
    world.change("split/0")
    child = world.at(CHILDREN[0])
    child.produce(CHILDREN[0])
    child.send("behind")

    assert [frame.payload.data for frame in reader.received() if frame.payload] == [b"before"]
    child.say(pb.CommandSubscribe(topic=CHILDREN[0], subscription="s", sub_type=pb.CommandSubscribe.Shared, consumer_id=1, request_id=9))
    child.say(pb.CommandFlow(consumer_id=1, message_permits=10))
    assert [frame.payload.data for frame in child.received() if frame.payload] == [b"behind"]


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


def test_the_children_of_a_change_are_no_topics_before_the_layout_has_them(world: ScalableWorld) -> None:
    """A controller that crashes after making the children leaves none that accepts messages in addition to the parent."""
    world.at(PARENT).produce(PARENT)
    dead = controller(world)
    world.broker.crash_at("after-children")
    world.broker.admin(_split(), dead)
    left = world.raw(3 - dead)

    assert left.produce(CHILDREN[0]).error == pb.TopicNotFound
    world.broker.advance(2_000)
    assert left.produce(CHILDREN[0]).error == pb.TopicNotFound
    assert world.described(node=3 - dead)["epoch"] == 0
    assert isinstance(world.at(PARENT).produce(PARENT), pb.CommandProducerSuccess)


@pytest.mark.parametrize("point", sorted(CRASH_POINTS))
@pytest.mark.parametrize("asked", [1, 2])
def test_a_change_whose_controller_dies_is_completed_or_undone_by_the_next(world: ScalableWorld, point: str, asked: int) -> None:
    """No stored message is lost, either the parent or its children accept messages, and the next change continues from there."""
    writer = world.at(PARENT)
    writer.subscribe(PARENT)
    writer.produce(PARENT)
    writer.send("before")
    world.broker.crash_at(point)

    world.broker.admin(_split(), asked)
    world.broker.advance(3_000)

    node = world.living
    assert [world.broker.connect(number) is None for number in (1, 2)].count(True) == 1
    is_undone = world.described(node=node)["epoch"] == 0
    assert is_undone == (point in ("after-subscriptions", "after-children"))
    assert isinstance(world.at(PARENT).produce(PARENT), pb.CommandError if not is_undone else pb.CommandProducerSuccess)
    answers = [world.at(child).produce(child) for child in CHILDREN]
    assert all(isinstance(answer, pb.CommandError if is_undone else pb.CommandProducerSuccess) for answer in answers)
    reader = world.at(PARENT)
    reader.subscribe(PARENT)
    assert len(reader.received()) == 1
    assert store(world).get(paths.change(EVENTS)) is None
    world.change("split/0" if is_undone else "split/1", node)
    assert controller(world, node) == node


def test_a_controller_that_dies_is_followed_by_the_other_node(world: ScalableWorld) -> None:
    """Without any request for a change, and it does not return with its node."""
    first = controller(world)
    world.broker.crash(first)
    world.broker.advance(2_000)

    assert controller(world, 3 - first) == 3 - first
    world.broker.restart(first)
    world.broker.advance(2_000)
    assert {controller(world, node) for node in (1, 2)} == {3 - first}
    world.change("split/0", first)


# --- watches --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [1, 2])
def test_a_watch_is_reported_each_layout_by_either_node(world: ScalableWorld, node: int) -> None:
    """Whole, with the sealed segments, and with the brokers of the active ones."""
    client = world.raw(node)
    assert client.watch().dag.epoch == 0
    world.change("split/0")
    world.change("split/2")

    updates = [frame.body for frame in client.heard()]

    assert [update.dag.epoch for update in updates] == [1, 2]
    dag = updates[-1].dag
    assert [(one.segment_id, one.state, list(one.parent_ids), list(one.child_ids)) for one in dag.segments] == [
        (0, pb.SEALED, [], [1, 2]),
        (1, pb.ACTIVE, [0], []),
        (2, pb.SEALED, [0], [3, 4]),
        (3, pb.ACTIVE, [2], []),
        (4, pb.ACTIVE, [2], []),
    ]
    assert [one.sealed_at_epoch for one in dag.segments if one.HasField("sealed_at_epoch")] == [1, 2]
    assert [one.segment_id for one in dag.segment_brokers] == [1, 3, 4]
    assert updates[-1].resolved_topic_name == EVENTS


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


def test_a_namespace_is_watched(world: ScalableWorld) -> None:
    """All present topics first, then the added and removed ones, on either node; after the end none."""
    client = world.raw(2)
    snapshot = client.ask(pb.CommandWatchScalableTopics(watch_id=3, namespace="public/default"))
    assert list(snapshot.snapshot.topics) == [EVENTS]
    world.call("PUT", "/admin/v2/scalable/public/default/more")
    world.call("PUT", "/admin/v2/scalable/public/other/else")
    (came,) = client.heard()
    world.call("DELETE", ADMIN)
    (gone,) = client.heard()

    assert list(came.body.diff.added) == ["topic://public/default/more"]
    assert (list(gone.body.diff.added), list(gone.body.diff.removed)) == ([], [EVENTS])
    client.say(pb.CommandWatchScalableTopicsClose(watch_id=3))
    world.call("PUT", ADMIN)
    assert client.reported() == []


# --- sealed segments that go ----------------------------------------------------------------------------------------------------


def test_a_sealed_segment_goes_after_its_retention_when_no_subscription_needs_it(world: ScalableWorld) -> None:
    """Its consumers are closed, its children have no parents any more, and watches are notified."""
    client = world.at(PARENT)
    client.subscribe(PARENT)
    world.change("split/0")
    watcher = world.raw()
    watcher.watch()
    client.heard()

    world.broker.advance(MINUTE_MS + 1_000)

    assert client.reported() == ["CLOSE_CONSUMER"]
    assert watcher.epochs() == [2]
    assert world.names() == CHILDREN
    assert world.described()["segments"]["1"]["parentIds"] == []
    assert world.at(PARENT).subscribe(PARENT).error == pb.TopicNotFound


def test_a_sealed_segment_stays_for_an_open_transaction(world: ScalableWorld) -> None:
    """Its data is there when it commits, and only then the segment is removed."""
    writer = world.at(PARENT)
    txn = world.raw().begin(timeout_ms=10 * MINUTE_MS)
    writer.produce(PARENT)
    writer.send("in", txn=txn)
    world.change("split/0")

    world.broker.advance(2 * MINUTE_MS)
    assert PARENT in world.names()

    reader = world.at(PARENT)
    reader.subscribe(PARENT)
    world.raw().end(txn)
    (message,) = reader.received()
    world.broker.advance(2_000)
    assert PARENT in world.names()
    reader.acknowledge(message)
    world.broker.advance(2_000)
    assert PARENT not in world.names()


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


def _split() -> AdminRequest:
    return AdminRequest("POST", f"{ADMIN}/split/0")
