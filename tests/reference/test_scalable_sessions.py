"""Stream consumers: the controller waits for them, they reconnect, are given up, and outlive their controller."""

from collections.abc import Collection

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import DataObject, data, integers, sampled_from

from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.metadata.faults import StoreFaults
from fencepost.reference.metadata.memory import MemoryStore
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.assigning import readable
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.crash_points import CRASH_POINTS
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.names import parse_segment
from fencepost.reference.scalable.profile import ScalableProfile
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.registrations import Registration, Registrations
from fencepost.reference.scalable.sessions import MOST_WAITING, Session, Sessions
from fencepost.reference.scalable.topics import ScalableTopics

TOPIC = "topic://public/default/orders"
PROFILE = ScalableProfile.load("seed")
GRACE = PROFILE.grace_period_ms


class DrainableSegments:
    """Segments for which a test decides which subscriptions have drained them."""

    def __init__(self) -> None:
        self.undrained: set[int] = set()
        self.are_away = False
        self.subscribed: dict[str, set[str]] = {}

    def subscriptions_of(self, segment: str) -> Collection[str]:
        return self.subscribed.get(segment, set())

    def create(self, segment: str, subscriptions: Collection[str]) -> None:
        self.subscribed.setdefault(segment, set()).update(subscriptions)

    def terminate(self, segment: str) -> None:
        pass

    def inherit(self, parents: Collection[str], child: str) -> None:
        pass

    def delete(self, segment: str) -> None:
        self.subscribed.pop(segment, None)

    def is_drained(self, segment: str, subscription: str) -> bool:  # noqa: ARG002 - there is one subscription
        if self.are_away:
            raise Refused(Error.SERVICE_NOT_READY, "the owner cannot be asked")
        return parse_segment(segment).number not in self.undrained

    def has_open_transactions(self, segment: str) -> bool:  # noqa: ARG002 - there are no transactions
        return False


class Broker:
    """One of two brokers, with its own client of the store."""

    def __init__(self, world: "World", number: int) -> None:
        store = MemoryStore(world.data, world.faults)
        layouts, leadership = LayoutStore(store), Leadership(number, store)
        changes = LayoutChanges(layouts, world.segments, PROFILE, CrashPoints(CRASH_POINTS).of_node(number), lambda: world.now)
        pruning = Pruning(layouts, world.segments, PROFILE, lambda: world.now)
        self.topics = ScalableTopics(
            layouts, world.segments, changes, pruning, leadership, PROFILE, lambda: world.now, lambda topic: self.sessions.look(topic)
        )
        self.sessions = Sessions(self.topics, layouts, Registrations(store), world.segments, leadership, PROFILE, lambda: world.now)

    def sweep(self) -> None:
        """The broker's periodic work."""
        self.topics.sweep()
        self.sessions.sweep()


class World:
    """Two brokers, their common state, and a clock."""

    def __init__(self, segments: int = 3) -> None:
        self.data, self.faults = MemoryData(), StoreFaults()
        self.segments = DrainableSegments()
        self.now = 0
        self.brokers = {number: Broker(self, number) for number in (1, 2)}
        self.brokers[1].topics.create(TOPIC, segments)
        self.brokers[1].topics.controller_of(TOPIC)

    @property
    def leader(self) -> Broker:
        return self.brokers[self.brokers[1].topics.controller_of(TOPIC)]

    def crash_leader(self) -> None:
        """The controller is gone with its session, and a new broker has its number; the other one leads from its next sweep on."""
        number = self.leader.topics.node
        self.leader.topics.close()
        self.brokers[number] = Broker(self, number)
        self.brokers[3 - number].sweep()

    def join(self, name: str, subscription: str = "workers") -> Session:
        return self.leader.sessions.join(TOPIC, subscription, name)

    def pass_by(self, ms: int) -> None:
        self.now += ms
        for broker in self.brokers.values():
            broker.sessions.sweep()

    @property
    def registered(self) -> set[str]:
        return set(Registrations(MemoryStore(self.data, self.faults)).of(TOPIC, "workers"))


