"""Topics as administrators see them, their leaders, and what becomes of their sealed segments."""

from collections.abc import Callable

import counted
import pytest
from layout_world import SEED, TOPIC, LayoutWorld

from fencepost.reference.kernel.crash import Crash
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import LayoutRefused, Segment
from fencepost.reference.scalable.layout_records import MalformedLayout
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.reference.scalable.segment_pruning import Pruning

OTHER = "topic://public/other/orders"
RETENTION_MS = SEED.sealed_retention_ms

Act = Callable[[ScalableTopics], object]
ACTS: dict[str, Act] = {
    "split": lambda one: one.split(TOPIC, 0),
    "merge": lambda one: one.merge(TOPIC, (0, 1)),
    "register": lambda one: one.register(TOPIC, "more"),
    "unregister": lambda one: one.unregister(TOPIC, "workers"),
    "delete": lambda one: one.delete(TOPIC),
}


@pytest.fixture
def world() -> LayoutWorld:
    return _made(SEED)


@pytest.fixture
def release() -> LayoutWorld:
    return _made(ScalableProfile.load("pulsar-5.0"))


def _made(profile: ScalableProfile) -> LayoutWorld:
    made = LayoutWorld(profile)
    made.brokers[1].create(TOPIC, 2)
    made.brokers[1].register(TOPIC, "workers")
    made.reported.clear()
    return made


# --- what an administrator does -------------------------------------------------------------------------------------------------


def test_a_topic_is_made_once(world: LayoutWorld) -> None:
    """A second time it is refused, by any broker; one with an impossible number of segments leaves nothing."""
    before = world.records
    for number in (1, 2):
        with pytest.raises(CommandRefused, match="is there already") as refused:
            world.brokers[number].create(TOPIC, 3)
        assert refused.value.error is ServerError.NOT_ALLOWED
    with pytest.raises(LayoutRefused):
        world.brokers[1].create(OTHER, 0)

    assert world.records == before
    assert world.reported == []


def test_topics_are_listed_by_their_namespace(world: LayoutWorld) -> None:
    """Whatever else is stored under them, and whatever their names are."""
    odd = "topic://public/default/a%b:c"
    for topic in (OTHER, odd):
        world.brokers[1].create(topic, 1)
        world.brokers[1].register(topic, "x/y")
    assert world.brokers[2].names_in("public/default") == [odd, TOPIC]
    assert world.brokers[2].names_in("public/other") == [OTHER]
    assert world.brokers[2].names_in("public/def") == []
    assert world.brokers[2].subscriptions(odd) == ["x/y"]


def test_a_subscription_that_is_forgotten_takes_its_consumers_with_it(world: LayoutWorld) -> None:
    """Those of another one stay, also of one whose name begins the same."""
    store = world.connect()
    for subscription in ("workers", "workers-2"):
        world.brokers[1].register(TOPIC, subscription)
        store.put(paths.consumer(TOPIC, subscription, "c"), b"{}")

    world.brokers[1].unregister(TOPIC, "workers")

    assert world.brokers[1].subscriptions(TOPIC) == ["workers-2"]
    assert [store.get(paths.consumer(TOPIC, one, "c")) is None for one in ("workers", "workers-2")] == [True, False]


def test_a_deleted_topic_takes_a_change_that_was_begun_with_it(world: LayoutWorld) -> None:
    """With its children: by the controller that began it, or the next one."""
    for deleting in (1, 2):
        world = _made(SEED)
        world.points.arm("after-children")
        with pytest.raises(Crash):
            world.brokers[1].split(TOPIC, 0)
        if deleting == 2:
            world.crash(1)
        world.brokers[deleting].delete(TOPIC)
        assert (world.segments.messages, world.records) == ({}, [])


@pytest.mark.parametrize("act", ACTS)
def test_what_names_a_topic_that_is_not_there_is_refused(act: str) -> None:
    """And no record is written, not even of a leader."""
    world = LayoutWorld()
    with pytest.raises(CommandRefused) as refused:
        ACTS[act](world.brokers[1])
    assert refused.value.error is ServerError.TOPIC_NOT_FOUND
    assert world.brokers[1].find(TOPIC) is None
    assert (world.records, world.reported) == ([], [])


