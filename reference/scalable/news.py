"""What clients are told of scalable topics until they want no more: a topic's layouts, and a namespace's topics. PIP-468, "DAG watch".

Any node tells, whoever is the controller: the metadata store says that something has changed, and what is there then is told, whole.
What the store tells can be lost, so a node also looks by itself. What waits for a client that does not read has a bound: of layouts the
newest are kept, and of a namespace's topics only what is there.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import Change, ChangeKind, MetadataStore, Watch, only, under
from fencepost.reference.pulsar.errors import Error, Refused

from . import paths
from .layout import Layout
from .profile import ScalableProfile

MOST_WAITING = 16
"""How many layouts wait for a client at most; then the oldest goes, since each is whole."""

LOOK_INTERVAL_MS = 1_000
"""How often a node looks by itself at what its clients watch."""

Said = TypeVar("Said")


@dataclass(frozen=True)
class News:
    """What is on its way to a watch: that there may be something to tell."""

    about: str
    """The topic or the namespace."""


@dataclass(frozen=True)
class Topics:
    """What a watch of a namespace is told: what is new and what is gone; at first, all that there are."""

    added: tuple[str, ...]
    removed: tuple[str, ...] = ()
    is_first: bool = False


class LayoutWatch(Generic[Said]):
    """One client's watch of a topic. `say` makes what is told of a layout; it is made at once, and waits here until it is taken.

    `say_gone` makes what is told when the topic is gone.
    """

    def __init__(
        self, say: Callable[[Layout], Said], say_gone: Callable[[Refused], Said], waiting: deque[Said], close: Callable[[], None]
    ) -> None:
        self.epoch = -1
        """The epoch of the newest layout that was told."""
        self.newest: Layout | None = None
        """The last layout that was told."""
        self._say = say
        self._say_gone = say_gone
        self._waiting = waiting
        self._close = close

    def tell(self, layout: Layout) -> None:
        """Have it wait for the client."""
        self._waiting.append(self._say(layout))
        self.epoch, self.newest = max(self.epoch, layout.epoch), layout

    def tell_gone(self, refused: Refused) -> None:
        """Have it wait for the client that there is no such topic, and tell nothing more."""
        self._waiting.append(self._say_gone(refused))
        self._close()

    def take(self) -> Said | None:
        """The oldest that waits; None where nothing does."""
        return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """The client wants no more, and what waits is forgotten."""
        self._waiting.clear()
        self._close()


class TopicsWatch:
    """One client's watch of a namespace. What waits is worked out when it is taken, so it is never more than the topics themselves."""

    def __init__(self, close: Callable[[], None]) -> None:
        self.topics: frozenset[str] = frozenset()
        """Those that there are."""
        self._told: frozenset[str] | None = None
        self._close = close

    def take(self) -> Topics | None:
        """What has changed since the last time; None where nothing has."""
        before, self._told = self._told, self.topics
        if before is None:
            return Topics(tuple(sorted(self.topics)), is_first=True)
        if before == self.topics:
            return None
        return Topics(tuple(sorted(self.topics - before)), tuple(sorted(before - self.topics)))

    def close(self) -> None:
        """The client wants no more."""
        self.topics = self._told = frozenset()
        self._close()