@pytest.fixture
def world() -> World:
    return World()


def reported(session: Session) -> list[list[int]]:
    """The waiting assignments, by the numbers of the segments."""
    return [[segment.number for segment in one.segments] for one in iter(session.take, None)]


def test_all_hear_of_one_that_joins(world: World) -> None:
    """The first has everything, until there is a second; without a consumer, no assignment is sent."""
    first = world.join("c1")
    second = world.join("c2")

    assert reported(first) == [[0, 1, 2], [0, 2]]
    assert reported(second) == [[1]]


def test_a_consumer_that_is_lost_is_waited_for(world: World) -> None:
    """Others get no new assignment until the grace period is over; then it is deleted, and the others get its segments."""
    first, second = world.join("c1"), world.join("c2")
    reported(first)
    second.close()

    world.pass_by(GRACE - 1)
    assert (reported(first), world.registered) == ([], {"c1", "c2"})
    world.pass_by(1)
    assert (reported(first), world.registered) == ([[0, 1, 2]], {"c1"})


def test_one_that_comes_back_has_what_it_had(world: World) -> None:
    """No other consumer is notified, and it can be lost again for as long."""
    first, second = world.join("c1"), world.join("c2")
    reported(first)
    for _ in range(3):
        second.close()
        world.pass_by(GRACE - 1)
        second = world.join("c2")
        assert reported(second) == [[1]]
    assert reported(first) == []


def test_the_same_name_on_another_connection_takes_over(world: World) -> None:
    """The former connection of the name gets nothing more, and its end has no effect."""
    former, now = world.join("c1"), world.join("c1")
    reported(former)
    former.close()
    world.pass_by(GRACE)
    world.join("c2")

    assert reported(former) == []
    assert reported(now) == [[0, 1, 2], [0, 2]]


def test_the_next_controller_waits_for_all_anew(world: World) -> None:
    """Also for one whose grace period was nearly over; a consumer that reconnects keeps its segments."""
    world.join("c1")
    world.join("c2").close()
    world.pass_by(GRACE - 1)
    world.crash_leader()

    world.pass_by(GRACE - 1)
    assert world.registered == {"c1", "c2"}
    back = world.join("c1")
    assert reported(back) == [[0, 2]]
    world.pass_by(1)
    assert (reported(back), world.registered) == ([[0, 1, 2]], {"c1"})


def test_children_wait_for_their_parent(world: World) -> None:
    """The sealed parent stays assigned until it is drained, and then its children are."""
    only = world.join("c1")
    world.segments.undrained = {0, 1}
    world.leader.topics.split(TOPIC, 0)
    world.leader.topics.merge(TOPIC, (1, 2))

    assert reported(only)[-1] == [0, 1]
    world.segments.undrained = {1}
    world.pass_by(1_000)
    assert reported(only) == [[3, 4, 1]]
    world.segments.undrained = set()
    world.pass_by(1_000)
    assert reported(only) == [[3, 4, 5]]


def test_a_checkpoint_consumer_has_sealed_segments_too(world: World) -> None:
    """It keeps its own positions, and the broker does not know what it has read."""
    only = world.leader.sessions.join(TOPIC, "restored", "c1", "CHECKPOINT")
    world.leader.topics.split(TOPIC, 0)

    assert reported(only) == [[0, 1, 2], [3, 0, 4, 1, 2]]


def test_only_the_controller_takes_consumers(world: World) -> None:
    """The other broker names the controller; a missing topic has no consumers."""
    with pytest.raises(Refused, match="node 1 is the controller"):
        world.brokers[2].sessions.join(TOPIC, "workers", "c1")
    with pytest.raises(Refused, match="TOPIC_NOT_FOUND"):
        world.brokers[2].sessions.join("topic://public/default/none", "workers", "c1")


