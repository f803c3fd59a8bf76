"""What clients are notified of for scalable topics while they watch: a topic's layouts, and a namespace's topics. PIP-468, "DAG watch".

Any node notifies, whether or not it is the controller: the metadata store reports that something has changed, and the node sends the whole
of what is there then.
Notifications of the store can be lost, so a node also polls. What waits for a client that does not read is bounded: of layouts the newest
are kept, and of a namespace's topics only those that exist.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import ChangeKind, KeyChange, MetadataStore, StoreWatch, only, under
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from . import paths
from .layout import Layout

MOST_WAITING = 16
"""How many layouts wait for a client at most; the oldest is dropped, since each layout is complete."""

LOOK_INTERVAL_MS = 1_000
"""How often a node polls what its clients watch."""

MOST_OUTDATED = 3
"""How many times in a row a node may read a layout that is older than what it has notified a watch of."""

Said = TypeVar("Said")


@dataclass(frozen=True)
class News:
    """A watch has a message in flight: there may be something to report."""

    about: str
    """The topic or the namespace."""


@dataclass(frozen=True)
class TopicChanges:
    """What a watch of a namespace is notified of: topics added and removed; at first, all that exist."""

    added: tuple[str, ...]
    removed: tuple[str, ...] = ()
    is_first: bool = False


class LayoutWatch(Generic[Said]):
    """One client's watch of a topic. `say` makes the notification of a layout; it is made at once, and waits here until it is taken.

    `say_gone` makes the notification that the topic was deleted.
    """

    def __init__(
        self, say: Callable[[Layout], Said], say_gone: Callable[[CommandRefused], Said], waiting: deque[Said], close: Callable[[], None]
    ) -> None:
        self.epoch = -1
        """The epoch of the newest layout that the watch was notified of."""
        self.newest: Layout | None = None
        """The last layout that the watch was notified of."""
        self.earlier = 0
        """How many times in a row a layout of an earlier epoch was read."""
        self._say = say
        self._say_gone = say_gone
        self._waiting = waiting
        self._close = close

    def notify(self, layout: Layout) -> None:
        """Queue the layout for the client."""
        self._waiting.append(self._say(layout))
        self.epoch, self.newest = max(self.epoch, layout.epoch), layout

    def notify_gone(self, refused: CommandRefused) -> None:
        """Queue for the client that there is no such topic, and end the watch."""
        self._waiting.append(self._say_gone(refused))
        self._close()

    def take(self) -> Said | None:
        """The oldest notification that waits; None if none does."""
        return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """The client ends the watch, and what waits is dropped."""
        self._waiting.clear()
        self._close()


class TopicsWatch:
    """One client's watch of a namespace. The changes are computed when they are taken, so no more waits than the topics themselves."""

    def __init__(self, close: Callable[[], None]) -> None:
        self.topics: frozenset[str] = frozenset()
        """The topics that exist."""
        self._reported: frozenset[str] | None = None
        self._close = close

    def take(self) -> TopicChanges | None:
        """What has changed since the last call; None if nothing has."""
        before, self._reported = self._reported, self.topics
        if before is None:
            return TopicChanges(tuple(sorted(self.topics)), is_first=True)
        if before == self.topics:
            return None
        return TopicChanges(tuple(sorted(self.topics - before)), tuple(sorted(before - self.topics)))

    def close(self) -> None:
        """The client ends the watch."""
        self.topics = self._reported = frozenset()
        self._close()


