"""Two brokers' scalable topics on one metadata store, with segments that a test looks into, and another client that
acts between two calls.
"""

from collections.abc import Callable, Collection
from typing import Any

from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.varied import varied
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import StoreRecord
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable import scalable_release_bugs
from fencepost.reference.scalable.layout_crash_points import CRASH_POINTS
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.scalable_parts import ScalableParts
from fencepost.reference.scalable.scalable_profile import ScalableProfile

TOPIC = "topic://public/default/orders"
SEED = ScalableProfile.load("seed")


class Between:
    """When another client acts: before the call with that number, of all calls that the first broker makes to store and segments."""

    def __init__(self) -> None:
        self.calls = 0
        self._at: int | None = None
        self._act: Callable[[], None] = lambda: None

    def arm(self, at: int, act: Callable[[], None]) -> None:
        """The next call is number 0."""
        self.calls, self._at, self._act = 0, at, act

    def before(self, asked: object) -> object:
        """The request whose calls count."""
        return _Counted(asked, self._call)

    def _call(self) -> None:
        self.calls += 1
        if self._at is not None and self.calls > self._at:
            self._at = None
            self._act()


class _Counted:
    def __init__(self, asked: Any, call: Callable[[], None]) -> None:
        self._asked = asked
        self._call = call

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._asked, name)
        if name in ("session", "close"):
            return found

        def counted(*values: Any, **options: Any) -> Any:
            self._call()
            return found(*values, **options)

        return counted


class FakeSegments:
    """Segments with the subscriptions, messages and acknowledgements that a test gives them."""

    def __init__(self) -> None:
        self.subscriptions: dict[str, set[str]] = {}
        self.messages: dict[str, list[int]] = {}
        self.sealed: set[str] = set()
        self.acknowledged: set[tuple[str, str]] = set()
        self.open: set[str] = set()
        self.deleted: list[str] = []

    def subscriptions_of(self, segment: str) -> Collection[str]:
        return self.subscriptions.get(segment, set())

    def create(self, segment: str, subscriptions: Collection[str]) -> None:
        self.messages.setdefault(segment, [])
        self.subscriptions.setdefault(segment, set()).update(subscriptions)

    def terminate(self, segment: str) -> None:
        self.create(segment, ())
        self.sealed.add(segment)

    def inherit(self, parents: Collection[str], child: str) -> None:
        """A separate test looks at what is known of producers."""

    def delete(self, segment: str) -> None:
        self.subscriptions.pop(segment, None)
        self.messages.pop(segment, None)
        self.sealed.discard(segment)
        self.deleted.append(segment)

    def is_drained(self, segment: str, subscription: str) -> bool:
        return not self.messages.get(segment) or (segment, subscription) in self.acknowledged

    def has_open_transactions(self, segment: str) -> bool:
        return segment in self.open

    def write(self, segment: str, message: int) -> bool:
        """Whether the segment took the message, as a producer finds out by asking."""
        if segment in self.sealed:
            return False
        self.create(segment, ())
        self.messages[segment].append(message)
        return True


class LayoutWorld:
    """Two brokers on one store, with segments that both reach, and a clock in ms. What the first one asks for counts, in `between`."""

    def __init__(self, profile: ScalableProfile = SEED) -> None:
        self._data = MemoryData()
        self._faults = StoreFaults()
        self._profile = profile
        self._parts = varied(ScalableParts(), scalable_release_bugs.of(profile))
        self.segments = FakeSegments()
        self.points = CrashPoints(CRASH_POINTS)
        self.between = Between()
        self.now = 0
        self.reported: list[str] = []
        self.store = LayoutStore(self.connect())
        self.brokers = {number: self._broker(number) for number in (1, 2)}

    def connect(self) -> MemoryStore:
        """One more client of the store."""
        return MemoryStore(self._data, self._faults)

    @property
    def layout(self) -> layouts.Layout:
        """The topic's, as it stands in the store."""
        return self.store.named(TOPIC).layout

    @property
    def records(self) -> list[StoreRecord]:
        """All there are."""
        return self.connect().scan("", "\U0010ffff")

    def names(self, *segments: layouts.Segment) -> set[str]:
        """The topics of these segments of the topic."""
        return {segment_topic(TOPIC, segment) for segment in segments}

    def name(self, number: int) -> str:
        """The topic of a segment."""
        return segment_topic(TOPIC, self.layout.named(number))

    def crash(self, number: int) -> None:
        """The broker is gone with its session, and another one has its number."""
        self.brokers[number].close()
        self.brokers[number] = self._broker(number)

    def _broker(self, number: int) -> ScalableTopics:
        client: Any = self.connect()
        segments: Any = self.segments
        if number == 1:
            client, segments = self.between.before(client), self.between.before(segments)
        stored, profile = LayoutStore(client), self._profile
        changes = self._parts.layout_changes(stored, segments, self.points.of_node(number), lambda: self.now)
        pruning = self._parts.pruning(stored, segments, profile, lambda: self.now)
        leadership = Leadership(number, client)
        return ScalableTopics(stored, segments, changes, pruning, leadership, profile, lambda: self.now, self.reported.append)