def test_a_former_controller_gives_nobody_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It deletes only what it has read, so a consumer that reconnected elsewhere stays, also between the look and the deletion."""
    stale, back = world.brokers[1], list[Session]()
    seen = stale.sessions._registrations.of
    world.join("c1").close()

    def seen_before_it_is_back(topic: str, subscription: str) -> dict[str, Registration]:
        there = seen(topic, subscription)
        if not back:
            stale.topics.close()
            back.append(world.brokers[2].sessions.join(topic, subscription, "c1"))
        return there

    monkeypatch.setattr(stale.sessions._registrations, "of", seen_before_it_is_back)
    for _ in range(2):
        world.pass_by(GRACE)
        assert world.registered == {"c1"}
    assert reported(back[0]) == [[0, 1, 2]]


def test_a_former_controller_sends_its_consumers_away(world: World) -> None:
    """Once, at its next look; not those of a topic that it still leads."""
    former, away = world.brokers[1], list[str]()
    former.sessions.join(TOPIC, "workers", "c1", hang_up=lambda: away.append("c1"))
    world.pass_by(1_000)
    assert away == []
    former.topics.close()
    world.brokers[2].sweep()

    world.pass_by(1_000)
    world.pass_by(1_000)
    assert away == ["c1"]


def test_what_nobody_reads_is_bounded() -> None:
    """The newest assignments are kept, and the newest of all is in force."""
    world = World(40)
    slow = world.join("c1")
    for number in range(2 * MOST_WAITING):
        world.leader.topics.split(TOPIC, number)
    assert len(waiting := reported(slow)) == MOST_WAITING
    assert sorted(waiting[-1]) == sorted(one.number for one in world.leader.topics.layout(TOPIC).active)


def test_segments_that_cannot_be_asked_leave_all_as_it_is(world: World) -> None:
    """A new consumer is refused, and waited for; others keep their segments; then all goes on."""
    first = world.join("c1")
    world.leader.topics.split(TOPIC, 0)
    reported(first)
    world.segments.are_away = True
    with pytest.raises(Refused, match="SERVICE_NOT_READY"):
        world.join("c2")
    world.pass_by(1_000)
    assert reported(first) == []
    world.segments.are_away = False
    assert [reported(world.join("c2")), reported(first)] == [[[4, 2]], [[3, 1]]]


def test_one_that_is_refused_and_stays_away_is_given_up(world: World) -> None:
    """Its connection has no session with the controller, so it is treated as lost."""
    first = world.join("c1")
    world.leader.topics.split(TOPIC, 0)
    world.segments.are_away = True
    with pytest.raises(Refused, match="SERVICE_NOT_READY"):
        world.join("c2")
    world.segments.are_away = False
    world.pass_by(GRACE - 1)
    reported(first)

    world.pass_by(1)

    assert (reported(first), world.registered) == ([[3, 4, 1, 2]], {"c1"})


def test_a_registration_that_is_none_harms_its_subscription_only(world: World) -> None:
    """A new consumer learns which record is wrong; consumers of other subscriptions go on."""
    other = world.join("c1", "others")
    world.leader.topics.register(TOPIC, "workers")
    MemoryStore(world.data, world.faults).put(paths.consumer(TOPIC, "workers", "c9"), b"STREAM")

    with pytest.raises(Refused, match=r"consumers/c9: expected the registration of a consumer"):
        world.join("c1")
    world.leader.topics.split(TOPIC, 0)
    assert reported(other) == [[0, 1, 2], [3, 4, 1, 2]]


def test_who_is_left_when_a_topic_goes_is_sent_away_at_once(world: World) -> None:
    """A new topic of that name has no consumers."""
    away = list[str]()
    world.leader.sessions.join(TOPIC, "workers", "c1", hang_up=lambda: away.append("c1"))
    world.leader.topics.delete(TOPIC)
    assert away == ["c1"]
    world.brokers[1].topics.create(TOPIC, 1)
    world.pass_by(1_000)

    assert (away, world.registered) == (["c1"], set())


@pytest.mark.parametrize("is_made_again", [True, False])
def test_who_is_left_when_a_subscription_goes_is_sent_away(world: World, is_made_again: bool) -> None:
    """Once; and another one of that name has only its own consumers, with their own grace periods."""
    away, other = list[str](), world.join("c1", "others")
    world.leader.sessions.join(TOPIC, "workers", "c1", hang_up=lambda: away.append("c1"))
    world.leader.topics.unregister(TOPIC, "workers")
    next_one = reported(world.join("c2")) if is_made_again else [[0, 1, 2]]
    world.pass_by(1_000)

    assert (away, next_one, reported(other)) == (["c1"], [[0, 1, 2]], [[0, 1, 2]])


class Machine(RuleBasedStateMachine):
    """Consumers of one subscription join, are lost and reconnect, while segments change and controllers crash."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.connected: dict[str, Session] = {}
        self.lost_at: dict[str, int] = {}

    @initialize(segments=integers(1, 4))
    def create(self, segments: int) -> None:
        self.world = World(segments)

    @rule(name=sampled_from(("a", "b", "c")))
    def join(self, name: str) -> None:
        was_there, others = name in self.world.registered, self.assigned()
        self.connected[name] = self.world.join(name)
        self.lost_at.pop(name, None)
        if was_there:
            others.pop(name, None)
            assert {other: held for other, held in self.assigned().items() if other in others} == others

    @rule(name=sampled_from(("a", "b", "c")))
    @precondition(lambda self: self.connected)
    def lose(self, name: str) -> None:
        if name in self.connected:
            others = self.assigned()
            self.connected.pop(name).close()
            self.lost_at[name] = self.world.now
            others.pop(name)
            assert self.assigned() == others

    @rule(ms=sampled_from((1, 1_000, GRACE // 2, GRACE)))
    def wait(self, ms: int) -> None:
        self.world.pass_by(ms)
        for name, lost in list(self.lost_at.items()):
            is_over = self.world.now >= lost + GRACE
            assert (name not in self.world.registered) == is_over
            if is_over:
                del self.lost_at[name]

    @rule()
    def crash(self) -> None:
        """From now on the controller waits for all registered consumers."""
        self.world.crash_leader()
        self.connected = {}
        self.lost_at = dict.fromkeys(self.world.registered, self.world.now)

    @rule(given=data())
    def change(self, given: DataObject) -> None:
        active = self.world.leader.topics.layout(TOPIC).active
        at = given.draw(integers(0, len(active) - 1))
        if given.draw(sampled_from((True, False))):
            self.world.segments.undrained.add(active[at].number)
            self.world.leader.topics.split(TOPIC, active[at].number)
        elif at > 0:
            parents = [one.number for one in active[at - 1 : at + 1]]
            self.world.segments.undrained.update(parents)
            self.world.leader.topics.merge(TOPIC, parents)

    @rule(given=data())
    @precondition(lambda self: self.world.segments.undrained)
    def drain(self, given: DataObject) -> None:
        self.world.segments.undrained.discard(given.draw(sampled_from(sorted(self.world.segments.undrained))))
        self.world.pass_by(0)

    def assigned(self) -> dict[str, list[int]]:
        """The last assignment of each connected consumer."""
        return {name: [one.number for one in session.assignment.segments] for name, session in self.connected.items() if session.assignment}

    @invariant()
    def segments_are_read_by_one(self) -> None:
        """By connected or awaited consumers; none reads a segment whose ancestors are not drained."""
        held = [number for numbers in self.assigned().values() for number in numbers]
        layout = self.world.leader.topics.layout(TOPIC)
        free = {one.number for one in readable(layout, lambda segment: segment.number not in self.world.segments.undrained)}
        assert len(held) == len(set(held))
        assert set(held) <= free
        if self.connected and self.connected.keys() == self.world.registered:
            assert set(held) == free


TestMachine = Machine.TestCase
TestMachine.settings = settings(stateful_step_count=30, deadline=None)