# --- who leads ------------------------------------------------------------------------------------------------------------------


def test_one_leads_and_the_next_one_when_it_is_gone(world: LayoutWorld) -> None:
    """Whichever broker is asked first; the others learn which one leads."""
    assert [world.brokers[number].controller_of(TOPIC) for number in (2, 1)] == [1, 1]
    world.crash(1)
    assert [world.brokers[number].controller_of(TOPIC) for number in (2, 1)] == [2, 2]
    world.crash(2)
    assert [world.brokers[number].controller_of(TOPIC) for number in (1, 2)] == [1, 1]


@pytest.mark.parametrize("act", ACTS)
def test_who_does_not_lead_changes_nothing(world: LayoutWorld, act: str) -> None:
    """It learns which broker does, also if it led before and has not noticed that its session has ended."""
    world.brokers[1].close()
    assert world.brokers[2].controller_of(TOPIC) == 2
    before, messages = world.records, dict(world.segments.messages)

    with pytest.raises(CommandRefused, match=r"node 2 is the controller of topic://public/default/orders; .* ask there") as refused:
        ACTS[act](world.brokers[1])

    assert refused.value.error is ServerError.SERVICE_NOT_READY
    assert (world.records, world.segments.messages, world.reported) == (before, messages, [])
    ACTS[act](world.brokers[2])
    assert (world.records, world.segments.messages) != (before, messages)


def test_the_loser_of_a_race_for_a_topic_learns_the_winner(world: LayoutWorld) -> None:
    """The record appears between its look and its attempt."""
    world.brokers[1].close()
    world.between.arm(1, lambda: world.brokers[2].controller_of(TOPIC))  # it has looked up the leader
    assert world.brokers[1].controller_of(TOPIC) == 2


@pytest.mark.parametrize("value", [b"", b"first", b"-1", b"\xff", "\u00b2".encode(), b"1" * 5_000])
def test_a_record_of_a_controller_that_is_none_is_reported(world: LayoutWorld, value: bytes) -> None:
    """With its key and what was expected."""
    world.connect().put(paths.controller(TOPIC), value)
    with pytest.raises(MalformedLayout, match=f"{paths.controller(TOPIC)}: expected the number of a node, not "):
        world.brokers[1].controller_of(TOPIC)


def test_a_controller_that_closes_leads_nothing(world: LayoutWorld) -> None:
    """A second close does no harm, and asked again it leads with a separate session."""
    client = world.connect()
    leadership = Leadership(3, client)
    world.crash(1)
    leadership.lead(TOPIC)
    Leadership(4, world.connect()).lead(TOPIC)
    assert leadership.leader_of(TOPIC) == 3
    leadership.close()
    leadership.close()
    assert leadership.leader_of(TOPIC) is None
    leadership.lead(TOPIC)
    assert leadership.leader_of(TOPIC) == leadership.node == 3


# --- what becomes of sealed segments --------------------------------------------------------------------------------------------


def _seal(world: LayoutWorld, *, messages: int = 1) -> str:
    """Split the first segment, with that many messages in it; returns the name of its topic."""
    name = world.name(0)
    for message in range(messages):
        world.segments.write(name, message)
    world.brokers[1].split(TOPIC, 0)
    world.reported.clear()
    return name


def _sweep(world: LayoutWorld, after_ms: int = RETENTION_MS) -> bool:
    """Whether the first segment is gone after that time: from the layout, with its data, and with a notification, or not at all."""
    world.now += after_ms
    world.brokers[1].sweep()
    is_gone = 0 not in world.layout.segments
    assert (world.reported == [TOPIC]) == is_gone == (len(world.segments.deleted) == 1)
    return is_gone


