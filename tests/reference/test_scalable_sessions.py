"""Stream consumers of former controllers, of topics and subscriptions that go, and with records that cannot be read."""

import pytest
from stream_consumers import GRACE, TOPIC, World

from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.registrations import ConsumerRegistration
from fencepost.reference.scalable.sessions import MOST_WAITING, ConsumerSession


@pytest.fixture
def world() -> World:
    return World()


def reported(session: ConsumerSession) -> list[list[int]]:
    """The waiting assignments, by the numbers of the segments."""
    return [[segment.number for segment in one.segments] for one in iter(session.take, None)]


def test_only_the_controller_takes_consumers(world: World) -> None:
    """The other broker names the controller; a missing topic has no consumers."""
    with pytest.raises(CommandRefused, match="node 1 is the controller"):
        world.brokers[2].sessions.join(TOPIC, "workers", "c1")
    with pytest.raises(CommandRefused, match="TOPIC_NOT_FOUND"):
        world.brokers[2].sessions.join("topic://public/default/none", "workers", "c1")


def test_a_former_controller_gives_no_consumer_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It deletes only what it has read, so a consumer that reconnected elsewhere stays, also between the look and the deletion."""
    stale, back = world.brokers[1], list[ConsumerSession]()
    seen = stale.sessions._registrations.of
    world.join("c1").close()

    def seen_before_it_is_back(topic: str, subscription: str) -> dict[str, ConsumerRegistration]:
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


def test_unread_notifications_are_bounded() -> None:
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
    with pytest.raises(CommandRefused, match="SERVICE_NOT_READY"):
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
    with pytest.raises(CommandRefused, match="SERVICE_NOT_READY"):
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

    with pytest.raises(CommandRefused, match=r"consumers/c9: expected the registration of a consumer"):
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