class Newsroom:
    """What one node tells its clients. `layout_of` and `topics_of` read the store, and raise Refused where they cannot."""

    def __init__(
        self,
        machine: Machine,
        store: MetadataStore,
        profile: ScalableProfile,
        layout_of: Callable[[str], Layout],
        topics_of: Callable[[str], Collection[str]],
    ) -> None:
        self._machine = machine
        self._store = store
        self._profile = profile
        self._layout_of = layout_of
        self._topics_of = topics_of

    def watch_layout(self, topic: str, say: Callable[[Layout], Said], say_gone: Callable[[Refused], Said]) -> LayoutWatch[Said]:
        """Begin to tell the layouts of a topic. Raises Refused: TOPIC_NOT_FOUND, UNKNOWN for a record that nobody can read."""
        watch: LayoutWatch[Said] = LayoutWatch(say, say_gone, self.waiting(), lambda: self.end(stop))
        stop = self._begin(
            topic, only(paths.layout(topic)), lambda: self.look(topic, watch), lambda: self.look_behind_a_deletion(topic, watch)
        )
        try:  # behind the beginning, so that no change is missed
            first = self.first_told(topic)
        except Refused:
            stop()
            raise
        rule("PIP460-27")
        rule("PIP460-30")
        for _ in range(self.times_first()):
            watch.tell(first)
        return watch

    def watch_topics(self, namespace: str) -> TopicsWatch:
        """Begin to tell the topics of TENANT/NAMESPACE. Raises Refused: SERVICE_NOT_READY."""
        watch = self.watch_of_topics(lambda: self.end(stop))
        keys = under(f"{paths.TOPICS}{namespace}/")
        stop = self._begin(namespace, keys, lambda: self.look_at_topics(namespace, watch), lambda: self.look_at_topics(namespace, watch))
        try:
            watch.topics = frozenset(self._topics_of(namespace))
        except Refused:
            stop()
            raise
        return watch

    def waiting(self) -> deque[Said]:
        """Decision: where layouts wait for a client that does not read: behind the last of so many, the oldest goes."""
        rule("PIP460-28")
        return deque(maxlen=MOST_WAITING)

    def first_told(self, topic: str) -> Layout:
        """Decision: the layout that a watch begins with: what the store has now. Raises Refused."""
        return self._layout_of(topic)

    def times_first(self) -> int:
        """Decision: how often the first layout is told: once, though 5.0.0-M1 does it twice."""
        if self._profile.pushed_epochs == "repeated":
            return 2
        rule("PIP460-33")
        return 1

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Decision: tell the layout that there is now, where it is news. One that cannot be read now is looked at again."""
        try:
            layout = self._layout_of(topic)
        except Refused as refused:
            if refused.error is Error.TOPIC_NOT_FOUND:
                self.tell_of_deletion(watch, refused)
            return
        if self.is_news(watch.epoch, layout.epoch):
            rule("PIP460-28")
            watch.tell(layout)

    def look_behind_a_deletion(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Decision: what is told behind the end of a layout of that name, or its beginning.

        What is there now is another topic's, with its own epochs, unless that was told.
        """
        try:
            is_another = self._layout_of(topic) != watch.newest
        except Refused:
            is_another = True
        if is_another:
            self.tell_of_deletion(watch, Refused(Error.TOPIC_NOT_FOUND, f"{topic} was deleted; look it up again"))

    def tell_of_deletion(self, watch: LayoutWatch[Said], refused: Refused) -> None:
        """Decision: who watches a topic that is gone is told so, and nothing more: also where there is another one under its name."""
        rule("PIP460-28")
        watch.tell_gone(refused)

    def is_news(self, told: int, epoch: int) -> bool:
        """Decision: whether a layout is told behind that epoch: epochs of a watch only grow."""
        rule("PIP460-29")
        return epoch > told

    def look_at_topics(self, namespace: str, watch: TopicsWatch) -> None:
        """Decision: have the topics that there are now told."""
        try:
            watch.topics = frozenset(self._topics_of(namespace))
        except Refused:
            return

    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        """Decision: what works out what a client is told of a namespace: what is new since it was told last, and what is gone."""
        rule("PIP460-46")
        return TopicsWatch(close)

    def look_now_and_then(self, look: Callable[[], None]) -> Callable[[], None]:
        """Decision: what the store does not tell is found all the same, until what is returned is called."""
        rule("PIP460-28")
        return self._machine.every(LOOK_INTERVAL_MS, look)

    def end(self, stop: Callable[[], None]) -> None:
        """Decision: a watch that its client has closed is told nothing more."""
        rule("PIP460-32")
        stop()

    def _begin(
        self, about: str, keys: tuple[str, str], look: Callable[[], None], look_behind_a_deletion: Callable[[], None]
    ) -> Callable[[], None]:
        """Have these called when the store tells of these keys, and the first now and then, until what is returned is called."""
        is_open = True

        def look_while_open(one: Callable[[], None] = look) -> None:
            if is_open:
                one()

        def told(change: Change) -> None:
            one = look if change.kind is ChangeKind.MODIFIED else look_behind_a_deletion
            self._machine.send(News(about), lambda _: look_while_open(one))

        watch: Watch = self._store.watch(*keys, told)
        no_timer = self.look_now_and_then(look_while_open)

        def stop() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                watch.close()
                no_timer()

        return stop