def test_a_sealed_segment_goes_when_its_time_is_over_and_it_is_drained(world: LayoutWorld) -> None:
    """Not a moment before; its children have no parents, at the next epoch."""
    name = _seal(world)
    world.segments.acknowledged.add((name, "workers"))

    assert not _sweep(world, RETENTION_MS - 1)
    assert _sweep(world, 1)

    assert world.segments.deleted == [name]
    assert world.layout.epoch == 2
    assert {one.parents for one in world.layout.active} == {()}
    assert not world.brokers[2]._pruning.prune(TOPIC)


def test_a_release_keeps_it_for_neither(release: LayoutWorld) -> None:
    """An unregistered reader, or a transaction, loses it."""
    name = release.name(0)
    release.segments.create(name, ["alone"])
    release.segments.open.add(name)
    _seal(release)
    release.segments.acknowledged.add((name, "workers"))
    assert _sweep(release)


def test_ancestors_go_first(world: LayoutWorld) -> None:
    """A segment whose parent is still needed stays, although it is drained; then both go at once."""
    parent = _seal(world)
    world.brokers[1].split(TOPIC, 2)
    world.segments.acknowledged.add((world.name(2), "workers"))
    world.reported.clear()
    assert not _sweep(world)
    assert 2 in world.layout.segments

    world.segments.acknowledged.add((parent, "workers"))
    world.brokers[1].sweep()

    assert sorted(world.layout.segments) == [1, 3, 4, 5]
    assert world.layout.epoch == 3
    assert len(world.segments.deleted) == 2


def test_what_is_pruned_by_two_at_once_is_gone_once(world: LayoutWorld) -> None:
    """The second writer finds another version, and looks again the next time."""
    _seal(world, messages=0)
    world.now += RETENTION_MS
    world.between.arm(1, lambda: world.brokers[2]._pruning.prune(TOPIC))
    client = world.between.before(world.connect())
    first = Pruning(LayoutStore(client), world.segments, SEED, lambda: world.now)  # type: ignore[arg-type]
    assert not first.prune(TOPIC)
    assert (world.layout.epoch, sorted(world.layout.segments)) == (2, [1, 2, 3])
    assert not first.prune(TOPIC)
    assert not first.prune(OTHER)


def test_a_topic_that_cannot_be_read_does_not_keep_others_waiting(world: LayoutWorld) -> None:
    """A sweep skips it, and leads the topics without a leader."""
    world.connect().put(paths.layout("topic://public/default/broken"), b"{")
    _seal(world, messages=0)
    world.crash(1)
    world.now += RETENTION_MS
    world.brokers[2].sweep()
    assert 0 not in world.layout.segments
    assert world.brokers[1].controller_of(TOPIC) == 2


def test_who_does_not_lead_prunes_nothing(world: LayoutWorld) -> None:
    """Only the controller does."""
    _seal(world, messages=0)
    world.now += RETENTION_MS
    world.brokers[2].sweep()
    assert 0 in world.layout.segments


def test_a_segment_that_is_not_sealed_is_never_over(world: LayoutWorld) -> None:
    """The caller has made a mistake."""
    active: Segment = world.layout.active[0]
    with pytest.raises(AssertionError):
        world.brokers[1]._pruning.is_over(TOPIC, active)


def test_more_segments_cost_no_more_than_in_proportion() -> None:
    """Made, registered for, split, merged, pruned and deleted: ten times as many take less than twenty times as many steps."""

    def changed(segments: int) -> None:
        world = LayoutWorld(SEED.model_copy(update={"merged_at_once": None}))
        broker = world.brokers[1]
        broker.create(TOPIC, segments)
        broker.register(TOPIC, "workers")
        broker.split(TOPIC, 0)
        broker.merge(TOPIC, [one.number for one in world.layout.active])
        world.now += RETENTION_MS
        broker.sweep()
        assert len(world.layout.segments) == 1
        broker.delete(TOPIC)
        assert world.segments.messages == {}

    assert counted.lines(lambda: changed(1_000)) < 20 * counted.lines(lambda: changed(100))
