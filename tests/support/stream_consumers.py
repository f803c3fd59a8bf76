"""Two brokers with stream consumers of one scalable topic, whose segments drain when a test sets it."""

from collections.abc import Collection

from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout_crash_points import CRASH_POINTS
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.names import parse_segment
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.registrations import Registrations
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import ConsumerSession, Sessions

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
            raise CommandRefused(ServerError.SERVICE_NOT_READY, "the owner cannot be asked")
        return parse_segment(segment).number not in self.undrained

    def has_open_transactions(self, segment: str) -> bool:  # noqa: ARG002 - there are no transactions
        return False


class Broker:
    """One of two brokers, with its own client of the store."""

    def __init__(self, world: "World", number: int) -> None:
        store = MemoryStore(world.data, world.faults)
        layouts, leadership = LayoutStore(store), Leadership(number, store)
        changes = LayoutChanges(layouts, world.segments, CrashPoints(CRASH_POINTS).of_node(number), lambda: world.now)
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

    def join(self, name: str, subscription: str = "workers") -> ConsumerSession:
        return self.leader.sessions.join(TOPIC, subscription, name)

    def pass_by(self, ms: int) -> None:
        self.now += ms
        for broker in self.brokers.values():
            broker.sessions.sweep()

    @property
    def registered(self) -> set[str]:
        return set(Registrations(MemoryStore(self.data, self.faults)).of(TOPIC, "workers"))