class Newsroom:
    """The watches that one node serves. `layout_of` and `topics_of` read the store, and raise CommandRefused if they cannot."""

    def __init__(
        self,
        machine: Machine,
        store: MetadataStore,
        layout_of: Callable[[str], Layout],
        topics_of: Callable[[str], Collection[str]],
    ) -> None:
        self._machine = machine
        self._store = store
        self._layout_of = layout_of
        self._topics_of = topics_of

    def watch_layout(self, topic: str, say: Callable[[Layout], Said], say_gone: Callable[[CommandRefused], Said]) -> LayoutWatch[Said]:
        """Begin to watch the layouts of a topic. Raises CommandRefused: TOPIC_NOT_FOUND, UNKNOWN for a record that cannot be read."""
        watch: LayoutWatch[Said] = LayoutWatch(say, say_gone, self.waiting(), lambda: self.end(stop))
        stop = self._begin(
            topic, only(paths.layout(topic)), lambda: self.look(topic, watch), lambda: self.look_behind_a_deletion(topic, watch)
        )
        try:  # after the watch has begun, so that no change is missed
            first = self.first_reported(topic)
        except CommandRefused:
            stop()
            raise
        rule("PIP460-27")
        rule("PIP460-30")
        for _ in range(self.times_first()):
            watch.notify(first)
        return watch

    def watch_topics(self, namespace: str) -> TopicsWatch:
        """Begin to watch the topics of TENANT/NAMESPACE. Raises CommandRefused: SERVICE_NOT_READY."""
        watch = self.watch_of_topics(lambda: self.end(stop))
        keys = under(f"{paths.TOPICS}{namespace}/")
        stop = self._begin(namespace, keys, lambda: self.look_at_topics(namespace, watch), lambda: self.look_at_topics(namespace, watch))
        try:
            watch.topics = frozenset(self._topics_of(namespace))
        except CommandRefused:
            stop()
            raise
        return watch

    def waiting(self) -> deque[Said]:
        """Decision: where layouts wait for a client that does not read. When it is full, the oldest is dropped."""
        rule("PIP460-28")
        return deque(maxlen=MOST_WAITING)

    def first_reported(self, topic: str) -> Layout:
        """Decision: the layout that a watch begins with: the one that the store has now. Raises CommandRefused."""
        return self._layout_of(topic)

    def times_first(self) -> int:
        """Decision: how often the first layout is sent: once."""
        rule("PIP460-33")
        return 1

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Decision: notify the watch of the current layout, if it is news. A layout that cannot be read now is read again later."""
        try:
            layout = self._layout_of(topic)
        except CommandRefused as refused:
            if refused.error is ServerError.TOPIC_NOT_FOUND:
                self.notify_of_deletion(watch, refused)
            return
        if self.is_news(watch.epoch, layout.epoch):
            rule("PIP460-28")
            watch.notify(layout)
        elif self.is_of_another_topic(watch, layout):
            self.notify_of_deletion(watch, _deleted(topic))

    def is_of_another_topic(self, watch: LayoutWatch[Said], layout: Layout) -> bool:
        """Decision: whether a layout that is no news is that of a topic that was created again, of whose deletion no event has arrived.

        One of the same epoch is where a segment differs. One of an earlier epoch may also be an outdated read, so it is only if it stays.
        """
        watch.earlier = watch.earlier + 1 if layout.epoch < watch.epoch else 0
        known = watch.newest.segments if watch.newest is not None and layout.epoch == watch.epoch else {}
        return watch.earlier > MOST_OUTDATED or any(known[number] != layout.segments[number] for number in known.keys() & layout.segments)

    def look_behind_a_deletion(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Decision: what a watch is notified of after the layout of that name was deleted or created.

        The current layout belongs to another topic, with its own epochs, unless the watch was notified of that layout.
        """
        try:
            is_another = self._layout_of(topic) != watch.newest
        except CommandRefused:
            is_another = True
        if is_another:
            self.notify_of_deletion(watch, _deleted(topic))

    def notify_of_deletion(self, watch: LayoutWatch[Said], refused: CommandRefused) -> None:
        """Decision: a watch of a deleted topic is notified of that, and of nothing more, even if another topic has the name now."""
        rule("PIP460-28")
        watch.notify_gone(refused)

    def is_news(self, reported: int, epoch: int) -> bool:
        """Decision: whether a layout is sent after one of epoch `reported`: the epochs of a watch only grow."""
        rule("PIP460-29")
        return epoch > reported

    def look_at_topics(self, namespace: str, watch: TopicsWatch) -> None:
        """Decision: give the watch the topics that exist now."""
        try:
            watch.topics = frozenset(self._topics_of(namespace))
        except CommandRefused:
            return

    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        """Decision: what computes the notifications for a namespace: the topics added and removed since the last one."""
        rule("PIP460-46")
        return TopicsWatch(close)

    def look_now_and_then(self, look: Callable[[], None]) -> Callable[[], None]:
        """Decision: poll, so that a change that the store does not report is found too, until the returned function is called."""
        rule("PIP460-28")
        return self._machine.every(LOOK_INTERVAL_MS, look)

    def end(self, stop: Callable[[], None]) -> None:
        """Decision: a watch that its client has closed is notified of nothing more."""
        rule("PIP460-32")
        stop()

    def _begin(
        self, about: str, keys: tuple[str, str], look: Callable[[], None], look_behind_a_deletion: Callable[[], None]
    ) -> Callable[[], None]:
        """Call one of these for each change of these keys, and the first one periodically, until the returned function is called."""
        is_open = True

        def look_while_open(one: Callable[[], None] = look) -> None:
            if is_open:
                one()

        def reported(change: KeyChange) -> None:
            one = look if change.kind is ChangeKind.MODIFIED else look_behind_a_deletion
            self._machine.send(News(about), lambda _: look_while_open(one))

        watch: StoreWatch = self._store.watch(*keys, reported)
        no_timer = self.look_now_and_then(look_while_open)

        def stop() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                watch.close()
                no_timer()

        return stop


def _deleted(topic: str) -> CommandRefused:
    return CommandRefused(ServerError.TOPIC_NOT_FOUND, f"{topic} was deleted; look it up again")
